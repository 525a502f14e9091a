package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
)

// session is a command's connection to its server.
type session struct {
	*client.Client
	app *app
	own []string
}

// withServer connects to the server of the command line, runs do with the
// command's own arguments, and closes the connection.
func (a *app) withServer(do func(context.Context, *session) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		words, own, command := split(cmd, args)
		s, err := a.spec(words, command)
		if err != nil {
			return err
		}
		cfg, err := a.clientConfig(s)
		if err != nil {
			return err
		}
		ctx := cmd.Context()
		stop := a.spinner("connecting to " + s.name)
		c, err := client.Connect(ctx, s.target, cfg)
		stop()
		if err != nil {
			return err
		}
		defer func() {
			// A failure to say goodbye is no failure of the command.
			if closeErr := c.Close(); err == nil && a.verbose && closeErr != nil {
				a.note("close: %v", closeErr)
			}
		}()
		return do(ctx, &session{Client: c, app: a, own: own})
	}
}

func (a *app) clientConfig(s spec) (client.Config, error) {
	profile, err := a.parsedProfile()
	if err != nil {
		return client.Config{}, err
	}
	if profile == mcp.Auto && s.pinned {
		profile = s.profile
	}
	if a.timeout < 0 {
		return client.Config{}, usagef("--timeout %v is less than nothing", a.timeout)
	}
	cfg := client.Config{
		Info:    mcp.Implementation{Name: "diglot", Version: Version},
		Profile: profile,
		Timeout: a.timeout,
	}
	if a.timeout != client.DefaultTimeout {
		cfg.ConnectTimeout = a.timeout
	}
	if a.verbose {
		cfg.Stderr = a.Err
	}
	return cfg, nil
}

// unlessAbsent is err, or nil when err says that the server does not offer what
// was asked for.
func unlessAbsent(err error) error {
	if e, ok := errors.AsType[*mcp.Error](err); ok && e.Code == mcp.CodeMethodNotFound {
		return nil
	}
	return err
}

func names[V any](m map[string]V) string {
	if len(m) == 0 {
		return "none"
	}
	quoted := slices.Sorted(maps.Keys(m))
	for i, n := range quoted {
		quoted[i] = `"` + n + `"`
	}
	return strings.Join(quoted, ", ")
}
