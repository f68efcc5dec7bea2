package oracle

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// before and after are the two days of most tests here. All series are quoted on the first day,
// and some of them on the second.
const before, after = "2025-06-01", "2025-06-02"

func add(t *testing.T, m *Market, serie, day, moneda string, equity float64) {
	t.Helper()
	m.Add(Row{Run: run, Serie: serie, Day: on(t, day), Moneda: moneda, Quota: 1, Equity: equity, Outstanding: 1})
}

func complete(t *testing.T, m *Market, day string, dolar Dolar) bool {
	t.Helper()
	return m.Complete(on(t, day), dolar)
}

func TestCompleteNeeds98PercentOfTheSeries(t *testing.T) {
	for late, want := range map[int]bool{0: true, 1: true, 2: true, 3: false} {
		m := New()
		for i := range 100 {
			serie := fmt.Sprint("S", i)
			add(t, m, serie, before, "$$", 0) // no equity, so that only the count matters
			if i >= late {
				add(t, m, serie, after, "$$", 0)
			}
		}
		if got := complete(t, m, after, nil); got != want {
			t.Errorf("%d of 100 late: %v", late, got)
		}
	}
	m := New() // 48 of 49 is 97.96 %
	for i := range 49 {
		add(t, m, fmt.Sprint("S", i), before, "$$", 0)
		if i > 0 {
			add(t, m, fmt.Sprint("S", i), after, "$$", 0)
		}
	}
	if complete(t, m, after, nil) {
		t.Error("48 of 49 passed")
	}
}

// hundred makes 100 series with a quote on both days, except LATE, which has none on the second
// day. All equity is in BIG, except that of LATE and of series that a test adds.
func hundred(t *testing.T, big float64) *Market {
	t.Helper()
	m := New()
	add(t, m, "LATE", before, "$$", 0)
	add(t, m, "BIG", before, "$$", big)
	add(t, m, "BIG", after, "$$", big)
	for i := range 98 {
		add(t, m, fmt.Sprint("S", i), before, "$$", 0)
		add(t, m, fmt.Sprint("S", i), after, "$$", 0)
	}
	return m
}

func TestCompleteNeeds99PercentOfTheEquity(t *testing.T) {
	for late, want := range map[float64]bool{1: true, 1.01: false, 0.99: true} {
		m := hundred(t, 99)
		add(t, m, "LATE", before, "$$", late)
		if got := complete(t, m, after, nil); got != want {
			t.Errorf("%v late against 99 present: %v", late, got)
		}
	}
	m := hundred(t, 0.99) // 0.99 + 0.01 is not exactly 1 in binary, but it is in decimals
	add(t, m, "LATE", before, "$$", 0.01)
	if !complete(t, m, after, nil) {
		t.Error("99 % in decimals failed")
	}
}

func TestEquityIsThatOfTheLastRowOfTheSevenDaysBefore(t *testing.T) {
	m := hundred(t, 99)
	add(t, m, "LATE", "2025-05-30", "$$", 50)
	add(t, m, "LATE", before, "$$", 1)
	add(t, m, "BIG", after, "$$", 1e9) // the equity of the day itself does not count
	if !complete(t, m, after, nil) {
		t.Error("an older equity was taken")
	}
	add(t, m, "LATE", before, "$$", 2)
	if complete(t, m, after, nil) {
		t.Error("the day's own equity was taken")
	}
}

// everyDay adds rows of a series from one day to another, both included.
func everyDay(t *testing.T, m *Market, serie, from, to string, equity float64) {
	t.Helper()
	for day := on(t, from); !day.After(on(t, to)); day = day.AddDate(0, 0, 1) {
		add(t, m, serie, iso(day), "$$", equity)
	}
}

func latest(t *testing.T, m *Market, what, want string) {
	t.Helper()
	if day, _ := m.LatestComplete(nil); iso(day) != want {
		t.Errorf("%s: the latest complete day is %s, want %s", what, iso(day), want)
	}
}

