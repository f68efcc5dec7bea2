package summarytable_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/backtest/summarytable"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// read returns all rows that a request is answered with.
func read(t *testing.T, m *demotest.Market,
	asked summarytable.Request) (days []summarytable.Dates, all summarytable.Part) {
	t.Helper()
	batch, reader, err := summarytable.Choose(t.Context(), m.Conn, nil)
	must(t, err)
	days, err = summarytable.Days(t.Context(), reader, batch, asked)
	must(t, err)
	parts := 0
	must(t, summarytable.Read(t.Context(), reader, batch, asked, days, func(part summarytable.Part) error {
		parts++
		all.Days += part.Days
		all.Families = append(all.Families, part.Families...)
		all.Indices = append(all.Indices, part.Indices...)
		all.Movers = append(all.Movers, part.Movers...)
		return nil
	}))
	must(t, summarytable.CheckReadable(t.Context(), reader, batch))
	if all.Days != len(days) || asked.Step == summarytable.Daily && parts < len(days)/12 {
		t.Errorf("%d days of %d in %d parts", all.Days, len(days), parts)
	}
	return days, all
}

func request(t *testing.T, from, to string, step summarytable.Step) summarytable.Request {
	t.Helper()
	return summarytable.Request{From: model.DateOf(date(t, from)), To: model.DateOf(date(t, to)), Step: step}
}

func TestSummariesOfThenCountEverySeriesThatExisted(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := made(t)
	days, all := read(t, m.Market, request(t, "2024-06-01", "2030-01-01", summarytable.Daily))
	if len(days) != 98 || days[0].Date.Format(time.DateOnly) != firstDay ||
		days[97].Date.Format(time.DateOnly) != lastDay {
		t.Fatalf("%d days: %v", len(days), days)
	}
	closed, outliers, passed := 0, 0, 0
	families := byDay(all.Families, func(f summarytable.Family) time.Time { return f.Date })
	indices := byDay(all.Indices, func(p summarytable.IndexPoint) time.Time { return p.Date })
	movers := byDay(all.Movers, func(m summarytable.Mover) time.Time { return m.Date })
	for _, day := range days {
		on := day.Date
		if day.Asked != on || !day.Complete != !m.oracle.Complete(on, m.dolar) {
			t.Errorf("%+v", day)
		}
		want := m.oracle.FamilyDays(on)
		for _, f := range families[on] {
			of, found := want[[2]string{f.Family, f.Currency}]
			delete(want, [2]string{f.Family, f.Currency})
			previous, change := m.oracle.FamilyChange(f.Family, f.Currency, on, nil)
			shown := ""
			if f.Previous != nil {
				shown = f.Previous.Format(time.DateOnly)
			}
			clp := m.pesos(f.Currency, of.Equity, on)
			if !found || f.Dates != day || !near(&f.Equity, &of.Equity) || !near(f.EquityCLP, &clp) ||
				int(f.Series) != of.Series || int(f.Funds) != of.Funds ||
				int(f.MonthSeries) != of.InMonth.Series || !near(f.MonthShare, of.InMonth.Share) ||
				!near(f.MonthReturn, of.Monthly) || !near(f.DailyReturn, change) || shown != previous ||
				*f.FamilyDisplay != f.Family {
				t.Errorf("%s: %+v, want %+v, %v since %s", on.Format(time.DateOnly), f, of, change, previous)
			}
			if f.Family == bonds {
				closed++
			}
			if shown != "" && shown < passedOver && on.Format(time.DateOnly) > passedOver {
				passed++
			}
		}
		if len(want) > 0 {
			t.Errorf("%s: %v is missing", on.Format(time.DateOnly), want)
		}
		m.compareIndices(t, on, indices[on])
		outliers += m.compareMovers(t, on, movers[on])
	}
	// The family has a row while its newest quotes count, which is for seven days.
	if closed != 61 || outliers == 0 || passed == 0 || len(all.Movers) < 1000 || len(all.Indices) < 280 {
		t.Errorf("the closed family has %d rows; %d changes are outliers; %d pass over a day; %d movers, %d points",
			closed, outliers, passed, len(all.Movers), len(all.Indices))
	}
}

func byDay[T any](rows []T, on func(T) time.Time) map[time.Time][]T {
	of := map[time.Time][]T{}
	for _, row := range rows {
		of[on(row)] = append(of[on(row)], row)
	}
	return of
}

func (m *market) compareIndices(t *testing.T, on time.Time, points []summarytable.IndexPoint) {
	t.Helper()
	for _, key := range [][2]string{{stocks, "DOLAR"}, {stocks, "PESOS"}, {bonds, "PESOS"}, {money, "PESOS"}} {
		at := slices.IndexFunc(points, func(p summarytable.IndexPoint) bool {
			return p.Family == key[0] && p.Currency == key[1]
		})
		found := false
		for _, want := range m.oracle.FamilyIndex(key[0], key[1]) {
			if !want.Day.Equal(on) {
				continue
			}
			found = true
			if at < 0 {
				t.Errorf("%v has no point on %s", key, on.Format(time.DateOnly))
				continue
			}
			change := want.Change
			if change != nil {
				change = new(*change / 100)
			}
			if got := points[at]; !near(&got.Level, &want.Value) || !near(got.Return, change) ||
				int(got.EligibleSeries) != want.Series || !near(got.EligibleShare, want.Share) {
				t.Errorf("%v on %s: %+v, want %+v", key, on.Format(time.DateOnly), got, want)
			}
		}
		if !found && at >= 0 {
			t.Errorf("%v has the point %+v", key, points[at])
		}
	}
}

