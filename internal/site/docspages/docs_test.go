package docspages_test

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rs/zerolog"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/docspages"
	"cuota/internal/site/docspages/reference"
	"cuota/internal/site/locale"
	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/sampletest"
	"cuota/internal/testkit/waittest"
	"cuota/query"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// manual is a server with the documentation alone. It keeps the requests for the API.
type manual struct {
	t     testing.TB
	base  string
	mutex sync.Mutex
	asked []*http.Request
	sent  []string // their bodies
}

// documented starts a server with the documentation of a document. There is no batch.
func documented(t testing.TB, document []byte) *manual {
	t.Helper()
	m := &manual{}
	frame := site.New(site.Config{Accounts: true})
	operations := append(docspages.Operations(docspages.Config{Frame: frame, Document: document}), site.Assets()...)
	server, err := httpapi.New(httpapi.Config{Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9},
		NotFoundPage: frame.Problem}, operations, nil, zerolog.Nop())
	must(t, err)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			server.Handler().ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body) // an error is a shorter body, which the test sees
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.asked, m.sent = append(m.asked, r), append(m.sent, string(body))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-RateLimit-Remaining", "298")
		_, _ = io.WriteString(w, `{"data":[{"name":"<b>Renta & Co</b>"}]}`)
	}))
	t.Cleanup(listening.Close)
	m.t, m.base = t, listening.URL
	return m
}

