package schema

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/diglot-mcp/diglot/internal/jsonx"
)

// exactSink has only what JSON Schema can say in full, so that a strict plan
// and the validator of its schema have to agree about every text.
type exactSink struct {
	S     string            `json:"s" mcp:"minlen=1,maxlen=5,pattern=^[a-z]"`
	I8    int8              `json:"i8,omitempty"`
	U16   uint16            `json:"u16" mcp:"default=7,max=1000"`
	I     int64             `json:"i,omitempty" mcp:"min=-9007199254740993,max=9007199254740993"`
	E     int               `json:"e,omitempty" mcp:"enum=1|20|-3"`
	F     float64           `json:"f,omitempty" mcp:"min=-1.5,max=2.5"`
	N     json.Number       `json:"n,omitempty" mcp:"min=0,max=0.1"`
	B     bool              `json:"b,omitempty"`
	C     color             `json:"c" mcp:"default=red"`
	L     []string          `json:"l,omitempty" mcp:"unique,minitems=1,maxitems=3"`
	Any   []any             `json:"any,omitempty" mcp:"unique,maxitems=4"`
	A     [2]bool           `json:"a,omitempty"`
	M     map[string]*int8  `json:"m,omitempty" mcp:"maxitems=2"`
	Raw   json.RawMessage   `json:"raw,omitempty"`
	P     *person           `json:"p"`
	T     *tree8            `json:"t"`
	U     *figure           `json:"u"`
	When  *time.Time        `json:"when"`
	Day   string            `json:"day,omitempty" mcp:"format=date"`
	Clock string            `json:"clock,omitempty" mcp:"format=time"`
	Mail  string            `json:"mail,omitempty" mcp:"format=email"`
	Host  string            `json:"host,omitempty" mcp:"format=hostname"`
	ID    string            `json:"id,omitempty" mcp:"format=uuid"`
	IP    string            `json:"ip,omitempty" mcp:"format=ipv6"`
	URI   string            `json:"uri,omitempty" mcp:"format=uri"`
	Open  map[string]string `json:"open,omitempty"`
	Rest  *withRest         `json:"rest"`
	Null  *[]*bool          `json:"null"`
}

type tree8 struct {
	Value int8     `json:"value,omitempty"`
	Kids  []*tree8 `json:"kids,omitempty"`
}

type withRest struct {
	A int8            `json:"a"`
	X map[string]bool `mcp:"rest"`
}

// looseSink has types that accept less than their schema can say.
type looseSink struct {
	exactSink
	Dur   *time.Duration        `json:"dur"`
	URL   *url.URL              `json:"url"`
	Addr  *netip.Addr           `json:"addr"`
	Pre   *netip.Prefix         `json:"pre"`
	Port  *netip.AddrPort       `json:"port"`
	Int   *big.Int              `json:"int"`
	Flt   *big.Float            `json:"flt"`
	Rat   *big.Rat              `json:"rat"`
	Bytes []byte                `json:"bytes,omitempty"`
	I64   int64                 `json:"i64,omitempty"`
	U64   uint64                `json:"u64,omitempty"`
	F32   float32               `json:"f32,omitempty"`
	Up    *upper                `json:"up"`
	Own   *custom               `json:"own"`
	Keys  map[netip.Addr]uint16 `json:"keys,omitempty"`
	Nums  map[int8]uint16       `json:"nums,omitempty"`
	Expr  *expr                 `json:"expr"`
	Any1  any                   `json:"any1,omitempty"`
}

var decodeSeeds = []string{
	`{"s":"a"}`, `{"s":"abc","i8":-128,"u16":"5","i":9007199254740993,"e":20.0,"f":1e0,"n":0.1,"b":true,"c":"green"}`, `{}`, `[]`, `null`, `"{}"`, ``,
	`{"s":"a","l":["x","y"],"any":[1,1.0,"1",null],"a":[true,false],"m":{"k":null,"j":1},"raw":{"a":[1]}}`,
	`{"s":"a","p":{"name":"n"},"t":{"kids":[{"value":1},{"kids":[]}]},"u":{"radius":1,"type":"circle"},"when":"2026-07-28T09:30:00Z"}`,
	`{"s":"a","day":"2026-07-28","clock":"09:30:00Z","mail":"a@b.c","host":"a.b","id":"2eb8aa08-aa98-11ea-b4aa-73b441d16380","ip":"::1","uri":"a:b"}`,
	`{"s":"a","open":{"":"x"},"rest":{"a":1,"b":true},"null":[null,true]}`,
	`{"s":"a","dur":"1m30s","url":"//a","addr":"::1","pre":"10.0.0.0/8","port":"[::1]:80","int":1e3,"flt":0.5,"rat":"3/4","bytes":"aGVsbG8=","i64":1,"u64":1,"f32":1.5,"up":"A","own":7,"keys":{"::1":1},"nums":{"-1":1},"any1":{"a":1}}`,
	`{"s":"a","expr":{"op":"add","left":{"op":"num","value":1},"right":{"op":"num","value":2}}}`,
	`{"s":1,"i8":300,"u16":-1,"i":1.5,"e":2,"f":1e400,"n":"x","b":"yes","c":5,"l":"[1]","cursor":1}`,
	`{"s":"a","any":[1,"1"]}`, `{"s":"a","m":{"a":1,"b":null}}`,
	`{"s":"\ud83d\ude00","i8":-0,"f":-0.0,"n":0.10000000000000000000001}`,
}

