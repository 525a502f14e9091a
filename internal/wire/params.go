package wire

// Params is what one pass over a request's params finds: the members an engine
// needs, as the bytes they came in. A nil slice is an absent member; nothing is
// judged while scanning. The slices share memory with the message.
type Params struct {
	// Raw is the whole object, nil when the request has none.
	Raw []byte
	// Meta is _meta, the next five are its reserved members.
	Meta, Version, ClientInfo, Capabilities, LogLevel, ProgressToken []byte
	// Name, URI, Arguments, Cursor and TaskID are members of params.
	Name, URI, Arguments, Cursor, TaskID []byte
	// InputResponses and RequestState belong to a retry (M-MRTR-033).
	InputResponses, RequestState []byte
	// Ref is the reference of a completion, Notifications the filter of a listen.
	Ref, Notifications []byte
	// Twin is the name of a member that equals one of these only when case is
	// ignored, nil when there is none. A known method refuses such a request.
	Twin []byte
}
