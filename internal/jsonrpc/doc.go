// Package jsonrpc reads and writes JSON-RPC 2.0 messages as the protocol uses
// them, and runs a duplex connection over a transport that carries them.
package jsonrpc
