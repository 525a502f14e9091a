package wire

import "github.com/diglot-mcp/diglot/mcp"

// direction says who sends a message.
type direction uint8

const (
	fromClient direction = 1 << iota
	fromServer
	// byExtension: the core has no such message any more, an extension has.
	byExtension
	both = fromClient | fromServer
)

// lifetime says in which revisions a message exists, and who sends it in which
// era. A message that is missing from the tables belongs to a vendor.
type lifetime struct {
	first, last    mcp.Profile
	legacy, modern direction
}

func (l lifetime) in(p mcp.Profile) direction {
	switch {
	case p < l.first || p > l.last:
		return 0
	case p.Modern():
		return l.modern
	default:
		return l.legacy
	}
}

const (
	oldest = mcp.Legacy20241105
	newest = mcp.Newest
	era1   = mcp.NewestLegacy
)

// requests are the core's requests. What an extension adds is not in it.
var requests = map[string]lifetime{
	mcp.MethodInitialize:            {oldest, era1, fromClient, 0},
	mcp.MethodDiscover:              {mcp.Modern20260728, newest, 0, fromClient},
	mcp.MethodPing:                  {oldest, era1, both, 0},
	mcp.MethodToolsList:             {oldest, newest, fromClient, fromClient},
	mcp.MethodToolsCall:             {oldest, newest, fromClient, fromClient},
	mcp.MethodResourcesList:         {oldest, newest, fromClient, fromClient},
	mcp.MethodResourceTemplatesList: {oldest, newest, fromClient, fromClient},
	mcp.MethodResourcesRead:         {oldest, newest, fromClient, fromClient},
	mcp.MethodResourcesSubscribe:    {oldest, era1, fromClient, 0},
	mcp.MethodResourcesUnsubscribe:  {oldest, era1, fromClient, 0},
	mcp.MethodPromptsList:           {oldest, newest, fromClient, fromClient},
	mcp.MethodPromptsGet:            {oldest, newest, fromClient, fromClient},
	mcp.MethodComplete:              {oldest, newest, fromClient, fromClient},
	mcp.MethodSetLevel:              {oldest, era1, fromClient, 0},
	mcp.MethodListen:                {mcp.Modern20260728, newest, 0, fromClient},
	// In the modern era the server asks inside a result, so that these are
	// embedded there and never sent.
	mcp.MethodElicit:        {mcp.Legacy20250618, newest, fromServer, fromServer},
	mcp.MethodCreateMessage: {oldest, newest, fromServer, fromServer},
	mcp.MethodRootsList:     {oldest, newest, fromServer, fromServer},
	// The tasks of 2025-11-25, which are gone from the core.
	"tasks/get":    {mcp.Legacy20251125, newest, both, byExtension},
	"tasks/cancel": {mcp.Legacy20251125, newest, both, byExtension},
	"tasks/result": {mcp.Legacy20251125, era1, both, 0},
	"tasks/list":   {mcp.Legacy20251125, era1, both, 0},
}

var notifications = map[string]lifetime{
	mcp.NotifyInitialized:          {oldest, era1, fromClient, 0},
	mcp.NotifyCancelled:            {oldest, newest, both, both},
	mcp.NotifyProgress:             {oldest, newest, both, fromServer},
	mcp.NotifyMessage:              {oldest, newest, fromServer, fromServer},
	mcp.NotifyToolsListChanged:     {oldest, newest, fromServer, fromServer},
	mcp.NotifyPromptsListChanged:   {oldest, newest, fromServer, fromServer},
	mcp.NotifyResourcesListChanged: {oldest, newest, fromServer, fromServer},
	mcp.NotifyResourcesUpdated:     {oldest, newest, fromServer, fromServer},
	mcp.NotifyRootsListChanged:     {oldest, era1, fromClient, 0},
	mcp.NotifyAcknowledged:         {mcp.Modern20260728, newest, 0, fromServer},
	mcp.NotifyElicitationComplete:  {mcp.Legacy20251125, era1, fromServer, 0},
	"notifications/tasks/status":   {mcp.Legacy20251125, era1, both, 0},
}

// serves reports whether a client of p may send method.
func serves(p mcp.Profile, method string) bool {
	l, ok := requests[method]
	if !ok {
		l = notifications[method]
	}
	return l.in(p)&fromClient != 0
}

// notifies reports whether anybody may send the notification in p. A vendor's
// may be sent in every revision.
func notifies(p mcp.Profile, method string) bool {
	l, ok := notifications[method]
	return !ok || l.in(p) != 0
}

// asks reports whether the request may be written in p. A vendor's may be
// written in every revision.
func asks(p mcp.Profile, method string) bool {
	l, ok := requests[method]
	return !ok || l.in(p) != 0
}
