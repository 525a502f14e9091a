package server

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

// TestConfigFaults: everything that is wrong with a configuration, at once.
func TestConfigFaults(t *testing.T) {
	minus := int64(-1)
	_, err := New(Config{
		Profile: 99, PageSize: -1, Interceptors: []Interceptor{nil},
		Limits: Limits{Message: -1, Depth: -1, Call: -time.Second},
		Cache:  Cache{Discover: mcp.CacheHint{TTLMs: &minus}, Lists: mcp.CacheHint{CacheScope: "shared"}},
	})
	want := []string{
		"server config: Info.Name is empty; name the server",
		"server config: Info.Version is empty; say which version of the server this is",
		"server config: Profile: Profile(99) is no revision; use mcp.Auto or one of mcp.Profiles",
		`server config: PageSize is "-1"; use 0 for the default, or a positive value`,
		`server config: Limits.Message is "-1"; use 0 for the default, or a positive value`,
		`server config: Limits.Depth is "-1"; use 0 for the default, or a positive value`,
		`server config: Limits.Call is "-1s"; use 0 for the default, or a positive value`,
		"server config: Interceptors[0] is nil",
		"server config: Cache.Discover: a time to live of -1 ms is negative",
		`server config: Cache.Lists: scope "shared" is neither "public" nor "private"`,
	}
	if err == nil {
		t.Fatal("New: no error")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// TestConfigDefaults: the zero configuration is safe.
func TestConfigDefaults(t *testing.T) {
	c := Config{}.withDefaults()
	if c.PageSize != 100 || c.Limits.Message != 4<<20 || c.Limits.Depth != 128 || c.Limits.Call != 0 || c.Logger == nil {
		t.Errorf("defaults: %+v", c)
	}
	hints := []mcp.CacheHint{c.Cache.Discover, c.Cache.Lists, c.Cache.Reads}
	want := []mcp.CacheHint{mcp.Cache(time.Hour, mcp.CachePublic), mcp.Cache(30*time.Second, mcp.CachePrivate), mcp.Cache(30*time.Second, mcp.CachePrivate)}
	if diff := cmp.Diff(want, hints); diff != "" {
		t.Errorf("cache hints (-want +got):\n%s", diff)
	}
}
