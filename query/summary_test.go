package query_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/demo"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

type marketSummary struct {
	Meta struct {
		dayAnswered
		Previous *string `json:"previousDate"`
		Bias     bool    `json:"survivorship_bias"`
		TopN     int
		Flows    struct{ Universe, Daily, Monthly string }

		Classification struct {
			Available    bool
			ReportDate   *string
			Classified   int      `json:"classifiedSeries"`
			Unclassified int      `json:"unclassifiedSeries"`
			Coverage     *float64 `json:"coverageByPatrimonyClp"`
			Later        bool     `json:"classified_later"`
		}
	}
	Families []struct {
		Family, Name  string
		DisplayGroup  *string
		IndexCurrency string
		DailyChange   *float64
		MonthlyChange *float64
		PatrimonyClp  *float64
		SeriesCount   int
		FundCount     int
		ByCurrency    map[string]struct {
			DailyChange, MonthlyChange, Patrimony *float64
			SeriesCount                           int
		}
	}
	GainersDaily   []moved `json:"topGainersDaily"`
	LosersDaily    []moved `json:"topLosersDaily"`
	GainersMonthly []moved `json:"topGainersMonthly"`
	LosersMonthly  []moved `json:"topLosersMonthly"`
}

type moved struct {
	RUN, Serie    string
	DailyChange   *float64
	MonthlyChange *float64
}

func TestASummaryOfThePastKnowsNothingLater(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	const past = "2024-02-29"
	whole := newRig(t, demotest.Published(t), unlimited)

	// The same market without the quotas after that day, as it looked then. The catalogues
	// are the same.
	dir := demoFiles(t)
	sources, err := demo.Sources()
	must(t, err)
	m := demotest.New(t)
	cut := 0
	for _, source := range sources {
		path := filepath.Join(dir, source.Path)
		if source.Dataset == model.Cartola {
			text, err := os.ReadFile(path)
			must(t, err)
			lines := strings.SplitAfter(string(text), "\n")
			kept := slices.DeleteFunc(lines[1:], func(line string) bool {
				return line != "" && strings.Split(line, ";")[3] > strings.ReplaceAll(past, "-", "")
			})
			cut += len(lines) - 1 - len(kept)
			if strings.Join(kept, "") == "" {
				continue
			}
			must(t, os.WriteFile(path, []byte(lines[0]+strings.Join(kept, "")), 0o600))
		}
		m.Ingest(t, source.Dataset, path, source.Published)
	}
	m.Build(t)
	then := newRig(t, m.Options, unlimited)
	if cut < 5000 {
		t.Fatalf("only %d lines were cut away", cut)
	}

	for _, path := range []string{"/api/market-summary", "/api/agf_stats/ranking"} {
		now := whole.get(t, path+"?date="+past)
		latest := then.get(t, path)
		if strings.Contains(path, "summary") {
			// Nothing else may differ: that day was the latest day then.
			if got := decode[marketSummary](t, now); !got.Meta.Bias || *got.Meta.Date != past ||
				len(got.Families) == 0 ||
				len(got.GainersMonthly)+len(got.LosersMonthly) == 0 || got.Meta.Flows.Monthly != "ok" {
				t.Errorf("%s", now.body)
			}
			now.body = []byte(strings.Replace(string(now.body), `"survivorship_bias":true`, `"survivorship_bias":false`,
				1))
		}
		if diff := cmp.Diff(string(latest.body), string(now.body)); diff != "" {
			t.Errorf("%s (-then +now):\n%s", path, diff)
		}
	}
	asThen, err := foundBy(t, whole.PageBatch(), "/pages/market_then", url.Values{"date": {past}})
	must(t, err)
	asThen = bytes.Replace(asThen, []byte(`"universe":"then"`), []byte(`"universe":"current_vigente"`), 1)
	if diff := cmp.Diff(string(then.get(t, "/api/market-summary").body), string(asThen)); diff != "" {
		t.Errorf("the market as it was (-then +now):\n%s", diff)
	}
}

