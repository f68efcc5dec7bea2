package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/cmd/cuota/dryrun"
	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

// Columns of a cartola.
const (
	cartolaRUN    = 2
	cartolaDay    = 3
	cartolaSerie  = 8
	cartolaIn     = 9
	cartolaOut    = 10
	cartolaQuota  = 12
	cartolaAdjust = 23
)

// cartolaRows are rows of cartolas that a test changes and writes into a file.
type cartolaRows struct {
	header string
	rows   [][]string
}

// readCartolas reads the cartolas of a market.
func readCartolas(t *testing.T, market string) cartolaRows {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(market, "cartola", "*_2025*.txt"))
	if err != nil || len(paths) < 7 {
		t.Fatalf("%d cartolas (%v)", len(paths), err)
	}
	var all cartolaRows
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		all.header = lines[0]
		for _, line := range lines[1:] {
			all.rows = append(all.rows, strings.Split(line, ";"))
		}
	}
	return all
}

// of returns a copy of the row of a series and day.
func (c cartolaRows) of(t *testing.T, run, serie, day string) []string {
	t.Helper()
	for _, row := range c.rows {
		if row[cartolaRUN] == run && row[cartolaSerie] == serie && row[cartolaDay] == day {
			return append([]string{}, row...)
		}
	}
	t.Fatalf("no row of %s %s on %s", run, serie, day)
	return nil
}

