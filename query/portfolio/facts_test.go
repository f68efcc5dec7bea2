package portfolio

import (
	"errors"
	"testing"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/savings"
)

func TestARUNAloneNamesNoSeries(t *testing.T) {
	for text, want := range map[string]string{"9809-4": "", "9.809-4": "", "9809 - 4": "", "9809-4 4": "4", "9809 4": "4",
		"9809-4 B": "B", "9809-B": "B", "9809-5": "5"} {
		if _, run, serie, ok := seriesOf(text); ok != (want != "") || ok && (run != 9809 || serie != want) {
			t.Errorf("%q is the series %q of %v (%t), want %q", text, serie, run, ok, want)
		}
	}
}

func TestALongPortfolioOfManySeriesIsRefused(t *testing.T) {
	f := &found{names: map[*savings.Series]named{}}
	f.From = model.NewDate(1990, time.January, 1)
	f.AsOf = f.From.AddDays(9999)
	for range 40 {
		f.names[&savings.Series{}] = named{}
	}
	if err := f.checkSize(); err != nil {
		t.Error(err)
	}
	f.AsOf = f.AsOf.AddDays(1)
	var wrong httpapi.Invalid
	if err := f.checkSize(); !errors.As(err, &wrong) || wrong[0].Type != TooManyDays {
		t.Errorf("%v %v", err, wrong)
	}
}

func TestInventedDatesDoNotMakeTheReadTimeLonger(t *testing.T) {
	day := func(year int, month time.Month, of int) model.Date { return model.NewDate(year, month, of) }
	first, asOf := day(2020, time.March, 10), day(2025, time.June, 30)
	mine, other := &savings.Series{ID: 1}, &savings.Series{ID: 2}
	for name, c := range map[string]struct {
		movements []savings.Movement
		want      model.Date
	}{
		"after the first quote": {[]savings.Movement{{Series: "1", Date: day(2022, 1, 1)}}, day(2022, 1, 1)},
		"long before it":        {[]savings.Movement{{Series: "1", Date: day(1990, 1, 1)}}, day(2020, 3, 3)},
		"it may wait for it":    {[]savings.Movement{{Series: "1", Date: day(2020, 3, 5)}}, day(2020, 3, 5)},
		"of a series unknown":   {[]savings.Movement{{Series: "x", Date: day(1990, 1, 1)}}, day(2025, 6, 30)},
		"after the valuation":   {[]savings.Movement{{Series: "1", Date: day(2025, 7, 1)}}, day(2025, 6, 30)},
		"the oldest of two series": {[]savings.Movement{{Series: "1", Date: day(1990, 1, 1)}, {Series: "2", Date: day(2019, 1, 1)}},
			day(2019, 1, 1)},
		"older than all series": {[]savings.Movement{{Series: "2", Date: day(1901, 1, 1)}}, asOf.AddDays(-366 * maxYears)},
	} {
		f := &found{names: map[*savings.Series]named{mine: {First: first.Time()},
			other: {First: day(1980, 1, 1).Time()}}}
		f.AsOf, f.Movements = asOf, c.movements
		f.Series = map[string]*savings.Series{"1": mine, "2": other}
		if got := f.begins(); got != c.want {
			t.Errorf("%s: read from %s, want %s", name, got, c.want)
		}
	}
}
