package mcp

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Extra holds the members of an object that its type has no field for, as one
// JSON object, in the order and bytes they came in. Nil when there are none.
type Extra = jsontext.Value

// codec is how every type of this package is read and written: names are
// case-sensitive and unique, maps are written in key order, strings inside raw
// JSON keep their escapes, content is decoded by its type member.
var codec = json.JoinOptions(
	json.DefaultOptionsV2(),
	json.Deterministic(true),
	jsontext.PreserveRawStrings(true),
	json.WithUnmarshalers(json.UnmarshalFromFunc(decodeContent)),
)

func encode(v any) ([]byte, error) { return json.Marshal(v, codec) }

func decode(b []byte, v any) error { return json.Unmarshal(b, v, codec) }
