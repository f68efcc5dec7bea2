package marketpages

import (
	"net/url"
	"strings"
	"testing"

	"cuota/internal/site"
	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"cuota/model"
)

func TestTheTableBehindAChartHasAtMostAHundredRows(t *testing.T) {
	first := model.NewDate(1990, 1, 15)
	for days, want := range map[int]int{0: 0, 1: 1, 17: 1, 18: 2, 400: 14, 3000: 100, 9000: 99, 20000: 55} {
		var points []chart.Point
		for i := range days {
			points = append(points, chart.Point{Day: first.AddDays(i), Value: 1})
		}
		ends := endsOf(points)
		if len(ends) != want || len(ends) > mostEnds {
			t.Errorf("%d days have %d rows, want %d", days, len(ends), want)
		}
		for i, end := range ends {
			if i+1 < len(ends) && points[end].Day.AddDays(1).Time().Day() != 1 {
				t.Errorf("%d days: %s is no end of a month", days, points[end].Day)
			}
		}
		if days > 0 && ends[len(ends)-1] != days-1 {
			t.Errorf("%d days: the last day is missing", days)
		}
	}
}

func TestACostChartBeginsAtZeroAndSaysWhichMonthsAreMissing(t *testing.T) {
	replies := completeSeries()
	replies["/api/real_assets/{asset_id}/expense_ratio/history"] = `{"data":[{"attributes":{"date":"20250131","expense_ratio":0.0205,"tac_kind":"stated"}},
		{"attributes":{"date":"20250228","expense_ratio":0.0206,"tac_kind":"stated"}},{"attributes":{"date":"20250630","expense_ratio":0.0204,"tac_kind":"stated"}}]}`
	page, err := seriesHTML(t, replies, locale.Spanish, "")
	if err != nil {
		t.Fatal(err)
	}
	_, chart, _ := strings.Cut(page, `data-chart="costos-grafico"`)
	chart, _, _ = strings.Cut(chart, "</figure>")
	for _, want := range []string{`data-low="0"`, `class="band"`, "sin valores</span>",
		"Sin valores (días sombreados): entre febrero de\u00a02025 y junio de\u00a02025."} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart of costs has no %q:\n%.3000s", want, chart)
		}
	}
}

func TestMissingDaysAreNamedByLine(t *testing.T) {
	first := model.NewDate(2025, 1, 1)
	var points []chart.Point
	for i := range 6 {
		points = append(points, chart.Point{Day: first.AddDays(20 * i), Value: 100})
	}
	v := &visit{Visit: site.Visit{Lang: locale.English, Path: "/"}, Batch: seriesReplies{}}
	c := lineChart{Chart: chart.Chart{Label: chart.NumberLabels(locale.English),
		Lines: []chart.Line{{Name: "A", Points: points, Longest: longestOfDays}, {Name: "B", Points: points[:1]}}}}
	c.draw(v)
	want := "Without values (shaded days): A between 1\u00a0Jan\u00a02025 and 21\u00a0Jan\u00a02025; " +
		"A between 21\u00a0Jan\u00a02025 and 10\u00a0Feb\u00a02025; A between 10\u00a0Feb\u00a02025 and 2\u00a0Mar\u00a02025 and 2 more times."
	if c.Missing != want {
		t.Errorf("it says %q, want %q", c.Missing, want)
	}
	c = lineChart{Chart: chart.Chart{Label: chart.NumberLabels(locale.English),
		Lines: []chart.Line{{Points: []chart.Point{{Day: first, Value: 1}, {Day: first.AddDays(2), Value: 1}},
			Longest: longestOfQuotas}}}}
	if c.draw(v); c.Missing != "Without values (shaded days): on 2\u00a0Jan\u00a02025." {
		t.Errorf("of a single day it says %q", c.Missing)
	}
}

func TestTheVehicleSaysOnWhichDaysAQuotaIsDue(t *testing.T) {
	rows := func(of string, days ...string) string {
		for i, day := range days {
			days[i] = `{"date":"2025-` + day + `",` + of + `}`
		}
		return `{"data":[` + strings.Join(days, ",") + `]}`
	}
	const days = "entre 2\u00a0jul\u00a02025 y 6\u00a0jul\u00a02025; "
	const weeks = "entre 7\u00a0jul\u00a02025 y 20\u00a0jul\u00a02025."
	for vehicle, want := range map[string]string{"mutual_fund": days + weeks, "etf": days + weeks,
		"investment_fund": weeks} {
		replies := completeSeries()
		replies[identityPath] = strings.Replace(replies[identityPath], "mutual_fund", vehicle, 1)
		replies["/pages/series/{asset_id}/growth"] = rows(`"quota":1000,"growth":0`,
			"06-30", "07-01", "07-02", "07-06", "07-07", "07-20")
		replies["/api/families/{family_rar}/index"] = rows(`"value":200`, "06-30", "07-02", "07-07", "07-20")
		page, err := seriesHTML(t, replies, locale.Spanish, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"crecimiento", "caida"} {
			_, figure, _ := strings.Cut(page, `data-chart="`+id+`"`)
			figure, _, _ = strings.Cut(figure, "</figure>")
			_, said, _ := strings.Cut(figure, `<p class="hint">Sin valores (días sombreados): `)
			said, _, _ = strings.Cut(said, "</p>")
			if said = strings.ReplaceAll(said, "valor cuota en pesos ", ""); said != want {
				t.Errorf("the chart %s of a series of a fund that is %s says %q, want %q", id, vehicle, said, want)
			}
		}
	}
}

// A gap of 200 days makes the values of a mutual fund fewer than half of the days.
func TestAMutualFundWithALongGapHasEachGapShaded(t *testing.T) {
	replies := comparison(t)
	of := func(path string, texts url.Values) (string, error) {
		switch {
		case path == "/pages/quotas": // 31 was quoted each month, 32 not for 200 days and not on 24 July
			return `{"from":"2024-07-13","data":[{"serieId":"31","days":[7,37,68,372],"quotas":[1,1,1,1]},
				{"serieId":"32","days":[7,8,9,10,12,212,213,372],"quotas":[1,1,1,1,1,1,1,1]}]}`, nil
		case path == identityPath && texts.Get("asset_id") == "31":
			return `{"id":"31","vehicle":"investment_fund","first_date":"2019-01-02","last_date":"2025-07-20"}`, nil
		}
		return replies(path, texts)
	}
	body, err := loadedPage(t, comparePage, locale.English, "/comparar?series=32,31", fundBatch(of))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"S32, Pesos on 24\u00a0Jul\u00a02024; FONDO &lt;32&gt; · S32, Pesos between " +
		"25\u00a0Jul\u00a02024 and 10\u00a0Feb\u00a02025"})
}
