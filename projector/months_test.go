package projector_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func TestRiskAndRealTACOfTheHistoryEqualTheOracle(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	m.Build(t)
	m.Ingest(t, model.Cartola, later, demotest.Clock)
	m.IngestEnd(t, "2025-07-21", demotest.Clock) // of the series that are not in it
	batch := m.Build(t)
	market, err := oracle.Load(append(historyOf(t), later)...)
	if err != nil {
		t.Fatal(err)
	}

	if err := market.LoadRates(dolarFile, ufFile); err != nil {
		t.Fatal(err)
	}
	named := classifyDemo(t, market)
	scores, rates := 0, 0
	for _, month := range monthEnds(date(t, "2019-10-31"), date(t, "2025-08-31")) {
		scores += compareRisk(t, m.Conn, market, batch, month, 9809, 9810)
		rates += compareTAC(t, m.Conn, market, batch, month)
	}
	// No family of these two funds has the coverage of an index, so no series has a beta.
	betas := count(t, m, "SELECT countIf(beta_36m IS NOT NULL OR tracking_error_36m IS NOT NULL) FROM risk_month "+
		"WHERE batch = $1", batch)
	if scores < 100 || rates < 400 || betas > 0 || named != 7 {
		t.Errorf("only %d scores and %d rates were compared, of %d classified series, with %d betas", scores, rates,
			named, betas)
	}
	t.Logf("compared %d scores, %d rates", scores, rates)

	var mean float64
	if err := m.Conn.QueryRow(context.Background(), `
		SELECT avg(tac * 365 / toDayOfYear(makeDate(toYear(month), 12, 31)))
		FROM tac_month INNER JOIN registry ON registry.kind = 'series' AND registry.id = tac_month.series_id
		WHERE tac_month.batch = $1 AND run = 9809 AND serie = 'B' AND tac_month.kind = 'real' AND month BETWEEN '2024-09-30' AND '2025-08-31'`, batch).Scan(&mean); err != nil {
		t.Fatal(err)
	}
	if abs(mean-0.01128) > 0.000005 { // as RULES 2 states it, with 365 days in every year
		t.Errorf("9809 B costs %v a year, want 1.128 %%", mean)
	}

	t.Run("the screener shows the newest snapshot and keeps the synthetic rate", func(t *testing.T) {
		var date time.Time
		var score uint8
		var kind, method string
		if err := m.Conn.QueryRow(context.Background(), `
			SELECT assumeNotNull(risk_date), assumeNotNull(risk_score), assumeNotNull(risk_method_version), assumeNotNull(series.tac_kind)
			FROM screener INNER JOIN series ON series.batch = screener.batch AND series.series_id = screener.series_id
			WHERE screener.batch = $1 AND screener.run = cuota_rol(9809) AND screener.serie = 'B'`, batch).Scan(&date,
			&score, &method, &kind); err != nil {
			t.Fatal(err)
		}
		want := market.Risk(time.Date(2025, 8, 31, 0, 0, 0, 0, time.UTC))[oracle.Series{Run: 9809, Name: "B"}]
		if day(&date) != "2025-08-31" || int(score) != *want.Score || method != "risk_v1" || kind != "synthetic" {
			t.Errorf("%s score %d %s, TAC %s", day(&date), score, method, kind)
		}
	})
	t.Run("a series of one market day has no figures and a synthetic rate", func(t *testing.T) {
		if n := count(t, m, "SELECT count() FROM screener WHERE batch = $1 AND run NOT LIKE '98%' AND (risk_date IS "+
			"NOT NULL OR risk_score IS NOT NULL)", batch); n != 0 {
			t.Errorf("%d do", n)
		}
		if n := count(t, m, "SELECT count() FROM series WHERE batch = $1 AND run NOT IN (cuota_rol(9809), "+
			"cuota_rol(9810)) AND tac_kind != 'synthetic'", batch); n != 0 {
			t.Errorf("%d have a real rate", n)
		}
	})
}

