//go:build !unix

package transport

import (
	"io"
	"os"
)

// standardOutput is f, which stays open.
func standardOutput(f *os.File) io.WriteCloser { return keptOpen{f} }
