package projector_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// A market in which something ended shortly before the cutoff, 2025-07-20: a currency, a
// series, a valid last row, a name.
func leavingMarket(t *testing.T) (m *demotest.Market, batch uint64) {
	t.Helper()
	var rows []*cartolaDay
	last := date(t, "2025-07-20")
	for day := date(t, "2025-05-01"); !day.After(last); day = day.AddDate(0, 0, 1) {
		add := func(run int, serie string, equity float64, dollars bool) *cartolaDay {
			row := cartolaDay{run: run, serie: serie, day: day, equity: equity, units: equity / 1000,
				quota: 1000 + float64(day.YearDay())}
			if dollars {
				row.moneda, row.equity = "PROM", equity/1000
			}
			rows = append(rows, &row)
			return &row
		}
		// In dollars since the 10th of July.
		add(60001, "TURNED", 9e5, day.After(date(t, "2025-07-09")))
		add(60001, "STAYED", 1e4, false)
		// The last row can't be read.
		if row := add(60002, "VOID", 1e4, false); day.Equal(last) {
			row.quota = -5
		}
		// The largest series of the family was in dollars, and has closed.
		add(60003, "A", 1e4, false)
		if day.Before(date(t, "2025-06-01")) {
			add(60003, "GONE", 9e5, true)
		}
		// The cost rates of both change by the same amount. The series in dollars has more
		// equity in pesos.
		for _, row := range []*cartolaDay{add(60004, "PESOS", 1e4, false), add(60004, "DOLLARS", 1e5, true)} {
			row.cost = row.units * float64(day.Month()) / 100
		}
		// So many other series that the day is complete in spite of a void row.
		for i := range 100 {
			add(60006, fmt.Sprintf("S%02d", i), 1e4, false)
		}
		// The only row of a fund that is in no register is void.
		if day.Equal(last) {
			add(60005, "UNKNOWN", 1e4, false).quota = -5
		}
	}
	lines := make([]cartolaDay, len(rows))
	for i, row := range rows {
		lines[i] = *row
	}
	m = demotest.New(t)
	if report := m.Ingest(t, model.Cartola, cartolaOf(t, lines), demotest.Clock); report.Rejected != 2 {
		t.Fatalf("%d rows are rejected, want the void ones: %+v", report.Rejected, report.FirstRejects)
	}
	m.IngestEnd(t, "2025-06-01", demotest.Clock) // of the series GONE
	text := func(name string, lines ...string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dolar := rates{}
	for day := date(t, "2025-05-01"); !day.After(last); day = day.AddDate(0, 0, 1) {
		dolar[day.Format(time.DateOnly)] = "950"
	}
	ingestWhole(t, m, model.Dolar, dolar.file(t, "dolar.csv"), demotest.Clock)
	// The UF has later dates than the book values, and these have later dates than the
	// quotes.
	ingestWhole(t, m, model.UF, rates{"2025-05-01": "39000", "2025-07-24": "39001"}.file(t, "uf.csv"), demotest.Clock)
	ingestWhole(t, m, model.FIValues, fiFile(t, []fiDay{
		{9278, "A", date(t, "2025-06-25"), "PROM", "100", 1000, 5},
		{9278, "A", date(t, "2025-07-25"), "PROM", "101", 1000, 5},
	}), demotest.Clock)
	ingestWhole(t, m, model.FIRegister,
		text("fi.csv", "run,nombre,administradora,tipo,estado", "9278,AINA,UNA AGF,FIRES,vigente"), demotest.Clock)
	register := []string{"RUT Administradora;Raz. Social Administradora;RUN Fondo;Nombre Fondo;Nombre Corto;Fecha " +
		"Res. Aprobación del RI;" +
		"Nro. Res. Aprobación del RI;Tipo de Fondo Mutuo;Fecha Inicio Operaciones;Fecha Término Operaciones;Moneda"}
	for _, fund := range []string{"91999000;UNA AGF;60003", "91999000;UNA AGF;60004", "96639280;UNA AGF;60002"} {
		register = append(register, fund+";FONDO;F;07/05/2004;236;6;31/05/2004;;$$")
	}
	ingestWhole(t, m, model.Register, text("register.txt", register...), demotest.Clock)
	tac := "fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf,serie_digital,tac_sintetica"
	ingestWhole(t, m, model.TACComparator,
		text("tac1.csv", tac, "60004,PESOS,1,20250531,$$,Retail,F,UNA,0,1.07",
			"60004,DOLLARS,1,20250531,PROM,Retail,F,UNA,0,1.07",
			"60003,A,1,20240131,$$,Retail,F,UNA,0,2.5"), demotest.Clock)
	ingestWhole(t, m, model.TACComparator,
		text("tac2.csv", tac, "60004,PESOS,1,20250630,$$,Retail,F,UNA,0,1.4",
			"60004,DOLLARS,1,20250630,PROM,Retail,F,UNA,0,1.4"), demotest.Clock)
	ingestWhole(t, m, model.ReturnsComparator, comparator(t, "2025-05-31", map[member]string{
		{run: 60003, serie: "A"}: "Accionario nacional", {run: 60003, serie: "GONE"}: "Accionario nacional"}),
		demotest.Clock)
	ingestWhole(t, m, model.ReturnsComparator,
		comparator(t, "2025-06-30", map[member]string{{run: 60003, serie: "A"}: "Accionario nacional"}), demotest.Clock)
	ingestWhole(t, m, model.Events, eventsOf(t, "kind,run,serie,date,note,source_url,source_sha256",
		[]string{"discontinuity,60002,VOID,2025-05-02,made,https://example.org/break," + evidence(1)}), demotest.Clock)
	return m, m.Build(t)
}

func TestSupersededAttributesDoNotDescribeThePresent(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, batch := leavingMarket(t)
	ask := func(query string) string {
		t.Helper()
		var found string
		if err := m.Conn.QueryRow(context.Background(), query, batch).Scan(&found); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return found
	}
	for _, c := range []struct{ rule, query, want string }{
		{"a closed month is in the currency that it was in, not in the one that followed",
			"SELECT concat(toString(currency), ' ', toString(currency_last_closed_month)) FROM screener WHERE batch " +
				"= $1 AND serie = 'TURNED'", "DOLAR PESOS"},
		{"equities before are null where they are in another currency than the series is in now",
			"SELECT toString((toString(equity), month_equity)) FROM screener WHERE batch = $1 AND serie = 'TURNED'",
			"('900',NULL)"},
		{"on the day of the change neither equity before is in its currency",
			"SELECT toString((previous_equity, month_equity, daily_change)) FROM market_day WHERE build = $1 AND " +
				"date = '2025-07-10' AND currency = 'DOLAR' AND equity = 900", "(NULL,NULL,NULL)"},
		{"a void last row leaves the currency that the row before stated",
			"SELECT toString(currency) FROM series WHERE batch = $1 AND serie = 'VOID'", "PESOS"},
		{"a fund is of the category of its series that live, whatever those that are over held",
			"SELECT toString(category) FROM fund WHERE batch = $1 AND run LIKE '60003-%'", "equity"},
		{"a fund of which only a void row is known does not hold the market up",
			"SELECT toString((vehicle, manager, currency)) FROM fund WHERE batch = $1 AND run LIKE '60005-%'",
			"('mutual_fund','',NULL)"},
		{"of two managers of one name an investment fund has the one with more funds",
			"SELECT toString((count(), any(rut))) FROM fund INNER JOIN manager ON manager.manager_id = " +
				"fund.manager_id AND manager.batch = fund.batch WHERE fund.batch = $1 AND fund.run = '9278-9'",
			"(1,'91999000-7')"},
		{"a synthetic rate of long ago does not outrank the real rate of last month",
			"SELECT toString((tac_kind, tac_date)) FROM series WHERE batch = $1 AND serie = 'A' AND run LIKE '60003-%'",
			"('computed','2025-06-30')"},
		{"a rate is the fraction that its percentage says, to the last digit",
			"SELECT toString(arraySort(groupUniqArray(tac))) FROM tac_month WHERE batch = $1 AND kind = 'synthetic' " +
				"AND month > '2025-01-01'", "[0.0107,0.014]"},
		{"of equal changes of a fund's series the one of more equity in pesos is shown",
			"SELECT serie FROM batch_tac_change(batch = $1, month = '2025-06-30', direction = 'up', category = '') " +
				"WHERE run LIKE '60004-%'", "DOLLARS"},
		{"a series that closed keeps the family and category that it last had, and has none now",
			"SELECT toString(groupArray((serie, current, family_rar, last_family, last_category))) FROM (SELECT * " +
				"FROM series WHERE batch = $1 AND run LIKE '60003-%' ORDER BY serie)",
			"[('A',true,'Accionario nacional','Accionario nacional','equity'),('GONE',false,NULL,'Accionario " +
				"nacional','equity')]"},
		{"a series that nobody ever classified has no last family",
			"SELECT toString((count(), count(last_family), count(last_category))) FROM series WHERE batch = $1 AND " +
				"run LIKE '60006-%'", "(100,0,0)"},
		{"rates reach to the last book value",
			"SELECT toString((fx.1, fx.2)) FROM fx_uf_rate WHERE batch = $1 AND date = '2025-07-25'",
			"('2025-07-20',950)"},
		{"every record that is held counts once, days that could not be read too",
			"SELECT toString(total_records) FROM batch WHERE batch = $1",
			ask("SELECT toString(sum(keys) + sum(rejected) - 0 * $1) FROM complete_file")},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if diff := cmp.Diff(c.want, ask(c.query)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
