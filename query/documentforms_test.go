package query_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/query/market"
	"cuota/query/series"

	"pgregory.net/rapid"
)

func TestTheDocumentTellsEveryMediaTypeThatATableHas(t *testing.T) {
	t.Parallel()
	want := []string{"application/json"}
	for _, media := range mediaOf {
		want = append(want, strings.TrimSuffix(media, "; charset=utf-8"))
	}
	slices.Sort(want)
	tables := 0
	eachOperation(t, func(name, _ string, op object) {
		takes := slices.ContainsFunc(op.list("parameters"), func(p any) bool {
			return object(p.(map[string]any)).text("name") == "format"
		})
		response := op.in("responses", "200")
		types := slices.DeleteFunc(slices.Sorted(maps.Keys(response.in("content"))), func(media string) bool {
			return media == chosenType || media == periodType
		})
		switch {
		case name == "POST "+market.ScreensPath: // its lines are answers, and not rows of a table
		case takes:
			tables++
			if !slices.Equal(types, want) || response["x-table"] == nil {
				t.Errorf("%s has a parameter format, and the media types %v", name, types)
			}
		case len(types) > 1 || response["x-table"] != nil:
			t.Errorf("%s has no parameter format, and the media types %v", name, types)
		}
	})
	if tables < 7 {
		t.Errorf("only %d tables", tables)
	}
}

