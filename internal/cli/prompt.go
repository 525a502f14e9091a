package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/mcp"
)

func (a *app) prompt() *cobra.Command {
	return &cobra.Command{
		Use:     "prompt SERVER NAME [name=value]…",
		Short:   "expand a prompt",
		Example: "  diglot prompt http://127.0.0.1:8333/mcp demo.greet name=Ada",
		Args:    arguments(1, -1),
		RunE: a.withServer(func(ctx context.Context, s *session) error {
			args, err := buildStrings(s.own[1:])
			if err != nil {
				return err
			}
			stop := a.spinner("expanding " + s.own[0])
			res, err := s.Prompt(ctx, s.own[0], args)
			stop()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(res)
			}
			for _, m := range res.Messages {
				a.printf("%s ", a.styled(bold, oneLine(string(m.Role))+":"))
				if err := a.printContent([]mcp.Content{m.Content}); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}
