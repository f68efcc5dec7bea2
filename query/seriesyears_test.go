package query_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// yearsAndFalls is what a page gets of the past of a series.
type yearsAndFalls struct {
	Years []struct {
		Year    int
		Partial bool
		Value   *float64
		Reason  *string
		Start   *string `json:"effective_start_date"`
		End     *string `json:"effective_end_date"`
	}
	Falls []fallen
}

type fallen struct {
	Peak      string  `json:"peak_date"`
	Lowest    string  `json:"lowest_date"`
	Recovered *string `json:"recovered_date"`
	Status    string
	Depth     float64
	Days      int      `json:"days_long"`
	Verified  *float64 `json:"verified_depth"`
}

// quotedDay is a row of a series; a void one has no quota.
type quotedDay struct {
	day    model.Date
	quota  *float64
	equity float64 // of real files
	factor float64 // what one quota of the quote before has become

	verified float64 // the same by the verified factors; 0 if they do not have the day
}

// quotedHistory is a series as the test knows it: its rows in order, and its breaks.
type quotedHistory struct {
	days   []quotedDay
	breaks []model.Date
	// further days that break price returns alone, and no falls
	adjusted []model.Date
}

// at returns the newest row up to a day.
func (h quotedHistory) at(day model.Date) *quotedDay {
	for i := len(h.days) - 1; i >= 0; i-- {
		if h.days[i].day.Compare(day) <= 0 {
			return &h.days[i]
		}
	}
	return nil
}

// year returns the return from one day to another, or the reason why there is none.
func (h quotedHistory) year(from, to model.Date) (value float64, reason string) {
	start, end := h.at(from), h.at(to)
	switch {
	case end.quota == nil:
		return 0, "invalid_end_quote"
	case to.DaysSince(end.day) > 7:
		return 0, "stale_end_quote"
	case start == nil:
		return 0, "missing_start_quote"
	case start.quota == nil:
		return 0, "invalid_start_quote"
	case from.DaysSince(start.day) > 7:
		return 0, "stale_start_quote"
	}
	for _, day := range slices.Concat(h.breaks, h.adjusted) {
		if day.Compare(start.day) > 0 && day.Compare(end.day) <= 0 {
			return 0, "known_discontinuity"
		}
	}
	return *end.quota / *start.quota - 1, ""
}

// falls looks from each day that no earlier one of its part exceeds to the next day that reaches it again.
func (h quotedHistory) falls(until model.Date) (list []fallen) {
	var days []quotedDay
	for _, d := range h.days {
		if d.quota != nil && d.day.Compare(until) <= 0 {
			days = append(days, d)
		}
	}
	broken := func(before, after model.Date) bool {
		return slices.ContainsFunc(h.breaks, func(b model.Date) bool {
			return b.Compare(before) > 0 && b.Compare(after) <= 0
		})
	}
	highest := 0.0
	worth := make([]float64, len(days))
	multiple := 1.0
	for i, d := range days {
		multiple *= d.factor
		worth[i] = *d.quota * multiple
	}
	for i, peak := range days {
		if i == 0 || broken(days[i-1].day, peak.day) {
			highest = 0
		}
		if worth[i] < highest*(1-1e-13) {
			continue
		}
		highest = max(highest, worth[i])
		low, last := i, i
		f := fallen{Peak: peak.day.String(), Status: "open"}
		for j := i + 1; j < len(days); j++ {
			if broken(days[j-1].day, days[j].day) {
				f.Status = "broken"
				break
			}
			last = j
			if worth[j] >= worth[i]*(1-1e-13) {
				f.Status, f.Recovered = "recovered", new(days[j].day.String())
				break
			}
			if worth[j] < worth[low]*(1-1e-13) {
				low = j
			}
		}
		if low > i {
			f.Lowest, f.Depth = days[low].day.String(), worth[low]/worth[i]-1
			f.Days = days[last].day.DaysSince(peak.day)
			differs, multiple := false, 1.0
			for _, d := range days[i+1 : low+1] {
				if d.verified != 0 && d.verified != d.factor {
					differs, multiple = true, multiple*d.verified/d.factor
				}
			}
			if differs {
				f.Verified = new((1+f.Depth)*multiple - 1)
			}
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b fallen) int {
		switch {
		case math.Abs(a.Depth-b.Depth) < 1e-12:
			return 0
		case a.Depth < b.Depth:
			return -1
		}
		return 1
	})
	return list[:min(5, len(list))]
}

