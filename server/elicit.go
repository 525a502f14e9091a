package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/internal/wire"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// Elicit asks the user to fill in a form whose fields are those of the struct T,
// and returns what was filled in. message is what the user reads, key names the
// question within the call; see [Ask] for how the answer comes, and for errors.
//
//	type Confirm struct {
//		Sure bool `json:"sure" doc:"really delete it?"`
//	}
//
//	answer, err := server.Elicit[Confirm](ctx, "confirm", "Delete the note?")
//
// A form is flat: strings, numbers, booleans, and strings and lists of strings
// with an enum, as package schema reads their types and tags; a T that has
// anything else is an error, as is one that is no struct. A T without fields asks
// for consent alone. Defaults are shown to the user, and used for fields that are
// left out. What the protocol's forms cannot say (patterns, most formats) is
// checked all the same, and the user is asked again.
//
// A form must not ask for secrets (M-ELI-012); [ElicitURL] is for those.
func Elicit[T any](ctx context.Context, key, message string, opts ...FormOption) (T, error) {
	var answer T
	if err := Ask(ctx, AskForm(key, message, &answer, opts...)); err != nil {
		var none T
		return none, err
	}
	return answer, nil
}

// ElicitForm is [Elicit] for a form whose schema is written by hand: an object
// with properties of the kinds that the protocol has. It returns the values as
// they came, once they fit the schema.
func ElicitForm(ctx context.Context, key, message string, requestedSchema json.RawMessage, opts ...FormOption) (json.RawMessage, error) {
	var answer json.RawMessage
	if err := Ask(ctx, AskSchema(key, message, requestedSchema, &answer, opts...)); err != nil {
		return nil, err
	}
	return answer, nil
}

// ElicitURL asks the user to open an http or https URL, where what happens is
// between the user and the page: the way to ask for a secret, or for a login
// elsewhere. Nil means that the user agreed to open it, and nothing more
// (M-ELI-016): whether the user is done there is for the server to find out. One
// that is not can be waited for with [Later].
//
// The URL must be the same when the handler runs again, so a part that is random
// is kept with [Once]. It carries no data of the user's and opens nothing by
// itself (M-ELI-028, M-ELI-029), and the page must check that the user who opens
// it is the one who was asked (M-ELI-033). See [Ask] for errors.
func ElicitURL(ctx context.Context, key, message, url string) error {
	return Ask(ctx, AskURL(key, message, url))
}

// AskForm is the question of [Elicit], for [Ask]. into is set when the user
// filled in the form.
func AskForm[T any](key, message string, into *T, opts ...FormOption) Question {
	return prepared(func(s *Server) (*question, error) {
		if into == nil {
			return nil, fmt.Errorf("the destination of %q is nil", key)
		}
		f, err := formOf[T](s)
		if err != nil {
			return nil, err
		}
		return elicitation(key, message, f.schema, opts, func(content []byte) error {
			var answer T
			if err := f.plan.DecodeChecked(content, &answer); err != nil {
				return err
			}
			*into = answer
			return nil
		})
	})
}

// AskSchema is the question of [ElicitForm], for [Ask].
func AskSchema(key, message string, requestedSchema json.RawMessage, into *json.RawMessage, opts ...FormOption) Question {
	return prepared(func(*Server) (*question, error) {
		if into == nil {
			return nil, fmt.Errorf("the destination of %q is nil", key)
		}
		if err := checkForm(requestedSchema); err != nil {
			return nil, fmt.Errorf("the form of %q: %w", key, err)
		}
		v, err := schema.Compile(requestedSchema, schema.AssertFormats())
		if err != nil {
			return nil, fmt.Errorf("the form of %q: %w", key, err)
		}
		return elicitation(key, message, requestedSchema, opts, func(content []byte) error {
			if err := v.ValidateChecked(content); err != nil {
				return err
			}
			*into = slices.Clone(content)
			return nil
		})
	})
}

// elicitation is the question for a form. accept takes values that are one JSON
// object.
func elicitation(key, message string, form json.RawMessage, opts []FormOption, accept func(content []byte) error) (*question, error) {
	form, err := prefilled(form, opts)
	if err != nil {
		return nil, fmt.Errorf("the form of %q: %w", key, err)
	}
	q := &question{
		key: key, method: mcp.MethodElicit,
		params: mcp.ElicitParams{Mode: mcp.ModeForm, Message: message, RequestedSchema: form},
		needs:  mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &mcp.Settings{}}},
	}
	q.read = reading(func(content []byte) error {
		err := accept(content)
		if _, ok := errors.AsType[schema.Faults](err); ok {
			return &misfitError{err}
		}
		return err
	})
	return q.ready()
}

// AskURL is the question of [ElicitURL], for [Ask].
func AskURL(key, message, target string) Question {
	return prepared(func(*Server) (*question, error) {
		u, err := url.Parse(target)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the URL of %q: %w", key, err)
		case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
			return nil, fmt.Errorf("the URL of %q is %q; the user can be asked to open https: and http: URLs", key, clip(target))
		}
		q := &question{
			key: key, method: mcp.MethodElicit,
			params: mcp.ElicitParams{Mode: mcp.ModeURL, Message: message, URL: target},
			needs:  mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{URL: &mcp.Settings{}}},
		}
		q.read = reading(func([]byte) error { return nil }) // it has no content
		return q.ready()
	})
}

// reading reads the answers of users, and gives accept what they agreed to: {}
// when there is nothing beside.
func reading(accept func(content []byte) error) func(era wire.Era, answer []byte) error {
	return func(era wire.Era, answer []byte) error {
		var r mcp.ElicitResult
		switch err := readElicit(era, answer, &r); {
		case err != nil:
			return err
		case r.Action != mcp.ActionAccept:
			return &DeclinedError{Action: r.Action}
		case r.Content == nil:
			return accept([]byte("{}"))
		default:
			return accept(r.Content)
		}
	}
}

// readElicit reads a user's answer.
func readElicit(era wire.Era, answer []byte, into *mcp.ElicitResult) error {
	if _, err := era.Result(mcp.MethodElicit, answer, into); err != nil {
		return err
	}
	switch into.Action {
	case mcp.ActionAccept, mcp.ActionDecline, mcp.ActionCancel:
	default:
		return fmt.Errorf("the action is %q; it is %q, %q or %q", clip(into.Action), mcp.ActionAccept, mcp.ActionDecline, mcp.ActionCancel)
	}
	switch k := jsonx.KindOf(into.Content); k {
	case jsonx.Object, jsonx.Invalid:
	case jsonx.Null:
		into.Content = nil // as some write what is absent
	default:
		return fmt.Errorf("the content must be an object; got %s", describe(k))
	}
	return nil
}

// presented is an elicitation as it is sent: with what was wrong with the last
// answer, and with the name that one revision wants a URL to have.
func presented(p mcp.ElicitParams, remark string) mcp.ElicitParams {
	if remark != "" {
		p.Message += "\n\nThe last answer did not fit: " + remark
	}
	if p.Mode == mcp.ModeURL && p.ElicitationID == "" {
		p.ElicitationID = rand.Text()
	}
	return p
}
