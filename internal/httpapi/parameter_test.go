package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/julienschmidt/httprouter"
)

// even is a parameter with a type of its own.
type even struct{ text string }

func (e *even) Read(text string) *Violation {
	if len(text)%2 != 0 {
		return &Violation{Type: "odd", Msg: "Must have an even length"}
	}
	e.text = text
	return nil
}

func (e *even) String() string { return strings.ToLower(e.text) }

func (even) Schema() Schema { return Schema{"type": "string", "pattern": "^(..)*$"} }

// color is a string type with a fixed list of values.
type color string

func (color) Choices() []string { return []string{"red", "blue"} }

type sample struct {
	embedded
	Text   string   `query:"text" max:"3"`
	Exact  string   `query:"exact" min:"1" max:"3"`
	Word   string   `query:"word" enum:"a,b" default:"first"`
	Color  color    `query:"color"`
	Number int64    `query:"number" min:"1" max:"9" default:"5"`
	Maybe  *int64   `query:"maybe" min:"-1" max:"1"`
	Truth  *bool    `query:"truth"`
	List   []string `query:"list" max:"2" most:"2"`
}

type embedded struct {
	Even even `path:"even"`
}

// parsed reads a request for /x/{even} into a sample.
func parsed(t *testing.T, target string) (sample, *Call, error) {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, target, nil)
	c := &Call{Request: request, Header: http.Header{}, op: new(Operation)}
	c.query, c.malformed = url.ParseQuery(request.URL.RawQuery)
	fields := fieldsOf[sample]("/x/{even}")
	c.op = &Operation{Path: "/x/{even}"}
	for _, f := range fields {
		c.op.Parameters = append(c.op.Parameters, f.Parameter)
	}
	var into sample
	err := c.parse(fields, &into, httprouter.Params{{Key: "even", Value: strings.TrimPrefix(request.URL.Path, "/x/")}})
	return into, c, err
}

func TestEachTypeOfFieldReadsItsForm(t *testing.T) {
	got, c, err := parsed(t, "/x/AB?text=abc&exact=x&word=b&color=blue&number=09&maybe=-1&truth=true&list=p&list=q&other=1")
	if err != nil {
		t.Fatal(err)
	}
	minus, yes := int64(-1), true
	want := sample{embedded{even{"AB"}}, "abc", "x", "b", "blue", 9, &minus, &yes, []string{"p", "q"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(even{}, sample{})); diff != "" {
		t.Error(diff)
	}
	if ignored := c.Header.Get("X-Ignored-Parameters"); ignored != "other" {
		t.Errorf("ignored %q", ignored)
	}
	link := c.LinkTo("number", "7", "")
	if want := "/x/ab?text=abc&exact=x&word=b&color=blue&number=7&maybe=-1&truth=true&list="; !strings.HasPrefix(link,
		want) {
		t.Errorf("link %s, want it to begin with %s", link, want)
	}
}

func TestAnAbsentParameterHasItsDefaultOrNothing(t *testing.T) {
	got, _, err := parsed(t, "/x/AB?text=&list=p")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample{embedded: embedded{even{"AB"}}, Word: "a", Number: 5, List: []string{"p"}}, got,
		cmp.AllowUnexported(even{}, sample{})); diff != "" {
		t.Error(diff)
	}
}

