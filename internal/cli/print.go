package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// printf writes to standard output. A failing output is noticed by the caller
// of the whole program, which has nobody to tell.
func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.Out, format, args...) //nolint:errcheck // see above
}

// note writes a line to standard error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.Err, format+"\n", args...) //nolint:errcheck // see printf
}

// terminal reports whether w is one, and how wide.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		width = 80
	}
	return width, true
}

// Styles of terminal output.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
)

// styled wraps s in a terminal style when standard output is a terminal and the
// user did not ask for plain text (NO_COLOR).
func (a *app) styled(style, s string) string {
	if _, ok := terminal(a.Out); !ok || os.Getenv("NO_COLOR") != "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// printJSON writes v indented, raw JSON as it came but for white space.
func (a *app) printJSON(v any) error {
	raw, ok := v.(json.RawMessage)
	if !ok {
		b, err := jsonx.Marshal(v)
		if err != nil {
			return err
		}
		raw = b
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return err
	}
	a.printf("%s\n", out.String())
	return nil
}

// table writes rows in aligned columns; the last column takes what is left of a
// terminal's width.
func (a *app) table(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	room := 0
	if width, ok := terminal(a.Out); ok {
		used := 2
		for _, w := range widths[:len(widths)-1] {
			used += w + 2
		}
		room = max(width-used, 20)
	}
	for _, row := range rows {
		var line strings.Builder
		line.WriteString("  ")
		for i, cell := range row {
			last := i == len(row)-1
			if last && room > 0 {
				cell = shorten(cell, room)
			}
			pad := ""
			if !last {
				pad = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			}
			if i == 0 {
				cell = a.styled(bold, cell)
			}
			line.WriteString(cell + pad)
		}
		a.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}

// shorten cuts s to n runes, marking the cut.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-1]) + "…"
}

// oneLine is the first line of s, with control characters made harmless.
func oneLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return printable(line)
}

// printable replaces control characters other than newline and tab: what a
// server sends must not drive the user's terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '�'
		}
		return r
	}, s)
}

// printContent writes blocks for a person to read.
func (a *app) printContent(blocks []mcp.Content) error {
	for _, c := range blocks {
		switch c := c.(type) {
		case *mcp.TextContent:
			a.printf("%s\n", printable(c.Text))
		case *mcp.ImageContent:
			a.printf("%s\n", a.styled(dim, fmt.Sprintf("[image, %s, %d bytes]", oneLine(c.MIMEType), len(c.Data))))
		case *mcp.AudioContent:
			a.printf("%s\n", a.styled(dim, fmt.Sprintf("[audio, %s, %d bytes]", oneLine(c.MIMEType), len(c.Data))))
		case *mcp.ResourceLink:
			a.printf("%s %s\n", a.styled(bold, oneLine(c.Name)), oneLine(c.URI))
		case *mcp.EmbeddedResource:
			a.printResource(c.Resource)
		default:
			if err := a.printJSON(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) printResource(c mcp.ResourceContents) {
	if c.Blob != nil {
		a.printf("%s\n", a.styled(dim, fmt.Sprintf("[%s, %s, %d bytes]", oneLine(c.URI), oneLine(c.MIMEType), len(c.Blob))))
		return
	}
	a.printf("%s", printable(c.Text))
	if !strings.HasSuffix(c.Text, "\n") {
		a.printf("\n")
	}
}
