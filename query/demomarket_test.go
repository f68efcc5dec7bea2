package query_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/demo"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"

	gocmp "github.com/google/go-cmp/cmp"
)

// quote is a line of a cartola, with the columns that the market endpoints use.
type quote struct {
	manager, run   int
	serie, date    string // YYYY-MM-DD
	currency       string
	price, equity  float64
	shareholders   int
	previous       *quote // the previous quote of the series, however old
	previousInDays int
}

// demoFiles extracts the demo market.
func demoFiles(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	return dir
}

// cartolas reads the lines of the demo market's cartolas, by series and day. The
// regulator's own files replace lines of the derived day.
func cartolas(t testing.TB, dir string) []*quote {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "cartola", "*.txt"))
	must(t, err)
	slices.SortFunc(files, func(a, b string) int { // the derived file first, because later lines replace earlier ones
		return cmp.Or(-cmp.Compare(strings.Count(a, "derived"), strings.Count(b, "derived")), cmp.Compare(a, b))
	})
	byKey := map[string]*quote{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, line := range strings.Split(string(text), "\n")[1:] {
			if line = strings.TrimRight(line, "\r"); line == "" {
				continue
			}
			f := strings.Split(line, ";")
			q := &quote{manager: whole(t, f[0]), run: whole(t, f[2]), serie: oracle.SerieName(f[8]), date: f[3][:4] + "-" + f[3][4:6] + "-" + f[3][6:],
				currency: map[string]string{"$$": "PESOS", "PROM": "DOLAR"}[f[5]], price: number(t, f[12]), equity: number(t, f[13]), shareholders: whole(t, f[14])}
			if f[23] != "" || f[24] != "" {
				t.Fatalf("%s: a factor, which these computations leave out: %s", file, line)
			}
			byKey[fmt.Sprint(q.run, "|", q.serie, "|", q.date)] = q
		}
	}
	all := slices.SortedFunc(maps.Values(byKey), func(a, b *quote) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.serie, b.serie), cmp.Compare(a.date, b.date))
	})
	for i, q := range all[1:] {
		if before := all[i]; before.run == q.run && before.serie == q.serie {
			q.previous, q.previousInDays = before, daysApart(t, before.date, q.date)
		}
	}
	return all
}

func whole(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	must(t, err)
	return x
}

func daysApart(t testing.TB, from, to string) int {
	t.Helper()
	a, err := model.ParseDate(from)
	must(t, err)
	b, err := model.ParseDate(to)
	must(t, err)
	return int(b.Time().Sub(a.Time()).Hours() / 24)
}

// table reads a CSV into rows by column name.
func table(t testing.TB, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	rows := make([]map[string]string, len(lines)-1)
	for i, line := range lines[1:] {
		rows[i] = map[string]string{}
		for j, column := range lines[0] {
			rows[i][strings.TrimPrefix(column, "\ufeff")] = line[j]
		}
	}
	return rows
}

// dolarOn is the last dólar observado on or before a day.
func dolarOn(t testing.TB, dir, date string) float64 {
	t.Helper()
	last, rate := "", 0.0
	for _, row := range table(t, filepath.Join(dir, "macro", "dolar_observado.csv")) {
		if row["fecha"] <= date && row["fecha"] > last {
			last, rate = row["fecha"], number(t, row["valor"])
		}
	}
	if daysApart(t, last, date) > 7 {
		t.Fatalf("the dólar of %s is too old for %s", last, date)
	}
	return rate
}

