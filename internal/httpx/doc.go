// Package httpx holds the rules of HTTP that MCP leans on and that have
// nothing to do with its messages: how a value becomes a header, which media
// types are asked for, who may call from a browser, which redirect may be
// followed, and how a body is read without trusting its size.
//
// It keeps no state of the protocol. Everything is safe for concurrent use
// unless it says otherwise.
package httpx
