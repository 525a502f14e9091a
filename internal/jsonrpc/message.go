package jsonrpc

// Kind says what a message is.
type Kind byte

// The kinds of messages. The zero Kind is none.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// Message is one JSON-RPC message. Its slices share memory with the text it was
// read from.
type Message struct {
	// Kind says which of the other fields count.
	Kind Kind
	// ID is the id of a request or response; zero for a notification, and for an
	// error response to something whose id could not be read.
	ID ID
	// Method is the method of a request or notification.
	Method string
	// Params is the parameters of a request or notification, or nil. It is any
	// JSON value: what is no object is the method's to refuse, as invalid params.
	Params []byte
	// Result is the result of a response, nil when it has an error.
	Result []byte
	// Error is the error of a response, or nil.
	Error *Error
}

// Error is the error object of a response.
type Error struct {
	// Code says what went wrong.
	Code int64
	// Message says it in a sentence.
	Message string
	// Data is any further JSON, or nil.
	Data []byte
}

// Codes of JSON-RPC.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInternal       = -32603
)

// Fault says why a text is no message, in the terms of the error response to it.
type Fault struct {
	// Code is CodeParse or CodeInvalidRequest.
	Code int
	// Message says what is wrong.
	Message string
	// ID is the message's id when it could be read.
	ID ID
	// Response says that the text was meant as a response: nobody waits for an
	// error about it, but who waits for the response must not do so any longer.
	Response bool
}

// Error is the fault's message.
func (f *Fault) Error() string { return f.Message }
