package schema

import (
	"fmt"
	"strings"
)

// nearest is the end of a sentence about an unknown name: `; did you mean
// "x"?`, or nothing when no candidate is near.
func nearest(name string, candidates []string) string {
	if best := closest(name, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// closest picks the candidate most likely meant by name: the same word in
// another spelling (case, "_", "-"), then one within a third of its letters by
// edit distance, then a word models commonly use for the same thing.
func closest(name string, candidates []string) string {
	const maxName = 64 // longer names are no typing mistakes, and cost the square
	if len(name) > maxName {
		return ""
	}
	folded := fold(name)
	best, bestDistance := "", max(1, len(folded)/3)+1
	for _, c := range candidates {
		if len(c) > maxName {
			continue
		}
		f := fold(c)
		if d := editDistance(folded, f); d < bestDistance && d < max(len(folded), len(f)) || f == folded {
			best, bestDistance = c, d
		}
	}
	if best != "" {
		return best
	}
	for _, c := range candidates {
		if sameIdea(folded, fold(c)) {
			return c
		}
	}
	return ""
}

// ideas are groups of argument names that mean the same, folded. They catch
// what edit distance cannot: a model that read another tool's documentation.
var ideas = []string{
	" cursor continue continuation continuationtoken nextcursor pagetoken nextpagetoken nexttoken pagecursor ",
	" limit count max maxresults maxitems top topk pagesize perpage size take numresults ",
	" query q search searchquery searchterm term text keyword keywords ",
	" path file filename filepath pathname ",
	" dir directory folder cwd root ",
	" id identifier key uid ",
	" url uri link href address ",
	" content contents body data payload ",
	" start from begin since after ",
	" end to until before ",
	" sort order orderby sortby sortorder ",
}

func sameIdea(a, b string) bool {
	for _, group := range ideas {
		if strings.Contains(group, " "+a+" ") && strings.Contains(group, " "+b+" ") {
			return true
		}
	}
	return false
}

// fold makes spellings of one name equal: MaxItems, max_items, max-items.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment), by bytes.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
