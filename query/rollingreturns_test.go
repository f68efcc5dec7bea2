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
	"cuota/model"
)

// rolled is what a page gets of the windows of one length.
type rolled struct {
	Window    string
	Windows   int
	Lowest    *float64
	Highest   *float64
	Median    *float64
	Negative  *float64
	LowestOn  *string `json:"lowest_date"`
	HighestOn *string `json:"highest_date"`
	Ends      []struct {
		Date   string
		Value  *float64
		Reason *string
	}
}

type rolledWindows struct{ Data []rolled }

// monthEnd is the last day of the month that is some months after that of a day.
func monthEnd(day model.Date, months int) model.Date {
	year, month, _ := day.Time().Date()
	return model.DateOf(time.Date(year, month+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC))
}

// yearsBefore is the same day some years earlier, or the last day of February.
func yearsBefore(day model.Date, years int) model.Date {
	year, month, of := day.Time().Date()
	last := time.Date(year-years, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return model.NewDate(year-years, month, min(of, last))
}

// check compares what windows come to with their returns.
func (of rolled) check(t *testing.T, about string, values []float64, ends []model.Date) {
	t.Helper()
	if of.Windows != len(values) {
		t.Errorf("%s: %d windows, want %d", about, of.Windows, len(values))
	}
	if len(values) < 12 {
		if of.Lowest != nil || of.Highest != nil || of.Median != nil || of.Negative != nil || of.LowestOn != nil ||
			of.HighestOn != nil {
			t.Errorf("%s: figures of %d windows: %+v", about, len(values), of)
		}
		return
	}
	low, high, negative := 0, 0, 0
	for i, value := range values {
		if value < values[low] {
			low = i
		}
		if value > values[high] {
			high = i
		}
		if value < 0 {
			negative++
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	median := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		median = (median + sorted[len(sorted)/2-1]) / 2
	}
	near := func(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-12 }
	if !near(of.Lowest, values[low]) || !near(of.Highest, values[high]) || !near(of.Median, median) ||
		!near(of.Negative, float64(negative)/float64(len(values))) || *of.LowestOn != ends[low].String() ||
		*of.HighestOn != ends[high].String() {
		t.Errorf("%s: %v on %s, %v on %s, %v, %v; want %v on %s, %v on %s, %v, %d of %d", about, *of.Lowest, *of.LowestOn,
			*of.Highest, *of.HighestOn, *of.Median, *of.Negative, values[low], ends[low], values[high], ends[high],
			median, negative, len(values))
	}
}

func TestRollingReturnsOfRealFilesEqualTheIndependentComputation(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	names, histories := realSeries(t, r)
	cutoff, err := model.ParseDate(lastDay)
	must(t, err)
	random, windows, lacking := rand.New(rand.NewPCG(37, 10)), 0, 0
	for _, id := range slices.Sorted(maps.Keys(histories)) {
		h := histories[id]
		for i := range 3 {
			day, asked := cutoff, url.Values{"asset_id": {fmt.Sprint(id)}}
			if i > 0 {
				day = cutoff.AddDays(-random.IntN(1500))
				asked.Set("as_of_date", day.String())
			}
			got := askPage[rolledWindows](t, r, "/pages/series/{asset_id}/rolling", asked).Data
			about := names[id] + " on " + day.String()
			var ends []model.Date
			for n := 0; ; n++ {
				end := monthEnd(h.days[0].day, n)
				if end.Compare(day) > 0 || end.DaysSince(h.days[len(h.days)-1].day) > 38 {
					break
				}
				ends = append(ends, end)
			}
			if len(ends) == 0 {
				if len(got) > 0 {
					t.Errorf("%s: %+v before the first month end", about, got)
				}
				continue
			}
			if len(got) != 2 || got[0].Window != "1y" || got[1].Window != "3y_ann" {
				t.Fatalf("%s: %+v", about, got)
			}
			for j, years := range []int{1, 3} {
				var values []float64
				var on []model.Date
				if len(got[j].Ends) != len(ends) {
					t.Fatalf("%s: %d ends, want %d", about, len(got[j].Ends), len(ends))
				}
				for k, end := range ends {
					value, reason := h.year(yearsBefore(end, years), end)
					of := got[j].Ends[k]
					if of.Date != end.String() || (reason == "") != (of.Value != nil) ||
						(reason == "") != (of.Reason == nil) || of.Reason != nil && *of.Reason != reason {
						t.Errorf("%s: %+v, want %s with %v %q", about, of, end, value, reason)
						continue
					}
					if reason != "" {
						lacking++
						continue
					}
					if years == 3 {
						value = math.Pow(1+value, 1/3.) - 1
					}
					if math.Abs(*of.Value-value) > 1e-12 {
						t.Errorf("%s: the window to %s is %v, want %v", about, end, *of.Value, value)
					}
					values, on = append(values, value), append(on, end)
					windows++
				}
				got[j].check(t, about+" "+got[j].Window, values, on)
			}
		}
	}
	if windows < 500 || lacking < 100 {
		t.Errorf("only %d windows with a return and %d without were compared", windows, lacking)
	}
}

func TestFewRollingReturnsHaveNoFigures(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	first := model.NewDate(2024, time.January, 31)
	var rows, builds []row
	var values []float64
	var ends []model.Date
	for n := range 15 {
		end := monthEnd(first, n)
		if n == 5 || n == 10 { // a month end with a quote of another series alone, and one without any
			continue
		}
		one := row{"date": end.String(), "series_id": 801, "build": 1, "effective_end": end.String(), "currency": "PESOS",
			"reason_1y": "stale_start_quote", "reason_3y_ann": "missing_start_quote"}
		if n != 7 {
			value := float64(n*7%13)/100 - .03
			one["return_1y"], one["reason_1y"] = value, nil
			values, ends = append(values, value), append(ends, end)
		}
		if n > 2 && n != 7 {
			one["return_3y_ann"], one["reason_3y_ann"] = .05, nil
		}
		rows = append(rows, one)
		builds = append(builds, row{"date": end.String(), "build": 1})
	}
	// The day after is no month end, and another series does not count.
	rows = append(rows, row{"date": "2025-03-01", "series_id": 801, "build": 1, "return_1y": 9, "currency": "PESOS"},
		row{"date": "2024-06-30", "series_id": 802, "build": 1, "return_1y": 9, "currency": "PESOS"})
	builds = append(builds, row{"date": "2025-03-01", "build": 1}, row{"date": "2024-06-30", "build": 1})
	insert(t, r.conn, "registry", row{"kind": "series", "id": 801, "key": "series:8011-K:R801", "run": 8011,
		"serie": "R801", "batch": 1})
	insert(t, r.conn, "series_day", row{"series_id": 801, "date": "2024-01-31", "build": 1, "currency": "PESOS",
		"quota": "100"})
	insert(t, r.conn, "series_day_version", row{"date": "2024-01-31", "build": 1})
	insert(t, r.conn, "return_day", rows...)
	insert(t, r.conn, "return_day_version", builds...)

	got := askPage[rolledWindows](t, r, "/pages/series/{asset_id}/rolling", url.Values{"asset_id": {"801"}}).Data
	if len(got) != 2 || len(got[0].Ends) != 15 || len(got[1].Ends) != 15 {
		t.Fatalf("%+v", got)
	}
	got[0].check(t, "1y", values, ends) // 12 windows
	got[1].check(t, "3y_ann", make([]float64, 9), nil)
	for i, want := range map[int]string{5: "stale_end_quote", 7: "stale_start_quote", 10: "no_stored_return"} {
		if of := got[0].Ends[i]; of.Value != nil || of.Reason == nil || *of.Reason != want {
			t.Errorf("%+v, want the reason %s", of, want)
		}
	}
	before := askPage[rolledWindows](t, r, "/pages/series/{asset_id}/rolling",
		url.Values{"asset_id": {"801"}, "as_of_date": {"2025-02-27"}}).Data
	if len(before) != 2 || len(before[0].Ends) != 13 {
		t.Errorf("the day before a month end: %+v", before)
	}
	before[0].check(t, "1y", values[:10], nil)
	if none := askPage[rolledWindows](t, r, "/pages/series/{asset_id}/rolling", url.Values{"asset_id": {"801"},
		"as_of_date": {"2024-01-30"}}).Data; len(none) > 0 {
		t.Errorf("before the first month end: %+v", none)
	}
}
