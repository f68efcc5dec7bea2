package query_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuota/query"
)

// object is a JSON object of the document.
type object map[string]any

// in returns the object under the keys, and an empty one if there is none.
func (o object) in(keys ...string) object {
	for _, key := range keys {
		o, _ = o[key].(map[string]any)
	}
	return o
}

func (o object) text(key string) string {
	text, _ := o[key].(string)
	return text
}

func (o object) list(key string) []any {
	list, _ := o[key].([]any)
	return list
}

func theDocument(t testing.TB) object {
	t.Helper()
	var d object
	must(t, json.Unmarshal(query.Document(), &d))
	return d
}

// eachOperation visits every operation of the document, those of the account
// area too.
func eachOperation(t testing.TB, visit func(name, method string, op object)) {
	t.Helper()
	visited := 0
	for path, methods := range theDocument(t).in("paths") {
		for method, op := range methods.(map[string]any) {
			visit(strings.ToUpper(method)+" "+path, method, op.(map[string]any))
			visited++
		}
	}
	if visited < 40 {
		t.Fatalf("the document has %d operations only", visited)
	}
}

func TestEveryOperationHasADescriptionAndExamples(t *testing.T) {
	t.Parallel()
	examples := theDocument(t).in("components", "examples")
	used := map[string]bool{}
	eachOperation(t, func(name, _ string, op object) {
		for _, member := range []string{"operationId", "summary", "description"} {
			if op.text(member) == "" {
				t.Errorf("%s has no %s", name, member)
			}
		}
		parameters, _ := op["parameters"].([]any)
		for _, p := range parameters {
			p := object(p.(map[string]any))
			if p["required"] == true && p["example"] == nil {
				t.Errorf("%s: no example of the parameter %s", name, p["name"])
			}
		}
		if body := op.in("requestBody"); len(body) > 0 && len(body.in("content", "application/json", "example")) == 0 {
			t.Errorf("%s: no example of the request's body", name)
		}
		answers := 0
		for status := range op.in("responses") {
			content := op.in("responses", status, "content", "application/json")
			if status[0] == '2' && len(content) == 0 && len(op.in("responses", status, "content")) > 0 {
				answers++ // a file, of which the document can't show an example
			}
			if status[0] != '2' || len(content) == 0 {
				continue
			}
			answers++
			reference := content.in("examples", "demo").text("$ref")
			id := op.text("operationId")
			if reference != "#/components/examples/"+id {
				t.Errorf("%s: the example of the answer is %q", name, reference)
			}
			used[id] = true
			if examples.in(id)["value"] == nil {
				t.Errorf("%s: examples/%s.json has no answer", name, id)
			}
		}
		if answers == 0 && op.in("responses", "204")["description"] == nil &&
			op.in("responses", "303")["description"] == nil {
			t.Errorf("%s: no answer has a body, and none says that it has none", name)
		}
	})
	for id := range examples {
		if !used[id] {
			t.Errorf("no operation refers to examples/%s.json", id)
		}
	}
}

// units are words that name the unit of a number.
var units = regexp.MustCompile(
	`(?i)\b(fraction|percent|percentage points|millions of|thousands of|full units of|per quota|base 100|0 to 100|no unit)\b`)

// counts are words that say what a whole number counts.
var counts = regexp.MustCompile(`(?i)\b(number|requests|seconds|days|0 to 100|no unit|revision)\b`)

// forms are the formats and patterns by which a schema says how a date is written.
var forms = map[string]string{
	"date": "YYYY-MM-DD", "date-time": "RFC 3339", "^[0-9]{4}-[0-9]{2}$": "YYYY-MM", "^[0-9]{6}$": "YYYYMM",
	"^[0-9]{8}$": "YYYYMMDD",
}

func TestEveryPropertyHasADescriptionThatTellsItsUnit(t *testing.T) {
	t.Parallel()
	seen := 0
	eachProperty(theDocument(t), "", func(name string, property object) {
		seen++
		description := property.text("description")
		if description == "" {
			t.Errorf("%s has no description", name)
			return
		}
		switch types := typesOf(property); {
		case slices.Contains(types, "number") && !units.MatchString(description):
			t.Errorf("%s: %q names no unit", name, description)
		case slices.Contains(types, "integer") && !counts.MatchString(description):
			t.Errorf("%s: %q does not say what it counts", name, description)
		}
		for _, key := range []string{"format", "pattern"} {
			if form := forms[property.text(key)]; !strings.Contains(description, form) {
				t.Errorf("%s: %q does not say that it is written as %s", name, description, form)
			}
		}
	})
	if seen < 500 {
		t.Errorf("only %d properties were seen", seen)
	}
}