// compare compares what a page gets of a series on a day with what its rows come to.
func (h quotedHistory) compare(t *testing.T, about string, day model.Date, got yearsAndFalls) (years, falls int) {
	t.Helper()
	last := h.at(day)
	if last == nil {
		if len(got.Years)+len(got.Falls) != 0 {
			t.Errorf("%s: %+v before its first row", about, got)
		}
		return 0, 0
	}
	first, newest := h.days[0].day.Time().Year(), day.Time().Year()
	if day.DaysSince(last.day) > 7 {
		newest = last.day.Time().Year()
	}
	if len(got.Years) != newest-first+1 {
		t.Fatalf("%s: %d years, want those from %d to %d", about, len(got.Years), first, newest)
	}
	for i, of := range got.Years {
		year := newest - i
		from, to := model.NewDate(year-1, time.December, 31), model.NewDate(year, time.December, 31)
		partial := to.Compare(day) > 0
		if partial {
			to = day
		}
		value, reason := h.year(from, to)
		switch {
		case of.Year != year || of.Partial != partial:
			t.Errorf("%s: %+v, want the year %d, partial: %t", about, of, year, partial)
		case reason != "":
			if of.Value != nil || of.Reason == nil || *of.Reason != reason {
				t.Errorf("%s: %d is %+v, want the reason %s", about, year, of, reason)
			}
		case of.Value == nil || math.Abs(*of.Value-value) > 1e-12 || *of.Start != h.at(from).day.String() ||
			*of.End != h.at(to).day.String():
			t.Errorf("%s: %d is %+v, want %v", about, year, of, value)
		default:
			years++
		}
	}
	want := h.falls(day)
	if len(want) != len(got.Falls) {
		t.Fatalf("%s: %d falls, want %+v", about, len(got.Falls), want)
	}
	for i, of := range got.Falls {
		w := want[i]
		if of.Peak != w.Peak || of.Lowest != w.Lowest || of.Status != w.Status || of.Days != w.Days ||
			math.Abs(of.Depth-w.Depth) > 1e-9 || (of.Recovered == nil) != (w.Recovered == nil) ||
			of.Recovered != nil && *of.Recovered != *w.Recovered || (of.Verified == nil) != (w.Verified == nil) ||
			of.Verified != nil && math.Abs(*of.Verified-*w.Verified) > 1e-9 {
			t.Errorf("%s: the fall %+v, want %+v", about, of, w)
		}
		falls++
	}
	return years, falls
}

// realSeries are the series of RUN 9809 and 9810 with their histories, by id.
func realSeries(t *testing.T, r *rig) (names map[uint32]string, histories map[uint32]*quotedHistory) {
	t.Helper()
	named := map[string]*quotedHistory{}
	for _, q := range cartolas(t, demoFiles(t)) {
		if q.run != 9809 && q.run != 9810 {
			continue
		}
		key := fmt.Sprint(model.RUN(q.run), " ", q.serie)
		if named[key] == nil {
			named[key] = &quotedHistory{}
		}
		day, err := model.ParseDate(q.date)
		must(t, err)
		named[key].days = append(named[key].days, quotedDay{day, &q.price, q.equity, 1, 0})
	}
	var series []struct {
		ID    uint32 `ch:"series_id"`
		RUN   string `ch:"run"`
		Serie string `ch:"serie"`
	}
	must(t, r.conn.Select(t.Context(), &series, `SELECT series_id, run, serie FROM current_series
		WHERE run LIKE '9809-%' OR run LIKE '9810-%'`))
	names, histories = map[uint32]string{}, map[uint32]*quotedHistory{}
	for _, of := range series {
		names[of.ID] = of.RUN + " " + of.Serie
		h := named[names[of.ID]]
		slices.SortFunc(h.days, func(a, b quotedDay) int { return a.day.Compare(b.day) })
		for i := range h.days[1:] {
			if h.days[i+1].day.DaysSince(h.days[i].day) > 31 || h.days[i].equity == 0 && h.days[i+1].equity > 0 {
				h.breaks = append(h.breaks, h.days[i+1].day)
			}
		}
		histories[of.ID] = h
	}
	if len(names) < 8 {
		t.Fatalf("there are only %d series", len(names))
	}
	return names, histories
}

func TestYearsAndFallsOfRealFilesEqualTheIndependentComputation(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	names, histories := realSeries(t, r)
	end, err := model.ParseDate(lastDay)
	must(t, err)
	random, years, falls := rand.New(rand.NewPCG(98, 9)), 0, 0
	for _, id := range slices.Sorted(maps.Keys(histories)) {
		h := histories[id]
		for i := range 4 {
			day := end
			asked := url.Values{"asset_id": {fmt.Sprint(id)}}
			if i > 0 {
				day = end.AddDays(-random.IntN(2000))
				asked.Set("as_of_date", day.String())
			}
			y, f := h.compare(t, names[id]+" on "+day.String(), day,
				askPage[yearsAndFalls](t, r, "/pages/series/{asset_id}/years", asked))
			years, falls = years+y, falls+f
			if i > 0 {
				continue
			}
			// The year that is not over is the window ytd.
			window := decode[struct {
				Data struct {
					Attributes struct {
						Periods map[string]struct{ Value *float64 }
					}
				}
			}](t, r.get(t, fmt.Sprintf("/api/real_assets/%d/returns", id))).Data.Attributes.Periods["ytd"].Value
			got := askPage[yearsAndFalls](t, r, "/pages/series/{asset_id}/years", asked).Years[0].Value
			if (window == nil) != (got == nil) || window != nil && *window != *got {
				t.Errorf("the year of %s is %v, ytd is %v", names[id], got, window)
			}
		}
	}
	if years < 60 || falls < 100 {
		t.Errorf("only %d years and %d falls were compared", years, falls)
	}
}

