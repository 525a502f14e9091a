package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
)

// Version is the tool's version, as clients and servers are told.
const Version = "0.1.0"

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs the tool with args, without the program's name, and returns its exit
// code: 0 ok, 1 the tool called reported an error, 2 usage, 3 the peer broke or
// refused the protocol, 4 no connection, or no answer in time.
func Run(ctx context.Context, args []string, streams Streams) int {
	a := &app{Streams: streams}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(ctx)
	if err != nil && !isQuiet(err) {
		fmt.Fprintf(streams.Err, "diglot: %s\n", flagWords.Replace(err.Error())) //nolint:errcheck // standard error is all there is to tell
	}
	return exitCode(err)
}

// app is what the commands share: the streams and the global flags.
type app struct {
	Streams
	json     bool
	profile  string
	timeout  time.Duration
	headers  []string
	tokenEnv string
	verbose  bool
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "diglot",
		Short: "serve, inspect and call MCP servers of any revision",
		Long: `diglot speaks MCP, every revision of it.

A server is named by one argument everywhere:

  https://host/mcp        a URL, Streamable HTTP
  -- command args…        a program to start, stdio; comes last
  servers.json#name       an entry of an mcpServers file

Exit codes: 0 ok, 1 the tool called reported an error, 2 usage, 3 protocol, 4 no connection,
or no answer in time.`,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,

		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print JSON, as the server sent it")
	f.StringVar(&a.profile, "profile", "AUTO", "protocol revision: AUTO, a date, or a profile name")
	f.DurationVar(&a.timeout, "timeout", client.DefaultTimeout, "give up on a request, or on connecting, after this long")
	f.StringArrayVarP(&a.headers, "header", "H", nil, `add an HTTP header, "Name: value"; may be repeated`)
	f.StringVar(&a.tokenEnv, "token-env", "", "send the bearer token that is in this environment variable")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "show what a started program writes to its standard error")
	_ = root.RegisterFlagCompletionFunc("profile", completeProfile) // it fails for unknown flags alone
	serve := a.serve()
	serve.ValidArgsFunction = cobra.NoFileCompletions
	root.AddCommand(serve)
	for _, cmd := range []*cobra.Command{a.inspect(), a.list(), a.call(), a.read(), a.prompt(), a.complete()} {
		cmd.ValidArgsFunction = completeServer
		root.AddCommand(cmd)
	}
	return root
}

func (a *app) parsedProfile() (mcp.Profile, error) {
	p, err := mcp.ParseProfile(a.profile)
	if err != nil {
		return mcp.Auto, usageError{err}
	}
	return p, nil
}
