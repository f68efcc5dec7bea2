package query_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
)

// Replies about the real history equal what another program computes from the same files.
func TestCostsAndRiskOfTheDemoMarketAreThoseOfTheOracle(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	paths, err := filepath.Glob("../demo/files/cartola/cartola_9809_9810_*.txt")
	must(t, err)
	market, err := oracle.Load(paths...)
	must(t, err)
	for _, row := range table(t, "../demo/files/comparator/cmf_rentabilidades_20250930.csv") {
		if run := row["fo_run"]; run == "9809" || run == "9810" { // both funds are balanced
			market.Classify(oracle.Classification{Run: whole(t, run), Serie: row["fm_serie"],
				Day: oracle.Date(2025, time.September, 30), Family: row["familia_rar"], Category: "balanced"})
		}
	}

	var months []time.Time // closed months; the cutoff is 2025-07-20
	for end := oracle.Date(2019, time.October, 31); end.Before(oracle.Date(2025, time.July,
		20)); end = end.AddDate(0, 0, 1).AddDate(0, 1, -1) {
		months = append(months, end)
	}
	snapshots, dates := map[oracle.Series]oracle.Risk{}, map[oracle.Series]time.Time{} // the newest of each series
	for _, month := range months {
		for series, risk := range market.Risk(month) {
			snapshots[series], dates[series] = risk, month
		}
	}
	type rate struct {
		value float64
		days  int
		known bool
	}
	rates := map[oracle.Series][]rate{} // by month
	for _, series := range market.Series() {
		for _, month := range months {
			value, days, known := market.RealTAC(series.Run, series.Name, month)
			rates[series] = append(rates[series], rate{value, days, known})
		}
	}
	var registered []struct {
		ID    uint32 `ch:"id"`
		RUN   uint32 `ch:"run"`
		Serie string `ch:"serie"`
	}
	must(t, r.conn.Select(t.Context(), &registered,
		"SELECT id, run, serie FROM registry WHERE kind = 'series' AND run IN (9809, 9810)"))
	ids := map[oracle.Series]string{}
	for _, row := range registered {
		ids[oracle.Series{Run: int(row.RUN), Name: row.Serie}] = strconv.FormatUint(uint64(row.ID), 10)
	}
	near := func(got any, want *float64) bool {
		if got == nil || want == nil {
			return got == nil && want == nil
		}
		return math.Abs(got.(float64)-*want) <= 1e-12
	}

	t.Run("monthly cost rates", func(t *testing.T) {
		compared := 0
		for _, series := range market.Series() {
			got := decode[items](t, r.get(t, "/api/real_assets/"+ids[series]+"/expense_ratio/history")).Data
			for i, month := range months {
				rate := rates[series][i]
				if rate.days < 15 {
					continue
				}
				want := &rate.value
				if !rate.known {
					want = nil
				}
				date := month.Format("20060102")
				if len(got) == 0 || got[0].ID != ids[series]+"_"+date || got[0].Attributes["date"] != date ||
					!near(got[0].Attributes["expense_ratio"], want) {
					t.Fatalf("%v: %+v, want %v of %s", series, got, rate.value, date)
				}
				got = got[1:]
				compared++
			}
			if len(got) > 0 {
				t.Errorf("%v has more: %+v", series, got)
			}
		}
		if compared < 400 {
			t.Errorf("only %d rates were compared", compared)
		}
	})

	t.Run("current cost rates are the synthetic ones of the comparator, else the newest real ones", func(t *testing.T) {
		stated := comparatorRates(t)
		synthetic := 0
		for _, series := range market.Series() {
			want, found := stated[series]
			if found {
				synthetic++
			}
			for i := len(months) - 1; i >= 0 && !found; i-- {
				want, found = rates[series][i].value, rates[series][i].known
			}
			expected := &want
			if !found {
				expected = nil
			}
			got := decode[single](t, r.get(t, "/api/real_assets/"+ids[series]+
				"/expense_ratio")).Data.Attributes["expense_ratio"]
			if !near(got, expected) {
				t.Errorf("%v: %v, want %v (%t)", series, got, want, found)
			}
		}
		if synthetic == 0 {
			t.Error("the comparator states none of them")
		}
	})

	t.Run("the newest risk snapshot, the same in compare", func(t *testing.T) {
		scored, alive := 0, 0
		for _, series := range market.Series() {
			got := decode[single](t, r.get(t, "/api/real_assets/"+ids[series]+"/risk_metrics")).Data.Attributes
			want, date := snapshots[series], any(nil)
			if at, found := dates[series]; found {
				date = at.Format(time.DateOnly)
			}
			for name, figure := range map[string]*float64{
				"volatility_monthly_12m": want.Volatility12, "volatility_monthly_36m": want.Volatility36,
				"volatility_annualized_12m": want.Annual12, "volatility_annualized_36m": want.Annual36,
				"max_drawdown_36m":       want.Drawdown36,
				"downside_deviation_36m": want.Downside36, "var_95_1m": want.VaR95, "beta_36m": want.Beta36,
				"tracking_error_36m": want.TrackingError36,
			} {
				if !near(got[name], figure) {
					t.Errorf("%v: %s is %v", series, name, got[name])
				}
			}
			var score, level any
			if want.Score != nil {
				score, level = float64(*want.Score), want.Level
				scored++
			}
			if of := want.Ranked; of != nil {
				among, _ := got["risk_score_coverage"].(map[string]any)
				if among["series"] != float64(of.Series) || among["of_series"] != float64(of.Of) ||
					!near(among["equity_share"], of.Share) {
					t.Errorf("%v: the score is among %v, want %+v with %v", series, among, of, *of.Share)
				}
			} else if got["risk_score_coverage"] != nil {
				t.Errorf("%v: %v without a score", series, got["risk_score_coverage"])
			}
			if want.Beta36 != nil {
				t.Errorf("%v has a beta, and no family of the demo has the coverage of an index", series)
			}
			if got["risk_score"] != score || got["risk_level"] != level || got["as_of_date"] != date ||
				(got["method_version"] == nil) != (date == nil) {
				t.Errorf("%v: %v, want score %v %v of %v", series, got, score, level, date)
			}
			compared := r.get(t, "/api/compare?series="+ids[series])
			if compared.status == http.StatusNotFound {
				continue // not alive at the cutoff
			}
			alive++
			attributes := decode[items](t, compared).Data[0].Attributes
			attributes["as_of_date"], attributes["method_version"] = attributes["risk_as_of_date"],
				attributes["risk_method_version"]
			for name, value := range got {
				if shown, shared := attributes[name]; shared && shown != value {
					t.Errorf("%v: %s is %v in compare, want %v", series, name, attributes[name], value)
				}
			}
		}
		if scored < 3 || alive < 3 {
			t.Errorf("only %d scores and %d series in compare were looked at", scored, alive)
		}
	})

	t.Run("which quantity a rate is, the same wherever it is shown", func(t *testing.T) {
		type told struct {
			items
			Meta struct {
				TACKinds map[string]string `json:"tac_kinds"`
			}
		}
		funds := decode[struct {
			Data []map[string]any
			Meta struct {
				TACKinds map[string]string `json:"tac_kinds"`
			}
		}](t, r.get(t, "/api/all-funds"))
		withRate := 0
		for _, row := range funds.Data {
			if row["tac"] != nil {
				withRate++
			}
		}
		if len(funds.Data) < 2000 || len(funds.Meta.TACKinds) != withRate {
			t.Fatalf("%d kinds of %d rates in %d rows", len(funds.Meta.TACKinds), withRate, len(funds.Data))
		}
		stated, count := comparatorRates(t), map[string]int{}
		for _, series := range market.Series() {
			want := ""
			if _, synthetic := stated[series]; synthetic {
				want = "synthetic"
			} else if slices.ContainsFunc(rates[series], func(r rate) bool { return r.known }) {
				want = "computed"
			}
			count[want]++
			own := decode[single](t, r.get(t, "/api/real_assets/"+ids[series]+"/expense_ratio")).Data.Attributes
			if kind, _ := own["tac_kind"].(string); kind != want {
				t.Errorf("%v: %q, want %q", series, kind, want)
			}
			compared := r.get(t, "/api/compare?series="+ids[series])
			if compared.status == http.StatusNotFound {
				continue // not alive at the cutoff
			}
			found := decode[told](t, compared)
			if kind := found.Meta.TACKinds[ids[series]]; kind != want || funds.Meta.TACKinds[ids[series]] != want ||
				found.Data[0].Attributes["tac_as_of_date"] != own["tac_as_of_date"] {
				t.Errorf("%v: %q in compare, %q in all-funds, want %q", series, kind, funds.Meta.TACKinds[ids[series]],
					want)
			}
		}
		if count["synthetic"] == 0 || count["computed"] == 0 {
			t.Errorf("%v", count)
		}
	})

	t.Run("changes of each month", func(t *testing.T) {
		compared := 0
		for _, month := range months[1:] {
			for direction, sign := range map[string]float64{"up": 1, "down": -1} {
				largest := map[string]float64{} // by RUN
				for _, series := range market.Series() {
					run := fmt.Sprintf("%d-%s", series.Run, oracle.CheckDigit(series.Run))
					change, changed := market.TACChange(series.Run, series.Name, month,
						oracle.Date(2025, time.July, 20))
					if delta := change.After - change.Before; changed && sign*delta > sign*largest[run] {
						largest[run] = delta
					}
				}
				target := "/api/reports/tac-changes?limit=100&direction=" + direction + "&date=" +
					month.Format(time.DateOnly)
				got := decode[tacChanges](t, r.get(t, target)).Data
				if len(got) != len(largest) {
					t.Fatalf("%s: %v, want %v", target, got, largest)
				}
				last := math.Inf(1)
				for _, row := range got {
					delta := row["tacDelta"].(float64)
					if math.Abs(delta-largest[row["run"].(string)]) > 2e-12 || sign*delta > last {
						t.Errorf("%s: %v, want %v", target, row, largest)
					}
					previous := row["tacPrevious"].(float64)
					percent, known := row["tacDeltaPct"].(float64)
					if known != (previous != 0) || known && math.Abs(percent-100*delta/previous) > 0.005001 {
						t.Errorf("%s: %v", target, row)
					}
					last = sign * delta
					compared++
				}
			}
		}
		if compared < 50 { // computed rates change seldom by more than the last decimal of the sheet
			t.Errorf("only %d changes were compared", compared)
		}
	})
}

// comparatorRates reads the synthetic rates of the comparator's file.
func comparatorRates(t testing.TB) map[oracle.Series]float64 {
	t.Helper()
	file, err := os.Open("../demo/files/comparator/cmf_tac_20250930.csv")
	must(t, err)
	defer func() { must(t, file.Close()) }()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	rates := map[oracle.Series]float64{}
	for _, line := range lines[1:] {
		run, err := strconv.Atoi(line[column["fo_run"]])
		must(t, err)
		if run != 9809 && run != 9810 {
			continue
		}
		percent, err := strconv.ParseFloat(line[column["tac_sintetica"]], 64)
		must(t, err)
		rates[oracle.Series{Run: run, Name: oracle.SerieName(line[column["fm_serie"]])}] = percent / 100
	}
	return rates
}
