package marketpages_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

// Tables with more columns than a phone has room for, and no names that lead on, are cards.
func phonesShowWholeTables(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(string) bool { return true })
	r := reader{t, s, b}
	b.Looks(375, 740, "light")
	rows := map[string]float64{"posiciones": 0, "tipos": 0, "tabla-crecimiento": 0, "valores-libro": 0, "meses": 0}
	for _, visit := range s.visits() {
		switch visit.name {
		case "series", "fund", "investment-fund", "manager":
		default:
			continue
		}
		r.loads(http.StatusOK, chromedp.Navigate(s.base+visit.path))
		do(t, b, `document.querySelectorAll("details").forEach(of => of.open = true)`)
		for id := range rows {
			rows[id] += number(t, b, `document.querySelectorAll("#`+id+` tbody tr").length`)
			if outside := texts(t, b, `[...document.querySelectorAll("#`+id+` tbody :is(th, td)")].filter(of => {
				const at = of.getBoundingClientRect();
				return at.left < 0 || at.right > innerWidth || !at.width;
			}).map(of => of.textContent)`); len(outside) > 0 {
				t.Errorf("%s: %d values of the table %q are out of sight, as %q", visit.path, len(outside), id, outside[0])
			}
		}
	}
	for id, n := range rows {
		if n == 0 {
			t.Errorf("no page has rows of the table %q", id)
		}
	}
}
