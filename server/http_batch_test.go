package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/diglot-mcp/diglot/mcp"
)

// batchOf is an array of n calls of a tool, with ids from first on.
func batchOf(n, first int, tool string) string {
	calls := make([]string, n)
	for i := range calls {
		calls[i] = legacyCall(fmt.Sprint(first+i), tool, "{}")
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// outcomes counts the results and the errors in the answer to a batch.
func outcomes(t *testing.T, a answered) (results, errors int) {
	t.Helper()
	var replies []response
	if err := json.Unmarshal([]byte(a.body), &replies); a.status != http.StatusOK || err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	for _, r := range replies {
		if r.Error != nil {
			errors++
		} else {
			results++
		}
	}
	return results, errors
}

// BATCH-01: a batch takes no more of a session at once than the session has, and
// none of its members is refused on account of the others.
func TestBatchesFitTheirSession(t *testing.T) {
	const size = 50
	for _, tt := range []struct {
		name string
		cfg  SessionConfig
	}{
		{"in a session", SessionConfig{}},
		{"in a session with room for one call", SessionConfig{MaxInFlight: 1}},
		{"without sessions", SessionConfig{Stateless: true}},
		{"without sessions, with room for one call", SessionConfig{Stateless: true, MaxInFlight: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			svc := NewService("")
			Tool(svc, "quick", says("quick"))
			s := serveHTTP(t, configured(t, Config{Session: tt.cfg}, svc).Handler())
			session := ""
			if !tt.cfg.Stateless {
				session = s.open(mcp.Legacy20250326)
			}
			for i := range 5 {
				if results, errors := outcomes(t, s.do(http.MethodPost, batchOf(size, i*size, "quick"), legacyHeader(session))); results != size || errors != 0 {
					t.Errorf("%d results and %d errors, want %d results", results, errors, size)
				}
			}
		})
	}
}

// Members of a batch that a full session refuses, beside each other, are errors
// in the array and nothing more.
func TestBatchInABusySession(t *testing.T) {
	const size = 50
	svc := newStalls()
	s := serveHTTP(t, configured(t, Config{Session: SessionConfig{MaxInFlight: batchWidth}}, svc.Service).Handler())
	id := s.open(mcp.Legacy20250326)
	done := make(chan answered, batchWidth)
	for i := range batchWidth {
		go func() { done <- s.do(http.MethodPost, legacyCall(fmt.Sprint(i), "stall", "{}"), legacyHeader(id)) }()
		within(t, svc.began, "call")
	}
	for i := range 10 {
		a := s.do(http.MethodPost, batchOf(size, (i+1)*size, "quick"), legacyHeader(id))
		if results, errors := outcomes(t, a); results != 0 || errors != size || a.header.Get("Retry-After") != "" {
			t.Errorf("%d results and %d errors, %v; want %d errors", results, errors, a.header, size)
		}
	}
	close(svc.release)
	for range batchWidth {
		within(t, done, "answer")
	}
}
