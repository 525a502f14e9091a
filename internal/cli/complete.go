package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/mcp"
)

func (a *app) complete() *cobra.Command {
	return &cobra.Command{
		Use:   "complete SERVER REF ARGUMENT=TYPED [name=value]…",
		Short: "ask for suggestions while an argument is being typed",
		Long: `complete asks the server how an argument could go on. REF is the name of a
prompt, or a resource template, which contains "://". Further arguments are
those already chosen.`,
		Example: `  diglot complete http://127.0.0.1:8333/mcp demo.greet name=A
  diglot complete http://127.0.0.1:8333/mcp 'note://{id}' id=w`,
		Args: arguments(2, -1),
		RunE: a.withServer(func(ctx context.Context, s *session) error {
			params, err := completion(s.own)
			if err != nil {
				return err
			}
			stop := a.spinner("completing")
			res, err := s.Complete(ctx, params)
			stop()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(res)
			}
			for _, v := range res.Completion.Values {
				a.printf("%s\n", oneLine(v))
			}
			if res.Completion.HasMore {
				a.note("there are more")
			}
			return nil
		}),
	}
}

func completion(words []string) (mcp.CompleteParams, error) {
	ref := mcp.Reference{Type: mcp.RefPrompt, Name: words[0]}
	if strings.Contains(words[0], "://") {
		ref = mcp.Reference{Type: mcp.RefResource, URI: words[0]}
	}
	name, typed, ok := strings.Cut(words[1], "=")
	if !ok || name == "" {
		return mcp.CompleteParams{}, usagef("%q does not say which argument is being typed; write name=typed", words[1])
	}
	params := mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteArgument{Name: name, Value: typed}}
	chosen, err := buildStrings(words[2:])
	if err != nil {
		return mcp.CompleteParams{}, err
	}
	if len(chosen) > 0 {
		params.Context = &mcp.CompleteContext{Arguments: chosen}
	}
	return params, nil
}
