package reference

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuota/internal/site/locale"
	"cuota/query"
)

// theSpanishTexts reads the file of Spanish texts.
func theSpanishTexts(t *testing.T) map[string]string {
	t.Helper()
	known, err := spanishTexts()
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// read asks for each text that it puts into a reference, so what it asks for is what pages show.
func TestEveryTextOfTheReferenceHasOneSpanishText(t *testing.T) {
	known, shown := theSpanishTexts(t), map[string]bool{}
	_, err := read(query.Document(), locale.Spanish, func(english string) string {
		if english != "" {
			shown[english] = true
		}
		return english
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(shown) < 800 {
		t.Errorf("the reference asked for %d texts only", len(shown))
	}
	for _, english := range slices.Sorted(maps.Keys(shown)) {
		if known[english] == "" {
			t.Errorf("texts.es.json has no Spanish text; add it:\n%q", english)
		}
	}
	for _, english := range slices.Sorted(maps.Keys(known)) {
		if !shown[english] {
			t.Errorf("texts.es.json has a text that the document no longer has; remove it:\n%q", english)
		}
	}
}

// A text that stood there twice would have two translations, of which one counts.
func TestTheSpanishTextsAreSortedAndEachStandsThereOnce(t *testing.T) {
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(theSpanishTexts(t)); err != nil {
		t.Fatal(err)
	}
	have, lines := strings.Split(string(spanishFile), "\n"), strings.Split(want.String(), "\n")
	for i := range max(len(have), len(lines)) {
		if i >= len(have) || i >= len(lines) || have[i] != lines[i] {
			t.Fatalf("texts.es.json is not sorted, not indented by two spaces, or has a text twice: line %d", i+1)
		}
	}
}

// Names of fields and parameters, paths, headers and numbers are the same in both languages.
// Spanish texts write 1,32 % for 1.32 %, and AAAA-MM-DD for YYYY-MM-DD.
func TestASpanishTextHasTheNamesAndTheNumbersOfTheEnglishOne(t *testing.T) {
	fixed := regexp.MustCompile(`\w*[a-z][A-Z]\w*|\w+_\w+|[A-Z]\w*(?:-[A-Z]\w*)+|/[a-z][\w/{}-]*|\d+(?:[.,-]\d+)*`)
	in := func(text string) []string {
		found := fixed.FindAllString(strings.ReplaceAll(text, "AAAA-MM", "YYYY-MM"), -1)
		for i, one := range found {
			found[i] = strings.ReplaceAll(one, ",", ".")
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	for english, spanish := range theSpanishTexts(t) {
		if want, have := in(english), in(spanish); !slices.Equal(want, have) {
			t.Errorf("%q\n%q\nhave the names and numbers %q and %q", english, spanish, want, have)
		}
	}
}

func TestTheSpanishReferenceDiffersInItsTextsOnly(t *testing.T) {
	var references [2]*Reference
	for i, l := range []locale.Language{locale.English, locale.Spanish} {
		var err error
		if references[i], err = New(query.Document(), l); err != nil {
			t.Fatal(err)
		}
	}
	others := references[1].Operations()
	for i, o := range references[0].Operations() {
		other := others[i]
		if o.ID != other.ID || o.Tag != other.Tag || o.Target() != other.Target() ||
			!slices.EqualFunc(o.Samples(""), other.Samples(""), func(a, b Sample) bool {
				return a == b
			}) {
			t.Errorf("%s is %s in Spanish, or has other samples", o.ID, other.ID)
		}
		if o.Summary == other.Summary || o.Description == other.Description {
			t.Errorf("%s has the same texts in both languages", o.ID)
		}
		for j, p := range o.Parameters {
			if q := other.Parameters[j]; p.Name != q.Name || p.Default != q.Default ||
				!slices.Equal(p.Choices, q.Choices) || p.Description == q.Description {
				t.Errorf("the parameter %s of %s differs in more than its texts, or not in them", p.Name, o.ID)
			}
		}
	}
}

// The words of types and limits are put together by the program.
func TestTypesAndLimitsAreSaidInTheLanguageOfTheReference(t *testing.T) {
	const document = `{"tags": [{"name": "Funds"}], "paths": {"/api/it": {"get": {"operationId": "get_it", "tags": ["Funds"],
		"responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "required": ["a", "b", "c", "d"], "properties": {
			"a": {"type": ["string", "null"], "minLength": 1, "maxLength": 9},
			"b": {"type": "array", "maxItems": 3, "items": {"type": "object", "description": "Values of the resource"}},
			"c": {"type": "number", "exclusiveMinimum": 0},
			"d": {"type": "string", "enum": ["x", "y"]}}}}}}}}}}}`
	for l, want := range map[locale.Language][]string{
		locale.English: {"string or null, 1 to 9 characters", "list of object, at most 3 elements",
			"number, greater than 0", "string, one of x, y"},
		locale.Spanish: {"texto o null, de 1 a 9 caracteres", "lista de objetos, a lo más 3 elementos",
			"número, mayor que 0", "texto, uno de x, y"},
	} {
		ref, err := New([]byte(document), l)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, f := range ref.Operation("get_it").Answers[0].Tables[0].Fields {
			have = append(have, f.Type+", "+f.Limits)
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: %q, want %q", l, have, want)
		}
	}
}
