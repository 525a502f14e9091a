// Package client connects to MCP servers of every revision and uses them.
//
// [Connect] finds out what a server speaks and returns a [Client], a durable
// handle on it:
//
//	c, err := client.Connect(ctx, client.HTTP("https://host/mcp", client.Bearer(token)), client.Config{
//		Info: mcp.Implementation{Name: "agent", Version: "1"},
//	})
//	defer c.Close()
//	for tool, err := range c.Tools(ctx) { … }
//	out, err := client.Call[Found](ctx, c, "notes_search", Search{Query: "x"})
//
// A server is named by a [Target]: a URL ([HTTP]), a program to start
// ([Command]), or a connection of your own ([Dial]). Nothing above Connect
// depends on the revision that was agreed on.
//
// # Errors
//
// What the server said is a *[mcp.Error], wrapped with what was being done. A
// tool that failed is no error of [Client.Call]; it is a result with IsError.
// Local conditions match the sentinels of package mcp under [errors.Is]:
// mcp.ErrNotFound, mcp.ErrClosed, mcp.ErrEra, mcp.ErrTooLarge,
// mcp.ErrInvalidResponse, mcp.ErrCannotAsk. A timeout matches
// [context.DeadlineExceeded] and names the limit that was reached.
package client
