package client_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
)

// Changes are heard of in a loop, and read anew. The loop is the same whatever
// revision the server speaks.
func ExampleClient_Listen() {
	watch := func(ctx context.Context, c *client.Client) error {
		sub, err := c.Listen(ctx, mcp.Filter{Tools: true, Resources: []string{"note://42"}})
		if err != nil {
			return err
		}
		defer sub.Close()
		for e := range sub.Events() {
			switch e.Change {
			case client.ToolsChanged:
				fmt.Println("list the tools again")
			case client.ResourceUpdated:
				fmt.Println("read again", e.URI)
			case client.PromptsChanged, client.ResourcesChanged:
				// not asked for
			case client.Lagged:
				fmt.Println("read everything again")
			}
		}
		if errors.Is(sub.Err(), client.ErrListenEnded) {
			return nil // the server is done, and said so
		}
		return sub.Err()
	}
	fmt.Println(watch != nil)
	// Output: true
}
