package wire

import "github.com/diglot-mcp/diglot/mcp"

// The eras, one value for each revision, shared by everybody.
var (
	era20241105 = &legacy{profile: mcp.Legacy20241105}
	era20250326 = &legacy{profile: mcp.Legacy20250326}
	era20250618 = &legacy{profile: mcp.Legacy20250618}
	era20251125 = &legacy{profile: mcp.Legacy20251125}
	era20260728 = &modern{}
)

// For is the era of a revision. For mcp.Auto, and for a value that is no
// profile, it is the newest one.
func For(p mcp.Profile) Era {
	switch p {
	case mcp.Legacy20241105:
		return era20241105
	case mcp.Legacy20250326:
		return era20250326
	case mcp.Legacy20250618:
		return era20250618
	case mcp.Legacy20251125:
		return era20251125
	default:
		return era20260728
	}
}
