package report_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/backtest"
	"cuota/backtest/report"
	"cuota/internal/tablefile"
	"cuota/internal/testkit/isolatedtest"
	"cuota/model"
)

var update = flag.Bool("update", false, "write testdata anew")

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// golden compares with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs; run go test ./backtest/report -update and review it:\n%s", path, diff)
	}
}

func html(t testing.TB, r *backtest.Result, language report.Language) string {
	t.Helper()
	var out bytes.Buffer
	must(t, report.HTML(&out, r, language))
	return out.String()
}

func TestASmallResultIsWrittenAsInTestdata(t *testing.T) {
	r := small()
	golden(t, "small-es.html", []byte(html(t, r, report.Spanish)))
	golden(t, "small-en.html", []byte(html(t, r, report.English)))
	golden(t, "nothing-es.html", []byte(html(t, nothing(), report.Spanish)))
	var out bytes.Buffer
	must(t, report.JSON(&out, r))
	golden(t, "small.json", out.Bytes())
	for _, table := range report.Tables(r) {
		out.Reset()
		must(t, table.CSV(&out))
		golden(t, "small-"+table.Name+".csv", out.Bytes())
	}
}

func TestEqualResultsGiveEqualBytes(t *testing.T) {
	write := func() map[string][]byte {
		dir := t.TempDir()
		r := invented(7, 2, 10)
		for _, end := range []string{"json", "csv", "parquet", "html"} {
			must(t, report.Save(filepath.Join(dir, "study."+end), r, report.English, true))
		}
		return contents(t, dir)
	}
	first := write()
	for name, content := range write() {
		if !bytes.Equal(content, first[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

func contents(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	files := map[string][]byte{}
	for _, entry := range entries {
		files[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name()))
		must(t, err)
	}
	return files
}

// The sentence that a reader looks for first.
func TestTheLedgerIsSaidInOneSentence(t *testing.T) {
	for language, want := range map[report.Language]string{
		report.Spanish: "Con solo las series que sobreviven, el retorno total sería 1,24 puntos mayor; con los datos " +
			"corregidos después, 0,17 puntos menor; sin costos, igual.",
		report.English: "With survivors only, the total return would be 1.24 points higher; with data as corrected " +
			"later, 0.17 points lower; without costs, the same.",
	} {
		if !strings.Contains(html(t, small(), language), want) {
			t.Errorf("the report in %s does not say %q", language, want)
		}
	}
}

func TestABiasOfTheStrategyItselfIsReported(t *testing.T) {
	r := small()
	r.Strategy.Universe, r.Strategy.Known, r.Strategy.Costs, r.Strategy.RedemptionDays = "current", "revised",
		backtest.Costs{}, p(0)
	page := html(t, r, report.English)
	for _, want := range []string{"already selects only from series alive", "already uses revised data",
		"has neither costs nor a wait"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

func TestAResultWithoutDaysHasAReport(t *testing.T) {
	r := &backtest.Result{Strategy: small().Strategy,
		Notes: []backtest.Note{{Code: "unheard", Text: "No date has data."}}}
	for _, language := range []report.Language{report.Spanish, report.English} {
		page := html(t, r, language)
		if strings.Contains(page, "<nil>") || strings.Contains(page, "NaN") || strings.Contains(page, "Inf") ||
			strings.Contains(page, `class="chart`) {
			t.Error("an empty report shows a chart or a number that is none")
		}
		if !strings.Contains(page, "No date has data.") {
			t.Error("the reason is not shown")
		}
	}
	dir := t.TempDir()
	for _, end := range []string{"json", "csv", "parquet", "html"} {
		must(t, report.Save(filepath.Join(dir, "study."+end), r, report.Spanish, true))
	}
	if text := string(contents(t, dir)["study.json"]); strings.Contains(text, `"curve": null`) ||
		!strings.Contains(text, `"curve": []`) {
		t.Error("an empty list is null in JSON")
	}
}

func TestTheTOMLOfAReportIsTheStrategy(t *testing.T) {
	full := invented(1, 1, 3).Strategy
	full.OnePerFund, full.EntryLag = p(false), p(0) // other than the default, and zero
	full.Rebalance, full.Dates = "dates", []model.Date{model.NewDate(2015, 1, 31), model.NewDate(2015, 6, 30)}
	full.Name = "quotes \" and ''' and \\ and\nlines\t\u202e\u00a0"
	for _, want := range []backtest.Strategy{small().Strategy, full} {
		text, err := report.StrategyTOML(want)
		must(t, err)
		got, err := backtest.ParseTOML(strings.NewReader(text))
		must(t, err)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(model.Date{})); diff != "" {
			t.Errorf("%s\nis another strategy:\n%s", text, diff)
		}
	}
}

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>` +
	"\u202e\x00\x1b[31m{{.}}</style></title>]]>-->'`"

// Each text that a result takes from files or from a person is hostile here.
func hostileResult() *backtest.Result {
	r := invented(3, 1, 4)
	r.Strategy.Name, r.Strategy.Benchmark, r.Strategy.RiskFree, r.Strategy.Sort = hostile, "family:"+hostile+":PESOS",
		"symbol:"+hostile, hostile
	r.Strategy.Filter.Text, r.Strategy.Filter.Family, r.Strategy.Rebalance, r.Strategy.Weights = hostile, hostile,
		hostile, hostile
	r.Batch.ID, r.Batch.Fingerprint, r.Fingerprint, r.Method = hostile, hostile, hostile, hostile
	r.Notes = []backtest.Note{{Code: "no_reference", Values: []string{"benchmark", hostile, "x"}, Text: hostile}}
	for i := range r.Rebalancings {
		date := &r.Rebalancings[i]
		date.Excluded = map[string]int{hostile: 3, "filter:" + hostile: 2}
		for j := range date.Selected {
			date.Selected[j].FundName, date.Selected[j].Serie, date.Selected[j].RUN = hostile, hostile, hostile
		}
		for j := range date.Trades {
			date.Trades[j].Kind, date.Trades[j].Reason = hostile, hostile
		}
	}
	r.Ledger[1].Run = hostile
	return r
}

func TestHostileTextsAreEscaped(t *testing.T) {
	plain := html(t, invented(3, 1, 4), report.Spanish)
	page := html(t, hostileResult(), report.Spanish)
	for _, mark := range []string{"<script", "<img", "\u202e", "\x00", "\x1b"} {
		if strings.Contains(page, mark) {
			t.Errorf("the page has %q", mark)
		}
	}
	for _, mark := range []string{"</style>", "</title>", "<bdi>"} {
		if got, want := strings.Count(page, mark), strings.Count(plain, mark); got != want {
			t.Errorf("the page has %d of %s, and %d without hostile texts", got, mark, want)
		}
	}
	if !strings.Contains(page, "&lt;script&gt;") {
		t.Error("the hostile names are not shown at all")
	}
}

func TestNamesFromRightToLeftStandAlone(t *testing.T) {
	const hebrew = "\u202eשלום \u2067<b>'\"\u202d"
	r := hostileResult()
	r.Strategy.Name, r.Strategy.Benchmark, r.Strategy.Filter.Family, r.Ledger[1].Run = hebrew,
		"family:"+hebrew+":PESOS", hebrew, hebrew
	r.Notes = []backtest.Note{{Code: "no_reference", Values: []string{"benchmark", hebrew, "x"}, Text: hebrew},
		{Code: "unheard", Text: hebrew}}
	for i := range r.Rebalancings {
		date := &r.Rebalancings[i]
		date.Excluded = map[string]int{hebrew: 3, "filter:" + hebrew: 2}
		for j := range date.Selected {
			date.Selected[j].FundName, date.Selected[j].Serie, date.Selected[j].RUN = hebrew, hebrew, hebrew
		}
		for j := range date.Trades {
			date.Trades[j].Kind, date.Trades[j].Reason = hebrew, hebrew
		}
	}
	for _, language := range []report.Language{report.Spanish, report.English} {
		page := html(t, r, language)
		if alone, turning := isolatedtest.Find(t, page); alone == 0 || len(turning) > 0 {
			t.Errorf("%d names stand alone, and %d do not: %q", alone, len(turning), turning[:min(len(turning), 3)])
		}
	}
}

// A large run: ten years of days, 120 dates with 200 series each, and names at the bound.
func TestTheSizeOfAReportIsBounded(t *testing.T) {
	r := invented(5, 10, 200)
	long := strings.Repeat("LARGO Y ", 5000)
	for i := range r.Rebalancings {
		for j := range r.Rebalancings[i].Selected {
			r.Rebalancings[i].Selected[j].FundName = long
		}
	}
	for range 5000 {
		r.Notes = append(r.Notes, backtest.Note{Code: "unheard", Text: long})
	}
	page := html(t, r, report.Spanish)
	if size := len(page); size > 5<<20 {
		t.Errorf("the report has %d bytes", size)
	}
	if strings.Count(page, "<tr") > 11500 {
		t.Errorf("the report has %d rows", strings.Count(page, "<tr"))
	}
	for _, want := range []string{"El informe muestra 10.000 filas", "Hay 4.900 avisos más",
		"La curva tiene 3.654 días"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

func TestAFileAppearsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "study.csv")
	must(t, os.WriteFile(path, []byte("earlier"), 0o644))
	r := small()
	must(t, os.Mkdir(filepath.Join(dir, "study-trades.csv"), 0o755)) // can't be replaced by a file
	if err := report.Save(path, r, report.Spanish, true); err == nil {
		t.Fatal("no error")
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "earlier" {
		t.Errorf("after a failure the named file is %q, %v", content, err)
	}
	must(t, os.Remove(filepath.Join(dir, "study-trades.csv")))
	must(t, report.Save(path, r, report.Spanish, true))
	names, err := report.Files(path)
	must(t, err)
	files := contents(t, dir)
	if len(files) != len(names) || len(names) != 10 {
		t.Errorf("%d files are there, %d are named", len(files), len(names))
	}
	for _, name := range names {
		if _, found := files[filepath.Base(name)]; !found {
			t.Errorf("%s is missing", name)
		}
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o644 {
		t.Errorf("the file has the mode %v", info.Mode())
	}
}

func TestAFileThatExistsIsReplacedOnlyIfThatIsAsked(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "study-trades.csv"), []byte("earlier"), 0o600))
	before := contents(t, dir)
	if err := report.Save(filepath.Join(dir, "study.csv"), small(), report.Spanish, false); !errors.Is(err,
		tablefile.ErrExists) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	must(t, report.Save(filepath.Join(dir, "study.csv"), small(), report.Spanish, true))
	if files := contents(t, dir); len(files) != 10 || string(files["study-trades.csv"]) == "earlier" {
		t.Errorf("%d files; of the trades: %.30s", len(files), files["study-trades.csv"])
	}
}

func TestANumberThatIsNoneIsRefusedInJSONAndChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.json")
	must(t, report.Save(path, small(), report.Spanish, true))
	before := contents(t, filepath.Dir(path))
	r := small()
	zero := 0.
	r.Curve[3].Value /= zero
	if err := report.Save(path, r, report.Spanish, true); err == nil {
		t.Error("an infinite value is written")
	}
	if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyKnownEndsOfNamesAreForms(t *testing.T) {
	for _, name := range []string{"study", "study.xlsx", ".csv", "dir/.html", "", "study.CSV.gz"} {
		if _, err := report.Files(name); err == nil {
			t.Errorf("%q has files", name)
		}
	}
	for name, want := range map[string]int{"a.json": 1, "dir/a.html": 1, "a.b.csv": 10, "a.parquet": 10} {
		names, err := report.Files(name)
		must(t, err)
		if len(names) != want || names[0] != name {
			t.Errorf("%s has the files %v", name, names)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestAWriterThatFailsIsReported(t *testing.T) {
	r := small()
	table := report.Tables(r)[0]
	for name, err := range map[string]error{
		"json": report.JSON(failing{}, r), "html": report.HTML(failing{}, r, report.Spanish),
		"csv": table.CSV(failing{}), "parquet": table.Parquet(failing{}, r),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
