package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/mcp"
)

func unmarshal(s string, into any) error { return json.Unmarshal([]byte(s), into) }

func logCall(p mcp.Profile, level mcp.LogLevel) *exchange {
	x := requestIn(p, mcp.MethodToolsCall, `{"name":"svc_t"}`)
	x.caller.logLevel = level
	return x
}

// TestLog: records go to callers that asked for their level, as the protocol
// has it (M-LOG-002, M-LOG-003).
func TestLog(t *testing.T) {
	send := func(ctx context.Context) {
		log := Log(ctx)
		log.Debug("d")
		log.Info("i", "n", 9007199254740993, "who", "Ada <a@b>")
		log.With("a", 1).WithGroup("g").Warn("w", "b", 2, slog.Group("c", "d", "e"))
		log.Error("e", "err", errors.New("why"), "level", "mine", "time", "now")
		log.Log(ctx, LogAlert, "a")
	}
	prefix := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`
	all := []string{
		prefix + `debug","logger":"svc","data":{"msg":"d"}}}`,
		prefix + `info","logger":"svc","data":{"msg":"i","n":9007199254740993,"who":"Ada <a@b>"}}}`,
		prefix + `warning","logger":"svc","data":{"msg":"w","a":1,"g":{"b":2,"c":{"d":"e"}}}}}`,
		prefix + `error","logger":"svc","data":{"msg":"e","err":"why","level":"mine","time":"now"}}}`,
		prefix + `alert","logger":"svc","data":{"msg":"a"}}}`,
	}
	for _, tt := range []struct {
		level mcp.LogLevel
		want  []string
	}{
		{mcp.LevelDebug, all}, {mcp.LevelInfo, all[1:]}, {mcp.LevelNotice, all[2:]}, {mcp.LevelWarning, all[2:]},
		{mcp.LevelError, all[3:]}, {mcp.LevelCritical, all[4:]}, {mcp.LevelAlert, all[4:]}, {mcp.LevelEmergency, nil}, {"", nil},
	} {
		for _, p := range mcp.Profiles() {
			if diff := cmp.Diff(tt.want, notified(t, logCall(p, tt.level), send)); diff != "" {
				t.Errorf("%v, level %q (-want +got):\n%s", p, tt.level, diff)
			}
		}
	}
	t.Run("outside a call", func(*testing.T) { send(context.Background()) })
	t.Run("the caller's level decides what is enabled", func(t *testing.T) {
		notified(t, logCall(mcp.Newest, mcp.LevelWarning), func(ctx context.Context) {
			if l := Log(ctx); l.Enabled(ctx, slog.LevelInfo) || !l.Enabled(ctx, slog.LevelWarn) {
				t.Error("enabled levels are wrong")
			}
		})
	})
}

// chatty logs while it is logged.
type chatty struct{ log *slog.Logger }

func (c chatty) LogValue() slog.Value {
	c.log.Info("inner")
	return slog.StringValue("v")
}

// TestLogWithinLog: a value that logs when it is written does not stop the call.
func TestLogWithinLog(t *testing.T) {
	got := notified(t, logCall(mcp.Newest, mcp.LevelDebug), func(ctx context.Context) {
		log := Log(ctx)
		log.Info("outer", "value", chatty{log})
	})
	if len(got) != 2 {
		t.Errorf("sent %v", got)
	}
}

// TestLogLevels: each level of log/slog has one of the protocol's.
func TestLogLevels(t *testing.T) {
	for level, want := range map[slog.Level]mcp.LogLevel{
		-100: mcp.LevelDebug, slog.LevelDebug: mcp.LevelDebug, slog.LevelInfo - 1: mcp.LevelDebug, slog.LevelInfo: mcp.LevelInfo, 1: mcp.LevelInfo,
		LogNotice: mcp.LevelNotice, slog.LevelWarn: mcp.LevelWarning, slog.LevelError: mcp.LevelError, 11: mcp.LevelError,
		LogCritical: mcp.LevelCritical, LogAlert: mcp.LevelAlert, LogEmergency: mcp.LevelEmergency, 100: mcp.LevelEmergency,
	} {
		if got := logLevel(level); got != want {
			t.Errorf("%v is %v, want %v", int(level), got, want)
		}
	}
}