// What is computed for every series of a past day is, at the cutoff, what the batch stores for those alive; before it,
// series that have closed since count too.
func TestTheMarketAsItWasCountsEverySeriesOfTheDay(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	now := askPage[map[string]any](t, r, "/api/market-summary", nil)
	then := askPage[map[string]any](t, r, "/pages/market_then", nil)
	now["meta"].(map[string]any)["universe"] = "then"
	if diff := cmp.Diff(now, then); diff != "" {
		t.Errorf("at the cutoff (-stored +computed):\n%s", diff)
	}

	var batch uint64
	must(t, r.conn.QueryRow(t.Context(), "SELECT max(batch) FROM batch").Scan(&batch))
	past := url.Values{"date": {"2024-02-29"}}
	living := askPage[summaryThen](t, r, "/api/market-summary", past)
	every := askPage[summaryThen](t, r, "/pages/market_then", past)
	if !living.Meta.Bias || every.Meta.Bias || every.Meta.Universe != "then" {
		t.Errorf("living: %+v, every: %+v", living.Meta, every.Meta)
	}
	want := map[string]uint64{}
	rows, err := r.conn.Query(t.Context(), `SELECT family_rar, count() FROM batch_market_standing(batch = $1, from = $2, to = $2)
		WHERE price IS NOT NULL AND family_rar IS NOT NULL AND currency IN ('PESOS', 'DOLAR') GROUP BY family_rar`,
		batch, every.Meta.Date)
	must(t, err)
	for rows.Next() {
		var family string
		var series uint64
		must(t, rows.Scan(&family, &series))
		want[family] = series
	}
	must(t, rows.Err())
	if diff := cmp.Diff(want, every.series()); diff != "" {
		t.Errorf("series by family (-rows of the day +summary):\n%s", diff)
	}
	for family, n := range living.series() {
		if n > want[family] {
			t.Errorf("%s has %d living series of %d", family, n, want[family])
		}
	}
	var quoted uint64
	must(t, r.conn.QueryRow(t.Context(), "SELECT count() FROM batch_market_standing(batch = $1, from = $2, to = $2) "+
		"WHERE price IS NOT NULL", batch, every.Meta.Date).Scan(&quoted))
	if every.counted() != quoted || living.counted() > quoted {
		t.Errorf("%d series count in the market as it was, %d of those alive; %d are quoted", every.counted(),
			living.counted(), quoted)
	}
}

// summaryThen is what a test reads of a summary.
type summaryThen struct {
	Meta struct {
		Date     string
		Universe string
		Bias     bool `json:"survivorship_bias"`

		Classification struct{ ClassifiedSeries, UnclassifiedSeries uint64 }
	}
	Families []struct {
		Family      string
		SeriesCount uint64
	}
}

// counted is how many series count, with or without a family.
func (s summaryThen) counted() uint64 {
	return s.Meta.Classification.ClassifiedSeries + s.Meta.Classification.UnclassifiedSeries
}

func (s summaryThen) series() map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range s.Families {
		out[f.Family] = f.SeriesCount
	}
	return out
}

func TestASummaryIsOfTheDayThatAnswersForTheDate(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	if got := decode[marketSummary](t, r.get(t, "/api/market-summary")); *got.Meta.Date != "2026-07-31" ||
		!got.Meta.Complete {
		t.Errorf("%+v", got.Meta)
	}
	for asked, want := range answeringDays {
		got := decode[marketSummary](t, r.get(t, "/api/market-summary?date="+asked))
		if diff := cmp.Diff(want, got.Meta.dayAnswered); diff != "" || got.Families == nil || got.GainersDaily == nil ||
			got.Meta.Bias != (want.Date != nil && *want.Date < "2026-07-31") {
			t.Errorf("%s: %s %+v", asked, diff, got)
		}
		if want.Date == nil && (got.Meta.Classification.Available || got.Meta.Flows.Daily != "unavailable") {
			t.Errorf("%+v", got.Meta)
		}
	}
}

func TestASummaryTellsFamiliesThatWereStatedLater(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	r.summariseDays(t, 1)
	for date, want := range map[string]bool{
		"2026-06-30": true,  // there is a report of that day, and it names another family
		"2026-07-31": false, // the series that was classified later is in no family of the reply
	} {
		got := decode[marketSummary](t, r.get(t, "/api/market-summary?date="+date))
		flagged := false
		for _, row := range decode[allFunds](t, r.get(t, "/api/all-funds?vehicle=mutual_fund&date="+date)).Data {
			flagged = flagged || row["classified_later"] == true
		}
		if c := got.Meta.Classification; c.Later != want || flagged != want || *c.ReportDate != "2026-06-30" {
			t.Errorf("%s: %+v, all-funds flags: %t, want %t", date, c, flagged, want)
		}
	}
}

