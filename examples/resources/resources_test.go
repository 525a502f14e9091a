package resources_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/diglot-mcp/diglot/client"
	"github.com/diglot-mcp/diglot/examples/resources"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/mcptest"
	"github.com/diglot-mcp/diglot/server"
)

func TestMain(m *testing.M) { mcptest.Leak(m) }

func build(t testing.TB) *server.Server {
	srv, err := resources.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestStory: listing, reading, a missing resource and suggestions, in every era.
func TestStory(t *testing.T) {
	mcptest.Eras(t, build, client.Config{}, func(t *testing.T, _ mcptest.Cell, c *client.Client) {
		var uris []string
		for r, err := range c.Resources(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, r.URI)
		}
		if diff := cmp.Diff([]string{"note://about"}, uris); diff != "" {
			t.Error(diff)
		}
		res, err := c.Read(t.Context(), "note://42")
		if err != nil || len(res.Contents) != 1 || res.Contents[0].Text != "buy milk" || res.Contents[0].MIMEType != "text/plain" {
			t.Errorf("%+v, %v", res, err)
		}
		if _, err := c.Read(t.Context(), "note://44"); !errors.Is(err, mcp.ErrNotFound) {
			t.Errorf("a missing note gave %v", err)
		}
		got, err := c.Complete(t.Context(), mcp.CompleteParams{
			Ref:      mcp.Reference{Type: mcp.RefResource, URI: "note://{id}"},
			Argument: mcp.CompleteArgument{Name: "id", Value: "4"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"42", "43"}, got.Completion.Values); diff != "" {
			t.Error(diff)
		}
	})
}
