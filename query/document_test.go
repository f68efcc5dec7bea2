package query_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
	"cuota/query/series"

	"github.com/google/go-cmp/cmp"
)

// contract is the part of openapi.json that tests check.
type contract struct {
	OpenAPI    string
	Servers    []struct{ URL string }
	Policy     string `json:"x-api-key-policy"`
	Paths      map[string]map[string]operation
	Components struct {
		SecuritySchemes map[string]map[string]string
		Schemas         map[string]any
	}
}

type operation struct {
	OperationID string `json:"operationId"`
	Tags        []string
	Security    []map[string][]string
	Parameters  []struct {
		Name, In, Description string
		Required              bool
		Schema                struct {
			Type             any
			Enum             []*string // of which one may be null
			Default          any
			Minimum, Maximum *json.Number
			MinLength        *int
			MaxLength        *int
			Pattern          string
			AnyOf            []any
		}
	}
	Responses map[string]any
}

// readContract reads the operations of this package from the document. The tests of the
// account area check its own.
func readContract(t testing.TB) contract {
	t.Helper()
	var c contract
	must(t, json.Unmarshal(query.Document(), &c))
	for path, methods := range c.Paths {
		maps.DeleteFunc(methods, func(_ string, op operation) bool { return slices.Contains(op.Tags, "Account") })
		if len(methods) == 0 {
			delete(c.Paths, path)
		}
	}
	return c
}

func TestDocumentAndRoutesNameTheSameOperations(t *testing.T) {
	t.Parallel()
	documented, routed := map[string][]string{}, map[string][]string{}
	c := readContract(t)
	for path, methods := range c.Paths {
		for method, op := range methods {
			name := fmt.Sprintf("%s %s keyed=%t", strings.ToUpper(method), path, len(op.Security) > 0)
			documented[name] = []string{}
			for _, p := range op.Parameters {
				documented[name] = append(documented[name],
					fmt.Sprintf("%s %s required=%t default=%v", p.In, p.Name, p.Required, p.Schema.Default))
				if p.Description == "" {
					t.Errorf("%s: no description of %s", name, p.Name)
				}
			}
		}
	}
	for _, op := range query.Operations() {
		name := fmt.Sprintf("%s %s keyed=%t", op.Method, op.Path, op.Access != httpapi.Open)
		routed[name] = []string{}
		for _, p := range op.Parameters {
			routed[name] = append(routed[name], fmt.Sprintf("%s %s required=%t default=%v", p.In, p.Name, p.Required,
				p.Default))
		}
	}
	if diff := cmp.Diff(documented, routed); diff != "" {
		t.Errorf("openapi.json (-) against the table of operations (+):\n%s", diff)
	}
}

