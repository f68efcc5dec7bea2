package projector_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
	"cuota/sql"
)

// statement is a file, with the day on which its source published it.
type statement struct {
	dataset   model.Dataset
	path      string
	published time.Time
}

// registerOf writes a register of investment funds with the manager of each fund, by RUN.
func registerOf(t *testing.T, managers map[int]string) string {
	t.Helper()
	lines := []string{"run,nombre,administradora,tipo,estado"}
	for run, manager := range managers {
		lines = append(lines, fmt.Sprintf("%d,FONDO %d,%s,FINRE,vigente", run, run, manager))
	}
	path := filepath.Join(t.TempDir(), "fi.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// RUTs and names of the managers in the statements below.
const (
	rutOfCartola  = 76000001 // ADMINISTRADORA 76000001 S.A. in the cartola
	rutOfRegister = 77057272 // SOYFOCUS in the register of mutual funds
	nameAlone     = "SIN RUT S.A."
	nameBefore    = "ANTES DEL CAMBIO S.A."
)

// managerStatements returns files that name managers with and without a RUT. One fund changes
// its manager from one edition of a register to the next.
func managerStatements(t *testing.T) []statement {
	day := oracle.Date(2025, time.July, 20)
	second := demotest.Clock.AddDate(0, 0, -1)
	return []statement{
		{model.FIRegister, registerOf(t, map[int]string{9278: "Administradora 76.000.001 S.A.", 9279: nameAlone,
			9280: nameBefore, 9281: "Soyfocus"}), demotest.Clock.AddDate(0, 0, -9)},
		{model.FIRegister, registerOf(t, map[int]string{9278: "Administradora 76.000.001 S.A.", 9279: nameAlone,
			9280: nameAlone, 9281: "Soyfocus"}), second},
		{model.Cartola, cartolaOf(t,
			[]cartolaDay{{manager: rutOfCartola, run: 60001, serie: "A", day: day, equity: 100}}), second},
		{model.Register, register(t, map[int]string{60002: ""}), second},
		{model.FIValues, fiFile(t, []fiDay{{9278, "A", day, "$$", "100", 5, 3}, {9282, "B", day, "$$", "100", 5, 3}}),
			second},
	}
}

// ingestAndBuild publishes statements. It builds a batch after the statements whose indexes
// are in builds, and after the last one.
func ingestAndBuild(t *testing.T, m *demotest.Market, statements []statement, order, builds []int) (batch uint64) {
	t.Helper()
	for i, place := range order {
		s := statements[place]
		if report := m.Ingest(t, s.dataset, s.path, s.published); report.Rejected > 0 {
			t.Fatalf("%s: %+v", s.path, report.FirstRejects)
		}
		if i == len(order)-1 || slices.Contains(builds, i) {
			batch = m.Build(t)
		}
	}
	return batch
}

func TestIDsDoNotDependOnTheOrderOfFilesAndBatches(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	statements := managerStatements(t)
	var want []string
	for key, id := range oracle.ManagerIDs([]int{rutOfCartola, rutOfRegister},
		[]string{"Administradora 76.000.001 S.A.", nameAlone, nameBefore, "Soyfocus"}) {
		want = append(want, fmt.Sprintf("manager %d %s", id, key))
	}
	for _, run := range []int{60001, 60002, 9278, 9279, 9280, 9281, 9282} {
		want = append(want, fmt.Sprintf("fund %d %s", oracle.ID(oracle.FundKey(run)), oracle.FundKey(run)))
	}
	series := oracle.SeriesKey(60001, "A")
	want = append(want, fmt.Sprintf("series %d %s", oracle.ID(series), series))
	for _, series := range []string{"fi:9278-9:A", "fi:9282-7:B"} {
		want = append(want, fmt.Sprintf("fi_series %d %s", oracle.ID(series), series))
	}
	slices.Sort(want)

	// The ids under which managers are listed. A manager with a known RUT has the id of the
	// RUT.
	listed := []string{
		fmt.Sprint(oracle.ID(oracle.ManagerKey(rutOfCartola)), " ADMINISTRADORA 76000001 S.A. 0 1"),
		fmt.Sprint(oracle.ID(oracle.ManagerKey(rutOfRegister)), " SOYFOCUS 1 1"),
		fmt.Sprint(oracle.ID(oracle.NameKey(nameAlone)), " SIN RUT S.A. 0 2"),
	}
	slices.Sort(listed)

	var first map[string]string // checksums of the projections
	for _, c := range []struct {
		name          string
		order, builds []int
	}{
		{"one batch", []int{0, 1, 2, 3, 4}, nil},
		{"names first, in three batches", []int{0, 1, 2, 3, 4}, []int{1, 3}},
		{"RUTs first, the newer register before the older", []int{3, 2, 4, 1, 0}, []int{0, 2}},
		{"one RUT before the names and one after", []int{2, 0, 3, 4, 1}, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := demotest.New(t)
			batch := ingestAndBuild(t, m, statements, c.order, c.builds)
			if diff := cmp.Diff(want, column(t, m,
				"SELECT format('{} {} {}', kind, toString(id), key) AS line FROM registry ORDER BY line")); diff != "" {
				t.Errorf("registry (-from the files; +registered):\n%s", diff)
			}
			got := column(t, m, "SELECT format('{} {} {} {}', toString(manager_id), name, toString(mutual_funds), "+
				"toString(investment_funds)) AS line FROM manager WHERE batch = $1 ORDER BY line", batch)
			if diff := cmp.Diff(listed, got); diff != "" {
				t.Errorf("managers (-from the files; +listed):\n%s", diff)
			}
			sums := demotest.Checksums(t, m.Conn, batch)
			if first == nil {
				first = sums
			}
			if diff := cmp.Diff(first, sums); diff != "" {
				t.Errorf("projections differ (-one batch; +this order):\n%s", diff)
			}
		})
	}
}

func TestTheIDOfANameGoesOnFindingTheManagerWhoseRUTBecomesKnown(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	statements := managerStatements(t)
	m := demotest.New(t)
	fundsOf := func(batch uint64, manager uint32) (runs []string) {
		t.Helper()
		ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{
			"batch": fmt.Sprint(batch), "managers": fmt.Sprintf("[%d]", manager),
		}))
		rows, err := m.Conn.Query(ctx, "SELECT manager_id, run FROM ("+sql.Query("funds_of_manager")+")")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var of uint32
			var run string
			if err := rows.Scan(&of, &run); err != nil {
				t.Fatal(err)
			}
			if of != manager {
				t.Errorf("a fund of %d, asked for those of %d", of, manager)
			}
			runs = append(runs, run)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return runs
	}
	byName := oracle.ID(oracle.NameKey("SOYFOCUS"))
	none := []string{""} // the single row of a manager without mutual funds

	batch := ingestAndBuild(t, m, statements, []int{0}, nil)
	if got := fundsOf(batch, byName); !cmp.Equal(got, none) {
		t.Errorf("known by name alone, the manager has %v, want one empty row", got)
	}
	batch = ingestAndBuild(t, m, statements, []int{3, 2}, nil)
	byRUT := oracle.ID(oracle.ManagerKey(rutOfRegister))
	want := []string{"60002-" + oracle.CheckDigit(60002)}
	for _, id := range []uint32{byRUT, byName} {
		if got := fundsOf(batch, id); !cmp.Equal(got, want) {
			t.Errorf("id %d has the funds %v, want %v", id, got, want)
		}
	}
	if got := fundsOf(batch, 77); got != nil {
		t.Errorf("an id that nobody has finds %v", got)
	}
	if got := fundsOf(batch, oracle.ID(oracle.NameKey(nameAlone))); !cmp.Equal(got, none) {
		t.Errorf("a manager that is known by name alone has %v", got)
	}
}
