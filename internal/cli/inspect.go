package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/mcp"
)

// inspection is what inspect prints as JSON.
type inspection struct {
	Revision     string                 `json:"revision"`
	Profile      mcp.Profile            `json:"profile"`
	Server       mcp.Implementation     `json:"serverInfo"`
	Capabilities mcp.ServerCapabilities `json:"capabilities"`
	Instructions string                 `json:"instructions,omitzero"`
	catalogs
}

func (a *app) inspect() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect SERVER",
		Short: "say who a server is, what it speaks and what it offers",
		Example: `  diglot inspect http://127.0.0.1:8333/mcp
  diglot inspect --json -- npx -y @modelcontextprotocol/server-everything`,
		Args: arguments(0, 0),
		RunE: a.withServer(func(ctx context.Context, s *session) error {
			all, err := s.catalogs(ctx)
			if err != nil {
				return err
			}
			info := s.Server()
			if a.json {
				return a.printJSON(inspection{
					Revision: info.Profile.Version(), Profile: info.Profile, Server: info.Info,
					Capabilities: info.Capabilities, Instructions: info.Instructions, catalogs: all,
				})
			}
			a.table([][]string{
				{"server", oneLine(strings.TrimSpace(firstOf(info.Info.Title, info.Info.Name) + " " + info.Info.Version))},
				{"revision", info.Profile.Version()},
				{"offers", offers(info.Capabilities)},
			})
			if info.Instructions != "" {
				a.printf("\n%s\n", printable(info.Instructions))
			}
			a.printf("\n")
			a.printCatalogs(all)
			return nil
		}),
	}
}

// offers names the capabilities in words.
func offers(c mcp.ServerCapabilities) string {
	var out []string
	add := func(on bool, name string) {
		if on {
			out = append(out, name)
		}
	}
	add(c.Tools != nil, "tools")
	add(c.Resources != nil, "resources")
	add(c.Prompts != nil, "prompts")
	add(c.Completions != nil, "completions")
	add(c.Logging != nil, "logging")
	for id := range c.Extensions {
		out = append(out, oneLine(id))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}