func TestDocumentIsValidOpenAPI31(t *testing.T) {
	t.Parallel()
	ours.IsValid(t)
	c := readContract(t)
	if c.OpenAPI != "3.1.0" || c.Policy != "required" ||
		c.Components.SecuritySchemes["ApiKeyAuth"]["name"] != "X-Api-Key" {
		t.Errorf("%s, %s, %v", c.OpenAPI, c.Policy, c.Components.SecuritySchemes)
	}
	text := string(query.Document())
	for name := range c.Components.Schemas {
		if !strings.Contains(text, `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing uses the schema %s", name)
		}
	}
}

// The server enforces each limit in the document: it accepts the value at the limit, and
// refuses the next one.
func TestBoundsOfTheDocumentAreThoseOfTheServer(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t, series.ReturnKinds...)
	fill := strings.NewReplacer("{provider_id}", "11", "{concept_id}", "101", "{asset_id}", "201", "{family_rar}", "x",
		"{run}", "8011", "{instrument_id}", instrumentAina, "{batch_id}", batchID(1), "{file}", "screener.parquet")
	tried := 0
	for path, methods := range readContract(t).Paths {
		for _, p := range methods["get"].Parameters {
			accepts := func(value string, want bool) {
				t.Helper()
				tried++
				target := fill.Replace(path)
				if p.In == "path" {
					target = fill.Replace(strings.Replace(path, "{"+p.Name+"}", url.PathEscape(value), 1))
				} else {
					v := url.Values{p.Name: {value}}
					switch { // what else a request with this value needs
					case path == "/api/compare" && p.Name != "series":
						v.Set("series", "201")
					case path == "/api/explain":
						switch {
						case p.Name == "family":
							v.Set("field", "index")
						case strings.HasPrefix(value, "index"):
							v.Set("family", "x")
						case value == "tac":
							v.Set("series", "202") // that of 201 is computed, and has no receipt
						case p.Name != "series":
							v.Set("series", "201")
						}
						if p.Name == "window" || p.Name == "valuation" || p.Name == "basis" {
							v.Set("field", "return")
						}
						if p.Name != "window" && (v.Get("field") == "return" || v.Get("field") == "rank") {
							v.Set("window", "1y")
						}
					case path == "/api/explain/peers":
						if p.Name != "series" {
							v.Set("series", "201")
						}
						if p.Name != "window" && value != "risk_score" {
							v.Set("window", "1y")
						}
					case path == "/api/returns" && p.Name == "from_date":
						v.Set("to_date", value)
					case path == "/api/returns" && p.Name == "to_date":
						v.Set("from_date", value)
					case path == "/api/market-summaries" && p.Name == "from_date":
						v.Set("to_date", value)
					case path == "/api/market-summaries" && p.Name == "to_date":
						v.Set("from_date", value)
					case path == "/api/market-summaries":
						v.Set("from_date", "2026-07-31")
						v.Set("to_date", "2026-07-31")
					case path == "/api/returns" && p.Name == "valuation":
						v.Set("from", "2026-07-30")
						v.Set("to", "2026-07-31")
					case path == "/api/returns" && p.Name != "date":
						v.Set("date", "2026-07-31")
					case path == "/api/days":
						for name, fits := range map[string]string{"run": "8011", "from_date": "2026-07-31",
							"to_date": "2026-07-31"} {
							if !v.Has(name) && (name != "run" || p.Name != "provider_id") {
								v.Set(name, fits)
							}
						}
						if p.Name == "from_date" {
							v.Set("to_date", value)
						} else if p.Name == "to_date" {
							v.Set("from_date", value)
						}
					case path == "/api/affected": // an unknown file is a 404
						for name, fits := range map[string]string{"file": "x.txt", "line": "1"} {
							if name != p.Name {
								v.Set(name, fits)
							}
						}
					case path == "/api/changes" && p.Name != "since":
						v.Set("since", batchID(1))
					case path == "/api/agf_stats/evolution":
						v.Set("administrator", "ALFA AGF")
					case value == "cmf_spheres":
						v.Set("cmf_family", "x")
						v.Set("cmf_investor_type", "y")
					case p.Name == "sort":
						v.Set("currency", "CLP")
					}
					target += "?" + v.Encode()
				}
				got := r.get(t, target)
				if refused := got.status == http.StatusUnprocessableEntity; refused == want {
					t.Errorf("%s: status %d, but accepted should be %t. If the request lacks a parameter of the path "+
						"or a required one, give it a value in this test: %.200s", target, got.status, want, got.body)
				}
			}
			for _, word := range p.Schema.Enum {
				if word != nil {
					accepts(*word, true)
					accepts(*word+"x", false)
				}
			}
			for sign, bound := range map[int64]*json.Number{-1: p.Schema.Minimum, 1: p.Schema.Maximum} {
				if bound == nil {
					continue
				}
				n, err := bound.Int64()
				must(t, err)
				accepts(fmt.Sprint(n), true)
				accepts(fmt.Sprint(n+sign), false)
			}
			if n := p.Schema.MaxLength; n != nil && p.Name != "series" && p.Name != "currency" && p.Name != "tables" &&
				p.Name != "run" && p.Name != "fields" && p.Name != "columns" {
				accepts(strings.Repeat("ñ", *n), true)
				accepts(strings.Repeat("ñ", *n+1), false)
			}
			// A path whose last segment is empty is another path.
			if n := p.Schema.MinLength; n != nil && !strings.HasSuffix(path, "/{"+p.Name+"}") {
				accepts("", false)
			}
		}
	}
	if tried < 80 {
		t.Errorf("only %d values were tried", tried)
	}
}

func TestTheDocumentNamesTheConfiguredAddress(t *testing.T) {
	t.Parallel()
	options := demotest.Schema(t)
	found := newRig(t, options, unlimited)
	configured := newRig(t, options,
		query.Config{HTTP: httpapi.Config{BaseURL: "https://funds.example.org/", Burst: unlimited.HTTP.Burst}})
	behind := newRig(t, options,
		query.Config{HTTP: httpapi.Config{TrustedProxies: prefixes(t, "192.0.2.0/24"), Burst: unlimited.HTTP.Burst}})
	for _, c := range []struct {
		r    *rig
		with func(*http.Request)
		want string
	}{
		{found, func(r *http.Request) { r.Host = "127.0.0.1:8080" }, "/"},
		{found, func(r *http.Request) { r.TLS = &tls.ConnectionState{} }, "/"},
		{behind, func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") }, "/"},
		{found, func(r *http.Request) { r.Host = `x"},{"` }, "/"},
		{configured, func(r *http.Request) { r.Host = "other.example" }, "https://funds.example.org"},
	} {
		request := httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
		c.with(request)
		got := serve(c.r.Handler(), request)
		if served := decode[contract](t, got); served.Servers[0].URL != c.want {
			t.Errorf("%s, want %s", served.Servers[0].URL, c.want)
		}
		request.Header.Set("If-None-Match", got.header.Get("ETag"))
		wantStatus(t, serve(c.r.Handler(), request), http.StatusNotModified)
	}
}

// The validator is the key of the response cache, so one validator means one cached copy.
func TestTheDocumentHasOneValidatorForAllHosts(t *testing.T) {
	t.Parallel()
	server, err := query.New(unlimited, nil, nil, discard)
	must(t, err)
	bodies := map[string]string{}
	for _, host := range []string{"a.example", "b.example", "127.0.0.1:8080"} {
		request := httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
		request.Host = host
		got := serve(server.Handler(), request)
		wantStatus(t, got, http.StatusOK)
		bodies[got.header.Get("ETag")] = string(got.body)
	}
	if len(bodies) != 1 || bodies[""] != "" {
		t.Errorf("%d validators", len(bodies))
	}
}

// Other tests check that the server sends only statuses that the document declares. This
// one checks that every operation declares the failures that can happen to any operation.
func TestEveryOperationDeclaresWhatAnyMaySend(t *testing.T) {
	t.Parallel()
	for path, methods := range readContract(t).Paths {
		for method, op := range methods {
			want := []string{"200", "400", "405", "413", "422", "429", "431", "500"}
			if len(op.Security) > 0 {
				want = append(want, "401", "503")
			}
			if len(op.Security) > 0 && path != "/api/key/info" {
				want = append(want, "403") // of a key without the scope
			}
			for _, p := range op.Parameters {
				if p.Name == "batch_id" || p.Name == "known_at" {
					want = append(want, "410")
				}
			}
			for _, status := range want {
				if op.Responses[status] == nil {
					t.Errorf("%s %s declares no %s, only %v", method, path, status,
						slices.Sorted(maps.Keys(op.Responses)))
				}
			}
		}
	}
	var all contract
	must(t, json.Unmarshal(query.Document(), &all))
	for path, methods := range all.Paths { // includes the account area
		for method, op := range methods {
			for _, status := range []string{"400", "405", "431"} {
				if op.Responses[status] == nil {
					t.Errorf("%s %s declares no %s", method, path, status)
				}
			}
		}
	}
}
