package marketpages

import (
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
		"Sin valores (días sombreados): entre feb\u00a02025 y jun\u00a02025."} {
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
	c := lineChart{Chart: chart.Chart{Label: chart.NumberLabels(locale.English), Longest: longestOfDays,
		Lines: []chart.Line{{Name: "A", Points: points}, {Name: "B", Points: points[:1]}}}}
	c.draw(v)
	want := "Without values (shaded days): A between 1\u00a0Jan\u00a02025 and 21\u00a0Jan\u00a02025; " +
		"A between 21\u00a0Jan\u00a02025 and 10\u00a0Feb\u00a02025; A between 10\u00a0Feb\u00a02025 and 2\u00a0Mar\u00a02025 and 2 more times."
	if c.Missing != want {
		t.Errorf("it says %q, want %q", c.Missing, want)
	}
	c = lineChart{Chart: chart.Chart{Label: chart.NumberLabels(locale.English), Longest: longestOfQuotas,
		Lines: []chart.Line{{Points: []chart.Point{{Day: first, Value: 1}, {Day: first.AddDays(2), Value: 1}}}}}}
	if c.draw(v); c.Missing != "Without values (shaded days): on 2\u00a0Jan\u00a02025." {
		t.Errorf("of a single day it says %q", c.Missing)
	}
}

func TestALineOfAnotherCalendarIsNotBrokenOnEachDay(t *testing.T) {
	first := model.NewDate(2025, 1, 1)
	for every, want := range map[int]int{1: longestOfQuotas, 2: longestOfQuotas, 7: longestOfDays, 30: longestOfDays} {
		var points []chart.Point
		for i := range 10 {
			points = append(points, chart.Point{Day: first.AddDays(every * i), Value: 1})
		}
		if got := longestOf(chart.Line{}, chart.Line{Points: points}); got != want {
			t.Errorf("every %d days: %d, want %d", every, got, want)
		}
	}
}
