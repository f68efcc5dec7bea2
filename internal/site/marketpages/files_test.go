package marketpages_test

import (
	"context"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/site/locale"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// cartolaLines returns the header and the rows of a real file of the demo.
func cartolaLines(t *testing.T, name string, keep func(run, day string) bool) (header string, rows []string) {
	t.Helper()
	content, err := os.ReadFile("../../../demo/files/cartola/" + name)
	must(t, err)
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for _, line := range lines[1:] {
		if columns := strings.Split(line, ";"); keep(columns[2], columns[3]) {
			rows = append(rows, line)
		}
	}
	return lines[0], rows
}

// As a user of the regulator's files does: months of the market, one of them cut and then whole, one with rows that
// can't be read, and files of one day and of one fund, in any order.
func TestAfterEachFileInAnyOrderThePagesSayWhatTheAPISays(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	const history = "cartola_9809_9810_20250101_20250720.txt"
	month := func(number string) (rows []string) {
		_, rows = cartolaLines(t, history, func(_, day string) bool { return strings.HasPrefix(day, "2025"+number) })
		return rows
	}
	header, june := cartolaLines(t, history, func(_, day string) bool { return strings.HasPrefix(day, "202506") })
	may, july := month("05"), month("07")
	for i, row := range july {
		if columns := strings.Split(row, ";"); columns[3] == "20250710" && columns[2] == "9809" {
			columns[12] = "x" // VALOR_CUOTA
			july[i] = strings.Join(columns, ";")
		}
	}
	_, day := cartolaLines(t, "cartola_market_20250720_derived.txt", func(string, string) bool { return true })
	day = day[:120]
	_, alone := cartolaLines(t, history, func(run, day string) bool { return run == "9810" && day >= "20250701" })
	for i := range alone {
		alone[i] = strings.Replace(alone[i], ";202507", ";202508", 1)
	}
	first := time.Date(2025, 9, 1, 12, 0, 0, 0, time.UTC)
	files := []struct {
		name      string
		rows      []string
		published time.Time
	}{
		{"May, cut", may[:len(may)/2], first}, {"May", may, first.Add(time.Hour)}, {"June", june, first},
		{"July, with rows that can't be read", july, first}, {"one day of other funds", day, first},
		{"one fund alone", alone, first},
	}
	seed := uint64(time.Now().UnixNano())
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })

	m := demotest.New(t)
	var s *servedSite
	for _, f := range files {
		path := filepath.Join(t.TempDir(), "cartola.txt")
		must(t, os.WriteFile(path, []byte(header+"\n"+strings.Join(f.rows, "\n")+"\n"), 0o600))
		m.Ingest(t, model.Cartola, path, f.published)
		m.Build(t)
		if s == nil {
			s = serve(t, m.Options, first.AddDate(0, 0, 1))
		}
		must(t, s.Refresh(context.WithoutCancel(t.Context())))
		t.Run("after "+f.name, func(t *testing.T) {
			of := *s
			of.t = t
			of.pagesAgree(fmt.Sprintf("seed %d", seed))
		})
	}
}

// pagesAgree compares what pages say of the market with the API.
func (s *servedSite) pagesAgree(of string) {
	t := s.t
	t.Helper()
	type reply struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes struct {
				Administrator string `json:"administrator"`
				FundCount     int    `json:"fund_count"`
			} `json:"attributes"`
		} `json:"data"`
		Meta struct {
			Date     *model.Date `json:"date"`
			Complete bool        `json:"complete"`
			Total    int         `json:"total"`
		} `json:"meta"`
	}
	// The screener, with the series that nobody holds, and without them, as it is at first.
	for asked, filter := range map[string]string{"held=todas&": "", "": "&held=true"} {
		listed := fromAPI[reply](s, "/api/screener?limit=200"+filter)
		var shown []string
		for offset := 0; offset < max(1, len(listed.Data)); offset += 50 {
			_, _, page := s.get("/fondos?" + asked + "lang=es&offset=" + strconv.Itoa(offset))
			shown = append(shown, tableOf(t, page, "series").ids...)
		}
		if listed.Meta.Total != len(listed.Data) {
			t.Fatalf("%s: the screener has %d series, too many for this test", of, listed.Meta.Total)
		}
		var want []string
		for _, each := range listed.Data {
			want = append(want, each.ID)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(shown))); diff != "" {
			t.Errorf("%s: series of the screener, %q (-API, +page):\n%s", of, asked, diff)
		}
	}
	// The day that answers, here and on the page of managers.
	summary := fromAPI[reply](s, "/api/market-summary")
	_, _, market := s.get("/?lang=en")
	if summary.Meta.Date == nil {
		t.Fatalf("%s: the market has no day", of)
	}
	if at := "The market on <strong>" + locale.English.Day(*summary.Meta.Date) + "</strong>"; !strings.Contains(market,
		at) {
		t.Errorf("%s: the page of the market has no %q", of, at)
	}
	if incomplete := strings.Contains(market, "(incomplete day)"); incomplete == summary.Meta.Complete {
		t.Errorf("%s: the page says incomplete: %v, the API complete: %v", of, incomplete, summary.Meta.Complete)
	}
	ranking := fromAPI[reply](s, "/api/agf_stats/ranking")
	_, _, managers := s.get("/administradoras?lang=es")
	var names, namesShown []string
	for _, each := range ranking.Data {
		names = append(names, each.Attributes.Administrator)
	}
	for _, cells := range tableOf(t, managers, "administradoras").rows {
		namesShown = append(namesShown, cells[0], cells[1])
	}
	for _, name := range names { // cells have short names, and the full ones as their titles
		if !strings.Contains(html.UnescapeString(managers), `title="`+name+`"`) && !slices.Contains(namesShown, name) {
			t.Errorf("%s: the page of managers has no %s: %q", of, name, namesShown)
		}
	}
	if len(namesShown) != 2*len(names) {
		t.Errorf("%s: the page has %d managers, the API %d", of, len(namesShown)/2, len(names))
	}
	// A past day answers alike too.
	for _, on := range []string{"2025-05-20", "2025-07-10", "2025-08-10"} {
		past := fromAPI[reply](s, "/api/market-summary?date="+on)
		_, _, page := s.get("/?lang=en&fecha=" + url.QueryEscape(on))
		if past.Meta.Date != nil && !strings.Contains(page,
			"<strong>"+locale.English.Day(*past.Meta.Date)+"</strong>") {
			t.Errorf("%s: the page of %s is not of %s", of, on, past.Meta.Date)
		}
	}
}
