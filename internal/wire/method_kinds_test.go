package wire

import "github.com/diglot-mcp/diglot/mcp"

// kind says what the tests know of a method: its types here, and the names of
// the definitions in the protocol's schema.
type kind struct {
	params, result        func() any
	requestDef, resultDef string
}

func newly[T any]() any { return new(T) }

var kinds = map[string]kind{
	mcp.MethodInitialize:            {newly[mcp.InitializeParams], newly[mcp.InitializeResult], "InitializeRequest", "InitializeResult"},
	mcp.MethodDiscover:              {newly[mcp.ListParams], newly[mcp.DiscoverResult], "DiscoverRequest", "DiscoverResult"},
	mcp.MethodPing:                  {newly[mcp.ListParams], newly[mcp.EmptyResult], "PingRequest", "EmptyResult"},
	mcp.MethodToolsList:             {newly[mcp.ListParams], newly[mcp.ListToolsResult], "ListToolsRequest", "ListToolsResult"},
	mcp.MethodToolsCall:             {newly[mcp.CallToolParams], newly[mcp.CallToolResult], "CallToolRequest", "CallToolResult"},
	mcp.MethodResourcesList:         {newly[mcp.ListParams], newly[mcp.ListResourcesResult], "ListResourcesRequest", "ListResourcesResult"},
	mcp.MethodResourceTemplatesList: {newly[mcp.ListParams], newly[mcp.ListResourceTemplatesResult], "ListResourceTemplatesRequest", "ListResourceTemplatesResult"},
	mcp.MethodResourcesRead:         {newly[mcp.ReadResourceParams], newly[mcp.ReadResourceResult], "ReadResourceRequest", "ReadResourceResult"},
	mcp.MethodResourcesSubscribe:    {newly[mcp.SubscribeParams], newly[mcp.EmptyResult], "SubscribeRequest", "EmptyResult"},
	mcp.MethodResourcesUnsubscribe:  {newly[mcp.SubscribeParams], newly[mcp.EmptyResult], "UnsubscribeRequest", "EmptyResult"},
	mcp.MethodPromptsList:           {newly[mcp.ListParams], newly[mcp.ListPromptsResult], "ListPromptsRequest", "ListPromptsResult"},
	mcp.MethodPromptsGet:            {newly[mcp.GetPromptParams], newly[mcp.GetPromptResult], "GetPromptRequest", "GetPromptResult"},
	mcp.MethodComplete:              {newly[mcp.CompleteParams], newly[mcp.CompleteResult], "CompleteRequest", "CompleteResult"},
	mcp.MethodSetLevel:              {newly[mcp.SetLevelParams], newly[mcp.EmptyResult], "SetLevelRequest", "EmptyResult"},
	mcp.MethodListen:                {newly[mcp.ListenParams], newly[mcp.EmptyResult], "SubscriptionsListenRequest", "SubscriptionsListenResult"},
	mcp.MethodElicit:                {newly[mcp.ElicitParams], newly[mcp.ElicitResult], "ElicitRequest", "ElicitResult"},
	mcp.MethodCreateMessage:         {newly[mcp.CreateMessageParams], newly[mcp.CreateMessageResult], "CreateMessageRequest", "CreateMessageResult"},
	mcp.MethodRootsList:             {newly[mcp.ListParams], newly[mcp.ListRootsResult], "ListRootsRequest", "ListRootsResult"},
}

// answered are the requests a server sends, or embeds.
var answered = map[string]bool{mcp.MethodElicit: true, mcp.MethodCreateMessage: true, mcp.MethodRootsList: true}

// noticeDefs are the definitions of notifications.
var noticeDefs = map[string]string{
	mcp.NotifyInitialized:          "InitializedNotification",
	mcp.NotifyCancelled:            "CancelledNotification",
	mcp.NotifyProgress:             "ProgressNotification",
	mcp.NotifyMessage:              "LoggingMessageNotification",
	mcp.NotifyToolsListChanged:     "ToolListChangedNotification",
	mcp.NotifyPromptsListChanged:   "PromptListChangedNotification",
	mcp.NotifyResourcesListChanged: "ResourceListChangedNotification",
	mcp.NotifyResourcesUpdated:     "ResourceUpdatedNotification",
	mcp.NotifyRootsListChanged:     "RootsListChangedNotification",
	mcp.NotifyAcknowledged:         "SubscriptionsAcknowledgedNotification",
	mcp.NotifyElicitationComplete:  "ElicitationCompleteNotification",
}

// notices are the parameter types of notifications that have one.
var notices = map[string]func() any{
	mcp.NotifyCancelled:        newly[mcp.CancelledParams],
	mcp.NotifyProgress:         newly[mcp.ProgressParams],
	mcp.NotifyMessage:          newly[mcp.LogParams],
	mcp.NotifyResourcesUpdated: newly[mcp.UpdatedParams],
	mcp.NotifyAcknowledged:     newly[mcp.AcknowledgedParams],
}
