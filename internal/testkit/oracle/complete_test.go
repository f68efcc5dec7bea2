package oracle

import (
	"fmt"
	"math"
	"testing"
)

// before and after are the two days of most tests here. All series are quoted on the first day,
// and some of them on the second.
const before, after = "2025-06-01", "2025-06-02"

func add(t *testing.T, m *Market, serie, day, moneda string, equity float64) {
	t.Helper()
	m.Add(Row{Run: run, Serie: serie, Day: on(t, day), Moneda: moneda, Quota: 1, Equity: equity})
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

func TestSeriesOfTheSevenDaysBeforeCount(t *testing.T) {
	for day, want := range map[string]bool{"2025-05-26": false, "2025-05-25": true} {
		m := New()
		add(t, m, "GONE", day, "$$", 1) // 7 and 8 days before
		add(t, m, "A", before, "$$", 1)
		add(t, m, "A", after, "$$", 1)
		if got := complete(t, m, "2025-06-02", nil); got != want {
			t.Errorf("a series gone since %s: %v", day, got)
		}
	}
}

func TestDollarEquityIsConvertedAtItsRowsDateOrUpToSevenDaysBefore(t *testing.T) {
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
	if complete(t, m, after, nil) {
		t.Error("nobody was quoted in the seven days before, yet the day passed")
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
		if got := m.HasData(on(t, after)); got != want {
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
