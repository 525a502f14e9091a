package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/mcp"
)

// Exit codes.
const (
	exitOK         = 0
	exitToolError  = 1
	exitUsage      = 2
	exitProtocol   = 3
	exitConnection = 4
)

// usageError is a fault of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errToolFailed ends a command whose output has already said what failed.
var errToolFailed = errors.New("the tool reported an error")

func isQuiet(err error) bool { return errors.Is(err, errToolFailed) }

// exitCode sorts an error by who must act: the caller of the tool, the user of
// the command line, the author of the server, or whoever runs it.
func exitCode(err error) int {
	var (
		usage usageError
		wire  *mcp.Error
		auth  *client.AuthError
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return exitOK
	case errors.Is(err, errToolFailed):
		return exitToolError
	case errors.As(err, &usage), cobraUsage(err):
		return exitUsage
	case errors.As(err, &auth):
		return exitConnection
	case errors.As(err, &wire), errors.Is(err, mcp.ErrInvalidResponse), errors.Is(err, mcp.ErrEra), errors.Is(err, mcp.ErrNotFound), errors.Is(err, mcp.ErrCannotAsk):
		return exitProtocol
	default:
		return exitConnection
	}
}