// compareMovers computes the lists of a day anew: of each fund the series with most equity among
// those of at least 100 million pesos whose change is known and no outlier. It returns how many
// changes were outliers.
func (m *market) compareMovers(t *testing.T, on time.Time, movers []summarytable.Mover) (outliers int) {
	t.Helper()
	type candidate struct {
		member
		change, clp float64
	}
	iso, market := on.Format(time.DateOnly), m.oracle.Day(on)
	want := map[string][]string{}
	for _, kind := range []string{"daily", "monthly"} {
		leads := map[int]candidate{}
		for _, of := range members() {
			d, quoted := market[of.series()]
			change, reason := d.Daily, d.DailyOutlier
			if kind == "monthly" {
				change, reason = d.Monthly, d.MonthlyOutlier
			}
			if reason != "" {
				outliers++
			}
			clp := m.pesos(d.Currency, m.equity[of.key(iso)], on)
			if quoted && change != nil && reason == "" && clp >= 100e6 && clp > leads[of.run].clp {
				leads[of.run] = candidate{of, *change, clp}
			}
		}
		for list, sign := range map[string]float64{"gainers_" + kind: 1, "losers_" + kind: -1} {
			var ranked []candidate
			for _, c := range leads {
				if c.change*sign > 0 {
					ranked = append(ranked, c)
				}
			}
			slices.SortFunc(ranked, func(a, b candidate) int { return cmp.Compare(b.change*sign, a.change*sign) })
			for i, c := range ranked {
				want[list] = append(want[list], fmt.Sprintf("%d %d-%s %s %.9f %.0f", i+1, c.run,
					oracle.CheckDigit(c.run), c.serie, c.change, c.clp))
			}
		}
	}
	got := map[string][]string{}
	for _, mover := range movers {
		change := mover.DailyReturn
		if strings.HasSuffix(mover.List, "monthly") {
			change = mover.MonthReturn
		}
		got[mover.List] = append(got[mover.List],
			fmt.Sprintf("%d %s %s %.9f %.0f", mover.Place, mover.RUN, mover.Serie, 100**change, *mover.EquityCLP))
	}
	for _, list := range []string{"gainers_daily", "losers_daily", "gainers_monthly", "losers_monthly"} {
		if !slices.Equal(got[list], want[list]) {
			t.Errorf("%s of %s:\n%s\nwant:\n%s", list, iso, strings.Join(got[list], "\n"),
				strings.Join(want[list], "\n"))
		}
	}
	return outliers
}

// near reports whether two numbers differ by less than 1e-9 relative to their size, or are both
// unknown.
func near(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) <= 1e-9*max(math.Abs(*b), 1e-3)
}

func TestTheUniverseOfTodayLeavesOutWhatHasClosedAndNothingElse(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := made(t)
	asked := request(t, "2025-02-10", "2025-03-31", summarytable.Daily)
	_, then := read(t, m.Market, asked)
	asked.CurrentOnly = true
	_, current := read(t, m.Market, asked)
	alive := map[string]int{stocks + "PESOS": 6, stocks + "DOLAR": 4, money + "PESOS": 3}
	for _, f := range current.Families {
		if int(f.Series) != alive[f.Family+f.Currency] {
			t.Errorf("%+v", f)
		}
	}
	for _, mover := range current.Movers {
		if mover.RUN[:5] == "81005" || mover.RUN[:5] == "81007" || mover.RUN[:5] == "81003" && mover.Serie == "A" {
			t.Errorf("a series that closed moved: %+v", mover)
		}
	}
	if !slices.Equal(then.Indices, current.Indices) && len(then.Indices) != len(current.Indices) {
		t.Error("the indices depend on the universe")
	}
	if len(then.Families) <= len(current.Families) || len(then.Movers) <= len(current.Movers) {
		t.Errorf("%d and %d families, %d and %d movers", len(then.Families), len(current.Families), len(then.Movers),
			len(current.Movers))
	}
}

func TestABatchOfAnotherVersionGivesWhatItHasStored(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := made(t)
	for _, current := range []bool{false, true} {
		asked := request(t, "2025-02-10", "2025-03-31", summarytable.Daily)
		asked.CurrentOnly = current
		_, own := read(t, m.Market, asked)
		must(t, m.Conn.Exec(t.Context(),
			"ALTER TABLE batch UPDATE rules = concat('other ', rules) WHERE true SETTINGS mutations_sync = 1"))
		_, other := read(t, m.Market, asked)
		if !reflect.DeepEqual(own, other) || len(own.Families) < 100 || len(own.Movers) < 100 {
			t.Errorf("current only %t: %d and %d families, %d and %d movers, or other rows", current, len(own.Families),
				len(other.Families), len(own.Movers), len(other.Movers))
		}
		must(t, m.Conn.Exec(t.Context(),
			"ALTER TABLE batch UPDATE rules = substring(rules, 7) WHERE true SETTINGS mutations_sync = 1"))
	}
}