// write writes rows into a file.
func (c cartolaRows) write(t *testing.T, name string, rows ...[]string) string {
	t.Helper()
	text := c.header + "\n"
	for _, row := range rows {
		text += strings.Join(row, ";") + "\n"
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// times returns a row whose quota is multiplied.
func times(t *testing.T, row []string, by float64) []string {
	t.Helper()
	quota, err := strconv.ParseFloat(row[cartolaQuota], 64)
	if err != nil {
		t.Fatal(err)
	}
	row[cartolaQuota] = strconv.FormatFloat(quota*by, 'f', 4, 64)
	return row
}

// dryRunOf returns the report of a dry run, which must end with a status.
func dryRunOf(t *testing.T, code int, args ...string) dryrun.Report {
	t.Helper()
	r := cuota(t, append([]string{"ingest", "--dry-run", "--json"}, args...)...)
	var reports []dryrun.Report
	if err := json.Unmarshal([]byte(r.stdout), &reports); err != nil || r.code != code || len(reports) != 1 {
		t.Fatalf("the dry run ended with %d (%v):\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	return reports[0]
}

// installed describes what an installation has stored: the files of the archive and of the log, and rows.
func installed(t *testing.T, r *running, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range []string{"fact_quota FINAL", "fact_investment_value FINAL", "manifest FINAL",
		"complete_file FINAL", "rejected_row FINAL", "file_judgement FINAL", "batch"} {
		all[table] = sqlOver(t, r, "SELECT count() FROM "+table)
	}
	for _, part := range []string{"archive", filepath.Join("kafka", "partitions")} {
		if err := filepath.WalkDir(filepath.Join(dir, part), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				all[path] = fmt.Sprint(info.Size())
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d files are known", len(all))
	}
	return all
}

// feedLine is a line of /api/changes.
type feedLine struct {
	Table string         `json:"table"`
	Key   map[string]any `json:"key"`
	Was   map[string]any `json:"was"`
	Is    map[string]any `json:"is"`
}

// changedRows returns the rows of a table that differ since a batch.
func changedRows(t *testing.T, r *running, key, since, table string) (rows []feedLine) {
	t.Helper()
	status, body := ask(t, r.api+"/api/changes?tables="+table+"&since="+since, key)
	if status != http.StatusOK || !strings.Contains(body, `"end"`) {
		t.Fatalf("/api/changes gives %d: %.300s", status, body)
	}
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line feedLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Table == table && line.Key != nil {
			rows = append(rows, line)
		}
	}
	return rows
}

// changedReturns returns the returns on a day that differ since a batch, as returns_daily has them, which
// another statement fills than the one that a dry run uses.
func changedReturns(t *testing.T, r *running, key, since, day string) map[string][2]any {
	t.Helper()
	all := map[string][2]any{}
	for _, row := range changedRows(t, r, key, since, "returns_daily") {
		if row.Key["date"] != day {
			continue
		}
		for column := range row.Is {
			window, is := strings.CutPrefix(column, "return_")
			if is && row.Was[column] != row.Is[column] {
				all[fmt.Sprint(uint32(row.Key["series_id"].(float64)), " ", window)] = [2]any{row.Was[column],
					row.Is[column]}
			}
		}
	}
	return all
}

// announcedReturns returns the changes of returns that a dry run announces, in the form of changedReturns.
func announcedReturns(report dryrun.Report) map[string][2]any {
	all := map[string][2]any{}
	value := func(of *float64) any {
		if of == nil {
			return nil
		}
		return *of
	}
	for _, one := range report.Returns.Largest {
		all[fmt.Sprint(one.SeriesID, " ", one.Window)] = [2]any{value(one.Old), value(one.New)}
	}
	return all
}

// correctedFund writes a file with another book value of an investment fund at the cutoff.
func correctedFund(t *testing.T, market string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(market, "fi", "valores_sintetico_20250101_20250720.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	row := strings.Split(lines[len(lines)-1], ";")
	const day, bookValue = 1, 4
	if row[day] != "20/07/2025" {
		t.Fatalf("the last row is of %s", row[day])
	}
	row[bookValue] = "560,5"
	path := filepath.Join(t.TempDir(), "fund.csv")
	if err := os.WriteFile(path, []byte(lines[0]+"\n"+strings.Join(row, ";")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// unsureSeries returns the series of which a dry run says that their breaks may differ.
func unsureSeries(report dryrun.Report) []string {
	var all []string
	for _, one := range report.Returns.BreaksMayDiffer {
		run, _, _ := strings.Cut(one.RUN, "-")
		all = append(all, run+" "+one.Serie)
	}
	slices.Sort(all)
	return all
}

// seriesOf returns the series of a row, as unsureSeries does.
func seriesOf(row []string) string { return row[cartolaRUN] + " " + row[cartolaSerie] }

// adjusted returns a row with a FACTOR DE AJUSTE, and the quota that counts now.
func adjusted(row []string) []string {
	row[cartolaAdjust] = "2"
	return row
}

// noReturnsWhereBreaksMayDiffer makes a dry run of each row, which a batch would take for the day of a break.
func noReturnsWhereBreaksMayDiffer(t *testing.T, all cartolaRows, dir string, rows ...[]string) {
	t.Helper()
	for _, row := range rows {
		report := dryRunOf(t, 0, "cartola", all.write(t, "breaks.txt", row), "--published", "2025-09-01", "--data", dir)
		if diff := cmp.Diff([]string{seriesOf(row)}, unsureSeries(report)); diff != "" || report.Rows.Corrected != 1 ||
			report.Returns.Computed != 0 || len(report.Returns.Largest) != 0 {
			t.Errorf("%v (-named +announced):\n%s%+v", row, diff, report.Returns)
		}
		text := cuota(t, "ingest", "--dry-run", "cartola", all.write(t, "breaks.txt", row), "--published", "2025-09-01",
			"--data", dir)
		if !strings.Contains(text.stdout, "a change of currency or unit may appear or vanish: ") ||
			strings.Contains(text.stdout, "would be  ") {
			t.Errorf("the text announces returns:\n%s", text.stdout)
		}
	}
}

func TestADryRunAnnouncesWhatIngestThenChanges(t *testing.T) {
	longtest.InTurns(t)
	dir, market := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "market")
	succeed(t, "synth", "--series", "40", "--days", "430", "--out", market)
	server := up(t, dir, "--no-demo", "--market", market)
	defer server.interrupt(t)
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "dry@example.org", "--data", dir))
	before := installed(t, server, dir)

	known := filepath.Join(market, "cartola", "ffmm_sintetico_correccion_20240517_20250720.txt")
	first := dryRunOf(t, 0, "cartola", known, "--data", dir)
	if first.State != dryrun.Published || first.Rows != (dryrun.Rows{Read: 2}) {
		t.Errorf("a file that is published: %+v", first)
	}
	since, cutoff := first.Batch, first.Cutoff.String()

	const endOfMonth, cutoffDay = "20250630", "20250720"
	all := readCartolas(t, market)
	run, serie := all.rows[len(all.rows)-1][cartolaRUN], all.rows[len(all.rows)-1][cartolaSerie]
	var others [][]string          // of other funds, each quoted at the cutoff
	for _, row := range all.rows { // run is renamed
		if row[cartolaDay] == cutoffDay && row[cartolaRUN] != run &&
			!slices.ContainsFunc(others, func(of []string) bool { return of[cartolaRUN] == row[cartolaRUN] }) {
			others = append(others, row)
		}
	}
	other := others[0]
	typo := times(t, append([]string{}, others[1]...), 10)
	typo[cartolaIn], typo[cartolaOut] = "0", "0" // so that its equity shows that only the unit differs
	tomorrow := all.of(t, run, serie, cutoffDay)
	tomorrow[cartolaDay] = "20250721"
	void := all.of(t, other[cartolaRUN], other[cartolaSerie], "20250620")
	void[cartolaQuota] = "-1"
	voidTomorrow := append([]string{}, void...)
	voidTomorrow[cartolaDay] = "20250721"
	broken := all.of(t, run, serie, cutoffDay)
	broken[cartolaRUN] = "what"
	correction := all.write(t, "correction.txt",
		times(t, all.of(t, run, serie, cutoffDay), 1.01), // ends all windows but one
		times(t, all.of(t, run, serie, endOfMonth), 0.99),
		times(t, all.of(t, run, serie, "20250705"), 1.02), // no window begins or ends there
		all.of(t, run, serie, "20250706"),
		tomorrow, void, broken, voidTomorrow, typo)
	report := dryRunOf(t, exit.Rejected, "cartola", correction, "--published", "2025-08-01", "--data", dir)
	rows := dryrun.Rows{Read: 9, Rejected: 3, New: 1, Equal: 1, Corrected: 4, Voided: 2}
	if diff := cmp.Diff(rows, report.Rows); diff != "" {
		t.Errorf("rows (-want +announced):\n%s", diff)
	}
	if report.State != dryrun.Unpublished || !report.Compared || report.Series != 3 || report.Days != 5 ||
		report.FirstDay.String() != "2025-06-20" || report.LastDay.String() != "2025-07-21" ||
		len(report.Rejected) != 2 || len(report.Corrections) != 4 || len(report.Voids) != 1 {
		t.Errorf("announced: %+v", report)
	}
	if !report.Voids[0].Void || report.Voids[0].Line != 7 ||
		math.Abs(*report.Corrections[1].Change-0.02) > 1e-6 || report.Corrections[1].Line != 4 ||
		report.Corrections[0].Line != 10 ||
		!strings.HasPrefix(report.Corrections[1].Counts.File, "ffmm_sintetico_202507") {
		t.Errorf("the largest corrections: %+v%+v", report.Voids, report.Corrections)
	}
	unsure := []string{seriesOf(void), seriesOf(typo)}
	slices.Sort(unsure)
	if diff := cmp.Diff(unsure, unsureSeries(report)); diff != "" {
		t.Errorf("series whose breaks may differ (-want +announced):\n%s", diff)
	}
	if !strings.Contains(strings.Join(report.NotComputed, "\n"), "another cutoff") {
		t.Errorf("nothing is said of another cutoff: %q", report.NotComputed)
	}
	text := cuota(t, "ingest", "--dry-run", "cartola", correction, "--published", "2025-08-01", "--data", dir)
	for _, says := range []string{"nothing is stored", "4 corrected", "not computed: ", "correction.txt:8: "} {
		if text.code != exit.Rejected || !strings.Contains(text.stdout, says) {
			t.Errorf("the text does not say %q:\n%s%s", says, text.stdout, text.stderr)
		}
	}
	late := all.write(t, "late.txt", times(t, all.of(t, run, serie, "20250620"), 1.5))
	older := dryRunOf(t, 0, "cartola", late, "--published", "2025-06-25", "--data", dir)
	if diff := cmp.Diff(dryrun.Rows{Read: 1, Older: 1}, older.Rows); diff != "" || len(older.Corrections) != 0 ||
		len(older.NotComputed) != 1 {
		t.Errorf("an older publication (-want +announced):\n%s%+v", diff, older.Corrections)
	}
	fund := correctedFund(t, market)
	ofFund := dryRunOf(t, 0, "fi-values", fund, "--published", "2025-08-01", "--data", dir)
	if diff := cmp.Diff(dryrun.Rows{Read: 1, Corrected: 1}, ofFund.Rows); diff != "" || ofFund.Returns.Series != 1 {
		t.Errorf("an investment fund (-want +announced):\n%s%+v", diff, ofFund.Returns)
	}
	noReturnsWhereBreaksMayDiffer(t, all, dir, times(t, all.of(t, run, serie, cutoffDay), 10),
		adjusted(all.of(t, other[cartolaRUN], other[cartolaSerie], cutoffDay)))
	if diff := cmp.Diff(before, installed(t, server, dir)); diff != "" {
		t.Errorf("the dry runs have stored something:\n%s", diff)
	}

	succeed(t, "ingest", "cartola", late, "--published", "2025-06-25", "--data", dir, "--wait")
	if rows := changedRows(t, server, key, since, "cartola_daily"); len(rows) != 0 {
		t.Errorf("an older publication changed %v", rows)
	}
	succeed(t, "ingest", "fi-values", fund, "--published", "2025-08-01", "--data", dir)
	if r := cuota(t, "ingest", "cartola", correction, "--published", "2025-08-01", "--data", dir,
		"--wait"); r.code != exit.Rejected {
		t.Fatalf("ingest ended with %d: %s", r.code, r.stderr)
	}
	after := dryRunOf(t, exit.Rejected, "cartola", correction, "--data", dir)
	if after.State != dryrun.Published || after.Cutoff.String() != cutoff {
		t.Fatalf("after ingest: %+v", after)
	}
	noReturnsWhereBreaksMayDiffer(t, all, dir, others[1]) // it mends what was published
	changed := changedRows(t, server, key, since, "cartola_daily")
	if want := report.Rows.New + report.Rows.Corrected + report.Rows.Voided; uint64(len(changed)) != want {
		t.Errorf("%d rows of cartola_daily changed, announced were %d: %v", len(changed), want, changed)
	}
	quotas := map[string]int{} // how often a day has got one
	for _, row := range changed {
		quotas[fmt.Sprint(row.Key["date"], row.Is["quota"])]++
	}
	for _, one := range append(report.Voids, report.Corrections...) {
		if quotas[fmt.Sprint(one.Key["date"], one.New)] != 1 {
			t.Errorf("line %d: the quota %v was announced, stored were %v", one.Line, one.New, quotas)
		}
	}
	announced := announcedReturns(report)
	if len(announced) < 6 || len(announced) != report.Returns.Windows || report.Returns.Computed != 1 {
		t.Errorf("only %d windows were announced: %+v", len(announced), report.Returns)
	}
	ofBoth := announcedReturns(ofFund)
	if maps.Copy(ofBoth, announced); len(ofBoth) <= len(announced) {
		t.Errorf("no return of the investment fund was announced: %+v", ofFund.Returns)
	}
	stored := changedReturns(t, server, key, since, cutoff)
	for _, one := range report.Returns.BreaksMayDiffer { // only named
		of := map[string][2]any{}
		maps.DeleteFunc(stored, func(key string, value [2]any) bool {
			id, window, _ := strings.Cut(key, " ")
			if id != fmt.Sprint(one.SeriesID) {
				return false
			}
			of[window] = value
			return true
		})
		if of["1m"][0] == nil || of["1m"][1] != nil {
			t.Errorf("the named series %v has the returns %v: no break was made", one, of)
		}
	}
	if diff := cmp.Diff(ofBoth, stored); diff != "" {
		t.Errorf("returns at the cutoff (-announced +stored):\n%s%v", diff, report.NotComputed)
	}
}