func almost(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestTheDemoMarketIsWhatItsFilesSay(t *testing.T) {
	t.Parallel()
	market := demotest.New(t)
	market.IngestDemo(t)
	market.Build(t)
	r := newRig(t, market.Options, unlimited)
	dir := demoFiles(t)
	quotes := cartolas(t, dir)
	const lastDay = "2025-07-20"

	t.Run("investment funds are those of their register, without values", func(t *testing.T) {
		kinds, named := map[string]int{}, 0
		for _, row := range table(t, filepath.Join(dir, "fi", "fondos_inversion.csv")) {
			kinds[row["tipo"]]++
			if strings.Contains(row["nombre"], "ETF") {
				named++
			}
		}
		for query, want := range map[string]int{
			"status=all": 955, "status=unknown": 955, "": 0, "status=unknown&regulatory_type=RES": kinds["FIRES"],
			"status=unknown&regulatory_type=FINRE": kinds["FINRE"], "status=unknown&q=etf": named, "status=unknown&is_etf=true": 0,
		} {
			if got := decode[instruments](t, r.get(t, "/api/fi/instruments?limit=1&"+query)); got.Meta.Total != want {
				t.Errorf("%s: %d, want %d", query, got.Meta.Total, want)
			}
		}
	})

	t.Run("managers rank by the sums of their lines", func(t *testing.T) {
		type sums struct {
			patrimony    float64
			shareholders int
			funds        map[int]bool
		}
		want, dolares := map[int]*sums{}, 0
		for _, q := range quotes {
			if q.date != lastDay {
				continue
			}
			of := want[q.manager]
			if of == nil {
				of = &sums{funds: map[int]bool{}}
				want[q.manager] = of
			}
			switch q.currency {
			case "PESOS":
				of.patrimony += q.equity
			case "DOLAR":
				dolares++
				of.patrimony += q.equity * dolarOn(t, dir, lastDay)
			default:
				t.Fatalf("currency of %+v", q)
			}
			of.shareholders += q.shareholders
			of.funds[q.run] = true
		}
		if dolares == 0 || len(want) < 10 {
			t.Fatalf("%d series in dollars, %d managers", dolares, len(want))
		}
		for _, metric := range []string{"patrimony", "shareholders"} {
			got := decode[ranking](t, r.get(t, "/api/agf_stats/ranking?metric="+metric))
			if len(got.Data) != len(want) || *got.Meta.Date != lastDay || got.Meta.Unconverted != 0 {
				t.Fatalf("%d managers, want %d; %+v", len(got.Data), len(want), got.Meta)
			}
			order := slices.SortedFunc(maps.Keys(want), func(a, b int) int {
				if metric == "shareholders" && want[a].shareholders != want[b].shareholders {
					return want[b].shareholders - want[a].shareholders
				} else if metric == "patrimony" {
					return cmp.Compare(want[b].patrimony, want[a].patrimony)
				}
				return 0
			})
			for i, rut := range order {
				item, of := got.Data[i], want[rut]
				if metric == "patrimony" && item.ID != fmt.Sprint(oracle.ID(oracle.ManagerKey(rut))) {
					t.Errorf("rank %d: %s %s, want the manager %d", i+1, item.ID, item.Attributes.Administrator, rut)
					continue
				}
				if metric == "patrimony" && (!almost(*item.Attributes.Patrimony, of.patrimony) || item.Attributes.Funds != len(of.funds)) ||
					item.Attributes.Shareholders != of.shareholders || item.Attributes.Rank != i+1 {
					t.Errorf("%+v, want %+v at %d", item.Attributes, *of, i+1)
				}
			}
		}
	})

	t.Run("a manager's evolution is that of its lines on the last days of months", func(t *testing.T) {
		const soyfocus = 77057272
		want := map[string]float64{}
		lastOf := map[string]string{}
		for _, q := range quotes {
			lastOf[q.date[:7]] = max(lastOf[q.date[:7]], q.date)
		}
		for _, q := range quotes {
			if q.manager == soyfocus && q.date == lastOf[q.date[:7]] {
				want[q.date[:7]] += q.equity
			}
		}
		name := ""
		for _, item := range decode[ranking](t, r.get(t, "/api/agf_stats/ranking")).Data {
			if item.ID == fmt.Sprint(oracle.ID(oracle.ManagerKey(soyfocus))) {
				name = item.Attributes.Administrator
			}
		}
		got := decode[evolution](t, r.get(t, "/api/agf_stats/evolution?administrator="+strings.ReplaceAll(strings.ToLower(name), " ", "+")))
		if len(got.Data) != len(want) || len(want) != 70 {
			t.Fatalf("%d months, want %d", len(got.Data), len(want))
		}
		for i, row := range got.Data {
			month := row["month"].(string)
			if value, given := row[name].(float64); !given || !almost(value, want[month]) {
				t.Errorf("%s: %v, want %v", month, row[name], want[month])
			}
			if i > 0 && month <= got.Data[i-1]["month"].(string) {
				t.Errorf("%s does not ascend", month)
			}
		}
	})

	t.Run("the index of a family is chained from its lines", func(t *testing.T) {
		const family = "Balanceado moderado"
		member := map[string]bool{}
		for _, row := range table(t, filepath.Join(dir, "comparator", "cmf_rentabilidades_20250930.csv")) {
			if row["fo_run"] == "9809" && row["familia_rar"] == family {
				member[oracle.SerieName(row["fm_serie"])] = true
			}
		}
		days := map[string][]*quote{}
		for _, q := range quotes {
			if q.run == 9809 && member[q.serie] {
				days[q.date] = append(days[q.date], q)
			}
		}
		value, compared := 100.0, 0
		got := decode[familyIndex](t, r.get(t, "/api/families/balanceado%20MODERADO/index"))
		points := map[string]int{}
		for i, point := range got.Data {
			points[point.Date] = i
		}
		for i, day := range slices.Sorted(maps.Keys(days)) {
			opening := ""
			for _, q := range days[day] {
				if q.previous != nil && q.previousInDays <= 7 {
					opening = max(opening, q.previous.date)
				}
			}
			weights, sum, eligible := 0.0, 0.0, 0
			for _, q := range days[day] {
				if q.previous == nil || q.previousInDays > 7 || q.previous.date != opening || q.previous.equity <= 0 {
					continue
				}
				if change := q.price/q.previous.price - 1; math.Abs(change) <= 0.10 {
					weights += q.previous.equity
					sum += q.previous.equity * change
					eligible++
				}
			}
			switch {
			case i == 0:
			case eligible == 0:
				continue
			default:
				value *= 1 + sum/weights
			}
			at, found := points[day]
			if !found {
				t.Errorf("no point on %s", day)
				continue
			}
			point := got.Data[at]
			if !almost(point.Value, value) || (point.Change == nil) != (i == 0) || i > 0 && !almost(*point.Change, 100*sum/weights) {
				t.Errorf("%s: %+v, want %v", day, point, value)
			}
			compared++
		}
		if compared != len(got.Data) || compared < 2000 || len(member) < 2 {
			t.Errorf("compared %d points of %d, of %d series", compared, len(got.Data), len(member))
		}
		if got.Meta.Family != family || *got.Meta.Currency != "PESOS" || !got.Meta.Available {
			t.Errorf("%+v", got.Meta)
		}
	})

	t.Run("the summary sums up the families and lists what rose and fell", func(t *testing.T) {
		got := decode[marketSummary](t, r.get(t, "/api/market-summary"))
		family := map[string]string{}
		for _, row := range table(t, filepath.Join(dir, "comparator", "cmf_rentabilidades_20250930.csv")) {
			family[row["fo_run"]+"|"+oracle.SerieName(row["fm_serie"])] = row["familia_rar"]
		}
		type sums struct {
			patrimony float64
			series    int
			funds     map[int]bool
		}
		want, classified, covered, total := map[string]*sums{}, 0, 0.0, 0.0
		for _, q := range quotes {
			if q.date != lastDay {
				continue
			}
			clp := q.equity
			if q.currency == "DOLAR" {
				clp *= dolarOn(t, dir, lastDay)
			}
			total += clp
			name := family[fmt.Sprint(q.run, "|", q.serie)]
			if name == "" {
				continue
			}
			classified++
			covered += clp
			if want[name] == nil {
				want[name] = &sums{funds: map[int]bool{}}
			}
			want[name].patrimony += clp / 1e6
			want[name].series++
			want[name].funds[q.run] = true
		}
		c := got.Meta.Classification
		if c.Classified != classified || !almost(*c.Coverage, covered/total) || *c.ReportDate != "2025-09-30" || !c.Later || !c.Available {
			t.Errorf("%+v, want %d and %v", c, classified, covered/total)
		}
		if len(got.Families) != len(want) {
			t.Fatalf("%d families, want %d", len(got.Families), len(want))
		}
		for i, f := range got.Families {
			of := want[f.Family]
			if !almost(*f.PatrimonyClp, of.patrimony) || f.SeriesCount != of.series || f.FundCount != len(of.funds) || f.Name != f.Family {
				t.Errorf("%+v, want %+v", f, *of)
			}
			if i > 0 && *f.PatrimonyClp > *got.Families[i-1].PatrimonyClp {
				t.Errorf("%s does not descend", f.Family)
			}
			most, count := 0.0, 0
			for currency, in := range f.ByCurrency {
				count += in.SeriesCount
				clp := *in.Patrimony
				if currency == "DOLAR" {
					clp *= dolarOn(t, dir, lastDay)
				}
				if clp > most {
					most = clp
				}
				if currency == f.IndexCurrency && gocmp.Diff(in.DailyChange, f.DailyChange) != "" {
					t.Errorf("%+v", f)
				}
			}
			main := *f.ByCurrency[f.IndexCurrency].Patrimony
			if f.IndexCurrency == "DOLAR" {
				main *= dolarOn(t, dir, lastDay)
			}
			if count != f.SeriesCount || !almost(main, most) {
				t.Errorf("%+v", f)
			}
		}

		// Only two funds have a previous day. The largest series of each counts, by its
		// change.
		var daily []string
		for _, run := range []int{9809, 9810} {
			var largest *quote
			for _, q := range quotes {
				if q.run == run && q.date == lastDay && (largest == nil || q.equity > largest.equity) {
					largest = q
				}
			}
			change := largest.price/largest.previous.price - 1
			if change >= 0 {
				t.Fatalf("%d %s did not fall", run, largest.serie)
			}
			daily = append(daily, fmt.Sprintf("%+.9f %s %s", 100*change, model.RUN(run), largest.serie))
		}
		slices.Sort(daily)
		slices.Reverse(daily) // sorted as text, from the greatest fall on
		var fell []string
		for _, m := range got.LosersDaily {
			fell = append(fell, fmt.Sprintf("%+.9f %s %s", *m.DailyChange, m.RUN, m.Serie))
		}
		if diff := gocmp.Diff(daily, fell); diff != "" || len(got.GainersDaily) != 0 {
			t.Error(diff, got.GainersDaily)
		}
		if *got.Meta.Date != lastDay || *got.Meta.Previous != "2025-07-19" || got.Meta.Bias || got.Meta.TopN != 10 ||
			got.Meta.Flows.Daily != "ok" || got.Meta.Flows.Monthly != "unavailable" {
			t.Errorf("%+v", got.Meta)
		}
	})

	t.Run("all funds are what the screener shows", func(t *testing.T) {
		rows := map[string]map[string]any{}
		got := decode[allFunds](t, r.get(t, "/api/all-funds"))
		for i, row := range got.Data {
			rows[row["serieId"].(string)] = row
			if i > 0 && got.Data[i-1]["fundName"].(string) > row["fundName"].(string) {
				t.Errorf("%s after %s", row["fundName"], got.Data[i-1]["fundName"])
			}
		}
		seen := 0
		for offset := 0; offset < 2840; offset += 200 {
			for _, item := range decode[items](t, r.get(t, fmt.Sprintf("/api/screener?limit=200&offset=%d", offset))).Data {
				row := rows[item.ID]
				for key, value := range row {
					if shown, shared := item.Attributes[key]; shared && !gocmp.Equal(value, shown) {
						t.Fatalf("%s of %s: %v, the screener has %v", key, item.ID, value, shown)
					}
				}
				if row == nil {
					t.Fatalf("%s is missing", item.ID)
				}
				seen++
			}
		}
		if seen != 2840 || len(got.Data) != seen || got.Meta.Date != lastDay {
			t.Errorf("%d rows for %d series; %v", len(got.Data), seen, got.Meta)
		}
	})

	t.Run("all funds of a past date are its lines", func(t *testing.T) {
		const past = "2024-02-29"
		want := map[string][]any{}
		for _, q := range quotes {
			if q.date == past {
				want[fmt.Sprint(model.RUN(q.run), "|", q.serie)] = []any{q.price, math.Round(q.equity) / 1e6, 100 * (q.price/q.previous.price - 1)}
			}
		}
		got := decode[allFunds](t, r.get(t, "/api/all-funds?date="+past))
		if len(got.Data) != len(want) || len(want) != 9 {
			t.Fatalf("%d rows, want %d", len(got.Data), len(want))
		}
		// The comparator's rates are newer, so the rates on that day are those computed
		// from costs.
		paths, err := filepath.Glob(filepath.Join(dir, "cartola", "cartola_9809_9810_*.txt"))
		must(t, err)
		market, err := oracle.Load(paths...)
		must(t, err)
		known := 0
		for _, row := range got.Data {
			of := want[fmt.Sprint(row["run"], "|", row["serie"])]
			if row["price"] != of[0] || !almost(row["patrimony"].(float64), of[1].(float64)) || !almost(row["dailyChange"].(float64), of[2].(float64)) ||
				row["risk_as_of_date"] != past {
				t.Errorf("%v, want %v", row, of)
			}
			run, err := model.ParseRUN(row["run"].(string))
			must(t, err)
			rate, ok := 0.0, false
			month := oracle.Date(2024, time.February, 29)
			for month.Year() > 2018 {
				if rate, _, ok = market.RealTAC(int(run), row["serie"].(string), month); ok {
					break
				}
				month = oracle.Date(month.Year(), month.Month(), 0) // the month end before
			}
			if !ok {
				if row["tac"] != nil {
					t.Errorf("%v: a TAC, and no costs", row)
				}
				continue
			}
			known++
			if tac, given := row["tac"].(float64); !given || !almost(tac, rate) || row["tac_as_of_date"] != month.Format(time.DateOnly) {
				t.Errorf("TAC %v of %v, want %v of %s", row["tac"], row["tac_as_of_date"], rate, month.Format(time.DateOnly))
			}
		}
		if known < 5 {
			t.Errorf("only %d rates were known", known)
		}
	})

	// These come last, because the first one adds files to the market.
	t.Run("the examples of the document are answers", func(t *testing.T) { examplesAreAnswers(t, fileMarket{r, market}) })
	t.Run("a Python client of the document reads the answers", func(t *testing.T) { aPythonClientReads(t, r) })
	t.Run("TypeScript types of the document fit the answers", func(t *testing.T) { typeScriptTypesFit(t, r) })
}

type marketSummary struct {
	Meta struct {
		dayAnswered
		Previous *string `json:"previousDate"`
		Bias     bool    `json:"survivorship_bias"`
		TopN     int
		Flows    struct{ Universe, Daily, Monthly string }

		Classification struct {
			Available    bool
			ReportDate   *string
			Classified   int      `json:"classifiedSeries"`
			Unclassified int      `json:"unclassifiedSeries"`
			Coverage     *float64 `json:"coverageByPatrimonyClp"`
			Later        bool     `json:"classified_later"`
		}
	}
	Families []struct {
		Family, Name  string
		DisplayGroup  *string
		IndexCurrency string
		DailyChange   *float64
		MonthlyChange *float64
		PatrimonyClp  *float64
		SeriesCount   int
		FundCount     int
		ByCurrency    map[string]struct {
			DailyChange, MonthlyChange, Patrimony *float64
			SeriesCount                           int
		}
	}
	GainersDaily   []moved `json:"topGainersDaily"`
	LosersDaily    []moved `json:"topLosersDaily"`
	GainersMonthly []moved `json:"topGainersMonthly"`
	LosersMonthly  []moved `json:"topLosersMonthly"`
}

type moved struct {
	RUN, Serie    string
	DailyChange   *float64
	MonthlyChange *float64
}

func TestASummaryOfThePastKnowsNothingLater(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	const past = "2024-02-29"
	whole := newRig(t, demotest.Published(t), unlimited)

	// The same market without the quotas after that day, as it looked then. The catalogues
	// are the same.
	dir := demoFiles(t)
	sources, err := demo.Sources()
	must(t, err)
	m := demotest.New(t)
	cut := 0
	for _, source := range sources {
		path := filepath.Join(dir, source.Path)
		if source.Dataset == model.Cartola {
			text, err := os.ReadFile(path)
			must(t, err)
			lines := strings.SplitAfter(string(text), "\n")
			kept := slices.DeleteFunc(lines[1:], func(line string) bool {
				return line != "" && strings.Split(line, ";")[3] > strings.ReplaceAll(past, "-", "")
			})
			cut += len(lines) - 1 - len(kept)
			if strings.Join(kept, "") == "" {
				continue
			}
			must(t, os.WriteFile(path, []byte(lines[0]+strings.Join(kept, "")), 0o600))
		}
		m.Ingest(t, source.Dataset, path, source.Published)
	}
	m.Build(t)
	then := newRig(t, m.Options, unlimited)
	if cut < 5000 {
		t.Fatalf("only %d lines were cut away", cut)
	}

	for _, path := range []string{"/api/market-summary", "/api/agf_stats/ranking"} {
		now := whole.get(t, path+"?date="+past)
		latest := then.get(t, path)
		if strings.Contains(path, "summary") {
			// Nothing else may differ: that day was the latest day then.
			if got := decode[marketSummary](t, now); !got.Meta.Bias || *got.Meta.Date != past || len(got.Families) == 0 || got.Families[0].DailyChange == nil ||
				len(got.GainersMonthly)+len(got.LosersMonthly) == 0 || got.Meta.Flows.Monthly != "ok" {
				t.Errorf("%s", now.body)
			}
			now.body = []byte(strings.Replace(string(now.body), `"survivorship_bias":true`, `"survivorship_bias":false`, 1))
		}
		if diff := gocmp.Diff(string(latest.body), string(now.body)); diff != "" {
			t.Errorf("%s (-then +now):\n%s", path, diff)
		}
	}
}

func TestASummaryIsOfTheDateIfItHasDataElseOfTheLatestCompleteDay(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	if got := decode[marketSummary](t, r.get(t, "/api/market-summary")); *got.Meta.Date != "2026-07-31" || !got.Meta.Complete {
		t.Errorf("%+v", got.Meta)
	}
	for asked, want := range answeringDays {
		got := decode[marketSummary](t, r.get(t, "/api/market-summary?date="+asked))
		if diff := gocmp.Diff(want, got.Meta.dayAnswered); diff != "" || got.Families == nil || got.GainersDaily == nil ||
			got.Meta.Bias != (want.Date != nil && *want.Date < "2026-07-31") {
			t.Errorf("%s: %s %+v", asked, diff, got)
		}
		if want.Date == nil && (got.Meta.Classification.Available || got.Meta.Flows.Daily != "unavailable") {
			t.Errorf("%+v", got.Meta)
		}
	}
}

func TestASummaryIsClassifiedLaterWhereAnyFamilyShownWasToldByALaterReport(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for date, want := range map[string]bool{
		"2026-06-30": true,  // there is a report of that day, and it names another family
		"2026-07-31": false, // the series that was classified later is in no family of the reply
	} {
		got := decode[marketSummary](t, r.get(t, "/api/market-summary?date="+date))
		flagged := false
		for _, row := range decode[allFunds](t, r.get(t, "/api/all-funds?vehicle=mutual_fund&date="+date)).Data {
			flagged = flagged || row["classified_later"] == true
		}
		if c := got.Meta.Classification; c.Later != want || flagged != want || *c.ReportDate != "2026-06-30" {
			t.Errorf("%s: %+v, all-funds flags: %t, want %t", date, c, flagged, want)
		}
	}
}
