package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

func (a *app) call() *cobra.Command {
	var whole string
	cmd := &cobra.Command{
		Use:   "call SERVER NAME [name=value | name:=JSON]…",
		Short: "call a tool",
		Long: `call calls a tool and prints what it answers.

A value is read as the type the tool's schema gives the argument; name:=JSON
says it in JSON. --args takes the whole object at once. The exit code is 1 when
the tool reports an error.`,
		Example: `  diglot call http://127.0.0.1:8333/mcp demo_add a=2 b=3
  diglot call servers.json#notes search --args '{"query":"x"}'
  diglot call echo message=hello -- npx -y @modelcontextprotocol/server-everything`,
		Args: arguments(1, -1),
		RunE: a.withServer(func(ctx context.Context, s *session) error { return s.call(ctx, s.own[0], s.own[1:], whole) }),
	}
	cmd.Flags().StringVar(&whole, "args", "", "all arguments as one JSON object")
	return cmd
}

func (s *session) call(ctx context.Context, name string, words []string, whole string) error {
	stop := s.app.spinner("calling " + name)
	defer stop()
	args, err := s.arguments(ctx, name, words, whole)
	if err != nil {
		return err
	}
	res, err := s.Call(ctx, name, args, client.OnProgress(func(p mcp.ProgressParams) { s.app.progress(p, stop) }))
	stop()
	if err != nil {
		return err
	}
	if err := s.app.printCall(res); err != nil {
		return err
	}
	if res.IsError {
		return errToolFailed
	}
	return nil
}

// arguments reads the arguments of a call. The tool's definition is looked up
// for its types, and so that parameters can be mirrored into headers; a server
// that does not list the tool may still have it.
func (s *session) arguments(ctx context.Context, name string, words []string, whole string) (json.RawMessage, error) {
	if whole != "" && len(words) > 0 {
		return nil, usagef("give arguments as name=value or as --args, not both")
	}
	if whole != "" {
		if jsonx.KindOf([]byte(whole)) != jsonx.Object {
			return nil, usagef("--args %q is no JSON object", whole)
		}
		if err := jsonx.Check([]byte(whole), jsonx.DefaultDepth); err != nil {
			return nil, usagef("--args: %w", err)
		}
	}
	var schema json.RawMessage
	for t, err := range s.Tools(ctx) {
		if err != nil {
			if err := unlessAbsent(err); err != nil {
				return nil, err
			}
			break
		}
		if t.Name == name {
			schema = t.InputSchema
			break
		}
	}
	if whole != "" {
		return json.RawMessage(whole), nil
	}
	return buildArguments(words, schema)
}

func (a *app) progress(p mcp.ProgressParams, stopSpinner func()) {
	if a.json {
		return
	}
	stopSpinner()
	of := ""
	if p.Total != nil {
		of = "/" + string(jsonx.AppendFloat(nil, *p.Total))
	}
	a.note("%s%s %s", jsonx.AppendFloat(nil, p.Progress), of, oneLine(p.Message))
}

// printCall writes a result: its blocks, and the structured result when no
// block repeats it.
func (a *app) printCall(res *mcp.CallToolResult) error {
	if a.json {
		return a.printJSON(res)
	}
	if res.IsError {
		a.printf("%s\n", a.styled(red, "the tool reported an error:"))
	}
	if err := a.printContent(res.Content); err != nil {
		return err
	}
	if res.StructuredContent != nil && len(res.Content) == 0 {
		return a.printJSON(res.StructuredContent)
	}
	return nil
}
