package mcp

// The methods below make both JSON packages read and write these types alike:
// through the codec, which knows Extra and is strict about names.

// MarshalJSON writes the value with its Extra members.
func (v Settings) MarshalJSON() ([]byte, error) {
	type plain Settings
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Settings) UnmarshalJSON(b []byte) error {
	type plain Settings
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v RootsCapability) MarshalJSON() ([]byte, error) {
	type plain RootsCapability
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *RootsCapability) UnmarshalJSON(b []byte) error {
	type plain RootsCapability
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v SamplingCapability) MarshalJSON() ([]byte, error) {
	type plain SamplingCapability
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *SamplingCapability) UnmarshalJSON(b []byte) error {
	type plain SamplingCapability
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (c ElicitationCapability) MarshalJSON() ([]byte, error) {
	type plain ElicitationCapability
	return encode(plain(c))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (c *ElicitationCapability) UnmarshalJSON(b []byte) error {
	type plain ElicitationCapability
	return decode(b, (*plain)(c))
}

// MarshalJSON writes the value with its Extra members.
func (v ListCapability) MarshalJSON() ([]byte, error) {
	type plain ListCapability
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListCapability) UnmarshalJSON(b []byte) error {
	type plain ListCapability
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ResourcesCapability) MarshalJSON() ([]byte, error) {
	type plain ResourcesCapability
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ResourcesCapability) UnmarshalJSON(b []byte) error {
	type plain ResourcesCapability
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Reference) MarshalJSON() ([]byte, error) {
	type plain Reference
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Reference) UnmarshalJSON(b []byte) error {
	type plain Reference
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CompleteArgument) MarshalJSON() ([]byte, error) {
	type plain CompleteArgument
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CompleteArgument) UnmarshalJSON(b []byte) error {
	type plain CompleteArgument
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CompleteContext) MarshalJSON() ([]byte, error) {
	type plain CompleteContext
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CompleteContext) UnmarshalJSON(b []byte) error {
	type plain CompleteContext
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CompleteParams) MarshalJSON() ([]byte, error) {
	type plain CompleteParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CompleteParams) UnmarshalJSON(b []byte) error {
	type plain CompleteParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Completion) MarshalJSON() ([]byte, error) {
	type plain Completion
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Completion) UnmarshalJSON(b []byte) error {
	type plain Completion
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CompleteResult) MarshalJSON() ([]byte, error) {
	type plain CompleteResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CompleteResult) UnmarshalJSON(b []byte) error {
	type plain CompleteResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ElicitParams) MarshalJSON() ([]byte, error) {
	type plain ElicitParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ElicitParams) UnmarshalJSON(b []byte) error {
	type plain ElicitParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ElicitResult) MarshalJSON() ([]byte, error) {
	type plain ElicitResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ElicitResult) UnmarshalJSON(b []byte) error {
	type plain ElicitResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Root) MarshalJSON() ([]byte, error) {
	type plain Root
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Root) UnmarshalJSON(b []byte) error {
	type plain Root
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListRootsResult) MarshalJSON() ([]byte, error) {
	type plain ListRootsResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListRootsResult) UnmarshalJSON(b []byte) error {
	type plain ListRootsResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v SamplingMessage) MarshalJSON() ([]byte, error) {
	type plain SamplingMessage
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *SamplingMessage) UnmarshalJSON(b []byte) error {
	type plain SamplingMessage
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ModelHint) MarshalJSON() ([]byte, error) {
	type plain ModelHint
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ModelHint) UnmarshalJSON(b []byte) error {
	type plain ModelHint
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ModelPreferences) MarshalJSON() ([]byte, error) {
	type plain ModelPreferences
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ModelPreferences) UnmarshalJSON(b []byte) error {
	type plain ModelPreferences
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ToolChoice) MarshalJSON() ([]byte, error) {
	type plain ToolChoice
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ToolChoice) UnmarshalJSON(b []byte) error {
	type plain ToolChoice
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CreateMessageParams) MarshalJSON() ([]byte, error) {
	type plain CreateMessageParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CreateMessageParams) UnmarshalJSON(b []byte) error {
	type plain CreateMessageParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CreateMessageResult) MarshalJSON() ([]byte, error) {
	type plain CreateMessageResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CreateMessageResult) UnmarshalJSON(b []byte) error {
	type plain CreateMessageResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v InitializeParams) MarshalJSON() ([]byte, error) {
	type plain InitializeParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *InitializeParams) UnmarshalJSON(b []byte) error {
	type plain InitializeParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v InitializeResult) MarshalJSON() ([]byte, error) {
	type plain InitializeResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *InitializeResult) UnmarshalJSON(b []byte) error {
	type plain InitializeResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v DiscoverResult) MarshalJSON() ([]byte, error) {
	type plain DiscoverResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *DiscoverResult) UnmarshalJSON(b []byte) error {
	type plain DiscoverResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v CancelledParams) MarshalJSON() ([]byte, error) {
	type plain CancelledParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *CancelledParams) UnmarshalJSON(b []byte) error {
	type plain CancelledParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ProgressParams) MarshalJSON() ([]byte, error) {
	type plain ProgressParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ProgressParams) UnmarshalJSON(b []byte) error {
	type plain ProgressParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v LogParams) MarshalJSON() ([]byte, error) {
	type plain LogParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *LogParams) UnmarshalJSON(b []byte) error {
	type plain LogParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v SetLevelParams) MarshalJSON() ([]byte, error) {
	type plain SetLevelParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *SetLevelParams) UnmarshalJSON(b []byte) error {
	type plain SetLevelParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v UpdatedParams) MarshalJSON() ([]byte, error) {
	type plain UpdatedParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *UpdatedParams) UnmarshalJSON(b []byte) error {
	type plain UpdatedParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Filter) MarshalJSON() ([]byte, error) {
	type plain Filter
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Filter) UnmarshalJSON(b []byte) error {
	type plain Filter
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Implementation) MarshalJSON() ([]byte, error) {
	type plain Implementation
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Implementation) UnmarshalJSON(b []byte) error {
	type plain Implementation
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Icon) MarshalJSON() ([]byte, error) {
	type plain Icon
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Icon) UnmarshalJSON(b []byte) error {
	type plain Icon
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v Annotations) MarshalJSON() ([]byte, error) {
	type plain Annotations
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *Annotations) UnmarshalJSON(b []byte) error {
	type plain Annotations
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v PromptArgument) MarshalJSON() ([]byte, error) {
	type plain PromptArgument
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *PromptArgument) UnmarshalJSON(b []byte) error {
	type plain PromptArgument
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v GetPromptParams) MarshalJSON() ([]byte, error) {
	type plain GetPromptParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *GetPromptParams) UnmarshalJSON(b []byte) error {
	type plain GetPromptParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ReadResourceParams) MarshalJSON() ([]byte, error) {
	type plain ReadResourceParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ReadResourceParams) UnmarshalJSON(b []byte) error {
	type plain ReadResourceParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ReadResourceResult) MarshalJSON() ([]byte, error) {
	type plain ReadResourceResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ReadResourceResult) UnmarshalJSON(b []byte) error {
	type plain ReadResourceResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListenParams) MarshalJSON() ([]byte, error) {
	type plain ListenParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListenParams) UnmarshalJSON(b []byte) error {
	type plain ListenParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v AcknowledgedParams) MarshalJSON() ([]byte, error) {
	type plain AcknowledgedParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *AcknowledgedParams) UnmarshalJSON(b []byte) error {
	type plain AcknowledgedParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v SubscribeParams) MarshalJSON() ([]byte, error) {
	type plain SubscribeParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *SubscribeParams) UnmarshalJSON(b []byte) error {
	type plain SubscribeParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v InputRequest) MarshalJSON() ([]byte, error) {
	type plain InputRequest
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *InputRequest) UnmarshalJSON(b []byte) error {
	type plain InputRequest
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v InputRequiredResult) MarshalJSON() ([]byte, error) {
	type plain InputRequiredResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *InputRequiredResult) UnmarshalJSON(b []byte) error {
	type plain InputRequiredResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListParams) MarshalJSON() ([]byte, error) {
	type plain ListParams
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListParams) UnmarshalJSON(b []byte) error {
	type plain ListParams
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListToolsResult) MarshalJSON() ([]byte, error) {
	type plain ListToolsResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListToolsResult) UnmarshalJSON(b []byte) error {
	type plain ListToolsResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListResourcesResult) MarshalJSON() ([]byte, error) {
	type plain ListResourcesResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListResourcesResult) UnmarshalJSON(b []byte) error {
	type plain ListResourcesResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListResourceTemplatesResult) MarshalJSON() ([]byte, error) {
	type plain ListResourceTemplatesResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListResourceTemplatesResult) UnmarshalJSON(b []byte) error {
	type plain ListResourceTemplatesResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v ListPromptsResult) MarshalJSON() ([]byte, error) {
	type plain ListPromptsResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *ListPromptsResult) UnmarshalJSON(b []byte) error {
	type plain ListPromptsResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (v EmptyResult) MarshalJSON() ([]byte, error) {
	type plain EmptyResult
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (v *EmptyResult) UnmarshalJSON(b []byte) error {
	type plain EmptyResult
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value with its Extra members.
func (a ToolAnnotations) MarshalJSON() ([]byte, error) {
	type plain ToolAnnotations
	return encode(plain(a))
}

// UnmarshalJSON reads the value strictly and keeps unknown members in Extra.
func (a *ToolAnnotations) UnmarshalJSON(b []byte) error {
	type plain ToolAnnotations
	return decode(b, (*plain)(a))
}

// MarshalJSON writes the value.
func (v UnsupportedVersion) MarshalJSON() ([]byte, error) {
	type plain UnsupportedVersion
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly.
func (v *UnsupportedVersion) UnmarshalJSON(b []byte) error {
	type plain UnsupportedVersion
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value.
func (v MissingCapability) MarshalJSON() ([]byte, error) {
	type plain MissingCapability
	return encode(plain(v))
}

// UnmarshalJSON reads the value strictly.
func (v *MissingCapability) UnmarshalJSON(b []byte) error {
	type plain MissingCapability
	return decode(b, (*plain)(v))
}

// MarshalJSON writes the value.
func (e Error) MarshalJSON() ([]byte, error) {
	type plain Error
	return encode(plain(e))
}

// UnmarshalJSON reads the value strictly.
func (e *Error) UnmarshalJSON(b []byte) error {
	type plain Error
	return decode(b, (*plain)(e))
}
