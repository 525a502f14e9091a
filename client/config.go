package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
)

// Defaults of Config.
const (
	// DefaultTimeout is how long a request waits for its answer.
	DefaultTimeout = 60 * time.Second
	// DefaultMaxTimeout is how long a request lasts at most when its server keeps
	// reporting progress.
	DefaultMaxTimeout = 10 * time.Minute
	// DefaultConnectTimeout is how long Connect takes at most.
	DefaultConnectTimeout = 30 * time.Second
	// DefaultProbeTimeout is how long silence on a pipe is waited for before it is
	// taken for a server of the older era.
	DefaultProbeTimeout = 5 * time.Second
	// DefaultCloseTimeout is how long Close waits at most.
	DefaultCloseTimeout = 10 * time.Second
	// DefaultMaxRounds is how many times a request is sent again with answers.
	DefaultMaxRounds = 10
	// DefaultMaxReconnects is how many times in a row a stream is taken up again
	// without anything new on it.
	DefaultMaxReconnects = 5
)

// Config is how a client introduces itself and what it puts up with. Info is
// required; every other zero value is a good choice.
type Config struct {
	// Info names this client to servers. Name and Version are required.
	Info mcp.Implementation

	// Profile pins the revision. The zero value, mcp.Auto, finds out what the
	// server speaks with one probe; a pinned profile sends no probe, and a server
	// that speaks something else is an error that matches mcp.ErrEra. With
	// mcp.Modern20260728, which has no handshake, Connect sends nothing at all.
	Profile mcp.Profile
	// Prior is what an earlier connection found out about the server. A set one
	// spares the probe; should it prove wrong, the server is probed once. It is
	// ignored when Profile is pinned.
	Prior Verdict
	// Lenient reads two answers to the probe as signs of the older era that are
	// otherwise failures: a JSON-RPC error of no telling code in a 200, and a
	// result that is no discovery result.
	Lenient bool

	// Timeout bounds the wait for the answer to one request; progress starts it
	// anew when [OnProgress] is used, and so does every answer to a question of
	// the server. The time a question takes to be answered does not count. 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// MaxTimeout bounds one request whatever its progress, with all its rounds and
	// the time its questions take. 0 means DefaultMaxTimeout, or Timeout when that
	// is longer.
	MaxTimeout time.Duration
	// ConnectTimeout bounds Connect. 0 means DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// ProbeTimeout is how long a server behind a pipe may be silent on the probe
	// before it is taken for one of the older era. 0 means DefaultProbeTimeout.
	ProbeTimeout time.Duration
	// CloseTimeout bounds Close. 0 means DefaultCloseTimeout.
	CloseTimeout time.Duration

	// Elicit, when set, shows the user a form that the server needs filled in, and
	// returns what the user did with it; the server is told that forms can be
	// asked for. Content that is accepted without a value for a field gets the
	// field's default, and must then fit the form's schema: the server is sent
	// nothing else. An error that matches mcp.ErrDeclined declines, any other
	// cancels.
	//
	// Elicit, ElicitURL, Sample and Roots are called on goroutines of their own,
	// one after the other for one request, but concurrently for several. Their
	// context ends with the request they belong to, and they must return then;
	// [AskedBy] says who asks. They may use the client. A panic is an error.
	Elicit func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error)
	// ElicitURL, when set, asks the user to open params.URL, and opens it if the
	// user agrees; the server is told that URLs can be asked for (from 2025-11-25
	// on). It must show the whole URL, must not fetch anything from it, and must
	// not open it without consent. Accepting means that the user agreed, not that
	// what happens there has ended: the server may ask for the same URL again
	// while it waits, which [AskedBy] tells.
	ElicitURL func(context.Context, mcp.ElicitParams) (*mcp.ElicitResult, error)
	// Sample, when set, lets the server use a model; the server is told so. An
	// error that matches mcp.ErrDeclined says that the user does not want it.
	Sample func(context.Context, mcp.CreateMessageParams) (*mcp.CreateMessageResult, error)
	// SampleTools says that Sample knows params.Tools and params.ToolChoice.
	// Without it, servers are refused that ask for them.
	SampleTools bool
	// Roots, when set, lists the directories and files the server may know of,
	// each with a file: URI. See [Client.RootsChanged].
	Roots func(context.Context) ([]mcp.Root, error)
	// MaxRounds is how many times one request is sent again with answers, or
	// because the server asked for no more than that, before it fails with an
	// *[InputRequiredError]. 0 means DefaultMaxRounds.
	MaxRounds int
	// MaxReconnects is how many times in a row the event stream of an answer over
	// HTTP that breaks is taken up again where it was, before its request fails;
	// anything new on it starts the count anew. That is so in legacy revisions, from
	// 2025-03-26 on, and with servers that number their events. The pauses are
	// those that the server asks for, or grow from one second. 0 means
	// DefaultMaxReconnects, less than 0 that no stream is taken up again, nor the
	// one that a server has of its own. It is also how many times in a row a
	// [Subscription] that is cut off is opened again.
	MaxReconnects int

	// Limits bound what a server can make this client hold.
	Limits Limits
	// Output says what becomes of results that do not fit their tool's output
	// schema. The zero value makes them errors.
	Output OutputCheck

	// Notify, when set, sees every notification of the server. Notifications of
	// one stream come in order. It runs on the goroutine of the request they
	// belong to, or on one that reads a pipe, or the stream that a server has for
	// what belongs to no request; so it may be called
	// concurrently, and what comes behind it waits while it blocks. params may be
	// nil and must not be kept or changed.
	Notify func(method string, params json.RawMessage)
	// Stderr, when set, is given what a child process writes to its standard
	// error, as it comes. The last lines also appear in errors about the process.
	Stderr io.Writer
	// Logger takes what has no caller to be returned to. Nil means slog.Default().
	Logger *slog.Logger
}

