package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) read() *cobra.Command {
	return &cobra.Command{
		Use:     "read SERVER URI",
		Short:   "read a resource",
		Example: "  diglot read http://127.0.0.1:8333/mcp note://welcome",
		Args:    arguments(1, 1),
		RunE: a.withServer(func(ctx context.Context, s *session) error {
			stop := a.spinner("reading " + s.own[0])
			res, err := s.Read(ctx, s.own[0])
			stop()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(res)
			}
			for _, c := range res.Contents {
				a.printResource(c)
			}
			return nil
		}),
	}
}
