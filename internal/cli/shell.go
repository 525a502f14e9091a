package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/mcp"
)

// completeProfile suggests the revisions that can be pinned.
func completeProfile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all := []string{"AUTO"}
	for _, p := range mcp.Profiles() {
		all = append(all, p.Version())
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// completeServer suggests server specs: files, and after FILE.json# the names in
// it. What follows is the server's to know, and it is not asked while somebody
// types.
func completeServer(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	file, _, named := strings.Cut(typed, "#")
	switch dash := cmd.ArgsLenAtDash(); {
	case dash >= 0 && dash < len(args), len(args) == 0 && !named: // words of a program, or the first word
		return nil, cobra.ShellCompDirectiveDefault
	case len(args) > 0:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	servers, err := readServers(file)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	specs := slices.Sorted(maps.Keys(servers))
	for i, name := range specs {
		specs[i] = file + "#" + name
	}
	return specs, cobra.ShellCompDirectiveNoFileComp
}