func TestRiskOfABrokenMarketEqualsTheIndependentComputation(t *testing.T) {
	t.Parallel()
	// Forty months with quotes on the first, the tenth and the last day, and the events
	// that can happen to a series in the month of the event.
	first, event := date(t, "2021-01-31"), "2022-09"
	var rows []cartolaDay
	onTenth := func(change func(d *cartolaDay)) func(*cartolaDay) bool {
		return func(d *cartolaDay) bool {
			if d.day.Day() == 10 {
				change(d)
			}
			return true
		}
	}
	for _, c := range []struct {
		serie  string
		factor float64 // factor of the alternating quotas
		happen func(d *cartolaDay) bool
	}{
		{"CALM", 0, nil},
		{"CALM2", 0, nil},
		{"SWING", 1, nil},
		{"SWING2", 1, nil},
		{"WILD", 5, nil},
		{"DOLLAR", 2, func(d *cartolaDay) bool { d.moneda = "PROM"; return true }},
		{"EURO", 2, func(d *cartolaDay) bool { d.moneda = "EUR"; return true }},
		{"SWITCHED", 1, func(d *cartolaDay) bool { d.moneda = "PROM"; return true }},
		{"GONE", 1, func(*cartolaDay) bool { return false }},
		{"STALE", 1, func(d *cartolaDay) bool { return d.day.Day() < 20 }},
		{"RESTART", 1, func(d *cartolaDay) bool { d.equity = 0; return true }},
		{"SPLIT", 1, onTenth(func(d *cartolaDay) { d.adjust = "1.1" })},
		{"DENOMINATED", 1, onTenth(func(d *cartolaDay) { d.adjust = "10" })},
		{"PAYER", 1, onTenth(func(d *cartolaDay) { d.payout = "1.04" })},
		{"OVERPAYER", 1, onTenth(func(d *cartolaDay) { d.payout = "1.6" })},
		{"ZERO", 1, onTenth(func(d *cartolaDay) { d.quota = 0.01 })},
	} {
		quota, equity := 1000.0, float64(1000+len(rows))
		for i, end := range monthEnds(first, date(t, "2024-04-30")) {
			for j, day := range []time.Time{end.AddDate(0, 0, 1-end.Day()), end.AddDate(0, 0, 10-end.Day()), end} {
				quota *= 1 + c.factor*[]float64{0.004, -0.006, 0.009, -0.002, 0.001}[(3*i+j)%5]
				row := cartolaDay{run: 60001, serie: c.serie, day: day, quota: math.Round(quota*1e4) / 1e4,
					equity: equity, units: 1}
				always := c.serie == "DOLLAR" || c.serie == "EURO"
				if c.happen != nil && (always || day.Format("2006-01") == event) && !c.happen(&row) {
					continue
				}
				rows = append(rows, row)
			}
		}
	}
	path := cartolaOf(t, rows)
	m := demotest.New(t)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock); report.Rejected != 0 {
		t.Fatalf("rejected: %+v", report.FirstRejects)
	}
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	batch := m.Build(t)
	scores := 0
	for _, month := range monthEnds(first, date(t, "2024-04-30")) {
		scores += compareRisk(t, m.Conn, market, batch, month)
	}
	if scores < 8*4 {
		t.Errorf("only %d scores were compared", scores)
	}

	// Dollars are converted as soon as there is a dólar.
	m.Ingest(t, model.Dolar, rates{"2024-01-24": "900.5", "2024-02-20": "850", "2024-03-01": "870.25",
		"2024-04-30": "910"}.file(t, "dolar.csv"), demotest.Clock.AddDate(0, 0, 1))
	for day, value := range map[string]string{"2024-01-24": "900.5", "2024-02-20": "850", "2024-03-01": "870.25",
		"2024-04-30": "910"} {
		market.Dolar(date(t, day), value)
	}
	second := m.Build(t)
	for _, month := range monthEnds(first, date(t, "2024-04-30")) {
		compareRisk(t, m.Conn, market, second, month)
	}
	shares := column(t, m, "SELECT DISTINCT toString(month) FROM risk_month AS now INNER JOIN risk_month AS before ON "+
		"before.series_id = now.series_id AND before.month = now.month WHERE now.batch = $1 AND before.batch = $2 AND "+
		"now.risk_score_share != before.risk_score_share ORDER BY month", second, batch)
	if diff := cmp.Diff([]string{"2024-01-31", "2024-04-30"}, shares); diff != "" {
		t.Errorf("the months whose shares a dólar changed (-want +got):\n%s", diff)
	}
	last := market.Risk(date(t, "2024-04-30"))
	for serie, scored := range map[string]bool{"CALM": true, "SPLIT": true, "DENOMINATED": false, "PAYER": true,
		"OVERPAYER": false, "STALE": false} {
		if risk, found := last[oracle.Series{Run: 60001, Name: serie}]; !found || (risk.Score != nil) != scored {
			t.Errorf("%s has a score: %t, want %t", serie, risk.Score != nil, scored)
		}
	}
	levels := map[string]int{}
	for _, risk := range last {
		levels[risk.Level]++
	}
	if levels["low"] == 0 || levels["medium"] == 0 || levels["high"] == 0 || levels[""] == 0 {
		t.Errorf("the cases do not cover the levels: %v", levels)
	}
}

