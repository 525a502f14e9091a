// Package mcptest helps to test MCP servers and clients: yours, and diglot's
// own.
//
//   - [Connect] joins a server and a client in memory.
//   - [Eras] runs one test on every transport and every revision.
//   - [Golden] plays recorded HTTP exchanges against a handler and compares the
//     bytes of the answers.
//   - [Leak] fails a package whose tests leave a goroutine behind.
//
// A test written with [Eras] is the claim that a feature does not depend on the
// era it is used in.
package mcptest