func TestEverythingThatIsWrongIsListedInTheOrderOfTheFields(t *testing.T) {
	_, _, err := parsed(t, "/x/A?text=abcd&exact=&word=c&color=&number=10&maybe=x&truth=2&list=a&list=b&list=c")
	var kinds []string
	for _, v := range err.(Invalid) {
		kinds = append(kinds, v.Loc[1]+" "+v.Type)
	}
	want := []string{
		"even odd", "text string_too_long", "exact string_too_short", "word literal_error", "color literal_error",
		"number less_than_equal", "maybe int_parsing", "truth bool_parsing", "list too_long",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
}

// shades is a string type whose words are not identifiers.
type shades string

func (shades) Choices() []string       { return []string{"1st", "2nd"} }
func (shades) ConstantNames() []string { return []string{"FIRST", "SECOND"} }

// pair is a parameter that is a number or a text.
type pair struct{ even }

func (pair) Schema() Schema {
	return Schema{"anyOf": []Schema{{"type": "integer"}, {"type": "string"}}}
}

func TestTheDocumentSaysOfAParameterWhatItsFieldReads(t *testing.T) {
	type ofPair struct {
		Pair pair `path:"pair" example:"7" doc:"A pair"`
	}
	type documented struct {
		ofPair
		Even   even     `query:"even" required:"true" example:"12" doc:"It is \"even\""`
		Text   string   `query:"text" max:"3"`
		Exact  string   `query:"exact" min:"1" max:"3" default:"x"`
		Word   string   `query:"word" enum:"a,b" example:"b"`
		Shade  shades   `query:"shade" default:"first"`
		Number int64    `query:"number" min:"1" max:"9" default:"5" example:"3"`
		Maybe  *int64   `query:"maybe" min:"-1" max:"9007199254740991"`
		Truth  *bool    `query:"truth" example:"true"`
		List   []string `query:"list" max:"2" most:"4" example:"a,b"`
	}
	want := `[
		{"name": "pair", "in": "path", "required": true, "description": "A pair", "example": 7, "schema": {"anyOf": [{"type": "integer"}, {"type": "string"}]}},
		{"name": "even", "in": "query", "required": true, "description": "It is \"even\"", "example": "12", "schema": {"type": "string", "pattern": "^(..)*$"}},
		{"name": "text", "in": "query", "description": "", "schema": {"type": ["string", "null"], "maxLength": 3}},
		{"name": "exact", "in": "query", "description": "", "schema": {"type": "string", "minLength": 1, "maxLength": 3, "default": "x"}},
		{"name": "word", "in": "query", "description": "", "example": "b", "schema": {"type": "string", "enum": ["a", "b"]}},
		{"name": "shade", "in": "query", "description": "", "schema": {"type": "string", "enum": ["1st", "2nd"], "x-enum-varnames": ["FIRST", "SECOND"], "default": "1st"}},
		{"name": "number", "in": "query", "description": "", "example": 3, "schema": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5}},
		{"name": "maybe", "in": "query", "description": "", "schema": {"type": ["integer", "null"], "minimum": -1, "maximum": 9007199254740991}},
		{"name": "truth", "in": "query", "description": "", "example": true, "schema": {"type": ["boolean", "null"]}},
		{"name": "list", "in": "query", "required": true, "description": "", "example": ["a,b"],
			"schema": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 2}, "minItems": 1, "maxItems": 4}}
	]`
	op := NewOperation[documented](http.MethodGet, "/of/{pair}", Open, nil, nil)
	text, err := json.Marshal(op.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	objects := func(text []byte) (list []map[string]any) {
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if diff := cmp.Diff(objects([]byte(want)), objects(text)); diff != "" {
		t.Error(diff)
	}
}

func TestAWrongDeclarationStopsTheProgram(t *testing.T) {
	for name, declare := range map[string]func(){
		"no tag": func() { fieldsOf[struct{ A string }]("/") },
		"no bound of a text": func() {
			fieldsOf[struct {
				A string `query:"a"`
			}]("/")
		},
		"no bounds of a number": func() {
			fieldsOf[struct {
				A int64 `query:"a" min:"1"`
			}]("/")
		},
		"a default out of bounds": func() {
			fieldsOf[struct {
				A int64 `query:"a" min:"1" max:"2" default:"3"`
			}]("/")
		},
		"a type that is not read": func() {
			fieldsOf[struct {
				A float64 `query:"a"`
			}]("/")
		},
		"a list without its most": func() {
			fieldsOf[struct {
				A []string `query:"a" max:"3"`
			}]("/")
		},
		"a path without a parameter": func() {
			fieldsOf[struct {
				A even `path:"a"`
			}]("/x")
		},
		"a default of a required one": func() {
			fieldsOf[struct {
				A int64 `query:"a" min:"1" max:"2" default:"1" required:"true"`
			}]("/")
		},
		"a number that may be absent": func() {
			fieldsOf[struct {
				A int64 `query:"a" min:"1" max:"2"`
			}]("/")
		},
		"another least length": func() {
			fieldsOf[struct {
				A string `query:"a" min:"2" max:"3"`
			}]("/")
		},
		"an example of another type": func() {
			fieldsOf[struct {
				A int64 `query:"a" min:"1" max:"2" default:"1" example:"x"`
			}]("/")
		},
		"one name twice": func() {
			fieldsOf[struct {
				A, B string `query:"a" max:"2"`
			}]("/")
		},
		"a parameter without field": func() { fieldsOf[struct{}]("/{a}") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			declare()
		}()
	}
}

// Whatever a query string holds, parameters are read or refused, and what was read is
// within its bounds.
func FuzzWhateverIsReadIsWithinItsBounds(f *testing.F) {
	f.Add("text=abc&number=3")
	f.Add("number=%31&list=a&list=a&maybe=")
	f.Add("text=%ff&;&=&%zz")
	f.Fuzz(func(t *testing.T, query string) {
		c := &Call{Request: httptest.NewRequest(http.MethodGet, "/x/AB", nil), Header: http.Header{},
			op: new(Operation)}
		c.query, c.malformed = url.ParseQuery(query)
		fields := fieldsOf[sample]("/x/{even}")
		var got sample
		if err := c.parse(fields, &got, httprouter.Params{{Key: "even", Value: "AB"}}); err != nil {
			return
		}
		ok := len([]rune(got.Text)) <= 3 && len([]rune(got.Exact)) <= 3 && (got.Word == "a" || got.Word == "b") &&
			got.Number >= 1 && got.Number <= 9 &&
			len(got.List) >= 1 && len(got.List) <= 2 && (got.Maybe == nil || *got.Maybe >= -1 && *got.Maybe <= 1)
		if !ok {
			t.Fatalf("%q gives %+v", query, got)
		}
	})
}
