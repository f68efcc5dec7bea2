package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"testing"
)

// objectParams has a parameter of each kind that an object may have.
type objectParams struct {
	Text   string   `query:"text" max:"20" doc:"Text"`
	Order  string   `query:"order" enum:"asc,desc" default:"first" doc:"Word"`
	Limit  int64    `query:"limit" min:"1" max:"200" default:"50" doc:"Number"`
	Least  *int64   `query:"least" min:"-5" max:"5" doc:"Number or nothing"`
	Held   *bool    `query:"held" doc:"Truth"`
	Series []string `query:"series" max:"5" most:"3" doc:"Texts"`
	Batch  string   `query:"batch_id" max:"20" doc:"Not in an object"`
}

var objects = ObjectsOf[objectParams]("/of/objects", func(p *objectParams) []Violation {
	if p.Text == p.Order {
		return []Violation{{Loc: []string{"query", "text"}, Type: "same"}}
	}
	return nil
}, "batch_id")

func wholeCall() *Call { return &Call{Request: &http.Request{}, Header: http.Header{}} }

func TestAnObjectIsReadAsTheQueryStringThatSaysTheSame(t *testing.T) {
	for text, want := range map[string]string{
		`{"series": ["a", 7, "a"], "limit": 3, "held": false, "text": "é\u00f1"}`: `{"Text":"éñ","Order":"asc","Limit":3,"Least":null,"Held":false,"Series":["a","7"],"Batch":""}`,
		`{"series": "a", "least": null, "order": "desc", "limit": "3"}`:           `{"Text":"","Order":"desc","Limit":3,"Least":null,"Held":null,"Series":["a"],"Batch":""}`,
		`{"series": ["x"]}`: `{"Text":"","Order":"asc","Limit":50,"Least":null,"Held":null,"Series":["x"],"Batch":""}`,
	} {
		_, params, wrong := objects.Read(wholeCall(), json.RawMessage(text), "body")
		if got, err := json.Marshal(params); err != nil || len(wrong) > 0 || string(got) != want {
			t.Errorf("%s: %s, %v, %v, want %s", text, got, wrong, err, want)
		}
	}
	_, _, wrong := objects.Read(wholeCall(), json.RawMessage(`{"series": ["x"], "text": "asc"}`), "body", "3")
	if len(wrong) != 1 || !reflect.DeepEqual(wrong[0].Loc, []string{"body", "3", "text"}) {
		t.Errorf("a contradiction is told as %v", wrong)
	}
}

// What an object says is read as the query string with the same texts. Anything else is refused.
func FuzzAnObjectIsReadOrRefused(f *testing.F) {
	for _, seed := range []string{`{}`, `{"series":["a"],"limit":1e2,"held":"1"}`, `{"series":[[]]}`, `[]`, `{"a":1}`, `{"a":1,"a":2}`,
		`{"series":"a","text":"\ud800"}`, `{"series":"a","batch_id":"b"}`, `{"series":["a"],"least":-5,"text":""} `, "{\"\xff\":1}"} {
		f.Add([]byte(seed))
	}
	fields := fieldsOf[objectParams]("/of/objects")
	f.Fuzz(func(t *testing.T, text []byte) {
		_, params, wrong := objects.Read(wholeCall(), text, "body")
		for _, violation := range wrong {
			if len(violation.Loc) == 0 || violation.Loc[0] != "body" {
				t.Fatalf("%q: %+v is nowhere", text, violation)
			}
		}
		if len(wrong) > 0 {
			return
		}
		var members map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&members); err != nil {
			t.Fatalf("%q was read, and is not JSON: %v", text, err)
		}
		query := url.Values{}
		for name, member := range members {
			list, isList := member.([]any)
			if !isList {
				list = []any{member}
			}
			for _, one := range list {
				switch one := one.(type) {
				case nil:
				case bool:
					query.Add(name, map[bool]string{true: "true", false: "false"}[one])
				case json.Number:
					query.Add(name, one.String())
				case string:
					query.Add(name, one)
				default:
					t.Fatalf("%q was read, and has %v", text, one)
				}
			}
		}
		again := new(objectParams)
		c := &Call{Request: &http.Request{}, Header: http.Header{}, op: &Operation{}, query: query}
		if err := c.parse(fields, again, nil); err != nil || !reflect.DeepEqual(params, again) {
			t.Fatalf("%q: %+v, and as the query %s: %+v, %v", text, params, query.Encode(), again, err)
		}
	})
}
