package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// cobraUsage recognizes the usage faults that cobra reports as plain errors:
// unknown commands. Argument counts are checked by arguments, flags by the flag
// error function.
func cobraUsage(err error) bool { return strings.HasPrefix(err.Error(), "unknown command ") }

// arguments checks that a command got between least and most arguments besides
// its server spec.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		switch dash := cmd.ArgsLenAtDash(); {
		case dash >= 0 && dash == len(args):
			return usagef("%s: no command follows --", cmd.Name())
		case dash >= 0:
			n = dash
		case n == 0:
			return usagef("%s: which server? give a URL, FILE.json#NAME, or -- and a command", cmd.Name())
		default:
			n--
		}
		amount := "too few arguments"
		switch {
		case most >= 0 && n > most:
			amount = "too many arguments"
		case n >= least:
			return nil
		}
		if cmd.ArgsLenAtDash() >= 0 {
			amount += ", not counting the server's command, which is all that follows --"
		}
		return usagef("%s: %s; usage: %s", cmd.Name(), amount, cmd.UseLine())
	}
}

// unknownCommand refuses a word that is no command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("unknown command %q; did you mean %q?", args[0], near[0])
	}
	return usagef("unknown command %q; diglot help lists them", args[0])
}

// flagWords names flags where the client's errors name its configuration.
var flagWords = strings.NewReplacer(
	"(Config.Timeout)", "(--timeout)",
	"(Config.ConnectTimeout)", "(--timeout)",
	"Config.Profile pins", "--profile pins",
	"with Config.Profile", "with --profile",
)