func TestAFundThatRunsOnAloneNeverMovesTheLatestCompleteDay(t *testing.T) {
	m := New()
	for i := range 107 {
		everyDay(t, m, fmt.Sprint("S", i), "2025-03-01", "2025-03-31", 1)
	}
	everyDay(t, m, "S0", "2025-04-01", "2026-03-31", 1)
	latest(t, m, "one fund for a year", "2025-03-31")
	if m.HasData(on(t, "2025-04-12"), nil) {
		t.Error("the market has data on a day of one fund")
	}
	for i := range 107 {
		everyDay(t, m, fmt.Sprint("S", i), "2025-04-01", "2025-04-05", 1)
	}
	latest(t, m, "once the others come", "2025-04-05")
	for i := range 53 {
		everyDay(t, m, fmt.Sprint("S", i), "2025-04-06", "2026-03-31", 1)
	}
	latest(t, m, "53 of 107 are the smaller part", "2025-04-05")
}

func TestTheMarketWaitsForASeriesThatStops(t *testing.T) {
	m := New()
	for i := range 99 {
		everyDay(t, m, fmt.Sprint("S", i), "2025-01-01", "2025-06-30", 1)
	}
	everyDay(t, m, "GONE", "2025-01-01", "2025-01-10", 0)
	latest(t, m, "one small series of a hundred", "2025-06-30")
	everyDay(t, m, "GONE", "2025-01-01", "2025-01-10", 50) // a third of all equity
	for day, want := range map[string]bool{"2025-01-10": true, "2025-01-11": false, "2025-01-18": false,
		"2025-04-15": false, "2025-04-16": true} {
		if complete(t, m, day, nil) != want {
			t.Errorf("a third of the equity is gone since 10 January: %s is complete: %v", day, !want)
		}
	}
}

func TestASeriesThatHasStatedItsEndIsNotWaitedFor(t *testing.T) {
	const lastDay, endsOn = "2025-01-10", "2025-01-12"
	for name, end := range map[string]func(m *Market, day time.Time){
		"register":      func(m *Market, day time.Time) { m.Ended(2, day) },
		"end of series": func(m *Market, day time.Time) { m.End(2, "gone", day) },
		"end of fund":   func(m *Market, day time.Time) { m.End(2, "", day) },
		"end of market": func(m *Market, day time.Time) { m.End(0, "", day) },
		"exchange": func(m *Market, day time.Time) {
			m.AddExchange(Exchange{Event: "x", Origin: Series{2, "GONE"}, Effective: day})
		},
		"fully redeemed": nil,
	} {
		m := New()
		for day := on(t, "2025-01-01"); !day.After(on(t, "2025-01-31")); day = day.AddDate(0, 0, 1) {
			for i := range 3 {
				m.Add(Row{Run: 1, Serie: fmt.Sprint("S", i), Day: day, Moneda: "$$", Quota: 1, Equity: 1,
					Outstanding: 1})
			}
			if !day.After(on(t, lastDay)) {
				m.Add(Row{Run: 2, Serie: "GONE", Day: day, Moneda: "$$", Quota: 1, Equity: 100, Outstanding: 1})
			}
		}
		latest(t, m, name+", not stated", lastDay)
		want := "2025-01-31"
		if end == nil {
			m.Add(Row{Run: 2, Serie: "GONE", Day: on(t, lastDay), Moneda: "$$", Quota: 1})
		} else {
			end(m, on(t, endsOn))
			if complete(t, m, "2025-01-11", nil) {
				t.Errorf("%s: the day before the end is complete", name)
			}
		}
		latest(t, m, name, want)
	}
	m := New()
	everyDay(t, m, "A", "2025-01-01", "2025-01-10", 1)
	everyDay(t, m, "B", "2025-01-01", "2025-01-08", 1)
	m.End(run, "B", on(t, "2025-01-05"))
	latest(t, m, "a stated end before the last row is none", "2025-01-08")
}

