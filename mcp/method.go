package mcp

// Names of requests. Which revision knows which is written down in docs/eras.md.
const (
	MethodInitialize            = "initialize"
	MethodDiscover              = "server/discover"
	MethodPing                  = "ping"
	MethodToolsList             = "tools/list"
	MethodToolsCall             = "tools/call"
	MethodResourcesList         = "resources/list"
	MethodResourceTemplatesList = "resources/templates/list"
	MethodResourcesRead         = "resources/read"
	MethodResourcesSubscribe    = "resources/subscribe"
	MethodResourcesUnsubscribe  = "resources/unsubscribe"
	MethodPromptsList           = "prompts/list"
	MethodPromptsGet            = "prompts/get"
	MethodComplete              = "completion/complete"
	MethodSetLevel              = "logging/setLevel"
	MethodListen                = "subscriptions/listen"
	MethodElicit                = "elicitation/create"
	MethodCreateMessage         = "sampling/createMessage"
	MethodRootsList             = "roots/list"
)

// Names of notifications.
const (
	NotifyInitialized          = "notifications/initialized"
	NotifyCancelled            = "notifications/cancelled"
	NotifyProgress             = "notifications/progress"
	NotifyMessage              = "notifications/message"
	NotifyToolsListChanged     = "notifications/tools/list_changed"
	NotifyPromptsListChanged   = "notifications/prompts/list_changed"
	NotifyResourcesListChanged = "notifications/resources/list_changed"
	NotifyResourcesUpdated     = "notifications/resources/updated"
	NotifyRootsListChanged     = "notifications/roots/list_changed"
	NotifyAcknowledged         = "notifications/subscriptions/acknowledged"
	NotifyElicitationComplete  = "notifications/elicitation/complete"
)

// Keys of _meta that the protocol reserves (revision 2026-07-28, "_meta").
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaRelatedTask        = "io.modelcontextprotocol/related-task"
	MetaProgressToken      = "progressToken"
	MetaTraceParent        = "traceparent"
	MetaTraceState         = "tracestate"
	MetaBaggage            = "baggage"
)