func (d demoMarket) summaryOfFamilies(t *testing.T) {
	got := decode[marketSummary](t, d.get(t, "/api/market-summary"))
	family := map[string]string{}
	for _, row := range table(t, filepath.Join(d.dir, "comparator", "cmf_rentabilidades_20250930.csv")) {
		family[row["fo_run"]+"|"+oracle.SerieName(row["fm_serie"])] = row["familia_rar"]
	}
	type sums struct {
		patrimony float64
		series    int
		funds     map[int]bool
	}
	want, classified, covered, total := map[string]*sums{}, 0, 0.0, 0.0
	for _, q := range d.quotes {
		if q.date != lastDay {
			continue
		}
		clp := q.equity
		if q.currency == "DOLAR" {
			clp *= dolarOn(t, d.dir, lastDay)
		}
		total += clp
		name := family[fmt.Sprint(q.run, "|", q.serie)]
		if name == "" {
			continue
		}
		classified++
		covered += clp
		if want[name] == nil {
			want[name] = &sums{funds: map[int]bool{}}
		}
		want[name].patrimony += clp / 1e6
		want[name].series++
		want[name].funds[q.run] = true
	}
	c := got.Meta.Classification
	if c.Classified != classified || !almost(*c.Coverage, covered/total) || *c.ReportDate != "2025-09-30" || !c.Later ||
		!c.Available {
		t.Errorf("%+v, want %d and %v", c, classified, covered/total)
	}
	if len(got.Families) != len(want) {
		t.Fatalf("%d families, want %d", len(got.Families), len(want))
	}
	for i, f := range got.Families {
		of := want[f.Family]
		if !almost(*f.PatrimonyClp, of.patrimony) || f.SeriesCount != of.series || f.FundCount != len(of.funds) ||
			f.Name != f.Family {
			t.Errorf("%+v, want %+v", f, *of)
		}
		if i > 0 && *f.PatrimonyClp > *got.Families[i-1].PatrimonyClp {
			t.Errorf("%s does not descend", f.Family)
		}
		most, count := 0.0, 0
		for currency, in := range f.ByCurrency {
			count += in.SeriesCount
			clp := *in.Patrimony
			if currency == "DOLAR" {
				clp *= dolarOn(t, d.dir, lastDay)
			}
			if clp > most {
				most = clp
			}
			if currency == f.IndexCurrency && cmp.Diff(in.DailyChange, f.DailyChange) != "" {
				t.Errorf("%+v", f)
			}
		}
		main := *f.ByCurrency[f.IndexCurrency].Patrimony
		if f.IndexCurrency == "DOLAR" {
			main *= dolarOn(t, d.dir, lastDay)
		}
		if count != f.SeriesCount || !almost(main, most) {
			t.Errorf("%+v", f)
		}
	}

	// Only two funds have a previous day. The largest series of each counts, by its
	// change.
	var daily []string
	for _, run := range []int{9809, 9810} {
		var largest *quote
		for _, q := range d.quotes {
			if q.run == run && q.date == lastDay && (largest == nil || q.equity > largest.equity) {
				largest = q
			}
		}
		change := largest.price/largest.previous.price - 1
		if change >= 0 {
			t.Fatalf("%d %s did not fall", run, largest.serie)
		}
		daily = append(daily, fmt.Sprintf("%+.9f %s %s", 100*change, model.RUN(run), largest.serie))
	}
	slices.Sort(daily)
	slices.Reverse(daily) // sorted as text, from the greatest fall on
	var fell []string
	for _, m := range got.LosersDaily {
		fell = append(fell, fmt.Sprintf("%+.9f %s %s", *m.DailyChange, m.RUN, m.Serie))
	}
	if diff := cmp.Diff(daily, fell); diff != "" || len(got.GainersDaily) != 0 {
		t.Error(diff, got.GainersDaily)
	}
	if *got.Meta.Date != lastDay || *got.Meta.Previous != "2025-07-19" || got.Meta.Bias || got.Meta.TopN != 10 ||
		// the one day of the market is a Sunday
		got.Meta.Flows.Daily != "unavailable" || got.Meta.Flows.Monthly != "unavailable" {
		t.Errorf("%+v", got.Meta)
	}
	const thursday = "2025-07-17" // of the two funds with a history
	if got := decode[marketSummary](t, d.get(t, "/api/market-summary?date="+thursday)); *got.Meta.Date != thursday ||
		got.Meta.Flows.Daily != "ok" {
		t.Errorf("%+v", got.Meta)
	}
}
