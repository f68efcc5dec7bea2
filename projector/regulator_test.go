package projector_test

import (
	"fmt"
	"math/rand/v2"
	"os"
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

const (
	marketDay      = "../demo/files/cartola/cartola_market_20250720_derived.txt"
	wholeDay       = "testdata/market/day_of_32_series.txt"
	unreadableRows = "testdata/market/day_of_32_series_20_unreadable.txt"
)

// linesOf returns the header and the rows of a file for which keep is true.
func linesOf(t *testing.T, path string, keep func(run, day string) bool) (header string, rows []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for _, line := range lines[1:] {
		if columns := strings.Split(line, ";"); keep(columns[2], columns[3]) {
			rows = append(rows, line)
		}
	}
	return lines[0], rows
}

// said is what a batch says about the market: its cutoff, the days that are not complete, the
// series of its screener, and the day that ranking and the other views of a day answer with.
type said struct {
	cutoff     string
	incomplete string
	screener   string
	answering  string
}

func saidBy(t *testing.T, m *demotest.Market, batch uint64, asked string) said {
	t.Helper()
	value := func(query string) string { return column(t, m, query, batch)[0] }
	return said{
		cutoff: value("SELECT ifNull(toString(as_of_date), '') FROM batch WHERE batch = $1"),
		incomplete: value("SELECT arrayStringConcat(arraySort(groupArray(concat(toString(date), ' ', " +
			"toString(series), '/', toString(prior_series), ' ', toString(void_series)))), ', ') FROM " +
			"market_completeness WHERE batch = $1 AND NOT complete"),
		screener: value("SELECT concat(toString(count()), ' of ', toString(uniqExact(manager))) FROM screener " +
			"WHERE batch = $1"),
		answering: answering(t, m, batch, asked),
	}
}

func answering(t *testing.T, m *demotest.Market, batch uint64, asked string) string {
	t.Helper()
	type answer struct {
		Asked time.Time `ch:"asked"`
		Day   time.Time `ch:"day"`
	}
	found, err := sql.Select[answer](t.Context(), m.Conn, "backtest_answering_days",
		clickhouse.Parameters{"batch": fmt.Sprint(batch), "dates": "['" + asked + "']"}, "query the answering day")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return "none"
	}
	day := found[0].Day.Format(time.DateOnly)
	if count(t, m, "SELECT count() FROM market_completeness WHERE complete AND batch = $1 AND date = '"+day+"'",
		batch) > 0 {
		return day + " complete"
	}
	return day
}

func TestAFileThatLostRowsIsNotComplete(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	if report := m.Ingest(t, model.Cartola, unreadableRows, published); report.Rejected != 20 ||
		report.Published != 12 {
		t.Fatalf("report %+v", report)
	}
	for _, step := range []struct {
		what, file string
		want       said
	}{
		{what: "20 of 32 rows can't be read", want: said{"", "2025-07-20 12/32 20", "0 of 0", "none"}},
		{what: "the file is corrected", file: wholeDay, want: said{"2025-07-20", "", "32 of 4", "2025-07-20 complete"}},
	} {
		if step.file != "" {
			ingestWhole(t, m, model.Cartola, step.file, published.Add(time.Hour))
		}
		if diff := cmp.Diff(step.want, saidBy(t, m, m.Build(t), "2025-07-20"),
			cmp.AllowUnexported(said{})); diff != "" {
			t.Errorf("%s:\n%s", step.what, diff)
		}
	}
}

func TestOneFundsNewerFileLeavesTheMarketAsItIs(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	header, rows := linesOf(t, marketDay, func(string, string) bool { return true })
	// series without investors are fully redeemed
	rows = slices.DeleteFunc(rows, func(row string) bool { return strings.Split(row, ";")[13] == "0" })[:107]
	on := func(row, day string) string { return strings.Replace(row, ";20250720;", ";"+day+";", 1) }
	var march, april []string
	for _, day := range []string{"20250325", "20250326", "20250327", "20250328", "20250329", "20250330", "20250331"} {
		for _, row := range rows {
			march = append(march, on(row, day))
		}
	}
	for day := date(t, "2025-04-01"); !day.After(date(t, "2025-04-12")); day = day.AddDate(0, 0, 1) {
		april = append(april, on(rows[0], day.Format("20060102")))
	}
	ingestWhole(t, m, model.Cartola, writeCartola(t, header, march...), published)
	before := saidBy(t, m, m.Build(t), "2025-04-12")
	ingestWhole(t, m, model.Cartola, writeCartola(t, header, april...), published)
	batch := m.Build(t)
	after := saidBy(t, m, batch, "2025-04-12")
	if !strings.HasPrefix(after.incomplete, "2025-04-01 1/107 0, ") ||
		strings.Count(after.incomplete, "1/107 0") != 12 {
		t.Errorf("the days of one series: %s", after.incomplete)
	}
	after.incomplete = ""
	if diff := cmp.Diff(said{"2025-03-31", "", before.screener, "2025-03-31 complete"}, after,
		cmp.AllowUnexported(said{})); diff != "" || !strings.HasPrefix(before.screener, "107 of ") {
		t.Errorf("%s; before: %+v", diff, before)
	}
	if newest := column(t, m,
		"SELECT toString(max(date)) FROM batch_series_day(batch = $1, series = [], all_series = true)",
		batch)[0]; newest != "2025-04-12" {
		t.Errorf("the newest quote of the fund is of %s", newest)
	}
	if covered := column(t, m,
		"SELECT toString(covered_to) FROM dataset_due WHERE dataset = 'cartola'")[0]; covered != "2025-03-31" {
		t.Errorf("the market's next file is due after %s", covered)
	}
	m.IngestEnd(t, "2025-04-01", published)
	if got := saidBy(t, m, m.Build(t), "2025-04-12"); got.cutoff != "2025-04-12" ||
		!strings.HasPrefix(got.screener, "1 of ") || got.incomplete != "" {
		t.Errorf("a person states that the others have ended: %+v", got)
	}
	sameRebuilt(t, m, "increments", m.Build(t))
}

