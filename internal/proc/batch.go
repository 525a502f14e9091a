package proc

import (
	"fmt"
	"path/filepath"
	"strings"
)

// checkBatch refuses arguments that the command interpreter of Windows would
// not hand to a batch file as they are, but run (CVE-2024-24576). It is strict:
// there is no quoting that every batch file takes apart correctly.
func checkBatch(path string, args []string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".bat", ".cmd":
	default:
		return nil
	}
	for i, a := range args {
		if at := strings.IndexAny(a, "\"%!^&|<>()\r\n"); at >= 0 {
			return fmt.Errorf("start %q: argument %d holds %q, which a batch file would interpret; start the program behind it directly", path, i+1, a[at:at+1])
		}
	}
	return nil
}
