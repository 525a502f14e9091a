package httpx

import "errors"

// ErrTooLarge is what errors about a body above its limit match under [errors.Is].
var ErrTooLarge = errors.New("too large")

// RefusedError says that a request is refused before its message is looked at.
type RefusedError struct {
	// Status is the HTTP status to answer with.
	Status int
	// Reason says what is wrong, for whoever runs the server. It may quote
	// headers of the request, bounded, and never holds a secret.
	Reason string
	// Err is the cause, nil when there is none.
	Err error
}

// Error is the reason, and the cause when there is one.
func (e *RefusedError) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

// Unwrap is the cause.
func (e *RefusedError) Unwrap() error { return e.Err }
