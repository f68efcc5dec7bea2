package query_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/longtest"
	"cuota/model"
)

type familyOfPage struct {
	Family             string
	Series             int
	DailyKnown         int
	DailyFlow          *float64
	DailyReason        *string
	DailyFrom, DailyTo string
	MonthlyKnown       int
	MonthlyFlow        *float64
	TACKind            string
	TACSeries          int
	TACMean, TACMedian *float64
	TACShare           *float64
}

// flowDay is a row of the daily market in the tests of the flows.
type flowDay struct {
	series   int
	date     string
	family   any
	currency string
	flow     any // nil: unknown
	equity   float64
	month    any // the quote of one month earlier
	void     bool
}

func TestFlowsAndCostsOfFamiliesAreThoseOfTheirSeriesOfTheDay(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	const day = "2026-07-30"
	dolar := map[string]float64{"2026-07-02": 800, "2026-07-30": 900} // of the days with flows in dollars
	// The newest business day of the peso begins one day before and ends on the day; that of the dollar is the day
	// itself.
	begun, lasts := map[string]string{"PESOS": "2026-07-29", "DOLAR": day}, map[string]int{"PESOS": 2, "DOLAR": 1}
	days := []flowDay{
		{501, "2026-07-29", "Una", "PESOS", 1e6, 9e6, nil, false},
		{503, "2026-07-29", "Una", "PESOS", 0.0, 9e6, nil, false},
		{505, "2026-07-29", "Joven", "PESOS", 2e6, 9e6, nil, false},
		// In pesos, with a flow before the month, which does not count.
		{501, "2026-06-28", "Una", "PESOS", 1e6, 9e6, nil, false},
		{501, "2026-06-30", "Una", "PESOS", 2e6, 9e6, nil, false},
		{501, "2026-07-02", "Otra entonces", "PESOS", 4e6, 9e6, nil, false}, // its family of the day asked counts
		{501, day, "Una", "PESOS", -8e6, 3e9, "2026-06-30", false},
		// In dollars: each flow at the rate of its day.
		{502, "2026-07-02", "Una", "DOLAR", 1000.0, 9e6, nil, false},
		{502, day, "Una", "DOLAR", 500.0, 2e6, "2026-06-30", false},
		// A second kind of rate, of less equity, is not mixed in.
		{503, day, "Una", "PESOS", 0.0, 1e9, "2026-06-30", false},
		// A series whose flow of one day of the month is unknown.
		{504, "2026-07-02", "Dos < tres / cuatro", "PESOS", nil, 5e9, nil, false},
		{504, day, "Dos < tres / cuatro", "PESOS", 7e6, 5e9, "2026-06-30", false},
		// No quote of one month earlier, and no equity: no weight.
		{505, day, "Joven", "PESOS", 1e6, 0, nil, false},
		// A void row, and a series without a family, count nowhere.
		{506, day, "Joven", "PESOS", 5e6, 1e9, "2026-06-30", true},
		{507, day, nil, "PESOS", 5e6, 1e9, "2026-06-30", false},
		// A series without a flow of the day.
		{508, day, "Sin flujo", "PESOS", nil, 1e9, "2026-06-30", false},
	}
	rates := map[int]struct {
		kind string
		tac  float64
	}{501: {"synthetic", .01}, 502: {"synthetic", .03}, 503: {"stated", .5}, 504: {"stated", .02},
		505: {"synthetic", .04}}

	var market, builds []row
	for _, d := range days {
		one := row{"date": d.date, "series_id": d.series, "build": 1, "manager_rut": rutAlfa, "currency": d.currency,
			"price": "1", "flow": d.flow, "equity": d.equity,
			"month_date": d.month, "family_rar": d.family}
		if d.void {
			one["price"] = nil
		}
		market = append(market, one)
	}
	insert(t, r.conn, "flow_day", row{"date": "2026-07-29", "build": 1, "opening": []string{"PESOS"}},
		row{"date": day, "build": 1, "opening": []string{"DOLAR"}, "closing": []string{"DOLAR", "PESOS"}})
	for _, date := range []string{"2026-06-28", "2026-06-30", "2026-07-02", "2026-07-29"} {
		builds = append(builds, row{"date": date, "build": 1})
	}
	insert(t, r.conn, "market_day", market...)
	insert(t, r.conn, "market_day_version", builds...)
	for series, of := range rates {
		source, kind := "stated", "synthetic"
		if of.kind != "synthetic" {
			kind = "real"
		}
		insert(t, r.conn, "registry", row{"kind": "series", "id": series,
			"key": "series:8011-K:" + string(rune('a'+series-500)), "run": 8011,
			"serie": string(rune('a' + series - 500)), "batch": 1})
		insert(t, r.conn, "tac_month", row{"batch": 1, "series_id": series, "month": "2026-06-30", "kind": kind,
			"source": source, "tac": of.tac},
			// of a month that was not over
			row{"batch": 1, "series_id": series, "month": "2026-07-31", "kind": kind, "source": source, "tac": .9})
	}
	insert(t, r.conn, "fact_indicator",
		row{"code": "dolar", "date": "2026-07-01", "revision": "2026-08-01 00:00:00.000", "source_sha256": sha('d'),
			"source_line": 3, "value": "800"})

	got := askPage[struct {
		Date     string
		Families []familyOfPage
	}](t, r, "/pages/families", url.Values{"date": {day}})
	if got.Date != day || len(got.Families) != 4 {
		t.Fatalf("%+v", got)
	}
	pesos := func(d flowDay, amount float64) float64 {
		if d.currency == "DOLAR" {
			amount *= dolar[d.date]
		}
		return amount / 1e6
	}
	for _, f := range got.Families {
		var daily, monthly, weight, weighted, all float64
		var businessDays []string
		dailyKnown, monthlyKnown, series := 0, 0, 0
		var costs []float64
		for _, d := range days {
			if d.date != day || d.void || d.family != f.Family {
				continue
			}
			series++
			businessDays = append(businessDays, begun[d.currency])
			all += pesos(d, d.equity)
			quoted, inDay := 0, 0.0
			for _, other := range days {
				if flow, known := other.flow.(float64); known && other.series == d.series &&
					other.date >= begun[d.currency] {
					quoted, inDay = quoted+1, inDay+flow
				}
			}
			if quoted == lasts[d.currency] {
				daily += pesos(d, inDay)
				dailyKnown++
			}
			known, sum := d.month != nil, 0.0
			for _, other := range days {
				if d.month == nil || other.series != d.series || other.date <= d.month.(string) {
					continue
				}
				flow, is := other.flow.(float64)
				known, sum = known && is, sum+pesos(other, flow)
			}
			if known {
				monthlyKnown++
				monthly += sum
			}
			if rate, has := rates[d.series]; has && rate.kind == f.TACKind {
				costs = append(costs, rate.tac)
				weight += pesos(d, d.equity)
				weighted += pesos(d, d.equity) * rate.tac
			}
		}
		if f.Series != series || f.DailyKnown != dailyKnown || f.MonthlyKnown != monthlyKnown ||
			f.TACSeries != len(costs) {
			t.Errorf("%+v: %d series, %d daily, %d monthly, %d rates", f, series, dailyKnown, monthlyKnown, len(costs))
		}
		if f.DailyFrom != slices.Min(businessDays) || f.DailyTo != slices.Max(businessDays) {
			t.Errorf("%+v: the business days are %v", f, businessDays)
		}
		near := func(name string, is *float64, want float64, known bool) {
			if (is != nil) != known || known && math.Abs(*is-want) > 1e-9 {
				t.Errorf("%s of %s: %v, want %v (%t)", name, f.Family, is, want, known)
			}
		}
		near("daily flow", f.DailyFlow, daily, dailyKnown == series)
		if (f.DailyReason == nil) != (f.DailyFlow != nil) ||
			f.DailyReason != nil && *f.DailyReason != "incomplete_business_day" {
			t.Errorf("reason of the daily flow of %s: %v", f.Family, f.DailyReason)
		}
		near("monthly flow", f.MonthlyFlow, monthly, monthlyKnown == series)
		near("mean", f.TACMean, weighted/weight, weight > 0)
		slices.Sort(costs)
		if n := len(costs); n > 0 {
			near("median", f.TACMedian, (costs[(n-1)/2]+costs[n/2])/2, true)
		}
		near("share", f.TACShare, weight/all, all > 0)
	}
	if una := got.Families[slices.IndexFunc(got.Families, func(f familyOfPage) bool {
		return f.Family == "Una"
	})]; una.TACKind != "synthetic" || una.TACSeries != 2 || math.Abs(*una.DailyFlow-(-6.55)) > 1e-9 ||
		math.Abs(*una.MonthlyFlow-(-1.75)) > 1e-9 {
		t.Errorf("%+v", una) // 1 - 8 + 0.45; 4 + 1 - 8 + 0.8 + 0.45
	}

	before := askPage[struct {
		Date     *string
		Families []familyOfPage
	}](t, r, "/pages/families", url.Values{"date": {"1999-01-01"}})
	if before.Date != nil || before.Families == nil || len(before.Families) > 0 {
		t.Errorf("%+v", before)
	}
}

