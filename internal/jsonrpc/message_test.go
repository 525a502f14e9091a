package jsonrpc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse: what is a message, and what is not, with the code and id of the
// answer to it.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Message
		code       int // 0: accepted
		id         string
		says       string
	}{
		{name: "params null (RPC-07)", text: `{"jsonrpc":"2.0","id":1,"method":"x","params":null}`, want: Message{Kind: Request, ID: ID{"1"}, Method: "x", Params: []byte(`null`)}},
		{name: "params by position (RPC-07, L-RPC-09)", text: `{"jsonrpc":"2.0","id":1,"method":"x","params":[]}`, want: Message{Kind: Request, ID: ID{"1"}, Method: "x", Params: []byte(`[]`)}},
		{name: "a request", text: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, want: Message{Kind: Request, ID: ID{"1"}, Method: "tools/list", Params: []byte(`{}`)}},
		{name: "id 0 is an id (RPC-01)", text: `{"jsonrpc":"2.0","id":0,"method":"x"}`, want: Message{Kind: Request, ID: ID{"0"}, Method: "x"}},
		{name: "the empty string is an id (RPC-01)", text: `{"jsonrpc":"2.0","id":"","method":"x"}`, want: Message{Kind: Request, ID: ID{`""`}, Method: "x"}},
		{name: "an id beyond int64 keeps its digits (RPC-04)", text: `{"jsonrpc":"2.0","id":123456789012345678901,"method":"x"}`, want: Message{Kind: Request, ID: ID{"123456789012345678901"}, Method: "x"}},
		{name: "a notification", text: `{"jsonrpc":"2.0","method":"n"}`, want: Message{Kind: Notification, Method: "n"}},
		{name: "unknown members are ignored (L-RPC-11)", text: `{"jsonrpc":"2.0","method":"n","x":{"y":1}}`, want: Message{Kind: Notification, Method: "n"}},
		{name: "a result", text: `{"jsonrpc":"2.0","id":"a","result":{}}`, want: Message{Kind: Response, ID: ID{`"a"`}, Result: []byte(`{}`)}},
		{name: "an error", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[1]}}`, want: Message{Kind: Response, ID: ID{"1"}, Error: &Error{Code: -32601, Message: "no", Data: []byte(`[1]`)}}},
		{name: "an error without id (L-RPC-07, T-54)", text: `{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}`, want: Message{Kind: Response, Error: &Error{Code: -32700, Message: "no"}}},
		{name: "an error with a null id (L-RPC-07, T-54)", text: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`, want: Message{Kind: Response, Error: &Error{Code: -32700, Message: "no"}}},
		{name: "an error that is a plain string (RPC-10)", text: `{"jsonrpc":"2.0","id":1,"error":"boom"}`, want: Message{Kind: Response, ID: ID{"1"}, Error: &Error{Code: -32603, Message: "boom", Data: []byte(`"boom"`)}}},

		{name: "a null error beside a result (RPC-10)", text: `{"jsonrpc":"2.0","id":6,"error":null,"result":{}}`, want: Message{Kind: Response, ID: ID{"6"}, Result: []byte(`{}`)}},
		{name: "a null result beside an error (RPC-10)", text: `{"jsonrpc":"2.0","id":6,"result":null,"error":{"code":1,"message":"x"}}`, want: Message{Kind: Response, ID: ID{"6"}, Error: &Error{Code: 1, Message: "x"}}},
		{name: "an error code in another spelling", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-3.2e4,"message":"x"}}`, want: Message{Kind: Response, ID: ID{"1"}, Error: &Error{Code: -32000, Message: "x"}}},
		{name: "white space and another order", text: " {\n\"method\" : \"x\" ,\r\n \"id\" : 1 , \"jsonrpc\":\t\"2.0\" } ", want: Message{Kind: Request, ID: ID{"1"}, Method: "x"}},
		{name: "names and values with escapes", text: `{"json\u0072pc":"\u0032.0","\u0069d":"\u0061","meth\u006fd":"tools\/call"}`, want: Message{Kind: Request, ID: ID{`"\u0061"`}, Method: "tools/call"}},
		{name: "numbers in params keep every digit (JSON-03)", text: `{"jsonrpc":"2.0","method":"n","params":{"a":9007199254740993,"e":1E400,"z":1.0}}`, want: Message{Kind: Notification, Method: "n", Params: []byte(`{"a":9007199254740993,"e":1E400,"z":1.0}`)}},
		{name: "names in params are the method's matter (JSON-01)", text: `{"jsonrpc":"2.0","method":"n","params":{"name":"a","Name":"b"}}`, want: Message{Kind: Notification, Method: "n", Params: []byte(`{"name":"a","Name":"b"}`)}},

		{name: "no JSON", text: `{"jsonrpc"`, code: CodeParse},
		{name: "nothing", text: ``, code: CodeParse},
		{name: "two messages (STD-05)", text: `{"jsonrpc":"2.0","method":"n"}{}`, code: CodeParse},
		{name: "a duplicate member (JSON-01)", text: `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, code: CodeParse, says: "duplicate"},
		{name: "invalid UTF-8 (M-GEN-003)", text: "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", code: CodeParse},
		{name: "a batch (M-MSG-010, BATCH-12)", text: `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, code: CodeInvalidRequest},
		{name: "a number", text: `5`, code: CodeInvalidRequest},
		{name: "an empty object", text: `{}`, code: CodeInvalidRequest},
		{name: "no version", text: `{"id":1,"method":"x"}`, code: CodeInvalidRequest, id: "1", says: "jsonrpc"},
		{name: "another version", text: `{"jsonrpc":"1.0","id":1,"method":"x"}`, code: CodeInvalidRequest, id: "1", says: "2.0"},
		{name: "a null id (M-MSG-002, RPC-05)", text: `{"jsonrpc":"2.0","id":null,"method":"x"}`, code: CodeInvalidRequest, says: "null"},
		{name: "a fraction as id (M-MSG-001)", text: `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, code: CodeInvalidRequest, says: "1.5"},
		{name: "an exponent as id", text: `{"jsonrpc":"2.0","id":1e0,"method":"x"}`, code: CodeInvalidRequest},
		{name: "an object as id", text: `{"jsonrpc":"2.0","id":{},"method":"x"}`, code: CodeInvalidRequest},
		{name: "a method that is no string", text: `{"jsonrpc":"2.0","id":1,"method":5}`, code: CodeInvalidRequest, id: "1"},
		{name: "an empty method", text: `{"jsonrpc":"2.0","id":1,"method":""}`, code: CodeInvalidRequest, id: "1"},
		{name: "a member in another case (JSON-01)", text: `{"jsonrpc":"2.0","id":1,"method":"x","Params":{}}`, code: CodeInvalidRequest, id: "1", says: "Params"},
		{name: "a method in another case (JSON-01)", text: `{"jsonrpc":"2.0","id":1,"METHOD":"x"}`, code: CodeInvalidRequest, id: "1", says: "METHOD"},
		{name: "a long s for an s (JSON-01)", text: `{"jsonrpc":"2.0","id":3,"method":"x","param\u017f":{"name":"secret"},"params":{"name":"allowed"}}`, code: CodeInvalidRequest, id: "3", says: "param\u017f"},
		{name: "a method beside one in another case (JSON-01)", text: `{"jsonrpc":"2.0","id":2,"METHOD":"tools/call","method":"ping"}`, code: CodeInvalidRequest, id: "2", says: "METHOD"},
		{name: "a null id of a notification (RPC-05)", text: `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`, code: CodeInvalidRequest, says: "null"},
		{name: "an array as id (RPC-05)", text: `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, code: CodeInvalidRequest, says: "array"},
		{name: "a boolean as id (RPC-05)", text: `{"jsonrpc":"2.0","id":true,"method":"ping"}`, code: CodeInvalidRequest, says: "boolean"},
		{name: "an integer with a point as id (RPC-04)", text: `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, code: CodeInvalidRequest, says: "1.0"},
		{name: "a version that is a number", text: `{"jsonrpc":2.0,"id":1,"method":"x"}`, code: CodeInvalidRequest, id: "1", says: "2.0"},
		{name: "a null method", text: `{"jsonrpc":"2.0","id":1,"method":null}`, code: CodeInvalidRequest, id: "1", says: "null"},
		{name: "too deep", text: `{"jsonrpc":"2.0","id":1,"method":"x","params":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, code: CodeParse, says: "deep"},
		{name: "a null error alone", text: `{"jsonrpc":"2.0","id":1,"error":null}`, code: CodeInvalidRequest, id: "1", says: "null"},
		{name: "an error code that is no int64", text: `{"jsonrpc":"2.0","id":1,"error":{"code":1e30,"message":"x"}}`, code: CodeInvalidRequest, id: "1", says: "1e30"},
		{name: "a null id of a result", text: `{"jsonrpc":"2.0","id":null,"result":{}}`, code: CodeInvalidRequest, says: "null"},
		{name: "a request that is a response too", text: `{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`, code: CodeInvalidRequest, id: "1"},
		{name: "result and error (L-RPC-05)", text: `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, code: CodeInvalidRequest, id: "1"},
		{name: "a result without id", text: `{"jsonrpc":"2.0","result":{}}`, code: CodeInvalidRequest},
		{name: "a bare result (M-RT-002)", text: `{"jsonrpc":"2.0","id":1,"result":5}`, code: CodeInvalidRequest, id: "1"},
		{name: "an error code that is no integer (M-ERR-003)", text: `{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"y"}}`, code: CodeInvalidRequest, id: "1"},
		{name: "an error without message (M-ERR-002)", text: `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, code: CodeInvalidRequest, id: "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, fault := Parse([]byte(c.text), 0)
			if c.code == 0 {
				if fault != nil {
					t.Fatalf("refused: %v", fault)
				}
				if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(ID{})); diff != "" {
					t.Error(diff)
				}
				return
			}
			if fault == nil {
				t.Fatalf("accepted as %+v", got)
			}
			if fault.Code != c.code || fault.ID.String() != c.id || !strings.Contains(fault.Message, c.says) {
				t.Errorf("refused with %d, id %q: %s; want %d, id %q, %q", fault.Code, fault.ID, fault.Message, c.code, c.id, c.says)
			}
		})
	}
}

// TestIDs: a string and a number are two ids (RPC-02), and each is echoed as it
// came.
func TestIDs(t *testing.T) {
	if IntID(1) == StringID("1") {
		t.Error(`1 and "1" are one id`)
	}
	m := map[ID]int{IntID(1): 1, StringID("1"): 2, StringID(""): 3, IntID(0): 4}
	if len(m) != 4 {
		t.Errorf("four ids are %d keys", len(m))
	}
	for _, lit := range []string{"0", "-1", `""`, `"a\u0062"`, "9007199254740993"} {
		id, err := ParseID([]byte(lit))
		if err != nil || string(id.Append(nil)) != lit {
			t.Errorf("id %s is echoed as %s (%v)", lit, id, err)
		}
	}
}

// TestIDKey: spellings of one id have one key, and other ids others.
func TestIDKey(t *testing.T) {
	keys := map[ID]string{}
	for _, same := range [][]string{{`1`}, {`"1"`}, {`""`}, {`0`, `-0`}, {`"a"`, `"\u0061"`}, {`"/"`, `"\/"`}, {`"\\"`, `"\u005c"`}, {`"\ud83d\ude00"`, `"😀"`}, {`"\n"`, `"\u000a"`}, {`10`}} {
		first, err := ParseID([]byte(same[0]))
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := keys[first.Key()]; taken {
			t.Errorf("%s and %s have one key", same[0], other)
		}
		keys[first.Key()] = same[0]
		for _, lit := range same {
			id, err := ParseID([]byte(lit))
			if err != nil || id.Key() != first.Key() || id.Key().Key() != id.Key() {
				t.Errorf("%s has key %s, %s has %s (%v)", lit, id.Key(), same[0], first.Key(), err)
			}
		}
	}
	if !(ID{}).Key().IsZero() {
		t.Error("no id has a key")
	}
}

// TestFaultResponse: what was meant as a response is told from what an error is
// answered to.
func TestFaultResponse(t *testing.T) {
	for text, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":5}`: true, `{"id":1,"result":{}}`: true, `{"jsonrpc":"2.0","id":1,"error":5}`: true, `{"jsonrpc":"2.0","id":{},"result":{}}`: true,
		`{"jsonrpc":"2.0","id":1}`: false, `{"jsonrpc":"2.0","id":1,"method":""}`: false, `{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`: false, `[]`: false, `{`: false,
	} {
		if _, fault := Parse([]byte(text), 0); fault == nil || fault.Response != want {
			t.Errorf("%s: %+v, want a response: %v", text, fault, want)
		}
	}
}

