package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// cobraUsage recognizes the usage faults that cobra reports as plain errors:
// unknown commands. Argument counts are checked by exactly and atLeast, flags
// by the flag error function.
func cobraUsage(err error) bool { return strings.HasPrefix(err.Error(), "unknown command ") }

// arguments checks that a command got between least and most arguments besides
// its server spec.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		switch dash := cmd.ArgsLenAtDash(); {
		case dash >= 0 && dash == len(args):
			return usagef("no command follows --")
		case dash >= 0:
			n = dash
		case n == 0:
			return usagef("%s: which server? give a URL, FILE.json#NAME, or -- and a command", cmd.CommandPath())
		default:
			n--
		}
		if n < least || most >= 0 && n > most {
			return usagef("%s: wrong number of arguments; usage: %s", cmd.CommandPath(), cmd.UseLine())
		}
		return nil
	}
}