func TestThePageOfTheDataShowsNoTextOfRejectedRows(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	insert(t, r.conn, "rejected_row",
		row{"dataset": "cartola", "source_sha256": sha('9'), "source_line": 7, "revision": "2026-08-01 00:00:00.000",
			"file": "ffmm_20260731.txt", "reason": "column 3: no date", "raw": "secret;text",
			"arrived_at": "2026-08-01 00:00:00"})
	insert(t, r.conn, "complete_file",
		row{"dataset": "dolar", "sha256": sha('d'), "revision": "2026-08-01 00:00:00.000", "file": "dolar.csv",
			"rows": 3, "rejected": 1, "first_date": "2026-07-01", "last_date": "2026-07-28"},
		// in no batch
		row{"dataset": "uf", "sha256": sha('c'), "revision": "2026-08-01 00:00:00.000", "file": "uf.csv", "rows": 3})
	body, err := foundBy(t, r.PageBatch(), "/pages/data", nil)
	must(t, err)
	var got struct {
		Batch    struct{ ID, AsOf, Fingerprint string }
		Datasets []struct {
			Dataset, First, Last  string
			Files, Rows, Rejected int
		}
		Batches []struct {
			ID string `json:"batch_id"`
		}
		Rejections []struct {
			File, Reason string
			Open, Line   int
		}
		Incomplete struct {
			Total int
			Days  []struct {
				Date             string
				HasRate, HasData bool
			}
		}
		Lacks struct{ Series, Family, TAC, Currency, Return1y int }
	}
	must(t, json.Unmarshal(body, &got))
	if slices.Contains([]string{got.Batch.ID, got.Batch.AsOf, got.Batch.Fingerprint}, "") || len(got.Batches) != 1 ||
		got.Batches[0].ID != got.Batch.ID {
		t.Errorf("%s", body)
	}
	if len(got.Datasets) != 1 || got.Datasets[0].Dataset != "dolar" || got.Datasets[0].Rows != 3 ||
		got.Datasets[0].Last != "2026-07-28" {
		t.Errorf("%s", body)
	}
	if len(got.Rejections) != 1 || got.Rejections[0].Open != 1 || got.Rejections[0].Line != 7 ||
		got.Rejections[0].Reason != "column 3: no date" {
		t.Errorf("%s", body)
	}
	if strings.Contains(string(body), "secret") {
		t.Errorf("%s", body)
	}
	// From 2026-05-31 to 2026-08-05 there are 67 days, of which three are complete.
	if days := got.Incomplete.Days; got.Incomplete.Total != 64 || len(days) != 50 || days[0].Date != "2026-08-05" ||
		days[1].Date != "2026-08-04" || !days[1].HasData || days[2].HasData {
		t.Errorf("%s", body)
	}
	if got.Lacks.Series != 4 || got.Lacks.Family != 2 || got.Lacks.TAC != 2 || got.Lacks.Currency != 1 ||
		got.Lacks.Return1y != 4 {
		t.Errorf("%+v", got.Lacks)
	}
}

