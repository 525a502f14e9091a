package wire

import "github.com/diglot-mcp/diglot/mcp"

// The revision that brought each part of the vocabulary. A conversion asks
// whether its revision is older; the tables of the specification are these
// lines (legacy 21.3 to 21.5).
const (
	sinceToolAnnotations = mcp.Legacy20250326
	sinceAudio           = mcp.Legacy20250326
	sinceProgressMessage = mcp.Legacy20250326
	sinceCompletions     = mcp.Legacy20250326

	sinceTitles       = mcp.Legacy20250618
	sinceObjectMeta   = mcp.Legacy20250618
	sinceLastModified = mcp.Legacy20250618
	sinceStructured   = mcp.Legacy20250618
	sinceLinks        = mcp.Legacy20250618
	sinceContext      = mcp.Legacy20250618
	sinceElicitation  = mcp.Legacy20250618

	sinceIcons          = mcp.Legacy20251125
	sinceDescription    = mcp.Legacy20251125 // of an Implementation, with websiteUrl
	sinceURLElicitation = mcp.Legacy20251125
	sinceFormDefaults   = mcp.Legacy20251125 // beyond booleans, with titled and multiple choices
	sinceToolSampling   = mcp.Legacy20251125 // with several blocks in a message
	sinceExtensions     = mcp.Legacy20251125

	// The tasks of this revision alone, and what belongs to them.
	onlyTasks = mcp.Legacy20251125

	sinceAnyStructured = mcp.Modern20260728 // any JSON value, any schema root
	sinceAnySchema     = mcp.Modern20260728 // boolean property schemas
)

// tasksExtension must not switch the tasks of 2025-11-25 on (SEP-2663).
const tasksExtension = "io.modelcontextprotocol/tasks"
