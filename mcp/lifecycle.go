package mcp

import "encoding/json"

// InitializeParams open a legacy session.
type InitializeParams struct {
	// ProtocolVersion is the revision the client offers.
	ProtocolVersion string `json:"protocolVersion"`
	// Capabilities are what the client can be asked for.
	Capabilities ClientCapabilities `json:"capabilities"`
	// ClientInfo names the client.
	ClientInfo Implementation `json:"clientInfo"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// InitializeResult answers initialize (legacy revisions).
type InitializeResult struct {
	Result
	// ProtocolVersion is the revision the session will use.
	ProtocolVersion string `json:"protocolVersion"`
	// Capabilities are what the server offers.
	Capabilities ServerCapabilities `json:"capabilities"`
	// ServerInfo names the server.
	ServerInfo Implementation `json:"serverInfo"`
	// Instructions are guidance for the model.
	Instructions string `json:"instructions,omitzero"`
}

// DiscoverResult answers server/discover (2026-07-28). The server's identity is
// in Meta under [MetaServerInfo].
type DiscoverResult struct {
	Result
	CacheHint
	// SupportedVersions are the revisions the server speaks.
	SupportedVersions []string `json:"supportedVersions"`
	// Capabilities are what the server offers.
	Capabilities ServerCapabilities `json:"capabilities"`
	// Instructions are guidance for the model.
	Instructions string `json:"instructions,omitzero"`
}

// UnsupportedVersion is the data of [CodeUnsupportedVersion].
type UnsupportedVersion struct {
	// Supported are the revisions the server speaks.
	Supported []string `json:"supported"`
	// Requested is the revision it was asked for.
	Requested string `json:"requested"`
}

// MissingCapability is the data of [CodeMissingCapability].
type MissingCapability struct {
	// RequiredCapabilities are those that are missing, and only those.
	RequiredCapabilities ClientCapabilities `json:"requiredCapabilities"`
}

// CancelledParams say which request is no longer wanted.
type CancelledParams struct {
	// RequestID is the request's id as it was sent, a string or an integer.
	RequestID json.RawMessage `json:"requestId,omitzero"`
	// Reason is for logs.
	Reason string `json:"reason,omitzero"`
	// Meta is the notification's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ProgressParams report how far a request has come.
type ProgressParams struct {
	// ProgressToken is the request's token as it was sent.
	ProgressToken json.RawMessage `json:"progressToken"`
	// Progress grows with every report.
	Progress float64 `json:"progress"`
	// Total is where it ends, nil when unknown.
	Total *float64 `json:"total,omitzero"`
	// Message tells a person what is going on (from 2025-03-26 on).
	Message string `json:"message,omitzero"`
	// Meta is the notification's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// LogParams are one log message of a server.
type LogParams struct {
	// Level is how severe it is.
	Level LogLevel `json:"level"`
	// Logger names the part of the server that speaks.
	Logger string `json:"logger,omitzero"`
	// Data is any JSON.
	Data json.RawMessage `json:"data"`
	// Meta is the notification's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// SetLevelParams choose the log level of a legacy session.
type SetLevelParams struct {
	// Level is the least severe level wanted.
	Level LogLevel `json:"level"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// UpdatedParams say that a resource changed.
type UpdatedParams struct {
	// URI is the resource, or a part of one that is watched.
	URI string `json:"uri"`
	// Meta is the notification's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// Filter chooses change notifications (2026-07-28, subscriptions/listen). The
// zero value asks for none.
type Filter struct {
	// Tools asks for changes of the tool list.
	Tools bool `json:"toolsListChanged,omitzero"`
	// Prompts asks for changes of the prompt list.
	Prompts bool `json:"promptsListChanged,omitzero"`
	// ResourcesList asks for changes of the lists of resources and templates.
	ResourcesList bool `json:"resourcesListChanged,omitzero"`
	// Resources asks for changes of single resources, by URI.
	Resources []string `json:"resourceSubscriptions,omitempty"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// ListenParams are the parameters of subscriptions/listen (2026-07-28).
type ListenParams struct {
	// Notifications are the changes to be told of.
	Notifications Filter `json:"notifications"`
	// Meta is the request's _meta.
	Meta Meta `json:"_meta,omitzero"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}

// AcknowledgedParams open a subscription: they say which of the changes that
// were asked for will be told (2026-07-28).
type AcknowledgedParams struct {
	// Meta is the notification's _meta. It names the subscription.
	Meta Meta `json:"_meta,omitzero"`
	// Notifications are the changes that will be told.
	Notifications Filter `json:"notifications"`
	// Extra holds members unknown here.
	Extra Extra `json:",embed"`
}