func TestOlderOrSmallerFilesDoNotMoveTheLatestCompleteDayBack(t *testing.T) {
	m := New()
	for i := range 90 {
		everyDay(t, m, fmt.Sprint("S", i), "2025-06-01", "2025-12-31", 1)
	}
	for i := range 10 {
		everyDay(t, m, fmt.Sprint("OLD", i), "2025-01-01", "2025-08-01", 1)
	}
	latest(t, m, "ten other series to 1 August", "2025-12-31")
	everyDay(t, m, "YEARS", "2019-01-01", "2020-12-31", 1e9)
	latest(t, m, "a large one of years before", "2025-12-31")
	m = New()
	everyDay(t, m, "SMALL", "2019-01-01", "2020-12-31", 1e9)
	for i := range 90 {
		add(t, m, fmt.Sprint("S", i), "2025-06-01", "$$", 1)
	}
	latest(t, m, "a market of one day after a fund of years before", "2025-06-01")
}

// A file of other funds moves the latest complete day forward or not at all if it reaches that
// day, or if it is the smaller part and ended long before. Any order of files gives the same day.
func TestOnlyALargerMarketMovesTheCutoffBack(t *testing.T) {
	first := on(t, "2024-01-01")
	type file struct{ serie, from, to int }
	load := func(files []file) *Market {
		m := New()
		for _, f := range files {
			for n := f.from; n <= f.to; n++ {
				m.Add(Row{Run: run, Serie: fmt.Sprint("S", f.serie), Day: first.AddDate(0, 0, n), Moneda: "$$",
					Quota: 1, Equity: float64(1 + f.serie%7), Outstanding: 1})
			}
		}
		return m
	}
	rapid.Check(t, func(rt *rapid.T) {
		end := rapid.IntRange(100, 160).Draw(rt, "end")
		var files []file
		for i := range rapid.IntRange(3, 12).Draw(rt, "market") {
			files = append(files, file{i, rapid.IntRange(0, 3).Draw(rt, "from"), end})
		}
		m := load(files)
		cutoff, _ := m.LatestComplete(nil)
		for i := range rapid.IntRange(1, 2).Draw(rt, "others") {
			added := file{serie: 100 + i, from: rapid.IntRange(0, end).Draw(rt, "from")}
			if rapid.Bool().Draw(rt, "reaches the day") {
				added.to = max(added.from, end+rapid.IntRange(0, 20).Draw(rt, "beyond"))
			} else {
				added.from = min(added.from, end-96)
				added.to = rapid.IntRange(added.from, end-96).Draw(rt, "to")
			}
			files = append(files, added)
			m = load(rapid.Permutation(files).Draw(rt, "order"))
			now, _ := m.LatestComplete(nil)
			if now.Before(cutoff) {
				rt.Fatalf("%v moved the latest complete day back from %s to %s; files: %v", added, iso(cutoff),
					iso(now), files)
			}
			if want, _ := load(files).LatestComplete(nil); !now.Equal(want) {
				rt.Fatalf("in another order: %s, want %s", iso(now), iso(want))
			}
			cutoff = now
		}
	})
}

func TestRejectedSeriesAreExpected(t *testing.T) {
	m := New()
	for i := range 32 {
		if serie := fmt.Sprint("S", i); i < 12 {
			add(t, m, serie, before, "$$", 1)
		} else {
			m.Void(run, serie, on(t, before))
		}
	}
	if complete(t, m, before, nil) || m.HasData(on(t, before), nil) {
		t.Error("20 of 32 rows were rejected, and the day has data or is complete")
	}
	for i := range 32 {
		add(t, m, fmt.Sprint("S", i), after, "$$", 1)
	}
	latest(t, m, "the next day is whole", after)
	for i := range 12 {
		add(t, m, fmt.Sprint("S", i), "2025-06-03", "$$", 1)
	}
	latest(t, m, "the others do not come", after)
}