// TestParseAllocates: a request costs the memory of its id.
func TestParseAllocates(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`)
	if n := testing.AllocsPerRun(100, func() { _, _ = Parse(text, 0) }); n > 1 {
		t.Errorf("%v allocations, want one", n)
	}
}

// TestAppend: the bytes of each kind of message; a missing id is left out, never
// null (M-ERR-001).
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want string
	}{
		{"request", string(AppendRequest(nil, IntID(7), "tools/list", []byte(`{}`))), `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`},
		{"notification", string(AppendNotification(nil, "n", nil)), `{"jsonrpc":"2.0","method":"n"}`},
		{"result", string(AppendResult(nil, StringID("a"), []byte(`{"x":1}`))), `{"jsonrpc":"2.0","id":"a","result":{"x":1}}`},
		{"error", string(AppendError(nil, IntID(1), -32602, `no "x"`, []byte(`{"uri":"a"}`))), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no \"x\"","data":{"uri":"a"}}}`},
		{"error without id", string(AppendError(nil, ID{}, -32700, "no", nil)), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}`},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

// TestParseBatch: bounds and bad members (BATCH-10).
func TestParseBatch(t *testing.T) {
	items, fault := ParseBatch([]byte(`[{"jsonrpc":"2.0","id":1,"method":"a"},5,{"jsonrpc":"2.0","method":"b"}]`), 0, 10)
	if fault != nil || len(items) != 3 || items[1].Fault == nil || items[0].Message.Kind != Request || items[2].Message.Kind != Notification {
		t.Errorf("%+v %v", items, fault)
	}
	for name, text := range map[string]string{"empty": `[]`, "too long": `[1,2,3]`, "cut": `[`, "no array": `{}`} {
		if _, fault := ParseBatch([]byte(text), 0, 2); fault == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if items, fault := ParseBatch([]byte(`[1,2,3]`), 0, 0); fault != nil || len(items) != 3 {
		t.Errorf("by default: %v, %v", items, fault)
	}
}

// FuzzParse: no text makes it panic, and what it accepts can be written again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `{"jsonrpc":"2.0","id":"x","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0","method":"\u0061"}`, `[]`, `{"jsonrpc":"2.0","Id":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, fault := Parse(b, 0)
		if items, f := ParseBatch(b, 0, 10); f == nil && (len(items) == 0 || len(items) > 10) {
			t.Fatalf("%q: %d items", b, len(items))
		}
		if fault != nil {
			if fault.Message == "" || fault.Code != CodeParse && fault.Code != CodeInvalidRequest {
				t.Fatalf("%q: fault %+v", b, fault)
			}
			return
		}
		var again []byte
		switch {
		case m.Kind == Request:
			again = AppendRequest(nil, m.ID, m.Method, m.Params)
		case m.Kind == Notification:
			again = AppendNotification(nil, m.Method, m.Params)
		case m.Error != nil:
			again = AppendError(nil, m.ID, m.Error.Code, m.Error.Message, m.Error.Data)
		default:
			again = AppendResult(nil, m.ID, m.Result)
		}
		back, fault := Parse(again, 0)
		if fault != nil {
			t.Fatalf("%q written as %q: %v", b, again, fault)
		}
		if diff := cmp.Diff(m, back, cmp.AllowUnexported(ID{})); diff != "" {
			t.Fatalf("%q written as %q:\n%s", b, again, diff)
		}
	})
}