// FuzzDecode: no text crashes a plan; a strict plan and a validator of the
// plan's schema agree (for looseSink in one direction); what a plan decodes it
// encodes, and its schema accepts that and decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, s := range decodeSeeds {
		f.Add([]byte(s))
	}
	exact, loose, lenient := must[exactSink](f, Strict()), must[looseSink](f, Strict()), must[looseSink](f)
	exactly := compiled(f, string(exact.JSON()), AssertFormats())
	loosely := compiled(f, string(loose.JSON()), AssertFormats())
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a exactSink
		gotPlan, gotValidator := exact.Decode(raw, &a), exactly.Validate(raw)
		if (gotPlan == nil) != (gotValidator == nil) && !beyondDouble(raw) {
			t.Fatalf("%s:\nthe plan says %v\nthe validator says %v", raw, gotPlan, gotValidator)
		}
		var b looseSink
		if err := loose.Decode(raw, &b); err == nil {
			if err := loosely.Validate(raw); err != nil {
				t.Fatalf("%s: the plan accepts it, the validator says %v", raw, err)
			}
		}
		if gotPlan == nil {
			roundTrip(t, exact, exactly, &a, raw)
		}
		var c looseSink
		err := lenient.Decode(raw, &c)
		var faults Faults
		if err != nil && (!errors.As(err, &faults) || len(faults) == 0 || len(faults) > maxFaults+1) {
			t.Fatalf("%s: %T %v", raw, err, err)
		}
		if gotPlan == nil && err != nil {
			t.Fatalf("%s: the strict plan accepts it, the lenient one says %v", raw, err)
		}
	})
}

// roundTrip encodes v and decodes it again.
func roundTrip[T any](t *testing.T, p *Plan, v *Validator, x *T, raw []byte) {
	t.Helper()
	out, err := p.Append(nil, x)
	if err != nil {
		return // a zero value the schema does not accept, as an absent array of two
	}
	if err := v.Validate(out); err != nil {
		t.Fatalf("%s was written as %s, which the validator refuses: %v", raw, out, err)
	}
	y := new(T)
	if err := p.Decode(out, y); err != nil {
		t.Fatalf("%s was written as %s, which the plan refuses: %v", raw, out, err)
	}
	again, err := p.Append(nil, y)
	if err != nil || string(again) != string(out) {
		t.Fatalf("%s was written as %s, then as %s, %v", raw, out, again, err)
	}
}

// beyondDouble reports whether a number in the text is none of float64, which
// a plan has to refuse where a float64 is wanted, or is one that only exact
// arithmetic can tell from a bound the validator cannot compute with.
func beyondDouble(raw []byte) bool {
	if jsonx.Check(raw, 0) != nil {
		return false
	}
	r := reader{s: jsonx.NewScanner(raw)}
	r.value()
	return r.huge != ""
}

// FuzzCompile: no schema and no value crash the validator or keep it busy.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		`{}`, `true`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`,
		`{"enum":[1,"a",null,{}],"const":1,"pattern":"^a","format":"email"}`, `{"$id":"https://a/b","$anchor":"c","$ref":"#c"}`,
		`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}},"unevaluatedProperties":false}`,
		`{"oneOf":[{"const":1},{"minimum":2}],"not":{"multipleOf":3},"if":{},"then":{"maximum":5}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`,
	} {
		for _, v := range []string{`{}`, `[1,"a",null,{"a":[[]]}]`, `{"a":{"a":1}}`, `1.50e1`} {
			f.Add([]byte(s), []byte(v))
		}
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		headers, err := HeadersOf(schema)
		if err == nil && len(headers) > 0 && reflect.ValueOf(headers[0].Name).IsZero() {
			t.Fatal("a header without a name")
		}
		_ = ObjectRoot(schema)
		v, err := Compile(schema, MaxWork(20_000))
		if err != nil {
			return
		}
		var f Faults
		if err := v.Validate(value); err != nil && !errors.As(err, &f) {
			t.Fatalf("%T: %v", err, err)
		}
		if a, b := v.Validate(value), v.Validate(value); (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() {
			t.Fatalf("once %v, once %v", a, b)
		}
	})
}