// eachProperty visits the properties of every schema in a part of the document.
func eachProperty(part any, name string, visit func(name string, property object)) {
	switch part := part.(type) {
	case object:
		eachProperty(map[string]any(part), name, visit)
	case map[string]any:
		for key, value := range part {
			within := name + "/" + key
			switch properties, _ := value.(map[string]any); key {
			case "examples", "example":
				continue
			case "properties":
				for property, schema := range properties {
					visit(within+"/"+property, schema.(map[string]any))
				}
			}
			eachProperty(value, within, visit)
		}
	case []any:
		for i, value := range part {
			eachProperty(value, fmt.Sprintf("%s/%d", name, i), visit)
		}
	}
}

// typesOf returns the types that a schema allows.
func typesOf(schema object) []string {
	switch types := schema["type"].(type) {
	case string:
		return []string{types}
	case []any:
		var all []string
		for _, one := range types {
			all = append(all, one.(string))
		}
		return all
	}
	var all []string
	choices, _ := schema["anyOf"].([]any)
	for _, choice := range choices {
		all = append(all, typesOf(choice.(map[string]any))...)
	}
	return all
}

// An operationId is a verb and what it acts on, in lower case with underscores.
// Reading data is "get", and nothing else is.
func TestOperationIDsFollowOneConvention(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)+$`)
	of := map[string]string{}
	// Following these addresses changes something, or redirects.
	acts := []string{"GET /api/auth/google", "GET /api/auth/google/callback", "GET /api/alerts/unsubscribe/one-click"}
	eachOperation(t, func(name, method string, op object) {
		id := op.text("operationId")
		if !form.MatchString(id) {
			t.Errorf("%s: %q", name, id)
		}
		if reads := method == "get" && !slices.Contains(acts, name); reads != strings.HasPrefix(id, "get_") {
			t.Errorf("%s: %q; reading is get_…, and only reading", name, id)
		}
		if of[id] != "" {
			t.Errorf("%q is both %s and %s", id, of[id], name)
		}
		of[id] = name
	})
}

// Client generators make constants from the values of an enumeration. If a value is not an
// identifier, such as 1m, the document must give them a name.
func TestValuesThatAreNoIdentifiersHaveNames(t *testing.T) {
	t.Parallel()
	identifier := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	name := regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	named := 0
	var visit func(part any, at string)
	visit = func(part any, at string) {
		switch part := part.(type) {
		case []any:
			for i, value := range part {
				visit(value, fmt.Sprintf("%s/%d", at, i))
			}
		case map[string]any:
			for key, value := range part {
				visit(value, at+"/"+key)
			}
			values, _ := part["enum"].([]any)
			values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
			names, given := part["x-enum-varnames"].([]any)
			needed := slices.ContainsFunc(values, func(v any) bool { return !identifier.MatchString(v.(string)) })
			if needed && !given {
				t.Errorf("%s: %v needs x-enum-varnames", at, values)
			}
			if !given {
				return
			}
			named++
			distinct := map[any]bool{}
			for _, n := range names {
				distinct[n] = name.MatchString(n.(string))
			}
			if len(distinct) != len(values) || slices.Contains(slices.Collect(maps.Values(distinct)), false) {
				t.Errorf("%s: %v are no names of %v", at, names, values)
			}
		}
	}
	visit(map[string]any(theDocument(t)), "")
	if named == 0 {
		t.Error("no enumeration has names")
	}
}

func TestTheDocumentSaysWhomToAskAndWhereTheDataIsFrom(t *testing.T) {
	t.Parallel()
	d := theDocument(t)
	if contact := d.in("info", "contact"); contact.text("name") == "" || contact.text("url") == "" {
		t.Errorf("contact %v", contact)
	}
	if docs := d.in("externalDocs"); docs.text("description") == "" || docs.text("url") == "" {
		t.Errorf("external documentation %v", docs)
	}
}
