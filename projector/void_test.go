package projector_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

func TestAQuotaOfZeroThatIsStoredAlreadyIsAVoidDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	var rows []cartolaDay
	families := map[member]string{}
	for n := range 3 {
		for i := range 60 {
			serie := fmt.Sprintf("S%02d", i)
			rows = append(rows, cartolaDay{manager: 76000001, run: 72000, serie: serie,
				day: date(t, "2025-06-01").AddDate(0, 0, n), quota: 100, equity: 1e6, payout: "1.01"})
			families[member{run: 72000, serie: serie}] = equity
		}
	}
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-01-10", families), demotest.Clock)
	m.Build(t)
	// The state that a program left which accepted zeros.
	m.Change(t, "ALTER TABLE fact_quota UPDATE quota = 0 WHERE serie = 'S00' AND date = '2025-06-03' SETTINGS "+
		"mutations_sync = 2")
	batch := m.Rebuild(t)
	for query, want := range map[string]string{
		"SELECT toString((quota, currency, equity, shareholders, manager_rut, costs, distribution_factor)) FROM " +
			"batch_series_day(batch = $1, series = [], all_series = true) " +
			"WHERE date = '2025-06-03' AND quota IS NULL": "(NULL,'',NULL,NULL,0,NULL,NULL)",
		"SELECT toString((equity, series)) FROM batch_family_day(batch = $1, from = '2025-06-03', to = '2025-06-03')": "(59000000,59)",
		"SELECT toString((equity, shareholders, series)) FROM batch_manager_day(batch = $1, from = '2025-06-03', to " +
			"= '2025-06-03')": "(59000000,295,59)",
		"SELECT toString((rows, series, present_series, void_series, complete)) FROM market_completeness WHERE batch " +
			"= $1 AND date = '2025-06-03'": "(60,59,60,1,true)",
		"SELECT toString(as_of_date) FROM batch WHERE batch = $1":                 "2025-06-03",
		"SELECT toString(price) FROM screener WHERE batch = $1 AND serie = 'S00'": "",
	} {
		var got *string
		if err := m.Conn.QueryRow(t.Context(), query, batch).Scan(&got); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if text(got) != want {
			t.Errorf("%s: %s, want %s", query, text(got), want)
		}
	}
}

func TestABookValueThatIsNotAboveZeroIsNoQuote(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, quotedUpTo(t), published)
	m.Ingest(t, model.FIRegister, fiRegisterFile(t), published)
	var rows []fiDay
	for n, book := range []string{"100.5", "0", "0.000000", "-3.25", "101"} {
		rows = append(rows, fiDay{9278, "A", date(t, "2025-07-14").AddDate(0, 0, n), "$$", book, 500, 3})
	}
	ingestWhole(t, m, model.FIValues, fiFile(t, rows), published)
	got := column(t, m, "SELECT toString((book_value, currency, equity, contributors)) FROM batch_fi_day(batch = $1, "+
		"series = [], all_series = true) ORDER BY date", m.Build(t))
	want := []string{"(100.5,'PESOS',500,3)", "(NULL,'PESOS',500,3)", "(NULL,'PESOS',500,3)", "(NULL,'PESOS',500,3)",
		"(101,'PESOS',500,3)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
