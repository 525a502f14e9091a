package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/diglot-mcp/diglot/mcp"
)

// Tools lists the server's tools, page by page as the loop goes on. Each loop
// asks the server again. An error is the last thing it yields; what came before
// it is then not the whole list.
//
// Where arguments are mirrored in headers, tools whose definitions make that
// impossible are left out, with a warning in the log. What is listed is
// remembered for [Client.Call].
func (c *Client) Tools(ctx context.Context) iter.Seq2[mcp.Tool, error] {
	return func(yield func(mcp.Tool, error) bool) {
		// Names of the whole list, so that what is gone from it is forgotten.
		names := map[string]bool{}
		stopped := false
		read := func(ctx context.Context, params mcp.ListParams) ([]mcp.Tool, *string, error) {
			var r mcp.ListToolsResult
			p, err := c.page(ctx, mcp.MethodToolsList, params, &r)
			if err != nil {
				return nil, nil, err
			}
			for _, t := range r.Tools {
				names[t.Name] = true
			}
			return c.sort(p, r.Tools), r.NextCursor, nil
		}
		for t, err := range walk(ctx, c, "tools", read) {
			if stopped = !yield(t, err) || err != nil; stopped {
				return
			}
		}
		c.tools.retain(names)
	}
}

// Resources lists the server's resources, as [Client.Tools] does tools.
func (c *Client) Resources(ctx context.Context) iter.Seq2[mcp.Resource, error] {
	return walk(ctx, c, "resources", func(ctx context.Context, params mcp.ListParams) ([]mcp.Resource, *string, error) {
		var r mcp.ListResourcesResult
		_, err := c.page(ctx, mcp.MethodResourcesList, params, &r)
		return r.Resources, r.NextCursor, err
	})
}

// ResourceTemplates lists the server's resource templates, as [Client.Tools]
// does tools.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[mcp.ResourceTemplate, error] {
	return walk(ctx, c, "resource templates", func(ctx context.Context, params mcp.ListParams) ([]mcp.ResourceTemplate, *string, error) {
		var r mcp.ListResourceTemplatesResult
		_, err := c.page(ctx, mcp.MethodResourceTemplatesList, params, &r)
		return r.ResourceTemplates, r.NextCursor, err
	})
}

// Prompts lists the server's prompts, as [Client.Tools] does tools.
func (c *Client) Prompts(ctx context.Context) iter.Seq2[mcp.Prompt, error] {
	return walk(ctx, c, "prompts", func(ctx context.Context, params mcp.ListParams) ([]mcp.Prompt, *string, error) {
		var r mcp.ListPromptsResult
		_, err := c.page(ctx, mcp.MethodPromptsList, params, &r)
		return r.Prompts, r.NextCursor, err
	})
}

// page requests one page, and returns the peer it is from.
func (c *Client) page(ctx context.Context, method string, params mcp.ListParams, into any) (*peer, error) {
	k, err := c.begin(ctx, method, nil)
	if err != nil {
		return nil, err
	}
	defer k.end()
	return k.do(params, into)
}

// walk follows the cursors of a list. It ends, with an error, when the server
// gives a cursor twice, or more pages or entries than the limits allow (PAG-01).
func walk[T any](ctx context.Context, c *Client, what string, read func(context.Context, mcp.ListParams) ([]T, *string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		fail := func(err error) { yield(none, fmt.Errorf("list %s: %w", what, err)) }
		limits := c.cfg.Limits
		seen := map[string]bool{}
		var params mcp.ListParams
		entries := 0
		for pages := 1; ; pages++ {
			page, next, err := read(ctx, params)
			if err != nil {
				fail(err)
				return
			}
			for _, entry := range page {
				if entries++; entries > limits.Entries {
					fail(fmt.Errorf("%w: more than %d entries (Config.Limits.Entries)", mcp.ErrTooLarge, limits.Entries))
					return
				}
				if !yield(entry, nil) {
					return
				}
			}
			// The empty string is a cursor, but before it was one, servers wrote it
			// at the end.
			if next == nil || *next == "" && !c.peer().manners.blankCursor {
				return
			}
			switch {
			case seen[*next]:
				fail(fmt.Errorf("%w: the server gave the cursor %q twice", mcp.ErrInvalidResponse, clip(*next)))
				return
			case pages == limits.Pages:
				fail(fmt.Errorf("%w: more than %d pages (Config.Limits.Pages)", mcp.ErrTooLarge, limits.Pages))
				return
			}
			seen[*next] = true
			params.Cursor = next
		}
	}
}
