// Package schema turns a Go type into JSON Schema 2020-12, and JSON into a
// checked, coerced, defaulted value of that type, in one walk over the bytes.
//
//	type SearchIn struct {
//		Query string   `json:"query" doc:"text to look for" mcp:"minlen=1"`
//		Order string   `json:"order" doc:"sort order"       mcp:"default=newest,enum=newest|oldest"`
//		Limit int      `json:"limit" doc:"at most this many" mcp:"default=10,min=1,max=50"`
//		Tags  []string `json:"tags,omitempty"`
//	}
//
//	plan, err := schema.For[SearchIn](schema.Object())
//	plan.JSON()                       // the schema
//	var in SearchIn
//	err = plan.Decode(arguments, &in) // Faults, written for a model
//	out, err = plan.Append(nil, &in)  // and back, checked as well
//
// For schemas written by hand there is [Compile], a full validator of 2020-12,
// draft-07 and their relatives.
//
// # Types
//
//	bool                           boolean
//	int, int64; int8 to int32      integer; with the bounds of the type
//	uint, uint8 to uint64          integer from 0; up to 32 bits with the upper bound
//	float32, float64, json.Number  number
//	big.Int; big.Float             integer; number
//	string                         string
//	[]byte                         string, contentEncoding base64
//	time.Time                      string, format date-time
//	time.Duration                  string as Go writes it, "1m30s", with a pattern
//	url.URL                        string, format uri-reference
//	netip.Addr, Prefix, AddrPort   string
//	big.Rat                        string, "3/4" or "0.75", with a pattern
//	encoding.TextMarshaler/-Unmarshaler  string
//	any, json.RawMessage           anything; any gets json.Number for numbers
//	json.Marshaler/-Unmarshaler    anything, checked by the type itself
//	[]T; [N]T                      array; of exactly N items
//	map[K]T                        object with additionalProperties
//	struct                         object, closed: other members are faults, unless [Open]
//	struct that embeds [OneOf]     object with oneOf, told apart by a member
//	*T as a member                 T, optional
//	*T in a list or map            T or null; *struct there is the struct
//
// Integers are exact in all their bits; 42.0 and 1e2 are integers. A named string
// or integer type with a method Values() []T is an enum of these values.
// Embedded structs are flattened as encoding/json does it. Named structs that
// occur more than once or contain themselves stand under $defs, a root that
// contains itself is "#"; everything else stands where it is used. Channels,
// functions, complex numbers and interfaces with methods are errors. Names are
// case-sensitive.
//
// Nil slices are [] and nil maps {}; the schema says array and object, never
// null.
//
// # Tags
//
// The name and omitempty, omitzero come from the json tag, the description from
// doc. The mcp tag is a list of settings:
//
//	default=V      the value when the member is absent
//	example=V      an example
//	optional       the member may be absent
//	title=T        a title for people
//	header=N       mirrored in the HTTP header Mcp-Param-N
//	min=N max=N    bounds of a number
//	minlen= maxlen=    length of a string in characters
//	minitems= maxitems=  number of items of a slice, or of members of a map
//	unique         items must differ
//	pattern=P      regular expression, not anchored; Go's syntax (RE2), with the
//	               escapes of ECMA-262 and without [[:alpha:]]
//	format=F       date-time, date, time, duration, email, hostname, ipv4, ipv6,
//	               uri, uri-reference, uuid, regex: checked
//	enum=A|B       allowed values
//	rest           on a map: takes the members no field has
//	discriminator=N    on an embedded OneOf: its member's name
//
// On a slice or a map, settings about values are about the items. A value with a
// comma is put in single quotes, in which a quote is doubled, or the comma gets a
// backslash. V is the plain text for what is a string in JSON, JSON otherwise.
//
// A member is required unless it is a pointer, has omitempty, omitzero or a
// default, or is optional. What is wrong with a type or its tags is an error of
// [For], all of it at once.
//
// # Coercion
//
// Models write "5" for 5. Unless the plan is [Strict], a scalar that the schema
// does not accept but that can only mean one thing is taken as that: a string
// holding a number for a number, "true" and "false" for a boolean, the text of a
// number or boolean for a string, null for an optional member that is absent.
// Nothing else is: no single value for an array, no text of an object for the
// object. A string stays the string it is, whatever it looks like.
//
// # Bounds
//
// Input is at most 128 deep; there are at most 25 faults; exact arithmetic stops
// at numbers of 1000 digits. Of hand-written schemas the size, the number of
// subschemas and the work of a validation are bounded.
package schema