// get reads a path without a browser.
func (m *manual) get(target string, headers ...string) (status int, header http.Header, body string) {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.base+target, nil)
	must(m.t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	must(m.t, err)
	defer func() { must(m.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	must(m.t, err)
	return response.StatusCode, response.Header, string(text)
}

// page reads a page that must be there.
func (m *manual) page(target string) string {
	m.t.Helper()
	status, _, body := m.get(target)
	if status != http.StatusOK {
		m.t.Errorf("%s: status %d", target, status)
	}
	return body
}

func theReference(t testing.TB, l locale.Language) *reference.Reference {
	t.Helper()
	ref, err := reference.New(query.Document(), l)
	must(t, err)
	return ref
}

func TestEveryOperationHasAPageBeforeTheFirstBatch(t *testing.T) {
	m := documented(t, query.Document())
	references := map[locale.Language]*reference.Reference{
		locale.Spanish: theReference(t, locale.Spanish), locale.English: theReference(t, locale.English),
	}
	operations := references[locale.English].Operations()
	if len(operations) < 40 {
		t.Fatalf("only %d operations", len(operations))
	}
	index, list := m.page("/docs?lang=en"), m.page("/llms.txt")
	indices := map[locale.Language]string{locale.Spanish: html.UnescapeString(m.page("/docs?lang=es")),
		locale.English: html.UnescapeString(index)}
	for _, o := range operations {
		if !strings.Contains(index, `href="/docs/`+o.ID+`?lang=en"`) || !strings.Contains(list, "/docs/"+o.ID+".md)") {
			t.Errorf("%s is not in the lists", o.ID)
		}
		status, header, text := m.get("/docs/" + o.ID + ".md?lang=es")
		if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/markdown") {
			t.Errorf("%s.md: %d, %s", o.ID, status, header.Get("Content-Type"))
		}
		if !strings.Contains(text, o.Description) {
			t.Errorf("%s.md is not in English", o.ID)
		}
		for lang, title := range map[locale.Language]string{locale.Spanish: "Parámetros",
			locale.English: "Parameters"} {
			o := references[lang].Operation(o.ID)
			if !strings.Contains(indices[lang], ">"+o.Summary+"<") ||
				!strings.Contains(indices[lang], ">"+o.Group+"</h2>") {
				t.Errorf("the list in %s does not have %q", lang, o.Summary)
			}
			page := m.page("/docs/" + o.ID + "?lang=" + string(lang))
			page = html.UnescapeString(strings.ReplaceAll(page, "<wbr>", "")) // where the line of a long name may end
			wanted := []string{`<html lang="` + string(lang) + `">`, o.Group, o.Summary, o.Description,
				o.Method + " " + o.Path}
			for _, p := range o.Parameters {
				wanted = append(wanted, title, "<code>"+p.Name+"</code>", p.Description, p.Limits)
			}
			for _, f := range o.Failures {
				wanted = append(wanted, "<dt>"+f.Status+"</dt>", f.Description)
			}
			for _, a := range o.Answers {
				for _, table := range a.Tables {
					for _, f := range table.Fields {
						wanted = append(wanted, "<code>"+f.Path+"</code>", f.Description)
					}
				}
			}
			for _, s := range o.Samples("http://127.0.0.1:8080") {
				wanted = append(wanted, s.Text)
				if !strings.Contains(text, s.Text) {
					t.Errorf("%s.md has no sample in %s", o.ID, s.Language)
				}
			}
			if o.Example != nil {
				wanted = append(wanted, string(o.Example.Answer))
			}
			for _, want := range wanted {
				if !strings.Contains(page, want) {
					t.Errorf("%s in %s does not have %q", o.ID, lang, want)
				}
			}
		}
	}
}

// Without a heading, a second table would look like a part of the first one.
func TestEachTableOfAnAnswerOfSeveralTypesIsNamed(t *testing.T) {
	several := 0
	for _, o := range theReference(t, locale.English).Operations() {
		for _, a := range o.Answers {
			for _, table := range a.Tables {
				if (len(a.Tables) > 1) != (table.Name != "") {
					t.Errorf("%s, %s: one of %d tables is named %q", o.ID, a.Status, len(a.Tables), table.Name)
				}
			}
			if len(a.Tables) > 1 {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no answer has several tables")
	}
}

// A field of the document that the walk misses would be missing in the reference without anybody
// noticing. The paths are found in the examples here, which are real answers.
func TestEveryMemberOfAnExampleIsAFieldOfTheReference(t *testing.T) {
	repeated := regexp.MustCompile(`The members are those of ([^ ]+)\.$`)
	checked := 0
	for _, o := range theReference(t, locale.English).Operations() {
		if o.Example == nil || o.ID == "get_document" { // whose answer is any object
			continue
		}
		known, same := map[string]bool{}, map[string]string{}
		for _, a := range o.Answers {
			for _, table := range a.Tables {
				for _, f := range table.Fields {
					known[f.Path] = true
					if found := repeated.FindStringSubmatch(f.Description); found != nil {
						same[f.Path] = found[1]
					}
				}
			}
		}
		var visit func(value any, path string)
		visit = func(value any, path string) {
			switch value := value.(type) {
			case []any:
				for _, one := range value {
					visit(one, path+"[]")
				}
			case map[string]any:
				if path == "data[].data[].attributes" { // the attributes that a screen chose of those of the screener
					return
				}
				if first, is := same[strings.TrimSuffix(path, "[]")]; is {
					path = first
				}
				for name, one := range value {
					at := strings.TrimPrefix(path+"."+name, ".")
					if !known[at] && known[path+".*"] {
						at = path + ".*"
					}
					if !known[at] {
						t.Errorf("%s: the reference has no field %s", o.ID, at)
					}
					checked++
					visit(one, at)
				}
			}
		}
		var answer any
		must(t, json.Unmarshal(o.Example.Answer, &answer))
		visit(answer, "")
	}
	if checked < 500 {
		t.Errorf("only %d members were looked for", checked)
	}
}

// The example requests are found here in the examples, which the tests of the API made.
func TestTheSamplesMakeTheRequestsOfTheExamples(t *testing.T) {
	seen := 0
	for _, o := range theReference(t, locale.English).Operations() {
		if o.Example == nil {
			continue
		}
		if made := o.Method + " " + o.Target(); made != o.Example.Request {
			t.Errorf("%s asks %s, the example %s", o.ID, made, o.Example.Request)
		}
		_, target, _ := strings.Cut(o.Example.Request, " ")
		for _, s := range o.Samples("https://funds.example.org/") {
			seen++
			if s.Language != reference.Bash && o.ThroughClients() { // by a method, which a test of the API runs
				target = `"`
			}
			if !strings.Contains(s.Text, "https://funds.example.org"+target) {
				t.Errorf("%s in %s does not ask %s:\n%s", o.ID, s.Language, target, s.Text)
			}
		}
	}
	if seen < 90 {
		t.Errorf("%d samples", seen)
	}
}

func TestGuidesHaveTheSameCodeInBothLanguages(t *testing.T) {
	m := documented(t, query.Document())
	spanish, english := reference.Guides(locale.Spanish, "https://funds.example.org"),
		reference.Guides(locale.English, "https://funds.example.org")
	link := regexp.MustCompile(`href="(/[^"#]*)"`)
	for i, g := range spanish {
		if g.Title == "" || g.Summary == "" || g.Title == english[i].Title && g.Name != "sql" ||
			g.Summary == english[i].Summary {
			t.Errorf("%s has no title or summary in two languages: %q, %q", g.Name, g.Summary, english[i].Summary)
		}
		blocks, others := sampletest.Blocks(g.Markdown), sampletest.Blocks(english[i].Markdown)
		if !slices.EqualFunc(blocks, others, func(a, b sampletest.Block) bool {
			return a == b || a.Language == "" && b.Language == ""
		}) {
			t.Errorf("%s: the code differs between the languages", g.Name)
		}
		for _, lang := range []string{"es", "en"} {
			target := "/docs/guias/" + g.Name
			page := m.page(target + "?lang=" + lang)
			if bytes.Contains([]byte(page), []byte("raw HTML omitted")) || strings.Contains(page, "{base}") ||
				strings.Count(page, "<h1") != 1 {
				t.Errorf("%s in %s: HTML in a guide, a place that is not filled in, or not one heading", g.Name, lang)
			}
			_, main, _ := strings.Cut(page, "<main")
			for _, found := range link.FindAllStringSubmatch(main, -1) {
				to := html.UnescapeString(found[1])
				if strings.HasPrefix(to, "/register") || strings.HasPrefix(to, "/openapi.json") || to == "/" ||
					strings.HasPrefix(to, "/datos") || strings.HasPrefix(to, "/lotes.atom") {
					continue // of other parts of the service
				}
				if status, _, _ := m.get(to); status != http.StatusOK {
					t.Errorf("%s leads to %s: %d", g.Name, to, status)
				}
			}
			if status, header, text := m.get(target + ".md?lang=" + lang); status != http.StatusOK ||
				!strings.HasPrefix(header.Get("Content-Type"), "text/markdown") || !strings.HasPrefix(text, "# ") {
				t.Errorf("%s.md: %d", target, status)
			}
		}
	}
}

// The guide of reasons lists the values that the schema of a window allows.
func TestTheGuideOfReasonsHasAllReasonsOfAReturn(t *testing.T) {
	var document struct {
		Components struct {
			Schemas struct {
				ReturnPeriod struct {
					Properties struct {
						Reason struct{ Enum []*string }
					}
				}
			}
		}
	}
	must(t, json.Unmarshal(query.Document(), &document))
	listed := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")
	for _, l := range []locale.Language{locale.Spanish, locale.English} {
		g, found := reference.FindGuide("razones", l, "")
		if !found {
			t.Fatal("there is no guide of reasons")
		}
		have := map[string]bool{}
		for _, row := range listed.FindAllStringSubmatch(string(g.Markdown), -1) {
			have[row[1]] = true
		}
		for _, reason := range document.Components.Schemas.ReturnPeriod.Properties.Reason.Enum {
			if reason != nil && !have[*reason] {
				t.Errorf("%s: no %s", l, *reason)
			} else if reason != nil {
				delete(have, *reason)
			}
		}
		if len(have) > 0 {
			t.Errorf("%s: %v are no reasons of a return", l, have)
		}
	}
}

func TestUnknownPagesOfTheDocumentationAreNotFound(t *testing.T) {
	m := documented(t, query.Document())
	for _, target := range []string{"/docs/get_nothing", "/docs/get_nothing.md", "/docs/guias/nada",
		"/docs/guias/nada.md", "/docs/other/sql", "/docs/%3Cscript%3E"} {
		if status, header, body := m.get(target, "Accept", "text/html"); status != http.StatusNotFound ||
			!strings.HasPrefix(header.Get("Content-Type"), "text/html") || strings.Contains(body, "<script>") {
			t.Errorf("%s: %d %s", target, status, header.Get("Content-Type"))
		}
	}
}

const hostile = `{"openapi": "3.1.0", "info": {"title": "t", "summary": "s", "description": "d"}, "tags": [{"name": "T", "description": "d"}], "security": [{"ApiKeyAuth": []}],
	"paths": {"/api/it": {"get": {"operationId": "get_it", "tags": ["T"], "summary": "<script>a</script>", "description": "</p><b>b",
		"parameters": [{"name": "q", "in": "query", "description": "\"><i>", "example": "a'b\"c <d>&e|$(f)", "schema": {"type": "string", "enum": ["<x>"]}}],
		"responses": {"200": {"description": "<u>", "content": {"application/json": {"schema": {"type": "object", "properties": {"<k>": {"type": "string", "description": "a|b <s>"}}},
			"examples": {"demo": {"$ref": "#/components/examples/get_it"}}}}}, "404": {"description": "<em>"}}}}},
	"components": {"examples": {"get_it": {"summary": "GET /api/it", "value": {"<k>": "</code><script>"}}}}}`

func TestTextsOfTheDocumentAreEscaped(t *testing.T) {
	m := documented(t, []byte(hostile))
	for _, target := range []string{"/docs", "/docs/get_it", "/docs/consola?operacion=get_it",
		"/docs/consola?operacion=get_it&p.q=" + url.QueryEscape(`"><script>alert(1)</script>'`)} {
		page := m.page(target)
		for _, tag := range []string{"<script>", "<b>", "<i>", "<u>", "<em>", "<s>", "<k>", "<x>", "<d>"} {
			if strings.Contains(page, tag) {
				t.Errorf("%s has the tag %s", target, tag)
			}
		}
	}
	if text := m.page("/docs/get_it.md"); !strings.Contains(text, `a\|b`) {
		t.Errorf("a cell is not escaped: %s", text)
	}
}

func TestTheConsoleNeverPutsTheKeyIntoAnAddress(t *testing.T) {
	m := documented(t, query.Document())
	page := html.UnescapeString(m.page("/docs/consola?operacion=get_days&p.asset_id=7&p.from_date=2025-01-02&lang=en"))
	if want := `'http://127.0.0.1:8080/api/real_assets/7/days?from_date=2025-01-02'`; !strings.Contains(page, want) ||
		!strings.Contains(page, "$CUOTA_KEY") {
		t.Errorf("the command is not %s", want)
	}
	if first := m.page("/docs/consola?lang=en"); !strings.Contains(first, "/api/screener?currency=PESOS") {
		t.Error("the console does not begin with an example")
	}
	// A field without a name is never part of an address.
	for _, field := range regexp.MustCompile(`<(?:input|textarea)[^>]* id="(?:key|body)"[^>]*>`).FindAllString(page+
		m.page("/docs/consola?operacion=run_backtest"), -1) {
		if strings.Contains(field, " name=") {
			t.Errorf("a field with a name: %s", field)
		}
	}
	filters := m.page("/docs/consola?lang=en")
	for _, want := range []string{`<option value="">any</option><option>true</option><option>false</option>`,
		`<option value="">default: `, `<option value="">not given</option><option>json</option>`} {
		if !strings.Contains(filters, want) {
			t.Errorf("no parameter has the choices %q", want)
		}
	}
	if strings.Count(page, `class="with-script" hidden`) != 2 ||
		!strings.Contains(page, `<p class="without-script"><button type="submit">`) {
		t.Error("without scripts the field of the key is shown, or no button shows the command")
	}
	for _, o := range theReference(t, locale.English).Operations() {
		// no key is enough, or the answer is a file
		want := o.Tag != "Account" && o.ID != "get_bulk_file" && o.ID != "get_changes"
		if listed := strings.Contains(page, `value="`+o.ID+`"`); listed != want {
			t.Errorf("%s is in the console: %t", o.ID, listed)
		}
	}
}

func TestTheConsoleSendsTheRequestWithTheKeyAndKeepsNothing(t *testing.T) {
	m := documented(t, query.Document())
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, m.base+"/") || strings.HasPrefix(address, "data:")
	})
	b.Looks(1280, 900, "light")
	text := func(script string) string {
		got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](script))
		must(t, err)
		return got
	}
	send := func(key string) {
		must(t, chromedp.Do(b.Ctx, chromedp.SendKeys(chromedp.CSS("#key"), key)))
		must(t, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS(".with-script button"))))
	}
	must(t, chromedp.Do(b.Ctx, chromedp.Navigate(m.base+"/docs/consola?lang=en")))
	send("secret-key-1")
	waittest.Until(t, "the answer is shown", func() bool {
		return strings.Contains(text(`document.getElementById("reply").textContent`), "Renta")
	})
	if got := text(`document.getElementById("reply").textContent`); !strings.Contains(got,
		`"name": "<b>Renta & Co</b>"`) {
		t.Errorf("the answer is shown as %s", got)
	}
	if got := text(`document.getElementById("status").textContent + " " + document.getElementById("headers").textContent`); !strings.Contains(got, "200") || !strings.Contains(got, "x-ratelimit-remaining298") {
		t.Errorf("status and headers are %q", got)
	}
	if got := text(`location.href + JSON.stringify([{...localStorage}, {...sessionStorage}, history.state, document.cookie, document.getElementById("curl").textContent])`); strings.Contains(got, "secret-key") {
		t.Errorf("the key is kept: %s", got)
	}

	must(t, chromedp.Do(b.Ctx, chromedp.Navigate(m.base+"/docs/consola?lang=en&operacion=run_backtest")))
	send("secret-key-2")
	waittest.Until(t, "the answer is shown", func() bool {
		return strings.Contains(text(`document.getElementById("reply").textContent`), "Renta")
	})
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.asked) != 2 {
		t.Fatalf("%d requests", len(m.asked))
	}
	example := theReference(t, locale.English).Operation("get_screener").Target()
	if r := m.asked[0]; r.Method != http.MethodGet || r.URL.RequestURI() != example ||
		r.Header.Get("X-Api-Key") != "secret-key-1" || r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
		t.Errorf("%s %s %v, want %s", r.Method, r.URL, r.Header, example)
	}
	if r := m.asked[1]; r.Method != http.MethodPost || r.Header.Get("X-Api-Key") != "secret-key-2" ||
		r.Header.Get("Content-Type") != "application/json" || !strings.Contains(m.sent[1], `"rebalance"`) {
		t.Errorf("%s %s %v %s", r.Method, r.URL, r.Header, m.sent[1])
	}
	for _, problem := range b.Problems() {
		t.Error(problem)
	}
}

func TestThePagesOfTheDocumentationAreReadableInARealBrowser(t *testing.T) {
	m := documented(t, query.Document())
	axe := browsertest.Axe(t)
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, m.base+"/") || strings.HasPrefix(address, "data:")
	})
	for _, target := range []string{
		"/docs", "/docs/get_returns", "/docs/run_backtest", "/docs/finish_google_sign_in", "/docs/guias/limites",
		"/docs/consola?operacion=run_backtest",
	} {
		for _, screen := range []struct {
			width, height    int64
			scheme, language string
		}{{375, 740, "light", "es"}, {1280, 900, "dark", "en"}} {
			separator := "?"
			if strings.Contains(target, "?") {
				separator = "&"
			}
			b.Looks(screen.width, screen.height, screen.scheme)
			b.Problems()
			must(t, chromedp.Do(b.Ctx, chromedp.Navigate(m.base+target+separator+"lang="+screen.language)))
			problems := slices.Concat(b.Faults(), b.Problems(), b.Violations(axe))
			for _, problem := range problems {
				t.Errorf("%s at %d: %s", target, screen.width, problem)
			}
		}
	}
}
