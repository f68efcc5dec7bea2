package site_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/marketpages"
	"cuota/model"

	"github.com/rs/zerolog"
)

func TestPagesHaveOneLanguageWhichTheReaderOrTheAddressChooses(t *testing.T) {
	s := empty(t, nil)
	for accepted, want := range map[string]string{
		"": "es", "en": "en", "en-US,en;q=0.9": "en", "es-CL,es;q=0.9,en;q=0.8": "es", "en;q=0.5,es;q=0.9": "es",
		"de,en;q=0.2": "en", "de": "es", "en;q=0": "es", "en;q=x,es": "es", ";;,q=": "es", "EN": "en",
	} {
		_, header, body := s.get("/", "Accept-Language", accepted)
		if !strings.Contains(body, `<html lang="`+want+`">`) ||
			!strings.Contains(strings.Join(header.Values("Vary"), ","), "Accept-Language") {
			t.Errorf("Accept-Language %q gives another language than %s, or the wrong Vary %v", accepted, want,
				header.Values("Vary"))
		}
	}
	for chosen, want := range map[string]string{"es": "es", "en": "en", "fr": "es", "": "es"} {
		if _, _, body := s.get("/?lang="+chosen, "Accept-Language", "es"); !strings.Contains(body,
			`<html lang="`+want+`">`) {
			t.Errorf("lang=%s gives another language than %s", chosen, want)
		}
	}
}

// server is a site without a batch.
type server struct {
	t       testing.TB
	handler http.Handler
}

func empty(t testing.TB, progress func() []site.Step) server {
	t.Helper()
	frame := site.New(site.Config{Progress: progress, Accounts: true})
	pages := marketpages.Operations(marketpages.Config{Frame: frame, Market: func() (marketpages.Batch, bool) {
		return nil, false
	}})
	s, err := httpapi.New(httpapi.Config{NotFoundPage: frame.Problem}, append(pages, site.Assets()...), nil,
		zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return server{t, s.Handler()}
}

// get reads a path.
func (s server) get(target string, headers ...string) (status int, header http.Header, body string) {
	request := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://funds.example.org"+target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got := httptest.NewRecorder()
	s.handler.ServeHTTP(got, request)
	return got.Code, got.Header(), got.Body.String()
}

func TestBeforeTheFirstBatchAPageTellsWhatIsLoadedAndComesAgain(t *testing.T) {
	s := empty(t, func() []site.Step {
		return []site.Step{{Name: "files", Begun: true, Percent: 25, Count: 3, Of: 12}, {Name: "batch", Percent: -1},
			{Name: "other <b>", Begun: true, Percent: -1}}
	})
	status, header, body := s.get("/", "Accept-Language", "en")
	if status != http.StatusServiceUnavailable || header.Get("Refresh") != "5" || header.Get("Retry-After") != "5" ||
		header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d, headers %v", status, header)
	}
	for _, want := range []string{"The data is being loaded", "The files are read (3 / 12)", `value="25"`,
		"Returns, costs and families are computed: waiting", "other &lt;b&gt;: running"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q:\n%s", want, body)
		}
	}
}

func TestAnUnknownPathIsAPageForBrowsersAndJSONForPrograms(t *testing.T) {
	s := empty(t, nil)
	status, header, body := s.get("/nothing", "Accept", "text/html", "Accept-Language", "es")
	if status != http.StatusNotFound || !strings.Contains(body, "Esta página no existe") ||
		header.Get("Content-Security-Policy") == "" {
		t.Errorf("a browser gets %d %v: %s", status, header, body)
	}
	if _, _, body := s.get("//other.example/x", "Accept", "text/html"); strings.Contains(body, `"//other.example`) {
		t.Errorf("a page links to another host: %s", body)
	}
	if status, _, body := s.get("/nothing"); status != http.StatusNotFound ||
		!strings.Contains(body, `"code":"not_found"`) {
		t.Errorf("a program gets %d: %s", status, body)
	}
}

func TestAnUnknownFundIsNamedWithALinkToTheSearch(t *testing.T) {
	frame := site.New(site.Config{})
	of := func(target string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://funds.example.org"+target, nil)
		return string(frame.Problem(r, http.Header{}, httpapi.PageProblem{Status: http.StatusNotFound, Code: "not_found"}))
	}
	for _, want := range []string{"No hay un fondo con el RUN 9999-3<", `href="/buscar?lang=es&amp;q=9999-3"`} {
		if body := of("/fondos/9999-3?lang=es"); !strings.Contains(body, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if body := of("/fondos/%3Cb%3E?lang=es"); strings.Contains(body, "<b>") {
		t.Error("a RUN is written as HTML")
	}
	for _, target := range []string{"/fondos/9809-4?archivo=x.csv&lang=es", "/series/1?lang=es"} {
		if body := of(target); strings.Contains(body, "No hay un fondo") || !strings.Contains(body, `href="/buscar?lang=es"`) {
			t.Errorf("%s: a fund is said to be missing, or no link leads to the search", target)
		}
	}
}

var hrefs = regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`)

func TestAssetsChangeTheirAddressWithTheirContent(t *testing.T) {
	s := empty(t, nil)
	_, _, body := s.get("/")
	found := hrefs.FindAllStringSubmatch(body, -1)
	if len(found) < 3 {
		t.Fatalf("the page names %d assets", len(found))
	}
	for _, link := range found {
		status, header, asset := s.get(strings.ReplaceAll(link[1], "&amp;", "&"))
		if status != http.StatusOK || asset == "" ||
			header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			header.Get("Content-Type") == "application/json" {
			t.Errorf("%s: %d %v", link[1], status, header)
		}
		if !regexp.MustCompile(`\?v=[0-9a-f]{16}$`).MatchString(link[1]) {
			t.Errorf("%s has no version", link[1])
		}
	}
}

func TestAPastPageSaysItsDateAndThatOfTheData(t *testing.T) {
	frame := site.New(site.Config{Published: func() (site.Published, bool) { return batchOfJuly{}, true }})
	for query, want := range map[string]string{"fecha=2025-03-31": "2025-03-31", "fecha=2025-07-20": "", "fecha=x": "", "": ""} {
		texts, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, nil)
		got := ""
		if day := frame.Visit(request, texts, site.DateKey).PastDay(); day != nil {
			got = day.String()
		}
		if got != want {
			t.Errorf("%q shows %q, want %q", query, got, want)
		}
		if frame.Visit(request, texts).PastDay() != nil {
			t.Error("a page that takes no date shows a past one")
		}
	}
}

// batchOfJuly is a batch up to 20 July 2025.
type batchOfJuly struct{}

func (batchOfJuly) Version() string     { return "1" }
func (batchOfJuly) ID() string          { return "20250720-1-a" }
func (batchOfJuly) Cutoff() *model.Date { day := model.NewDate(2025, 7, 20); return &day }