func TestOnlyClosedMonthsAreSnapshots(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	for _, path := range historyOf(t) {
		m.Ingest(t, model.Cartola, path, demotest.Clock.AddDate(0, 0, -10))
	}
	first := m.Build(t)
	for _, table := range []string{"series_month", "risk_month", "tac_month"} {
		var newest time.Time
		if err := m.Conn.QueryRow(context.Background(), "SELECT max(month) FROM "+table+" WHERE batch = $1",
			first).Scan(&newest); err != nil {
			t.Fatal(err)
		}
		if day(&newest) != "2025-06-30" { // the cutoff is 2025-07-20
			t.Errorf("%s goes to %s", table, day(&newest))
		}
	}

	// June begins with the quote of the last day of May.
	header, rows := cartolaLines(t, historyOf(t)[6], "9809", "20250531")
	for i, row := range rows {
		rows[i] = strings.Replace(row, ";$$;", "; ;", 1)
	}
	if report := m.Ingest(t, model.Cartola, writeCartola(t, header, rows...),
		demotest.Clock); int(report.Rejected) != len(rows) {
		t.Fatalf("rejected %d rows of %d", report.Rejected, len(rows))
	}
	second := m.Build(t)
	market, err := oracle.Load(historyOf(t)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, serie := range []string{"APV", "APV-FREE", "B", "FREE"} {
		market.Void(9809, serie, date(t, "2025-05-31"))
	}
	for _, month := range monthEnds(date(t, "2025-03-31"), date(t, "2025-06-30")) {
		compareRisk(t, m.Conn, market, second, month)
		compareTAC(t, m.Conn, market, second, month)
	}
	var built []time.Time
	if err := m.Conn.QueryRow(context.Background(),
		"SELECT arraySort(groupArray(month)) FROM series_month_version WHERE batch = $1",
		second).Scan(&built); err != nil {
		t.Fatal(err)
	}
	var days []string
	for _, month := range built {
		days = append(days, day(&month))
	}
	if diff := cmp.Diff([]string{"2025-05-31", "2025-06-30"}, days); diff != "" {
		t.Errorf("the second batch computed other months anew than May and June:\n%s", diff)
	}
	if before, after := riskHash(t, m, first, "month <= '2025-04-30'"),
		riskHash(t, m, second, "month <= '2025-04-30'"); before != after {
		t.Error("months that the day does not reach are not those of the batch before")
	}
	if before, after := riskHash(t, m, first, "month > '2025-04-30'"),
		riskHash(t, m, second, "month > '2025-04-30'"); before == after {
		t.Error("months that the day reaches are still those of the batch before")
	}
}

func riskHash(t *testing.T, m *demotest.Market, batch uint64, where string) uint64 {
	t.Helper()
	return count(t, m, "SELECT sum(cityHash64(toString(tuple(* EXCEPT (batch))))) FROM risk_month WHERE batch = $1 AND "+where, batch)
}

func TestTheReaderTakesTheNewestSnapshotOnOrBeforeADate(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	for _, path := range historyOf(t) {
		m.Ingest(t, model.Cartola, path, demotest.Clock)
	}
	batch := m.Build(t)
	var months []string
	for _, asOf := range []string{"2025-07-20", "2025-06-30", "2025-06-29", "2019-10-31", "2019-10-30"} {
		var newest []time.Time
		if err := m.Conn.QueryRow(context.Background(), "SELECT groupUniqArray(month) FROM risk_as_of(batch = "+
			fmt.Sprint(batch)+
			", as_of = '"+asOf+"', series = [(SELECT id FROM registry WHERE kind = 'series' AND run = 9809 AND serie "+
			"= 'B')], all_series = false)").Scan(&newest); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(newest, time.Time.Compare)
		for _, month := range newest {
			months = append(months, asOf+" "+day(&month))
		}
	}
	if diff := cmp.Diff([]string{"2025-07-20 2025-06-30", "2025-06-30 2025-06-30", "2025-06-29 2025-05-31",
		"2019-10-31 2019-10-31"}, months); diff != "" {
		t.Error(diff)
	}
}
