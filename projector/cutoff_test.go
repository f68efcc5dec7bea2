package projector_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// completeness returns the state of the days of a batch: complete (C), with data (D), or
// neither (-).
func completeness(t *testing.T, m *demotest.Market, batch uint64) map[string]string {
	t.Helper()
	said := map[string]string{}
	for _, line := range column(t, m,
		"SELECT concat(toString(date), multiIf(complete, 'C', has_data, 'D', '-')) FROM market_completeness WHERE "+
			"batch = $1", batch) {
		said[line[:10]] = line[10:]
	}
	return said
}

// In a market of few series, one that is missing makes a day incomplete.
func TestARowOfAWrongNameHoldsTheCutoffForSevenDays(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market := demotest.New(t), oracle.New()
	day := func(n int) time.Time { return date(t, "2025-06-01").AddDate(0, 0, n) }
	row := func(serie string, n int, quota float64) cartolaDay {
		return cartolaDay{run: 72000, serie: serie, day: day(n), quota: quota, equity: 1e6}
	}
	ingest := func(rows ...cartolaDay) {
		m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
		enter(market, rows)
	}
	build := func(what string, want int) {
		t.Helper()
		batch := m.Build(t)
		for on, got := range completeness(t, m, batch) {
			if complete := market.Complete(date(t, on), nil); (got == "C") != complete {
				t.Errorf("%s: %s is %s, in the independent computation complete is %t", what, on, got, complete)
			}
		}
		if got := column(t, m, "SELECT toString(as_of_date) FROM batch WHERE batch = $1",
			batch)[0]; got != day(want).Format(time.DateOnly) {
			t.Errorf("%s: the cutoff is %s, want day %d", what, got, want)
		}
	}
	var rows []cartolaDay
	for n := range 7 {
		rows = append(rows, row("A", n, 10), row("B", n, 10), row("C", n, 10))
	}
	ingest(append(rows, row("WRONG", 2, -1))...)
	build("a row that can't be read, of a series that nobody knows", 2)
	ingest(row("A", 9, 10), row("B", 9, 10), row("C", 9, 10))
	build("seven days later", 2)
	ingest(row("A", 10, 10), row("B", 10, 10), row("C", 10, 10))
	build("eight days later", 10)
	ingest(row("WRONG", 0, 10))
	build("an older day shows that there is such a series", 2)
	sameRebuilt(t, m, "increments", m.Build(t))
}

func TestAVoidRowOfALargeSeriesDoesNotHoldTheCutoffBack(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m, market := demotest.New(t), oracle.New()
	day := func(n int) time.Time { return date(t, "2025-06-01").AddDate(0, 0, n) }
	dolar := oracle.Dolar{}
	ingest := func(late time.Duration, from, to int, change func(n int, row *cartolaDay) (kept bool)) {
		t.Helper()
		var rows []cartolaDay
		for n := from; n <= to; n++ {
			for i := range 60 {
				row := cartolaDay{run: 72000, serie: fmt.Sprintf("S%02d", i), day: day(n), quota: 100 + float64(n),
					equity: 1e6}
				if i == 0 {
					row.serie, row.equity = "LARGE", 4e7 // two fifths of all equity
				}
				if change == nil || change(n, &row) {
					rows = append(rows, row)
				}
			}
		}
		m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock.Add(late))
		enter(market, rows)
	}
	build := func(what, cutoff string, want map[int]string) {
		t.Helper()
		batch := m.Build(t)
		said := completeness(t, m, batch)
		for n, is := range want {
			if got := said[day(n).Format(time.DateOnly)]; got != is {
				t.Errorf("%s: day %d is %s, want %s", what, n, got, is)
			}
		}
		for on, got := range said {
			is := map[bool]string{true: "C"}[market.Complete(date(t, on), dolar)]
			if is == "" {
				is = map[bool]string{true: "D", false: "-"}[market.HasData(date(t, on), dolar)]
			}
			if got != is {
				t.Errorf("%s: %s is %s, the independent computation says %s", what, on, got, is)
			}
		}
		if got := column(t, m, "SELECT toString(as_of_date) FROM batch WHERE batch = $1", batch)[0]; got != cutoff {
			t.Errorf("%s: the cutoff is %s, want %s", what, got, cutoff)
		}
	}
	spoil := func(series ...string) func(n int, row *cartolaDay) bool {
		return func(n int, row *cartolaDay) bool {
			if strings.Contains(strings.Join(series, " "), row.serie) {
				row.quota = -1
			}
			return true
		}
	}
	ingest(0, 0, 9, nil)
	build("all are quoted", "2025-06-10", map[int]string{0: "C", 9: "C"})
	for n := 10; n < 20; n++ { // longer than a quote counts
		ingest(0, n, n, spoil("LARGE"))
		if n%4 == 0 || n == 19 {
			build("LARGE is void", day(n).Format(time.DateOnly), map[int]string{n: "C"})
		}
	}
	reasons := column(t, m, "SELECT toString(reason) FROM series_return WHERE batch = (SELECT max(batch) FROM batch) "+
		"AND window = '1m' "+
		"AND series_id = (SELECT id FROM registry WHERE kind = 'series' AND serie = 'LARGE') AND $1 = 0", 0)
	if diff := cmp.Diff([]string{"invalid_end_quote"}, reasons); diff != "" {
		t.Error(diff)
	}

	ingest(0, 20, 20, func(n int, row *cartolaDay) bool { return row.serie != "LARGE" })
	build("LARGE has not been quoted for ten days, so that nobody waits for it", "2025-06-21", map[int]string{20: "C"})
	ingest(time.Hour, 19, 19, nil)
	build("its row of the day before is corrected: now it is late", "2025-06-20",
		map[int]string{18: "C", 19: "C", 20: "D"})
	ingest(time.Hour, 20, 20, spoil("LARGE"))
	build("it comes, and cannot be read", "2025-06-21", map[int]string{20: "C"})

	ingest(0, 21, 21, spoil("S01 S02"))
	build("two void rows in sixty", "2025-06-21", map[int]string{21: "D"})
	ingest(0, 22, 22, func(n int, row *cartolaDay) bool { row.quota = -1; return true })
	build("a file of which nothing can be read", "2025-06-21", map[int]string{22: "-"})
	ingest(0, 23, 23, func(n int, row *cartolaDay) bool { return row.serie == "LARGE" || row.serie < "S28" })
	build("28 of sixty are quoted", "2025-06-21", map[int]string{23: "-"})
	ingest(0, 24, 24, func(n int, row *cartolaDay) bool { return row.serie == "LARGE" || row.serie < "S30" })
	build("thirty are", "2025-06-21", map[int]string{24: "D"})
	ingest(0, 36, 36, nil)
	build("a gap does not ask for what came before it twice", "2025-07-07", map[int]string{36: "C"})
	sameRebuilt(t, m, "increments", m.Build(t))
}