// Monthly files of the market, files of single funds, a cut one and its correction, and one with
// rows that can't be read, in any order. After each, every day is as the independent
// computation has it, and in the end all orders say the same.
func TestFilesInAnyOrderEndInTheSameTruth(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	const real = "../demo/files/cartola/cartola_9809_9810_20250101_20250720.txt"
	month := func(number string) func(run, day string) bool {
		return func(_, day string) bool { return strings.HasPrefix(day, "2025"+number) }
	}
	header, april := linesOf(t, real, month("04"))
	_, may := linesOf(t, real, month("05"))
	_, june := linesOf(t, real, month("06"))
	_, july := linesOf(t, real, month("07"))
	_, alone := linesOf(t, later, func(run, _ string) bool { return run == "9810" })
	_, day := linesOf(t, marketDay, func(run, _ string) bool { return run < "8040" })
	unreadable := make([]string, len(july))
	for i, row := range july {
		if columns := strings.Split(row, ";"); columns[3] == "20250710" && columns[2] == "9809" {
			columns[12] = "x"
			row = strings.Join(columns, ";")
		}
		unreadable[i] = row
	}
	type file struct {
		name      string
		rows      []string
		published time.Time
	}
	files := []file{
		{"April", april, published},
		{"May, cut", may[:len(may)/2], published},
		{"May", may, published.Add(time.Hour)},
		{"June", june, published},
		{"July, with rows that can't be read", unreadable, published},
		{"one day of other funds", day, published},
		{"one fund alone", alone, published},
	}
	var first map[string]string
	for round := range 2 {
		seed := uint64(time.Now().UnixNano())
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		m := demotest.New(t)
		var batch uint64
		revisions := map[string]time.Time{} // by series and day
		market := oracle.New()
		for _, f := range files {
			m.Ingest(t, model.Cartola, writeCartola(t, header, f.rows...), f.published)
			for _, line := range f.rows {
				columns := strings.Split(line, ";")
				key := columns[2] + columns[8] + columns[3]
				if f.published.Before(revisions[key]) {
					continue
				}
				revisions[key] = f.published
				if row, err := oracle.Parse(line); err == nil {
					market.Add(row)
				} else {
					market.Void(9809, columns[8], date(t, "2025-07-10"))
				}
			}
			batch = m.Build(t)
			said := completeness(t, m, batch)
			for on, got := range said {
				want := map[bool]string{true: "C"}[market.Complete(date(t, on), nil)]
				if want == "" {
					want = map[bool]string{true: "D", false: "-"}[market.HasData(date(t, on), nil)]
				}
				if got != want {
					t.Errorf("seed %d, after %s: %s is %s, the independent computation says %s", seed, f.name, on, got,
						want)
				}
			}
			cutoff, _ := market.LatestComplete(nil)
			of := saidBy(t, m, batch, "2025-08-31")
			if want := cutoff.Format(time.DateOnly); of.cutoff != want ||
				of.answering != want+" complete" && said["2025-08-31"] == "-" {
				t.Errorf("seed %d, after %s: the cutoff is %s, want %s: %+v", seed, f.name, of.cutoff, want, of)
			}
		}
		sums := demotest.Checksums(t, m.Conn, batch)
		if round == 0 {
			first = sums
			sameRebuilt(t, m, "increments", batch)
		} else if diff := cmp.Diff(first, sums); diff != "" {
			t.Errorf("seed %d: another order differs:\n%s", seed, diff)
		}
	}
}
