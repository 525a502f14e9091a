package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// listKind is one of the four lists.
type listKind uint8

const (
	listTools listKind = iota
	listResources
	listTemplates
	listPrompts
	listKinds
)

var (
	listEntries = [listKinds]Kind{KindTool, KindResource, KindTemplate, KindPrompt}
	listMembers = [listKinds]string{"tools", "resources", "resourceTemplates", "prompts"}
)

// listing is one list of a catalog: its entries by name, so that the order is
// the same on every instance and a cursor, which is a name, means the same place
// after a change (M-TOOL-005, M-PAGE-006, M-PAGE-007).
type listing struct {
	kind    listKind
	entries []*entry
	// restricted: some entries are hidden from some callers.
	restricted bool
	// encoded are all entries for each era, made at first use.
	encoded [profiles]atomic.Pointer[[][]byte]
}

func newListing(kind listKind, index map[string]*entry) *listing {
	l := &listing{kind: kind, entries: make([]*entry, 0, len(index))}
	for _, e := range index {
		l.entries = append(l.entries, e)
		l.restricted = l.restricted || len(e.shownBy) > 0
	}
	slices.SortFunc(l.entries, func(a, b *entry) int { return cmp.Compare(a.Name, b.Name) })
	return l
}

// encode returns all entries as clients of an era see them.
func (l *listing) encode(era wire.Era) ([][]byte, error) {
	slot := &l.encoded[era.Profile()]
	if all := slot.Load(); all != nil {
		return *all, nil
	}
	all := make([][]byte, len(l.entries))
	for i, e := range l.entries {
		b, err := e.encode(era)
		if err != nil {
			return nil, err
		}
		all[i] = b
	}
	slot.Store(&all)
	return all, nil
}

// list is the method that answers with one page of a list.
func (s *Server) list(kind listKind) methodFunc {
	return func(ctx context.Context, x *exchange) (any, error) {
		l := x.catalog.lists[kind]
		from, err := l.position(x.params.Cursor, x.caller.principal)
		if err != nil {
			return nil, err
		}
		all, encErr := l.encode(x.era)
		if encErr != nil {
			return nil, &faulty{"the list cannot be written", encErr}
		}
		page := &wire.Page{Member: listMembers[kind]}
		var last int // the index of the page's last entry; only read when there are more
		if l.restricted {
			page.Entries, last = l.visible(ctx, all, from, s.cfg.PageSize)
		} else {
			last = min(from+s.cfg.PageSize, len(all)) - 1
			page.Entries = all[from : last+1]
			last = moreAfter(last, len(all))
		}
		if last >= 0 {
			cursor := l.cursor(l.entries[last].Name, x.caller.principal)
			page.NextCursor = &cursor
		}
		return page, nil
	}
}

// moreAfter is last when entries follow it, else -1.
func moreAfter(last, all int) int {
	if last+1 < all {
		return last
	}
	return -1
}

// visible picks one page of what the caller may see. The second result is the
// index of the page's last entry when the caller may see more, else -1: the end
// of the list gives nothing away about hidden entries behind it.
func (l *listing) visible(ctx context.Context, all [][]byte, from, size int) ([][]byte, int) {
	page := make([][]byte, 0, min(size, len(all)-from))
	last := -1
	for i := from; i < len(all); i++ {
		e := l.entries[i]
		if !shown(ctx, &e.Entry, e.shownBy) {
			continue
		}
		if len(page) == size {
			return page, last
		}
		page, last = append(page, all[i]), i
	}
	return page, -1
}

// A cursor is a checksum and the name of the last entry of the page before. The
// checksum covers the list and the caller's principal, so that a cursor of
// another list, of another caller, or none at all is told apart (M-PAGE-006); it
// protects nothing, as a cursor gives access to nothing.

const cursorSum = 4

// cursor is the cursor that leads to what follows name.
func (l *listing) cursor(name, principal string) string {
	raw := make([]byte, cursorSum, cursorSum+len(name))
	binary.BigEndian.PutUint32(raw, l.checksum(name, principal))
	return base64.RawURLEncoding.EncodeToString(append(raw, name...))
}

func (l *listing) checksum(name, principal string) uint32 {
	sum := crc32.Update(0, crc32.IEEETable, []byte(listMembers[l.kind]+"\x00"+principal+"\x00"))
	return crc32.Update(sum, crc32.IEEETable, []byte(name))
}

// position is the index of the first entry of the page that an encoded cursor
// asks for. No cursor, or null in its place, asks for the first page.
func (l *listing) position(raw []byte, principal string) (int, error) {
	if raw == nil || jsonx.KindOf(raw) == jsonx.Null {
		return 0, nil
	}
	text, ok := wire.String(raw)
	if !ok {
		return 0, mcp.Errorf(mcp.CodeInvalidParams, "params.cursor is no string")
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < cursorSum {
		return 0, l.badCursor()
	}
	name := string(b[cursorSum:])
	if binary.BigEndian.Uint32(b) != l.checksum(name, principal) {
		return 0, l.badCursor()
	}
	at, found := slices.BinarySearchFunc(l.entries, name, func(e *entry, name string) int { return strings.Compare(e.Name, name) })
	if found {
		at++
	}
	return at, nil
}

func (l *listing) badCursor() error {
	return mcp.Errorf(mcp.CodeInvalidParams, "params.cursor is none of this list; begin again without one")
}
