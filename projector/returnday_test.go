package projector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// sparse returns the rows of eight series over seven years: a quote on every third day or so,
// with gaps, rejected rows, series that begin late, end early, or change their currency.
func sparse(t *testing.T, random *rand.Rand) (rows []cartolaDay) {
	t.Helper()
	for i := range 8 {
		quota, day := 1000.0, date(t, "2018-01-03")
		if i%3 == 2 {
			day = day.AddDate(1, i, i)
		}
		for last := date(t, "2024-12-30"); day.Before(last); day = day.AddDate(0, 0, 2+random.IntN(4)) {
			quota *= 1 + 0.01*random.NormFloat64()
			r := cartolaDay{run: 61000 + i%3, serie: fmt.Sprintf("S%d", i), day: day, moneda: "$$",
				quota: float64(int(quota*1e4)) / 1e4, equity: 1e6, units: 1}
			switch chance := random.Float64(); {
			case chance < 0.03:
				r.moneda = void
			case chance < 0.035:
				day = day.AddDate(0, 0, 20+random.IntN(30))
			case i == 4 && day.Year() > 2020:
				r.moneda = "PROM"
			}
			rows = append(rows, r)
			if i == 5 && day.Year() > 2021 {
				break
			}
		}
	}
	return rows
}

// compareDays compares the stored windows of every day with the independent computation, and
// returns the number of windows and of values.
func compareDays(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64) (compared, values int) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch)}))
	rows, err := m.Conn.Query(ctx, `
		SELECT stored.date, run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end
		FROM batch_stored_return(batch = {batch:UInt64}, from = '1970-01-02', to = '2149-06-06') AS stored
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = stored.series_id`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var on, targetStart, targetEnd time.Time
		var run uint32
		var serie, window string
		var value *float64
		var currency, reason *string
		var effectiveStart, effectiveEnd *time.Time
		if err := rows.Scan(&on, &run, &serie, &window, &value, &currency, &reason, &targetStart, &targetEnd,
			&effectiveStart, &effectiveEnd); err != nil {
			t.Fatal(err)
		}
		got := period{
			currency: text(currency), reason: text(reason), targetStart: targetStart.Format(time.DateOnly),
			targetEnd: targetEnd.Format(time.DateOnly), effectiveStart: day(effectiveStart),
			effectiveEnd: day(effectiveEnd),
		}
		if value != nil {
			got.value, got.known = *value, true
			values++
		}
		samePeriod(t, fmt.Sprintf("%s %d:%s:%s", on.Format(time.DateOnly), run, serie, window), got,
			market.Period(int(run), serie, on, window))
		compared++
		if t.Failed() && compared > 200 {
			t.FailNow()
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	want := 0
	var days []struct {
		Date time.Time `ch:"date"`
	}
	if err := m.Conn.Select(ctx, &days, "SELECT DISTINCT date FROM current_series_day"); err != nil {
		t.Fatal(err)
	}
	for _, day := range days {
		on := day.Date
		for _, series := range market.Series() {
			if end := market.Period(series.Run, series.Name, on, "1m").EffectiveEnd; end != "" &&
				on.Sub(date(t, end)) <= 38*24*time.Hour {
				want += len(model.Windows)
			}
		}
	}
	if compared != want {
		t.Errorf("%d windows are stored, want %d: one of every day, series and window, from the first quote until 38 "+
			"days after the newest", compared, want)
	}
	return compared, values
}

// builtDays returns the days whose returns a batch built.
func builtDays(t *testing.T, m *demotest.Market, batch uint64) (list []string) {
	t.Helper()
	var days []struct {
		Date time.Time `ch:"date"`
	}
	if err := m.Conn.Select(context.Background(), &days,
		fmt.Sprintf("SELECT date FROM return_day_version WHERE build = %d ORDER BY date", batch)); err != nil {
		t.Fatal(err)
	}
	for _, on := range days {
		list = append(list, on.Date.Format(time.DateOnly))
	}
	return list
}

func TestTheWindowsOfEveryDayEqualTheOracle(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(14, 1))
	rows := sparse(t, random)
	m, market := demotest.New(t), oracle.New()
	load(t, m, market, rows, demotest.Clock.AddDate(0, 0, -20))
	first := m.Build(t)
	compared, values := compareDays(t, m, market, first)
	all := builtDays(t, m, first)
	if values < compared/4 || len(all) < 1000 {
		t.Fatalf("%d windows of %d days have %d values: the market is too poor to test with", compared, len(all),
			values)
	}

	// A new day costs its own windows.
	newest := cartolaDay{run: 61000, serie: "S0", day: date(t, "2025-01-02"), moneda: "$$", quota: 1234.5, equity: 1e6,
		units: 1}
	load(t, m, market, []cartolaDay{newest}, demotest.Clock.AddDate(0, 0, -19))
	batch := m.Build(t)
	compareDays(t, m, market, batch)
	if got := builtDays(t, m, batch); !slices.Equal(got, []string{"2025-01-02"}) {
		t.Errorf("a new day built the returns of %d days: %v", len(got), got[:min(len(got), 10)])
	}

	// Another value of one quote costs the days with a window that begins or ends with it.
	corrected := rows[random.IntN(len(rows)/8)]
	for corrected.moneda == void || corrected.day.Year() != 2018 {
		corrected = rows[random.IntN(len(rows)/8)]
	}
	corrected.quota += 0.5
	load(t, m, market, []cartolaDay{corrected}, demotest.Clock.AddDate(0, 0, -18))
	batch = m.Build(t)
	compareDays(t, m, market, batch)
	var want []string
	for _, on := range append(slices.Clone(all), "2025-01-02") {
		reaches := false
		for _, window := range model.Windows {
			p := market.Period(corrected.run, corrected.serie, date(t, on), window)
			of := corrected.day.Format(time.DateOnly)
			reaches = reaches || p.EffectiveStart == of || p.EffectiveEnd == of
		}
		if reaches {
			want = append(want, on)
		}
	}
	if got := builtDays(t, m, batch); !slices.Equal(got, want) {
		t.Errorf("the correction of %s built %d days, want %d:\n%v\n%v", corrected.day.Format(time.DateOnly), len(got),
			len(want), got, want)
	}

	if testing.Short() {
		return
	}
	for round, change := range []func(r *cartolaDay){
		func(r *cartolaDay) { r.moneda = void },
		func(r *cartolaDay) { r.moneda = "PROM" },                      // breaks the history
		func(r *cartolaDay) { r.day = r.day.AddDate(0, 0, 1) },         // a day that the series did not have
		func(r *cartolaDay) { r.moneda, r.quota = "$$", r.quota*1.01 }, // a void row is read after all
	} {
		var some []cartolaDay
		for range 5 {
			r := rows[random.IntN(len(rows))]
			change(&r)
			some = append(some, r)
		}
		load(t, m, market, some, demotest.Clock.AddDate(0, 0, round-10))
		compareDays(t, m, market, m.Build(t))
	}

	// The currency of a series that begins with a void row is stated by an older row.
	late := cartolaDay{run: 61001, serie: "LATE", day: date(t, "2024-06-04"), moneda: void, equity: 1e6, units: 1}
	load(t, m, market, []cartolaDay{late}, demotest.Clock.AddDate(0, 0, -5))
	m.Build(t)
	late.day, late.moneda, late.quota = date(t, "2024-06-03"), "$$", 1000
	load(t, m, market, []cartolaDay{late}, demotest.Clock.AddDate(0, 0, -4))
	batch = m.Build(t)
	compareDays(t, m, market, batch)
	if diff := cmp.Diff(demotest.Checksums(t, m.Conn, m.Rebuild(t)), demotest.Checksums(t, m.Conn, batch)); diff != "" {
		t.Errorf("projections (-built anew, +built day by day):\n%s", diff)
	}
}