func TestASeriesWithoutAQuoteIsWaitedForForSevenDays(t *testing.T) {
	m := New()
	every := func(day string) {
		for i := range 5 {
			add(t, m, fmt.Sprint("S", i), day, "$$", 1)
		}
	}
	every("2025-06-01")
	m.Void(run, "NEVER", on(t, "2025-06-01"))
	latest(t, m, "one of six rows could not be read", "2025-06-01")
	for day := 2; day <= 8; day++ {
		every(fmt.Sprintf("2025-06-%02d", day))
		latest(t, m, "its series is waited for", "2025-06-01")
	}
	every("2025-06-09")
	latest(t, m, "eight days after the rejected row", "2025-06-09")
	add(t, m, "NEVER", "2025-05-20", "$$", 1)
	every("2025-05-20")
	latest(t, m, "an older file shows that there is such a series", "2025-06-01")
}

func TestDollarEquityIsConvertedAtItsRowsDate(t *testing.T) {
	for name, c := range map[string]struct {
		dolar Dolar
		want  bool
	}{
		"of the day":               {Dolar{before: 1000}, true},
		"too dear":                 {Dolar{before: 1001}, false},
		"later ones don't count":   {Dolar{before: 1000, after: 2000}, true},
		"seven days before":        {Dolar{"2025-05-25": 1001}, false},
		"eight days before":        {Dolar{"2025-05-24": 1001}, true}, // left out of the equity
		"the newer of two":         {Dolar{"2025-05-26": 1001, "2025-05-30": 1000}, true},
		"none":                     {nil, true},
		"an invalid one is no one": {Dolar{before: math.NaN(), "2025-05-30": 1001}, true},
	} {
		m := hundred(t, 99000)
		add(t, m, "LATE", before, "PROM", 1)
		if got := complete(t, m, after, c.dolar); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestUnknownEquityIsLeftOutOfTheEquityTestNotOfTheCount(t *testing.T) {
	m := hundred(t, 99)
	add(t, m, "LATE", before, "EUR", 50)
	if !complete(t, m, after, nil) {
		t.Error("equity of unknown currency counted")
	}
	add(t, m, "LATE", before, "$$", math.NaN())
	if !complete(t, m, after, nil) {
		t.Error("equity that is no number counted")
	}
	m = New()
	add(t, m, "A", before, "EUR", 1)
	add(t, m, "B", before, "$$", 1)
	add(t, m, "B", after, "$$", 1)
	if complete(t, m, after, nil) {
		t.Error("a late series of unknown currency wasn't counted")
	}
}

func TestTheEquityOfASeriesWhoseRowIsVoidIsThatOfTheQuoteBefore(t *testing.T) {
	for quotedOn, want := range map[string]bool{"2025-05-26": false, "2025-05-25": true} { // 7 and 8 days before
		m := hundred(t, 99)
		m.Void(run, "LATE", on(t, before))
		add(t, m, "LATE", quotedOn, "$$", 50) // and no row on the day
		if got := complete(t, m, after, nil); got != want {
			t.Errorf("late, and last quoted on %s: %v", quotedOn, got)
		}
	}
}

func TestAVoidRowHasBeenReported(t *testing.T) {
	m := New()
	for _, serie := range []string{"A", "B", "C"} {
		add(t, m, serie, before, "$$", 1)
		add(t, m, serie, after, "$$", 1)
	}
	m.Void(run, "A", on(t, after))
	if !complete(t, m, after, nil) {
		t.Error("a third of the equity is void, and the day isn't complete")
	}
	for _, day := range []string{"2025-06-03", "2025-06-09", "2025-06-10"} {
		m.Void(run, "A", on(t, day))
		add(t, m, "B", day, "$$", 1)
		add(t, m, "C", day, "$$", 1)
		if !complete(t, m, day, nil) {
			t.Errorf("void since %s, and %s isn't complete", after, day)
		}
	}
	m.Void(run, "B", on(t, after))
	if complete(t, m, after, nil) {
		t.Error("two void rows of three passed")
	}
}

func TestNoMoreThanOneSeriesInFiftyMayBeVoid(t *testing.T) {
	for void, want := range map[int]bool{2: true, 3: false} {
		m := New()
		for i := range 149 {
			serie := fmt.Sprint("S", i)
			add(t, m, serie, before, "$$", 1)
			add(t, m, serie, after, "$$", 1)
			if i < void {
				m.Void(run, serie, on(t, after))
			}
		}
		if got := complete(t, m, after, nil); got != want {
			t.Errorf("%d of 149 void: %v", void, got)
		}
	}
}

func TestADayOnWhichNothingCanBeReadIsNotComplete(t *testing.T) {
	m := New()
	m.Void(run, "A", on(t, before))
	if complete(t, m, before, nil) {
		t.Error("the first day is void, yet complete")
	}
	add(t, m, "A", before, "$$", 1)
	m.Void(run, "A", on(t, after))
	if complete(t, m, after, nil) {
		t.Error("a void row made its day complete")
	}
	m.Void(run, "A", on(t, before))
	add(t, m, "A", after, "$$", 1)
	if !complete(t, m, after, nil) {
		t.Error("the first day with a quote of all series is not complete")
	}
	m.Void(run, "B", on(t, before))
	if complete(t, m, after, nil) {
		t.Error("B was stated and rejected, and nobody waits for it")
	}
}

func TestADayHasDataIfHalfOfTheSeriesAreQuoted(t *testing.T) {
	for quoted, want := range map[int]bool{0: false, 1: false, 2: true, 4: true} {
		m := New()
		for i := range 4 {
			add(t, m, fmt.Sprint("S", i), before, "$$", 1)
			if i < quoted {
				add(t, m, fmt.Sprint("S", i), after, "$$", 1)
			} else if i < 3 {
				m.Void(run, fmt.Sprint("S", i), on(t, after)) // a row, but no quote
			}
		}
		if got := m.HasData(on(t, after), nil); got != want {
			t.Errorf("%d of 4: %v", quoted, got)
		}
		wantDay := map[bool]string{true: after, false: before}[want]
		if day, ok := m.Answering(on(t, after), nil); !ok || iso(day) != wantDay {
			t.Errorf("%d of 4: %v answers, want %s", quoted, day, wantDay)
		}
	}
	m := New()
	add(t, m, "A", before, "$$", 1)
	if _, ok := m.Answering(on(t, "2025-05-31"), nil); ok {
		t.Error("a day before the first has an answer")
	}
	if day, ok := m.Answering(on(t, "2025-12-31"), nil); !ok || iso(day) != before {
		t.Errorf("long after: %v", day)
	}
}

func TestTheFirstDayIsCompleteAndADayWithoutRowsIsNot(t *testing.T) {
	m := New()
	add(t, m, "A", before, "$$", 1)
	if !complete(t, m, before, nil) {
		t.Error("nothing was expected, yet it failed")
	}
	for _, day := range []string{"2025-05-31", after, "2025-07-01"} {
		if complete(t, m, day, nil) {
			t.Errorf("%s has no rows, yet it passed", day)
		}
	}
}

func TestLatestCompleteIsTheNewestOne(t *testing.T) {
	m := New()
	if day, ok := m.LatestComplete(nil); ok || !day.IsZero() {
		t.Errorf("of nothing: %v", day)
	}
	for _, day := range []string{"2025-06-01", "2025-06-02", "2025-06-03"} {
		add(t, m, "A", day, "$$", 1)
		add(t, m, "B", day, "$$", 1)
	}
	add(t, m, "A", "2025-06-04", "$$", 1) // B is late
	if day, ok := m.LatestComplete(nil); !ok || iso(day) != "2025-06-03" {
		t.Errorf("%v %v", day, ok)
	}
	add(t, m, "B", "2025-06-04", "$$", 1)
	if day, ok := m.LatestComplete(nil); !ok || iso(day) != "2025-06-04" {
		t.Errorf("once B came: %v %v", day, ok)
	}
}