func TestYearsAndFallsOfRandomQuotasEqualAnIndependentWay(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	random := rand.New(rand.NewPCG(37, 3))
	begin, end := model.NewDate(2021, time.October, 1), model.NewDate(2024, time.March, 10)
	var rows, registry, builds, discontinuities, steps, verified []row
	histories := map[uint32]*quotedHistory{}
	breakOn := func(id uint32, day model.Date, kind string) {
		discontinuities = append(discontinuities,
			row{"batch": 1, "series_id": id, "date": day.String(), "kind": kind})
	}
	stepOn := func(id uint32, day model.Date, factor float64) {
		steps = append(steps,
			row{"batch": 1, "series_id": id, "date": day.String(), "broken": false, "factor": factor})
	}
	verify := func(id uint32, day model.Date, factor float64) {
		verified = append(verified, row{"run": 8011, "serie": fmt.Sprint("R", id), "date": day.String(),
			"revision": "2026-07-01 00:00:00.000", "source_sha256": sha('a'), "source_line": len(verified) + 1,
			"distribution_factor": fmt.Sprint(factor), "adjustment_factor": "1", "quota": "1", "currency": "PESOS"})
	}
	for id := uint32(701); id <= 720; id++ {
		h, quota := &quotedHistory{}, 1000.0
		for day := begin.AddDays(random.IntN(200)); day.Compare(end) <= 0; day = day.AddDays(1) {
			if random.IntN(150) == 0 {
				if day = day.AddDays(random.IntN(60)); day.Compare(end) > 0 { // rows are missing
					break
				}
				if n := len(h.days); n > 0 && day.DaysSince(h.days[n-1].day) > 31 {
					h.breaks = append(h.breaks, day)
					breakOn(id, day, "gap")
				}
			}
			of := quotedDay{day: day, factor: 1}
			if random.IntN(60) != 0 {
				quota = math.Round(quota*(1+0.02*random.NormFloat64())*1e4) / 1e4
				of.quota = new(quota)
				switch random.IntN(400) {
				case 0: // a distribution
					of.factor = 1.03
					stepOn(id, day, 1.03)
					if of.verified = 1.03; random.IntN(2) == 0 {
						of.verified = 1.01
					}
					verify(id, day, of.verified)
				case 1: // a stated change of the unit that is believed
					of.factor = 2
					quota = math.Round(quota/2*1e4) / 1e4
					of.quota = new(quota)
					h.adjusted = append(h.adjusted, day)
					stepOn(id, day, 2)
					breakOn(id, day, "adjustment")
				case 2:
					h.breaks = append(h.breaks, day)
					breakOn(id, day, "unit_change")
				case 3, 4: // a distribution that the cartola does not state
					of.verified = 1.02
					verify(id, day, of.verified)
				case 5: // no distribution is so large
					verify(id, day, 1.7)
				}
			}
			h.days = append(h.days, of)
			one := row{"series_id": id, "date": day.String(), "build": 1, "currency": "PESOS", "quota": nil}
			if of.quota != nil {
				one["quota"] = fmt.Sprintf("%.4f", *of.quota)
			}
			rows = append(rows, one)
		}
		registry = append(registry, row{"kind": "series", "id": id, "key": fmt.Sprintf("series:8011-K:R%d", id),
			"run": 8011, "serie": fmt.Sprint("R", id), "batch": 1})
		histories[id] = h
	}
	for day := begin; day.Compare(end) <= 0; day = day.AddDays(1) {
		builds = append(builds, row{"date": day.String(), "build": 1})
	}
	insert(t, r.conn, "registry", registry...)
	insert(t, r.conn, "series_day", rows...)
	insert(t, r.conn, "series_day_version", builds...)
	insert(t, r.conn, "discontinuity", discontinuities...)
	insert(t, r.conn, "series_step", steps...)
	insert(t, r.conn, "fact_factor", verified...)

	years, falls, differing, statuses := 0, 0, 0, map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(histories)) { // in order, so that each run draws the same days
		h := histories[id]
		for i := range 6 {
			day := end.AddDays(5) // the last row is not of the day
			if i > 0 {
				day = end.AddDays(-random.IntN(900))
			}
			got := askPage[yearsAndFalls](t, r, "/pages/series/{asset_id}/years",
				url.Values{"asset_id": {fmt.Sprint(id)}, "as_of_date": {day.String()}})
			y, f := h.compare(t, fmt.Sprint(id, " on ", day), day, got)
			years, falls = years+y, falls+f
			for _, fall := range got.Falls {
				statuses[fall.Status]++
				if fall.Verified != nil {
					differing++
				}
			}
		}
	}
	if years < 20 || falls < 100 || differing < 10 || differing > falls-10 || statuses["open"] == 0 ||
		statuses["broken"] == 0 || statuses["recovered"] == 0 {
		t.Errorf("too little was compared: %d years, %d falls, %d of them others by verified factors, %v", years, falls,
			differing, statuses)
	}
}