// A generated client that follows the document sends and takes null where the contract has it.
func TestNullIsInTheDocumentWhereTheContractHasIt(t *testing.T) {
	t.Parallel()
	published, ours := theContract(t), theDocument(t)
	checked := 0
	for path, methods := range published.in("paths") {
		for method := range methods.(map[string]any) {
			theirs, own := published.in("paths", path, method), ours.in("paths", path, method)
			parameters := map[string]object{}
			for _, p := range own.list("parameters") {
				p := object(p.(map[string]any))
				parameters[p.text("name")] = p.in("schema")
			}
			for _, p := range theirs.list("parameters") {
				p := object(p.(map[string]any))
				if checked++; nullable(published, p.in("schema")) && !nullable(ours, parameters[p.text("name")]) {
					t.Errorf("%s %s: %s is never null in the document", method, path, p.text("name"))
				}
			}
			schema := own.in("responses", "200", "content", "application/json", "schema")
			for _, name := range missingNulls(published, ours, theirs.in("responses", "200", "schema"), schema, 12) {
				t.Errorf("%s %s: %s is never null in the document", method, path, name)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d parameters", checked)
	}
}

func theContract(t testing.TB) (c object) {
	t.Helper()
	text, err := os.ReadFile("testdata/contract-schemas.json")
	must(t, err)
	must(t, json.Unmarshal(text, &c))
	return c
}

// missingNulls returns the members, by their paths, that are null in one schema and never in the other.
func missingNulls(published, ours, theirs, own object, deep int) (names []string) {
	if deep == 0 {
		return nil
	}
	if nullable(published, theirs) && !nullable(ours, own) {
		return []string{""}
	}
	within := members(ours, own)
	for name, schema := range members(published, theirs) {
		if of, there := within[name]; there {
			for _, path := range missingNulls(published, ours, schema, of, deep-1) {
				names = append(names, "."+name+path)
			}
		}
	}
	return names
}

// members returns the schemas of the members of an object, and of the items of a list under "[]".
func members(document, schema object) map[string]object {
	schema = followed(document, schema)
	found := map[string]object{}
	for name, of := range schema.in("properties") {
		found[name] = of.(map[string]any)
	}
	if items := schema.in("items"); items != nil {
		found["[]"] = items
	}
	for _, part := range []string{"allOf", "anyOf", "oneOf"} {
		for _, of := range schema.list(part) {
			maps.Copy(found, members(document, of.(map[string]any)))
		}
	}
	return found
}

func nullable(document, schema object) bool {
	schema = followed(document, schema)
	if schema.text("type") == "null" || slices.Contains(schema.list("type"), any("null")) {
		return true
	}
	for _, part := range []string{"anyOf", "oneOf"} {
		if slices.ContainsFunc(schema.list(part), func(of any) bool {
			return nullable(document, of.(map[string]any))
		}) {
			return true
		}
	}
	return false
}

func followed(document, schema object) object {
	for schema.text("$ref") != "" {
		schema = document.in(strings.Split(strings.TrimPrefix(schema.text("$ref"), "#/"), "/")...)
	}
	return schema
}

// ofForm matches the types of violations that say that a text has not the form of its parameter, and not that its value
// is not possible here.
var ofForm = regexp.MustCompile(`_parsing$|^string_|^literal_error$|^too_long$`)

// Texts that match the pattern of a parameter are never refused for their form, and others are always refused.
func TestThePatternsOfTheDocumentAreAsStrictAsTheServer(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t, series.ReturnKinds...)
	fill := strings.NewReplacer("{provider_id}", "11", "{concept_id}", "101", "{asset_id}", "201", "{family_rar}", "x",
		"{run}", "8011", "{instrument_id}", instrumentAina)
	tried := map[string]bool{}
	eachOperation(t, func(name, method string, op object) {
		_, path, _ := strings.Cut(name, " ")
		if method != "get" || !strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/api/auth") ||
			strings.HasPrefix(path, "/api/alerts") || path == "/api/bulk/{batch_id}/{file}" {
			return
		}
		for _, p := range op.list("parameters") {
			p := object(p.(map[string]any))
			schema := p.in("schema")
			for _, of := range schema.list("anyOf") {
				if of := object(of.(map[string]any)); of.text("pattern") != "" {
					schema = of
				}
			}
			pattern := schema.text("pattern")
			if pattern == "" || tried[pattern] {
				continue
			}
			tried[pattern] = true
			long, _ := schema["maxLength"].(float64)
			matcher := regexp.MustCompile(pattern)
			isNumber := regexp.MustCompile(`^[0-9]+$`)
			matching := rapid.StringMatching(pattern)
			rapid.Check(t, func(draw *rapid.T) {
				text := matching.Draw(draw, "matching")
				if rapid.Bool().Draw(draw, "spoilt") {
					text = spoilt(draw, text)
				}
				if p.text("in") == "path" && (strings.Trim(text, ".") == "" || strings.Contains(text, "/")) {
					return // another path
				}
				target := fill.Replace(path) + "?"
				if p.text("in") == "path" {
					target = fill.Replace(strings.Replace(path, "{"+p.text("name")+"}", url.PathEscape(text), 1)) + "?"
				}
				v := url.Values{}
				for _, other := range op.list("parameters") {
					if other := object(other.(map[string]any)); other.text("in") == "query" &&
						other["required"] == true {
						v.Set(other.text("name"), fmt.Sprint(other["example"]))
					}
				}
				if p.text("in") == "query" {
					v.Set(p.text("name"), text)
				}
				fits := matcher.MatchString(text) && (long == 0 || len(text) <= int(long))
				if !fits && len(p.in("schema").list("anyOf")) > 0 && isNumber.MatchString(text) {
					return // the other form
				}
				got := r.get(t, target+v.Encode())
				refused := ""
				if got.status == http.StatusUnprocessableEntity {
					for _, wrong := range decodeAs[struct{ Detail []violation }](t, got).Detail {
						if wrong.Loc[len(wrong.Loc)-1] == p.text("name") {
							refused = wrong.Type
						}
					}
				}
				if fits && ofForm.MatchString(refused) || !fits && refused == "" {
					draw.Fatalf("%s: %q matches: %t, refused: %q, status %d", path, text, fits, refused, got.status)
				}
			})
		}
	})
	if len(tried) < 8 {
		t.Errorf("only the patterns %v", slices.Sorted(maps.Keys(tried)))
	}
}

// spoilt changes one character of a text, leaves one out or adds one.
func spoilt(t *rapid.T, text string) string {
	runes := []rune(text)
	at := rapid.IntRange(0, len(runes)).Draw(t, "at")
	other := rapid.SampledFrom([]rune("0123456789-+ .,:TZzkKſK/eE_\u0661")).Draw(t, "other")
	rest := runes[at:]
	if len(rest) > 0 && rapid.Bool().Draw(t, "leave out") {
		rest = rest[1:]
	}
	if rapid.Bool().Draw(t, "put in") {
		return string(runes[:at]) + string(other) + string(rest)
	}
	return string(runes[:at]) + string(rest)
}
