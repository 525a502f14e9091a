package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
)

// keyOfRoots is the key of the one question that always is the same.
const keyOfRoots = "client_roots"

// Roots asks the client which directories and files it works on, as file: URLs.
// They inform; they are no access control, and a path below one has to be checked
// as any other. See [Ask] for how the answer comes, and for errors; the key is
// "client_roots".
//
// The stateless revision deprecates roots, and still has them.
func Roots(ctx context.Context) ([]mcp.Root, error) {
	var roots []mcp.Root
	if err := Ask(ctx, AskRoots(&roots)); err != nil {
		return nil, err
	}
	return roots, nil
}

// AskRoots is the question of [Roots], for [Ask].
func AskRoots(into *[]mcp.Root) Question {
	return prepared(func(*Server) (*question, error) {
		if into == nil {
			return nil, errors.New("the destination of the roots is nil")
		}
		q := &question{
			key: keyOfRoots, method: mcp.MethodRootsList,
			needs: mcp.ClientCapabilities{Roots: new(mcp.RootsCapability)},
		}
		q.read = func(era wire.Era, answer []byte) error {
			var r mcp.ListRootsResult
			if err := readRoots(era, answer, &r); err != nil {
				return err
			}
			*into = r.Roots
			return nil
		}
		return q.ready()
	})
}

// readRoots reads a client's roots. One that is no file: URL is a path that was
// not made one, or none of a file system (M-ROOT-003).
func readRoots(era wire.Era, answer []byte, into *mcp.ListRootsResult) error {
	if _, err := era.Result(mcp.MethodRootsList, answer, into); err != nil {
		return err
	}
	for i, root := range into.Roots {
		if !strings.HasPrefix(root.URI, "file:") {
			return fmt.Errorf("root %d is %q; it must be a file: URL", i, clip(root.URI))
		}
	}
	return nil
}