func TestThePageOfTheDataShowsWhatIsLateAndWhichFilesDiffer(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	insert(t, r.conn, "complete_file",
		row{"dataset": "dolar", "sha256": sha('d'), "revision": "2026-08-01 00:00:00.000", "file": "dolar.csv",
			"rows": 3, "first_date": "2026-07-01", "last_date": "2026-07-28"})
	judged := func(state, at string) {
		insert(t, r.conn, "file_judgement", row{
			"dataset": "cartola", "sha256": sha('e'), "file": "ffmm_todos.txt", "state": state, "judged_at": at,
			"finding_kind": []string{"fewer_decimals"}, "finding_column": []string{"VALOR_CUOTA"},
			"finding_before": []string{"4"}, "finding_now": []string{"2"},
			"finding_line": []uint32{2}, "finding_at_stake": []bool{true},
		})
	}
	judged("quarantined", "2026-08-01 00:00:00.000")
	insert(t, r.conn, "freshness_objective",
		row{"dataset": "dolar", "period": "day", "days": 2, "set_at": "2026-08-01 00:00:00.000"})
	type page struct {
		Datasets []struct {
			DueOn string
			Late  bool
		}
		Findings []struct {
			State, Column, Before string
			AtStake               bool
		}
	}
	ask := func() (got page) {
		body, err := foundBy(t, r.PageBatch(), "/pages/data", nil)
		must(t, err)
		must(t, json.Unmarshal(body, &got))
		return got
	}
	got := ask()
	if len(got.Datasets) != 1 || got.Datasets[0].DueOn != "2026-07-31" || !got.Datasets[0].Late {
		t.Errorf("%+v", got.Datasets)
	}
	if len(got.Findings) != 1 || got.Findings[0].State != "quarantined" || got.Findings[0].Column != "VALOR_CUOTA" ||
		got.Findings[0].Before != "4" || !got.Findings[0].AtStake {
		t.Errorf("%+v", got.Findings)
	}
	judged("accepted", "2026-08-02 00:00:00.000")
	if got = ask(); len(got.Findings) != 1 || got.Findings[0].State != "accepted" {
		t.Errorf("after a person has accepted the file: %+v", got.Findings)
	}
}