func TestAStepIsAnsweredByItsLastDayWithData(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := made(t)
	batch, reader, err := summarytable.Choose(t.Context(), m.Conn, nil)
	must(t, err)
	for _, c := range []struct {
		step     summarytable.Step
		from, to string
		want     []string // date, and what was asked for if that differs
	}{
		{summarytable.Monthly, "2024-11-15", "2025-12-31",
			[]string{"2025-01-31", "2025-02-20 for 2025-02-28", "2025-03-31"}},
		{summarytable.Monthly, "2025-02-01", "2025-03-30", []string{"2025-02-20 for 2025-02-28"}},
		{summarytable.Weekly, "2025-02-10", "2025-03-03",
			[]string{"2025-02-16", "2025-02-20 for 2025-02-23", "2025-03-02"}},
		{summarytable.Daily, "2025-02-27", "2025-03-01", []string{"2025-02-27", "2025-03-01"}},
		{summarytable.Daily, "2025-02-28", "2025-03-01", []string{"2025-03-01"}},
		{summarytable.Daily, "2025-02-28", "2025-02-28", nil},
		{summarytable.Daily, "2025-04-09", "2025-05-01", []string{"2025-04-09", "2025-04-10"}},
	} {
		days, err := summarytable.Days(t.Context(), reader, batch, request(t, c.from, c.to, c.step))
		if c.want == nil && err != nil && strings.Contains(err.Error(), "there is no day with data from 2025-02-28") {
			continue
		}
		must(t, err)
		var got []string
		for _, day := range days {
			text := day.Date.Format(time.DateOnly)
			if day.Asked != day.Date {
				text += " for " + day.Asked.Format(time.DateOnly)
			}
			got = append(got, text)
			if on, ok := m.oracle.Answering(day.Asked, m.dolar); !ok || !on.Equal(day.Date) {
				t.Errorf("%s is answered by %s, want %s", day.Asked, day.Date, on)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s from %s to %s: %v, want %v", c.step, c.from, c.to, got, c.want)
		}
	}
	for _, c := range []struct {
		step     summarytable.Step
		from, to string
		want     string
	}{
		{summarytable.Daily, "2025-03-02", "2025-03-01", "the first date 2025-03-02 is after the last date 2025-03-01"},
		{"year", "2025-03-01", "2025-03-02", `unknown step "year"`},
		{summarytable.Daily, "2024-01-01", "2024-12-31", "which goes from 2025-01-01 to 2025-04-10"},
		{summarytable.Daily, "2025-04-11", "2025-12-31", "which goes from 2025-01-01 to 2025-04-10"},
		{summarytable.Monthly, "2025-03-01", "2025-03-30", "there is no month end from 2025-03-01 to 2025-03-30"},
		{summarytable.Weekly, "2025-03-03", "2025-03-08", "there is no Sunday"},
		{summarytable.Daily, "1901-01-01", "1902-01-01", "no date from 1901-01-01"},
	} {
		days, err := summarytable.Days(t.Context(), reader, batch, request(t, c.from, c.to, c.step))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s from %s to %s: %v, %v; want %s", c.step, c.from, c.to, days, err, c.want)
		}
	}
}

func TestWithoutABatchThereIsAClearError(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	if _, _, err := summarytable.Choose(context.Background(), m.Conn, nil); err != summarytable.ErrNoBatch {
		t.Error(err)
	}
	at := demotest.Clock
	if _, _, err := summarytable.Choose(context.Background(), m.Conn, &at); err != summarytable.ErrNoBatch {
		t.Error(err)
	}
}

func TestAMomentIsAnsweredFromTheBatchThatWasPublishedThen(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := made(t)
	before, reader, err := summarytable.Choose(t.Context(), m.Conn, nil)
	must(t, err)
	m.SetClock(demotest.Clock.Add(time.Hour))
	m.Rebuild(t)
	at := demotest.Clock.Add(time.Minute)
	known, _, err := summarytable.Choose(t.Context(), m.Conn, &at)
	must(t, err)
	if known != before {
		t.Errorf("%+v, want %+v", known, before)
	}
	newest, _, err := summarytable.Choose(t.Context(), m.Conn, nil)
	must(t, err)
	if newest.Number != before.Number+1 {
		t.Errorf("%+v", newest)
	}
	at = demotest.Clock.Add(-time.Minute)
	if _, _, err := summarytable.Choose(t.Context(), m.Conn, &at); err == nil ||
		!strings.Contains(err.Error(), "the first one that is kept was published at") {
		t.Error(err)
	}
	must(t, summarytable.CheckReadable(t.Context(), reader, before))
	err = summarytable.CheckReadable(t.Context(), reader, summarytable.Batch{Number: 99})
	if err != summarytable.ErrRetired {
		t.Error(err)
	}
}
