package projector_test

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/testkit/oracle"
)

// riskRow is a risk snapshot, as the SQL returns it.
type riskRow struct {
	Run        uint32   `ch:"run"`
	Serie      string   `ch:"serie"`
	Vol12      *float64 `ch:"volatility_monthly_12m"`
	Vol36      *float64 `ch:"volatility_monthly_36m"`
	Annual12   *float64 `ch:"volatility_annualized_12m"`
	Annual36   *float64 `ch:"volatility_annualized_36m"`
	Drawdown36 *float64 `ch:"max_drawdown_36m"`
	Downside36 *float64 `ch:"downside_deviation_36m"`
	VaR95      *float64 `ch:"var_95_1m"`
	Beta36     *float64 `ch:"beta_36m"`
	Tracking36 *float64 `ch:"tracking_error_36m"`
	Score      *uint8   `ch:"risk_score"`
	Ranked     *uint32  `ch:"risk_score_series"`
	OfSeries   *uint32  `ch:"risk_score_of_series"`
	Share      *float64 `ch:"risk_score_share"`
	Level      *string  `ch:"risk_level"`
	Method     string   `ch:"method_version"`
}

// compareRisk compares the snapshots of a month end with the oracle, which has the given
// funds, or all if none is given. It returns how many snapshots have a score.
func compareRisk(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, month time.Time,
	runs ...int) (scores int) {
	t.Helper()
	var rows []riskRow
	if err := conn.Select(context.Background(), &rows, `
		SELECT run, serie, risk.* EXCEPT (batch, series_id, month)
		FROM (SELECT * FROM risk_month WHERE batch = $1 AND month = $2) AS risk
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind IN ('series', 'fi_series')) AS registered ON registered.id = risk.series_id
		WHERE empty($3) OR run IN $3`, batch, month, runs); err != nil {
		t.Fatal(err)
	}
	want := market.Risk(month)
	for _, row := range rows {
		key := oracle.Series{Run: int(row.Run), Name: row.Serie}
		expected, found := want[key]
		if !found {
			t.Errorf("%v at %s: a snapshot without a month-end quote", key, month.Format(time.DateOnly))
			continue
		}
		delete(want, key)
		for _, figure := range []struct {
			name      string
			got, want *float64
		}{
			{"volatility 12", row.Vol12, expected.Volatility12}, {"volatility 36", row.Vol36, expected.Volatility36},
			{"annual 12", row.Annual12, expected.Annual12}, {"annual 36", row.Annual36, expected.Annual36},
			{"drawdown", row.Drawdown36, expected.Drawdown36}, {"downside", row.Downside36, expected.Downside36},
			{"VaR", row.VaR95, expected.VaR95}, {"beta", row.Beta36, expected.Beta36},
			{"tracking error", row.Tracking36, expected.TrackingError36},
		} {
			if (figure.got == nil) != (figure.want == nil) ||
				figure.got != nil && abs(*figure.got-*figure.want) > 1e-12 {
				t.Errorf("%v at %s: %s is %v, want %v", key, month.Format(time.DateOnly), figure.name,
					known(figure.got), known(figure.want))
			}
		}
		if (row.Score == nil) != (expected.Score == nil) || row.Score != nil && int(*row.Score) != *expected.Score ||
			text(row.Level) != expected.Level {
			t.Errorf("%v at %s: score %v %q, want %v %q", key, month.Format(time.DateOnly), known(row.Score),
				text(row.Level), known(expected.Score), expected.Level)
		}
		if row.Score != nil {
			scores++
		}
		var ranked, ofSeries any
		share := (*float64)(nil)
		if of := expected.Ranked; of != nil {
			ranked, ofSeries, share = uint32(of.Series), uint32(of.Of), of.Share
		}
		if known(row.Ranked) != ranked || known(row.OfSeries) != ofSeries || (row.Share == nil) != (share == nil) ||
			share != nil && abs(*row.Share-*share) > 1e-12 {
			t.Errorf("%v at %s: the score is of %v of %v series with %v of the equity, want %v of %v with %v", key,
				month.Format(time.DateOnly), known(row.Ranked), known(row.OfSeries), known(row.Share), ranked, ofSeries,
				known(share))
		}
		if row.Method != "risk_v1" {
			t.Errorf("%v: method %q", key, row.Method)
		}
	}
	for key := range want {
		t.Errorf("%v at %s has no snapshot", key, month.Format(time.DateOnly))
	}
	return scores
}

func known[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

// classifyDemo returns the oracle the classifications in the demo's return comparator for the
// two funds with a history. It returns how many series are classified.
func classifyDemo(t *testing.T, market *oracle.Market) (named int) {
	t.Helper()
	file, err := os.Open("../demo/files/comparator/cmf_rentabilidades_20250930.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[strings.TrimPrefix(name, "\ufeff")] = i
	}
	for _, line := range lines[1:] {
		run, family := line[column["fo_run"]], line[column["familia_rar"]]
		if run != "9809" && run != "9810" {
			continue
		}
		named++
		number, err := strconv.Atoi(run)
		if err != nil {
			t.Fatal(err)
		}
		market.Classify(oracle.Classification{Run: number, Serie: line[column["fm_serie"]], Day: date(t, "2025-09-30"),
			Family: family, Category: categoryOf(family)})
	}
	return named
}

// compareTAC compares the real rates of a month with the oracle.
func compareTAC(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, month time.Time) (compared int) {
	t.Helper()
	var rows []struct {
		Run    uint32   `ch:"run"`
		Serie  string   `ch:"serie"`
		Source string   `ch:"source"`
		TAC    *float64 `ch:"tac"`
		Days   uint8    `ch:"cost_days"`
	}
	if err := conn.Select(context.Background(), &rows, `
		SELECT run, serie, source, tac, cost_days
		FROM (SELECT * FROM tac_month WHERE batch = $1 AND month = $2 AND kind = 'real') AS rates
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = rates.series_id`, batch, month); err != nil {
		t.Fatal(err)
	}
	got := map[oracle.Series]bool{}
	for _, row := range rows {
		key := oracle.Series{Run: int(row.Run), Name: row.Serie}
		got[key] = true
		rate, days, ok := market.RealTAC(key.Run, key.Name, month)
		if days != int(row.Days) || ok != (row.TAC != nil) || ok && math.Abs(rate-*row.TAC) > 1e-12 ||
			row.Source != "computed" {
			t.Errorf("%v in %s: %v of %d days (%s), want %v of %d (%t)", key, month.Format("2006-01"), known(row.TAC),
				row.Days, row.Source, rate, days, ok)
		}
		compared++
	}
	for _, key := range market.Series() {
		if _, days, _ := market.RealTAC(key.Run, key.Name, month); days >= 15 && !got[key] {
			t.Errorf("%v in %s is missing", key, month.Format("2006-01"))
		}
	}
	return compared
}
