package marketpages_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
	"cuota/query/portfolio"
)

// screenedSeries is a row of the screener.
type screenedSeries struct {
	ID         string `json:"id"`
	Attributes struct {
		RUN   string `json:"run"`
		Serie string `json:"serie"`
	} `json:"attributes"`
}

// send posts a body without a browser.
func (s *servedSite) send(target, kind, body string) (status int, header http.Header, reply string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+target, strings.NewReader(body))
	must(s.t, err)
	request.Header.Set("X-Api-Key", "any")
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	must(s.t, err)
	defer func() { must(s.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	must(s.t, err)
	return response.StatusCode, response.Header, string(text)
}

func TestReadersLearnWhatTheirPurchasesEarned(t *testing.T) {
	longtest.InTurns(t)
	s := synthetic(t)
	const day = "2025-03-31"
	type screener struct {
		Data []screenedSeries `json:"data"`
	}
	screened := fromAPI[screener](s, "/api/screener?limit=200&as_of_date="+day)
	t.Run("the cheapest series costs no more than the own one", func(t *testing.T) {
		found, other := 0, 0
		for _, mine := range screened.Data[:60] {
			status, _, body := s.send("/api/portfolio", "application/json",
				fmt.Sprintf(`{"movements": [{"series": %q, "date": %q, "kind": "buy", "amount": 1000}]}`, mine.ID, day))
			var got portfolio.Reply
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
				t.Fatalf("%d %v %.300s", status, err, body)
			}
			if len(got.Data.Holdings) == 0 || got.Data.Holdings[0].Compared.SerieID == nil {
				continue
			}
			found++
			c := got.Data.Holdings[0].Compared
			if *c.SerieID != mine.ID {
				other++
			}
			if *c.CheapestTAC > *c.TAC {
				t.Errorf("%s: %v of %s costs more than %v (%s)", mine.ID, *c.CheapestTAC, *c.SerieID, *c.TAC, *c.TACKind)
			}
		}
		if found < 10 || other < 5 {
			t.Errorf("%d comparisons, %d with another series: nothing was put to the test", found, other)
		}
	})
	lines := "fecha;serie;tipo;monto\n"
	for _, of := range screened.Data[:3] {
		lines += fmt.Sprintf("%s;%s %s;compra;1.500.000\n", day, of.Attributes.RUN, of.Attributes.Serie)
	}
	lines += "2025-03-31;999999;compra;1000\n"
	t.Run("the answer is kept nowhere", func(t *testing.T) {
		status, header, body := s.send("/mi-cartera?lang=es", "application/x-www-form-urlencoded",
			url.Values{"movimientos": {lines}}.Encode())
		if status != http.StatusOK || header.Get("Cache-Control") != "no-store" || header.Get("ETag") != "" {
			t.Errorf("%d %v %.300s", status, header, body)
		}
		if len(body) > 150_000 || !strings.Contains(body, "no conocemos esa serie") {
			t.Errorf("%d bytes: %.300s", len(body), body)
		}
		for kind, want := range map[string]int{"application/x-www-form-urlencoded": http.StatusRequestEntityTooLarge,
			"text/plain": http.StatusUnprocessableEntity} {
			long := "movimientos=x"
			if want == http.StatusRequestEntityTooLarge {
				long = "movimientos=" + strings.Repeat("x", 70_000)
			}
			if status, _, body := s.send("/mi-cartera", kind, long); status != want {
				t.Errorf("%s: %d %.300s, want %d", kind, status, body, want)
			}
		}
	})
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	axe := browsertest.Axe(t)
	r := reader{t, s, b}
	writes := func(t *testing.T, text string) {
		t.Helper()
		must(t, chromedp.Do(b.Ctx, chromedp.SetValue(chromedp.CSS("#movimientos"), text)))
	}
	for _, width := range []int64{320, 375, 1280, 1920} {
		b.Looks(width, 900, map[bool]string{true: "light", false: "dark"}[width > 400])
		b.Scripts(false)
		r.loads(http.StatusOK, chromedp.Navigate(s.base+"/mi-cartera?lang=es"))
		r.sees("Mi cartera", "no guarda lo que usted escribe")
		writes(t, lines+"mañana;1;compra;5\n")
		r.clicks("form.portfolio button")
		r.sees("Línea 6: necesita una fecha", "No se calculó nada")
		writes(t, lines)
		r.clicks("form.portfolio button")
		r.sees("Su cartera al", "Rentabilidad de su dinero", "La serie más barata", "no conocemos esa serie")
		for _, fault := range b.Faults() {
			t.Errorf("at %d: %s", width, fault)
		}
		b.Scripts(true)
		for _, violation := range b.Violations(axe) {
			t.Errorf("at %d: %s", width, violation)
		}
		b.Picture(fmt.Sprintf("portfolio-answer-%d.png", width))
	}
	t.Run("a browser keeps the lines if the reader asks for it", func(t *testing.T) {
		text := func() string {
			t.Helper()
			return texts(t, b, `[document.querySelector("#movimientos").value]`)[0]
		}
		r := reader{t, s, b}
		r.loads(http.StatusOK, chromedp.Navigate(s.base+"/mi-cartera?lang=es"))
		if got := text(); got != "" {
			t.Errorf("the first visit has %q", got)
		}
		writes(t, lines)
		must(t, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS("[data-kept] input[type=checkbox]"))))
		r.loads(http.StatusOK, chromedp.Navigate(s.base+"/mi-cartera?lang=en"))
		if got := text(); got != lines {
			t.Errorf("the second visit has %q", got)
		}
		must(t, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS("[data-kept] input[type=checkbox]"))))
		r.loads(http.StatusOK, chromedp.Navigate(s.base+"/mi-cartera?lang=en"))
		if got := text(); got != "" {
			t.Errorf("the third visit has %q", got)
		}
	})
}
