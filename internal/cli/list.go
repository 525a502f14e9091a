package cli

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/mcp"
)

// catalogs is everything a server lists. Lists it does not offer are absent.
type catalogs struct {
	Tools             []mcp.Tool             `json:"tools,omitempty"`
	Resources         []mcp.Resource         `json:"resources,omitempty"`
	ResourceTemplates []mcp.ResourceTemplate `json:"resourceTemplates,omitempty"`
	Prompts           []mcp.Prompt           `json:"prompts,omitempty"`
}

func (a *app) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list SERVER",
		Short: "list tools, resources and prompts",
		Example: `  diglot list http://127.0.0.1:8333/mcp
  diglot list --json servers.json#notes
  diglot list -- npx -y @modelcontextprotocol/server-everything`,
		Args: arguments(0, 0),
		RunE: a.withServer(func(ctx context.Context, s *session) error {
			all, err := s.catalogs(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(all)
			}
			a.printCatalogs(all)
			return nil
		}),
	}
}

// catalogs reads all lists. A list whose capability the server does not have is
// empty.
func (s *session) catalogs(ctx context.Context) (catalogs, error) {
	stop := s.app.spinner("listing")
	defer stop()
	var all catalogs
	var err error
	if all.Tools, err = gather(s.Tools(ctx)); err != nil {
		return all, err
	}
	if all.Resources, err = gather(s.Resources(ctx)); err != nil {
		return all, err
	}
	if all.ResourceTemplates, err = gather(s.ResourceTemplates(ctx)); err != nil {
		return all, err
	}
	all.Prompts, err = gather(s.Prompts(ctx))
	return all, err
}

func gather[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			err = unlessAbsent(err)
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (a *app) printCatalogs(all catalogs) {
	section(a, "tools", all.Tools, func(t mcp.Tool) []string {
		return []string{oneLine(t.Name), signature(t.InputSchema), oneLine(t.Description)}
	})
	section(a, "resources", all.Resources, func(r mcp.Resource) []string {
		return []string{oneLine(r.URI), oneLine(r.MIMEType), oneLine(firstOf(r.Description, r.Title, r.Name))}
	})
	section(a, "resource templates", all.ResourceTemplates, func(r mcp.ResourceTemplate) []string {
		return []string{oneLine(r.URITemplate), oneLine(r.MIMEType), oneLine(firstOf(r.Description, r.Title, r.Name))}
	})
	section(a, "prompts", all.Prompts, func(p mcp.Prompt) []string {
		return []string{oneLine(p.Name), promptSignature(p), oneLine(p.Description)}
	})
	if len(all.Tools)+len(all.Resources)+len(all.ResourceTemplates)+len(all.Prompts) == 0 {
		a.printf("the server lists nothing\n")
	}
}

func section[T any](a *app, title string, items []T, row func(T) []string) {
	if len(items) == 0 {
		return
	}
	a.printf("%s\n", a.styled(dim, title))
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = row(item)
	}
	a.table(rows)
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// signature is the arguments of a tool in one line, optional ones with "?".
func signature(schema json.RawMessage) string {
	var s strings.Builder
	s.WriteString("(")
	for i, p := range properties(schema) {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(oneLine(p.name))
		if !p.required {
			s.WriteString("?")
		}
	}
	return s.String() + ")"
}

func promptSignature(p mcp.Prompt) string {
	var s strings.Builder
	s.WriteString("(")
	for i, arg := range p.Arguments {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(oneLine(arg.Name))
		if !arg.Required {
			s.WriteString("?")
		}
	}
	return s.String() + ")"
}