// Limits bound what a server can make a client hold in memory. A zero field
// means its default.
type Limits struct {
	// Message is the largest message that is read, in bytes: 16 MiB by default.
	// A larger one ends its request with an error that matches mcp.ErrTooLarge.
	Message int
	// Depth is how deep a message may nest: 128 by default.
	Depth int
	// Pages is how many pages of one list are read: 1,000 by default.
	Pages int
	// Entries is how many entries of one list are read: 100,000 by default.
	Entries int
	// Questions is how many questions a server may ask at once: 32 by default. A
	// request that asks more fails, and questions beyond it are refused.
	Questions int
}

// Defaults of Limits.
const (
	defaultMessage   = 16 << 20
	defaultDepth     = 128
	defaultPages     = 1_000
	defaultEntries   = 100_000
	defaultQuestions = 32
)

// OutputCheck says what becomes of a tool's result that does not fit the output
// schema the tool declares.
type OutputCheck uint8

// The choices.
const (
	// OutputStrict makes it an *OutputError, which holds the result.
	OutputStrict OutputCheck = iota
	// OutputLogged logs a warning and returns the result.
	OutputLogged
	// OutputTrusted does not look.
	OutputTrusted
)

func (c Config) withDefaults() Config {
	orDefault(&c.Timeout, DefaultTimeout)
	orDefault(&c.MaxTimeout, max(DefaultMaxTimeout, c.Timeout))
	orDefault(&c.ConnectTimeout, DefaultConnectTimeout)
	orDefault(&c.ProbeTimeout, DefaultProbeTimeout)
	orDefault(&c.CloseTimeout, DefaultCloseTimeout)
	orDefault(&c.Limits.Message, defaultMessage)
	orDefault(&c.Limits.Depth, defaultDepth)
	orDefault(&c.Limits.Pages, defaultPages)
	orDefault(&c.Limits.Entries, defaultEntries)
	orDefault(&c.Limits.Questions, defaultQuestions)
	orDefault(&c.MaxRounds, DefaultMaxRounds)
	orDefault(&c.MaxReconnects, DefaultMaxReconnects)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate says everything that is wrong with c, which has its defaults.
func (c Config) validate() error {
	var errs []error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf("client.Config: "+format, args...))
		}
	}
	fault(c.Info.Name == "", "Info.Name is empty; it is what servers call this client")
	fault(c.Info.Version == "", "Info.Version is empty; the protocol requires one")
	fault(c.Profile.Version() == "" && c.Profile != mcp.Auto, "Profile %d is none", c.Profile)
	fault(c.Prior.Profile.Version() == "" && c.Prior.Profile != mcp.Auto, "Prior.Profile %d is none", c.Prior.Profile)
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"Timeout", c.Timeout},
		{"MaxTimeout", c.MaxTimeout},
		{"ConnectTimeout", c.ConnectTimeout},
		{"ProbeTimeout", c.ProbeTimeout},
		{"CloseTimeout", c.CloseTimeout},
	} {
		fault(d.d < 0, "%s is %v; it must not be negative", d.name, d.d)
	}
	fault(c.MaxTimeout < c.Timeout, "MaxTimeout %v is shorter than Timeout %v", c.MaxTimeout, c.Timeout)
	for _, n := range []struct {
		name string
		n    int
	}{
		{"Message", c.Limits.Message},
		{"Depth", c.Limits.Depth},
		{"Pages", c.Limits.Pages},
		{"Entries", c.Limits.Entries},
		{"Questions", c.Limits.Questions},
	} {
		fault(n.n < 0, "Limits.%s is %d; it must not be negative", n.name, n.n)
	}
	fault(c.MaxRounds < 0, "MaxRounds is %d; it must not be negative", c.MaxRounds)
	fault(c.SampleTools && c.Sample == nil, "SampleTools is set, but Sample is not")
	fault(c.Output > OutputTrusted, "Output %d is none of OutputStrict, OutputLogged and OutputTrusted", c.Output)
	return errors.Join(errs...)
}
