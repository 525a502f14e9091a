// Package cli is the command line tool diglot: one file per command.
//
// Every command that talks to a server takes one server spec: a URL, or a
// command after "--", or FILE.json#NAME for an entry of an mcpServers file.
package cli