// The view computes any date from all quotes; the table has what the batch stored. Both must
// agree, for series of investment funds too.
func TestStoredWindowsEqualTheViewAtAnyDate(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := publishedDemo(t)
	batch := count(t, m, "SELECT max(batch) FROM batch")
	for _, on := range []string{"2025-07-20", "2025-06-30", "2024-02-29", "2021-03-01"} {
		ctx := clickhouse.Context(context.Background(),
			clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch), "day": on}))
		var stored, differ uint64
		err := m.Conn.QueryRow(ctx, `
			WITH
			    stored AS (SELECT * EXCEPT (date) FROM batch_stored_return(batch = {batch:UInt64}, from = {day:Date}, to = {day:Date})),
			    computed AS (
			        SELECT * FROM batch_price_return(batch = {batch:UInt64}, as_of = {day:Date}, series = [], all_series = true)
			        WHERE series_id IN (SELECT series_id FROM stored) OR value IS NOT NULL)
			SELECT
			    (SELECT count() FROM stored),
			    (SELECT count() FROM (SELECT * FROM stored EXCEPT SELECT * FROM computed))
			        + (SELECT count() FROM (SELECT * FROM computed EXCEPT SELECT * FROM stored))`).Scan(&stored,
			&differ)
		if err != nil {
			t.Fatal(err)
		}
		if stored == 0 || differ != 0 {
			t.Errorf("%s: %d of %d windows differ", on, differ, stored)
		}
	}
}
