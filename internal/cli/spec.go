package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
)

// spec is a server spec, read: how to reach the server and what was said about
// it.
type spec struct {
	target  client.Target
	profile mcp.Profile
	// pinned says that the spec itself names a profile.
	pinned bool
	// name is how messages call the server.
	name string
}

// split separates a command's own arguments from the server spec: the words
// after "--", or else the first argument.
func split(cmd *cobra.Command, args []string) (words []string, own []string, command bool) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[dash:], args[:dash], true
	}
	return args[:1], args[1:], false
}

// spec reads the server spec of a command line.
func (a *app) spec(words []string, command bool) (spec, error) {
	if command {
		return spec{target: client.Command(words[0], words[1:]...), name: words[0]}, nil
	}
	word := words[0]
	if u, err := url.Parse(word); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return a.urlSpec(word)
	}
	if file, name, ok := strings.Cut(word, "#"); ok && name != "" {
		return a.fileSpec(file, name)
	}
	return spec{}, usagef("%q is no server: give a URL with http or https, FILE.json#NAME, or -- and a command", word)
}

func (a *app) urlSpec(u string) (spec, error) {
	opts, err := a.httpOptions(nil)
	if err != nil {
		return spec{}, err
	}
	return spec{target: client.HTTP(u, opts...), name: u}, nil
}

// httpOptions are the headers of the command line on top of those of a file.
func (a *app) httpOptions(fromFile map[string]string) ([]client.HTTPOption, error) {
	var opts []client.HTTPOption
	for name, value := range fromFile {
		opts = append(opts, client.Header(name, value))
	}
	for _, h := range a.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, usagef(`header %q is not of the form "Name: value"`, h)
		}
		opts = append(opts, client.Header(strings.TrimSpace(name), strings.TrimSpace(value)))
	}
	if a.tokenEnv != "" {
		token := os.Getenv(a.tokenEnv)
		if token == "" {
			return nil, usagef("environment variable %s holds no token", a.tokenEnv)
		}
		opts = append(opts, client.Bearer(token))
	}
	return opts, nil
}

// serverEntry is one entry of an mcpServers file, as far as one server needs.
type serverEntry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"cwd"`
	Headers map[string]string `json:"headers"`
	Profile mcp.Profile       `json:"protocolProfile"`
}

const maxServersFile = 1 << 20

func (a *app) fileSpec(file, name string) (spec, error) {
	servers, err := readServers(file)
	if err != nil {
		return spec{}, usagef("read %s: %w", file, err)
	}
	entry, ok := servers[name]
	if !ok {
		return spec{}, usagef("read %s: mcpServers has no %q; it has %s", file, name, names(servers))
	}
	return a.entrySpec(file, name, entry)
}

// readServers reads an mcpServers file.
func readServers(file string) (map[string]serverEntry, error) {
	text, err := readBounded(file)
	if err != nil {
		return nil, err
	}
	if err := jsonx.Check(text, jsonx.DefaultDepth); err != nil {
		return nil, err
	}
	var doc struct {
		Servers map[string]serverEntry `json:"mcpServers"`
	}
	if err := jsonx.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Servers == nil {
		return nil, errors.New("it has no mcpServers")
	}
	return doc.Servers, nil
}

func (a *app) entrySpec(file, name string, e serverEntry) (spec, error) {
	s := spec{name: name, profile: e.Profile, pinned: e.Profile != mcp.Auto}
	kind := strings.ReplaceAll(strings.ToLower(e.Type), "-", "_")
	switch {
	case e.Command != "" && e.URL != "":
		return s, usagef("read %s: server %q has both a command and a url; remove one", file, name)
	case e.Command != "" && (kind == "" || kind == "stdio"):
		s.target = client.Command(e.Command, e.Args...).Dir(e.Dir).Env(e.Env)
		return s, nil
	case e.URL != "" && (kind == "" || kind == "http" || kind == "streamable_http" || kind == "streamablehttp"):
		opts, err := a.httpOptions(e.Headers)
		if err != nil {
			return s, err
		}
		s.target = client.HTTP(e.URL, opts...)
		return s, nil
	case e.Command == "" && e.URL == "":
		return s, usagef("read %s: server %q has neither a command nor a url", file, name)
	default:
		return s, usagef("read %s: server %q has type %q, which does not go with what it names; use stdio with a command, or http with a url", file, name, e.Type)
	}
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err // the caller names the file
		}
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxServersFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxServersFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxServersFile)
	}
	return text, nil
}
