package dryrun_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/dryrun"
	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/model"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// fixtures is the folder of the test files of package ingest, which have the layouts of their sources.
const fixtures = "../../../ingest/testdata/"

var published = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

// statements are files of all datasets, each with a text to change so that one row states something else.
var statements = []struct {
	dataset  model.Dataset
	name     string
	old, new string
	column   string // that differs then; empty: the rows are not compared
	was, is  string
}{
	{dataset: model.Cartola, name: "cartola.txt", old: ";1421.0319;", new: ";1422.5;", column: "quota",
		was: "1421.0319", is: "1422.5"},
	{dataset: model.Register, name: "register.txt", old: "FONDO MUTUO CAPITALISA ACCIONARIO;",
		new: "FONDO MUTUO CAPITALISA;", column: "name", was: "FONDO MUTUO CAPITALISA ACCIONARIO",
		is: "FONDO MUTUO CAPITALISA"},
	{dataset: model.TACComparator, name: "tac.csv", old: "Retail,VISION MONEY MARKET,PRINCIPAL,0,1.32",
		new: "Retail,VISION MONEY MARKET,PRINCIPAL,0,1.65", column: "percent", was: "1.32", is: "1.65"},
	{dataset: model.ReturnsComparator, name: "returns.csv", old: ",10.7809,", new: ",10.79,", column: "nominal_1y",
		was: "10.7809", is: "10.79"},
	{dataset: model.AAFM, name: "sheet_20250720.csv", old: ",1050.6812,", new: ",1051,", column: "quota",
		was: "1050.6812", is: "1051"},
	{dataset: model.UF, name: "uf.csv", old: "15067.93", new: "15067.94", column: "value", was: "15067.93",
		is: "15067.94"},
	{dataset: model.Dolar, name: "dolar.csv", old: "530.07", new: "530.08", column: "value", was: "530.07",
		is: "530.08"},
	{dataset: model.FIRegister, name: "fi.csv", old: "FINRE\n10654", new: "FIRES\n10654", column: "kind",
		was: "FINRE", is: "FIRES"},
	{dataset: model.FIValues, name: "fi_values.csv", old: ";1.234,5678;", new: ";1.234,5;", column: "book_value",
		was: "1234.5678", is: "1234.5"},
	{dataset: model.TACMonthly, name: "tac_monthly.csv", old: ";1.2219;", new: ";1.2218;", column: "total_percent",
		was: "1.2219", is: "1.2218"},
	{dataset: model.Benchmarks, name: "benchmarks.csv", old: ",equity,yes", new: ",equity,no", column: "active",
		was: "true", is: "false"},
	{dataset: model.Benchmarks, name: "benchmark_prices.csv", old: "8112.4", new: "8112.5", column: "close",
		was: "8112.4", is: "8112.5"},
	{dataset: model.Article107s, name: "article107.csv", old: ",one affirming clause,", new: ",another,",
		column: "status_reason", was: "one affirming clause", is: "another"},
	{dataset: model.Events, name: "renames.csv", old: "2025-06-30", new: "2025-06-29",
		column: "first_current_date", was: "2025-06-30", is: "2025-06-29"},
	{dataset: model.Events, name: "discontinuities.csv", old: "Quota divided", new: "Divided", column: "note",
		was: "Quota divided by 1,000", is: "Divided by 1,000"},
	{dataset: model.Vehicles, name: "vehicles.csv", old: "10842,yes", new: "10842,no", column: "is_etf",
		was: "true", is: "false"},
	{dataset: model.Events, name: "factors.csv"},
	{dataset: model.Events, name: "exchanges.csv"},
	{dataset: model.Events, name: "risk_free.csv"},
	{dataset: model.Events, name: "ends.csv"},
	{dataset: model.Holdings, name: "portfolio_202506.csv"},
}

// nowhere is a log that forgets what it gets.
type nowhere struct{}

func (nowhere) Publish(context.Context, string, []ingest.Message) error { return nil }

// again writes a file of the same name with other bytes. If old is empty, it states the same.
func again(t *testing.T, name, old, new string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	if old != "" && !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", name, old)
	}
	if old == "" {
		text = append(bytes.TrimRight(text, "\r\n"), "\n\n"...)
	} else {
		text = bytes.Replace(text, []byte(old), []byte(new), 1)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEveryDatasetIsComparedWithWhatCounts(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	files := archive.New(filepath.Join(t.TempDir(), "archive"), func() time.Time { return demotest.Clock })
	run := dryrun.New(m.Conn, files, zerolog.Nop())
	of := func(dataset model.Dataset, path string, published time.Time) dryrun.Report {
		t.Helper()
		report, err := run.File(t.Context(), ingest.Request{Dataset: dataset, Path: path, Published: published})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return report
	}
	keys := map[string]uint64{}
	for _, file := range statements {
		path := filepath.Join(fixtures, file.name)
		report := of(file.dataset, path, published)
		keys[file.name] = m.Ingest(t, file.dataset, path, published).Keys
		want := dryrun.Rows{Read: report.Rows.Read, Repeated: report.Rows.Repeated, Rejected: report.Rows.Rejected,
			New: keys[file.name]}
		if file.column == "" {
			want.New, want.NotCompared = 0, report.Rows.Read
		}
		if diff := cmp.Diff(want, report.Rows); diff != "" || report.Compared != (file.column != "") {
			t.Errorf("%s before any batch: (-want +announced)\n%s", file.name, diff)
		}
	}
	m.Build(t)
	for _, file := range statements {
		if file.column == "" {
			continue
		}
		later := published.AddDate(0, 1, 0)
		if got := of(file.dataset, again(t, file.name, "", ""), later); got.Rows.Equal != keys[file.name] ||
			got.Rows.New+got.Rows.Older+got.Rows.Corrected != 0 {
			t.Errorf("%s with other bytes and the same rows: %+v", file.name, got.Rows)
		}
		other := again(t, file.name, file.old, file.new)
		got := of(file.dataset, other, later)
		if got.Rows.Corrected != 1 || got.Rows.Equal != keys[file.name]-1 || len(got.Corrections) != 1 {
			t.Errorf("%s with a correction: %+v", file.name, got)
			continue
		}
		one := got.Corrections[0]
		if diff := cmp.Diff([]string{file.column}, one.Columns); diff != "" || fmt.Sprint(one.Old) != file.was ||
			fmt.Sprint(one.New) != file.is || one.Counts.File != file.name {
			t.Errorf("%s with a correction: %+v", file.name, one)
		}
		if got := of(file.dataset, other, published.AddDate(0, 0, -1)); got.Rows.Older != keys[file.name] ||
			got.Rows.Corrected != 0 {
			t.Errorf("%s of an earlier publication: %+v", file.name, got.Rows)
		}
	}

	// A file that was ingested and is in no batch yet has the publication of that time.
	path := again(t, "uf.csv", "15067.93", "15067.95")
	if _, err := ingest.New(files, nowhere{}, zerolog.Nop()).File(t.Context(), ingest.Request{Dataset: model.UF,
		Path: path, Published: published.AddDate(0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	if got := of(model.UF, path, time.Time{}); got.State != dryrun.Waiting || got.Rows.Corrected != 1 ||
		!got.Published.Equal(published.AddDate(0, 0, 1)) {
		t.Errorf("a file that waits for a batch: %+v", got)
	}
}