func TestThePageOfTheDataReadsRejectedFilesWhenNeeded(t *testing.T) {
	t.Parallel()
	options := published(t)
	var reads atomic.Int64
	r := rigOver(t, watched{connect(t, options), func(statement string) {
		if strings.Contains(statement, "AS first_reason") { // rejected_files.sql
			reads.Add(1)
		}
	}}, unlimited)
	files := func() (names []string) {
		var got struct {
			Rejections []struct{ File string }
		}
		body, err := foundBy(t, r.PageBatch(), "/pages/data", nil)
		must(t, err)
		must(t, json.Unmarshal(body, &got))
		for _, f := range got.Rejections {
			names = append(names, f.File)
		}
		return names
	}
	expect := func(when string, most int64, want ...string) {
		t.Helper()
		before := reads.Load()
		if got := files(); !slices.Equal(got, want) || reads.Load()-before != most {
			t.Errorf("%s: files %q after %d reads, want %q after %d", when, got, reads.Load()-before, want, most)
		}
	}
	expect("nothing is rejected", 0)
	insert(t, r.conn, "rejected_row",
		row{"dataset": "dolar", "source_sha256": sha('9'), "source_line": 7, "revision": "2026-08-01 00:00:00.000",
			"file": "dolar.csv", "reason": "column 3: no date", "raw": "x", "arrived_at": "2026-08-01 00:00:00"})
	expect("a row was rejected", 1, "dolar.csv")
	expect("nothing has arrived", 0, "dolar.csv")
	insert(t, r.conn, "manifest",
		row{"dataset": "dolar", "sha256": sha('9'), "revision": "2026-08-01 00:00:00.000", "file": "dolar.csv",
			"rows": 3, "keys": 3, "rejected": 0})
	expect("the file was ingested again without rejected rows", 1)
}

// Flows and costs of a past day are the same with the days, dólares and cost rates of memory, and with the views that
// look them up.
func TestFlowsAndCostsOfAPastDayAreTheSameFromMemoryAsFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, publishedInvention(t))
	first, err := model.ParseDate("2024-05-20") // the history begins a week later
	must(t, err)
	random := rand.New(rand.NewPCG(16, 47))
	families := 0
	for range longtest.Times(40) {
		date := first.AddDays(random.IntN(426)).String() // before the cutoff, where memory has all families
		var all, one struct{ Families []map[string]any }
		must(t, json.Unmarshal(samePart(t, memory, plain, "/pages/families", url.Values{"date": {date}}), &all))
		families += len(all.Families)
		for _, family := range all.Families[:min(2, len(all.Families))] {
			must(t, json.Unmarshal(samePart(t, memory, plain, "/pages/families",
				url.Values{"date": {date}, "family": {family["family"].(string)}}), &one))
			if diff := cmp.Diff([]map[string]any{family}, one.Families); diff != "" {
				t.Errorf("%s alone on %s: %s", family["family"], date, diff)
			}
		}
	}
	if families < 20 {
		t.Errorf("only %d families were compared", families)
	}
}
