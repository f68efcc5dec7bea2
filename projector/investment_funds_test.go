package projector_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func TestInvestmentFundsFromFilesToProjections(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	rows := fiMarket()
	market := oracle.New()
	add(t, market, rows)
	m := demotest.New(t)
	ingestInvestmentFunds(t, m, rows)
	batch := m.Build(t)

	t.Run("ids are the UUIDs of version 5 of fi:RUN:SERIE", func(t *testing.T) {
		want := []string{}
		for _, series := range market.Series() {
			name := fmt.Sprintf("fi:%d-%s:%s", series.Run, oracle.CheckDigit(series.Run), series.Name)
			want = append(want, name+" "+uuid.NewSHA1(fiNamespace, []byte(name)).String())
		}
		got := column(t, m, `
			SELECT concat(registry.key, ' ', toString(instrument_id)) FROM fi_instrument
			INNER JOIN registry ON registry.kind = 'fi_series' AND registry.id = fi_instrument.series_id ORDER BY registry.run, serie`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		own := column(t, m, "SELECT toString(instrument_id) FROM fi_instrument WHERE fund LIKE 'SIN SERIES%'")
		if want := uuid.NewSHA1(fiNamespace, []byte("fi:9999-"+oracle.CheckDigit(9999)+":")).String(); !cmp.Equal(own,
			[]string{want}) {
			t.Errorf("the fund without series is %v, want %s", own, want)
		}
	})

	t.Run("every window equals the independent computation", func(t *testing.T) {
		reasons := map[string]bool{}
		for _, asOf := range []string{"2025-07-20", "2025-06-30", "2025-06-27", "2024-06-15", "2024-02-29",
			"2021-01-01"} {
			day := date(t, asOf)
			compareFI(t, m, market, batch, asOf, fmt.Sprintf(
				"batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = %s, all_series = false)",
				column(t, m, "SELECT toString(groupArray(id)) FROM registry WHERE kind = 'fi_series'")[0]))
			for _, series := range market.Series() {
				for _, window := range model.Windows {
					reasons[market.Period(series.Run, series.Name, day, window).Reason] = true
				}
			}
		}
		for _, reason := range []string{
			"", "missing_end_quote", "invalid_end_quote", "stale_end_quote", "missing_start_quote",
			"invalid_start_quote", "stale_start_quote",
			"unknown_currency", "currency_change", "known_discontinuity",
		} {
			if !reasons[reason] && reason != "invalid_start_quote" && reason != "invalid_end_quote" {
				t.Errorf("no case of %q", reason)
			}
		}
	})
	t.Run("the batch holds the windows at its cutoff", func(t *testing.T) {
		compareFI(t, m, market, batch, "2025-07-20", "(SELECT * FROM series_return WHERE batch = {batch:UInt64})")
	})

	t.Run("risk equals the independent computation, investment funds ranked among themselves", func(t *testing.T) {
		if scores := compareRisk(t, m.Conn, market, batch, date(t, "2025-06-30"), 9278, 10842, 10654, 10798,
			10835); scores < 3 {
			t.Errorf("only %d scores were compared", scores)
		}
		costs := column(t, m, "SELECT toString(count()) FROM tac_month WHERE series_id IN (SELECT id FROM registry "+
			"WHERE kind = 'fi_series')")
		if costs[0] != "0" {
			t.Errorf("%s cost rates of investment funds, which publish no costs", costs[0])
		}
	})

	t.Run("status, type, flag and vehicle are what the sources state", func(t *testing.T) {
		got := column(t, m, `
			SELECT concat_ws(' ', run, ifNull(serie, '-'), status, regulatory_type, vehicle, ifNull(toString(is_etf), 'unflagged'), ifNull(toString(last_date), 'never'),
			                 if(listed, 'listed', 'kept'), if(current, 'current', 'old'))
			FROM fi_instrument WHERE batch = $1 ORDER BY run, serie`, batch)
		want := []string{
			"10654-2 E inactive FINRE investment_fund unflagged 2025-07-20 listed old",
			"10654-2 Q inactive FINRE investment_fund unflagged 2025-06-30 listed old",
			"10654-2 - inactive FINRE investment_fund unflagged never kept old",
			"10798-0 N unknown RES investment_fund unflagged never listed old",
			"10798-0 R active RES investment_fund unflagged 2025-07-20 listed current",
			"10798-0 X active RES investment_fund unflagged 2025-07-20 listed current",
			"10798-0 - unknown RES investment_fund unflagged never kept old",
			"10835-9 S95 unknown FI investment_fund unflagged 2025-04-16 listed old",
			"10835-9 S96 unknown FI investment_fund unflagged 2025-04-15 listed old",
			"10835-9 - unknown FI investment_fund unflagged never kept old",
			"10842-1 UNICA active RES etf true 2025-07-20 listed current",
			"10842-1 - unknown RES etf true never kept old",
			"9278-9 A active FINRE investment_fund false 2025-07-20 listed current",
			"9278-9 B active FINRE investment_fund false 2025-07-20 listed current",
			"9278-9 Ñ/C 1 active FINRE investment_fund false 2025-07-20 listed current",
			"9278-9 - unknown FINRE investment_fund false never kept old",
			"9999-6 - unknown RES investment_fund unflagged never listed old",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a value of 95 days makes a fund in force active, an older one does not", func(t *testing.T) {
		path := fileOf(t, "fi.csv", "run,nombre,administradora,tipo",
			"10835,ALZA DEUDA PRIVADA VI FONDO DE INVERSIÓN,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FINRE")
		m.Ingest(t, model.FIRegister, path, published)
		got := column(t, m, "SELECT concat_ws(' ', serie, status, regulatory_type) FROM fi_instrument WHERE batch = "+
			"$1 AND run = '10835-9' AND listed ORDER BY serie", m.Build(t))
		if diff := cmp.Diff([]string{"S95 active FINRE", "S96 unknown FINRE"}, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a correction rebuilds its days, and the batch before goes on answering as it did", func(t *testing.T) {
		before := demotest.Checksums(t, m.Conn, batch)
		correction := []fiDay{{9278, "A", fiCutoff, "$$", "999.9999", 501, 4},
			{10842, "UNICA", oracle.Date(2025, time.June, 20), "PESOS", "120.5", 500, 3}}
		m.Ingest(t, model.FIValues, fiFile(t, correction), published.AddDate(0, 0, 1))
		older := append([]fiDay(nil), rows[:10]...)
		for i := range older {
			older[i].book = "1.0" // published earlier, so it corrects nothing
		}
		m.Ingest(t, model.FIValues, fiFile(t, older), published.AddDate(0, 0, -1))
		corrected := m.Build(t)
		sameSums(t, m, "the batch before the correction", before, batch)
		if days := count(t, m, "SELECT count() FROM fi_day_version WHERE build = $1", corrected); days != 12 {
			t.Errorf("%d days were built anew, want 12", days)
		}
		add(t, market, correction)
		compareFI(t, m, market, corrected, "2025-07-20", "(SELECT * FROM series_return WHERE batch = {batch:UInt64})")
		compareRisk(t, m.Conn, market, corrected, date(t, "2025-06-30"), 9278, 10842, 10654, 10798, 10835)
		sameRebuilt(t, m, "increments", corrected)
	})
}

// compareFI compares returns of investment funds with the oracle. If the oracle has no
// quote of a series by the date, its windows must say missing_end_quote.
func compareFI(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64, asOf, source string) {
	t.Helper()
	got := periods(t, m.Conn, `
		SELECT run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end
		FROM `+source+` AS returns
		INNER JOIN registry ON registry.kind = 'fi_series' AND registry.id = returns.series_id`, batch, asOf)
	day := date(t, asOf)
	for _, series := range market.Series() {
		for _, window := range model.Windows {
			key := fmt.Sprintf("%d:%s:%s", series.Run, series.Name, window)
			actual, found := got[key]
			if !found {
				t.Errorf("%s at %s is missing", key, asOf)
				continue
			}
			samePeriod(t, key+" at "+asOf, actual, market.Period(series.Run, series.Name, day, window))
		}
	}
	if want := len(market.Series()) * len(model.Windows); len(got) != want || want != 11*8 {
		t.Errorf("compared %d windows of %d at %s", want, len(got), asOf)
	}
}

func TestValuesOfInvestmentFundsInAnyOrderGiveTheSameProjections(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	rows := fiMarket()
	var spans [3][]fiDay // up to 2022, up to 2024, and 2025
	for _, row := range rows {
		span := (row.day.Year() - 2021) / 2
		spans[span] = append(spans[span], row)
	}
	var files [len(spans)]string
	for i := range spans {
		files[i] = fiFile(t, spans[i])
	}
	register, cartola := fiRegisterFile(t), quotedUpTo(t)
	whole := demotest.New(t)
	for i := range files {
		whole.Ingest(t, model.FIValues, files[i], published)
	}
	whole.Ingest(t, model.FIRegister, register, published)
	whole.Ingest(t, model.Cartola, cartola, published)
	want := demotest.Checksums(t, whole.Conn, whole.Build(t))

	m := demotest.New(t)
	var batch uint64
	for _, i := range []int{1, 0, 2} {
		m.Ingest(t, model.FIValues, files[i], published)
		if i == 0 {
			m.Ingest(t, model.Cartola, cartola, published)
			m.Ingest(t, model.FIRegister, register, published)
		}
		batch = m.Build(t)
		m.Ingest(t, model.FIValues, files[i], published) // the same file a second time
	}
	sameSums(t, m, "increments in another order than one full batch", want, batch)
}

func TestAFundCountsForOneVehicle(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.FIRegister, fixtures+"fi.csv", published)
	m.Ingest(t, model.Register, "../demo/files/register/fm_ident_20250721.txt", published)
	m.Build(t)
	counts := "SELECT toString((sum(mutual_funds), sum(investment_funds), sum(etfs))) FROM manager WHERE batch = $1"
	if got := column(t, m, counts, count(t, m, "SELECT max(batch) FROM batch")); got[0] != "(1331,4,0)" {
		t.Errorf("without flags: %s", got[0])
	}
	vehicles := func(flags ...string) string {
		lines := []string{"run,is_etf,source_url,source_sha256,note"}
		for _, flag := range flags {
			lines = append(lines, flag+",https://example.org/v,"+strings.Repeat("0123456789abcdef", 4)+",")
		}
		return fileOf(t, "vehicles.csv", lines...)
	}
	m.Ingest(t, model.Vehicles, vehicles("10842,yes", "9278,no", "8011,yes"), published) // 8011 is a mutual fund
	batch := m.Build(t)
	if got := column(t, m, counts, batch); got[0] != "(1330,3,2)" {
		t.Errorf("with flags: %s", got[0])
	}
	// An ETF that the register of investment funds has as well.
	listed, err := os.ReadFile(fixtures + "fi.csv")
	if err != nil {
		t.Fatal(err)
	}
	both := fileOf(t, "fi.csv", string(listed)+
		"8011,FONDO PRINCIPAL VISION,PRINCIPAL ADMINISTRADORA GENERAL DE FONDOS S.A.,FIRES")
	m.Ingest(t, model.FIRegister, both, published.AddDate(0, 0, 1))
	if got := column(t, m, counts, m.Build(t)); got[0] != "(1330,3,2)" {
		t.Errorf("with an ETF in both registers: %s", got[0])
	}
	got := column(t, m, "SELECT concat(run, ' ', vehicle) FROM fund WHERE batch = $1 AND run IN ('8011-K', '9809-4', "+
		"'10842-1', '9278-9') ORDER BY fund.run", batch)
	if diff := cmp.Diff([]string{"10842-1 etf", "8011-K etf", "9278-9 investment_fund", "9809-4 mutual_fund"},
		got); diff != "" {
		t.Error(diff)
	}
	// A later statement withdraws the flag: 8011 is an investment fund then.
	m.Ingest(t, model.Vehicles, vehicles("10842,yes", "9278,no", "8011,no"), published.AddDate(0, 0, 1))
	if got := column(t, m, counts, m.Build(t)); got[0] != "(1330,4,1)" {
		t.Errorf("with one flag withdrawn: %s", got[0])
	}
}

func TestAnInvestmentFundsSeriesThatIsMissingIsSeen(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.FIValues, fixtures+"fi_values.csv", published)
	batch := m.Build(t)
	if err := m.Conn.Exec(context.Background(),
		"INSERT INTO fi_instrument (batch, instrument_id, series_id, serie) VALUES ($1, $2, 1, 'A')", batch,
		uuid.NewString()); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.FIRegister, fixtures+"fi.csv", published)
	if err := m.TryBuild(t); err == nil ||
		!strings.Contains(err.Error(), "series 1 of an investment fund was in batch 1 and is missing") {
		t.Errorf("the batch ended with %v", err)
	}
}

func TestSeriesOfBothKindsShareOneSpaceOfNumbers(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	mutual, investment := oracle.SeriesKey(9809, "B"), "fi:9278-9:A"
	for _, taken := range []struct {
		kind, key string
		id        uint32
	}{{"fi_series", "fi:1-9:TAKEN", oracle.ID(mutual)}, {"series", "series:1-9:TAKEN", oracle.ID(investment)}} {
		if err := m.Conn.Exec(context.Background(),
			"INSERT INTO registry (kind, id, key, run, serie, batch) VALUES ($1, $2, $3, 1, 'TAKEN', 1)", taken.kind,
			taken.id, taken.key); err != nil {
			t.Fatal(err)
		}
	}
	m.Ingest(t, model.Cartola, historyOf(t)[0], published)
	m.Ingest(t, model.FIValues, fixtures+"fi_values.csv", published)
	m.Build(t)
	for _, key := range []string{mutual, investment} {
		got := column(t, m, "SELECT toString(id) FROM registry WHERE key = $1", key)
		if want := fmt.Sprint(oracle.ID(key + "#1")); !cmp.Equal(got, []string{want}) {
			t.Errorf("%s has %v, want %s, the hash of %s#1", key, got, want, key)
		}
	}
}
