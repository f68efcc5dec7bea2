package query_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query/receipt"
	"cuota/query/series"
)

// givenReceipt is an answer of GET /api/explain.
type givenReceipt struct {
	Data struct {
		Attributes struct {
			Value, Reason *string
			Unit          string
			Inputs        []map[string]any
		}
	}
}

// givenReturns is an answer of GET /api/real_assets/{asset_id}/returns.
type givenReturns struct {
	Data struct {
		Attributes struct {
			Periods map[string]givenReturn
		}
	}
}

type givenReturn struct {
	Value  *float64
	Reason *string
}

// givenCost is an answer of GET /api/real_assets/{asset_id}/expense_ratio.
type givenCost struct {
	Data struct {
		Attributes struct {
			TAC  *float64 `json:"expense_ratio"`
			Kind *string  `json:"tac_kind"`
		}
	}
}

// wordsOfReceipts are the parts of a receipt that are words, or that only the server knows.
var wordsOfReceipts = regexp.MustCompile(`\.(file|seen_at|published_at)$|attributes\.unit$|\.rule\.|^data\.(id|type)$`)

// checker runs verify/receipt.py over receipts and the files of the demo, and returns what it printed.
func checker(t *testing.T, files string, receipts ...[]byte) (printed string, right bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), tool(t, "python3"), "../verify/receipt.py", "-", files)
	command.Stdin = bytes.NewReader(bytes.Join(receipts, []byte("\n")))
	out, err := command.CombinedOutput()
	return string(out), err == nil
}

// agree compares a receipt with the number that it is of. It returns whether there is a number.
func agree(t *testing.T, what string, got answer, want givenReturn) bool {
	t.Helper()
	made := decode[givenReceipt](t, got).Data.Attributes
	switch {
	case want.Value == nil && made.Value == nil && want.Reason != nil && made.Reason != nil &&
		*want.Reason == *made.Reason:
		return false
	case want.Value != nil && made.Value != nil && made.Reason == nil:
		value, err := strconv.ParseFloat(*made.Value, 64)
		must(t, err)
		if math.Abs(value-*want.Value) > 1e-12 {
			t.Errorf("%s: the receipt has %v, returns %v", what, value, *want.Value)
		}
	default:
		t.Fatalf("%s: the receipt has %s, returns %+v", what, got.body, want)
	}
	return true
}

// rejectsChanges demands that the checker accepts a receipt, and none in which a text, number or truth was changed.
func rejectsChanges(t *testing.T, what, files string, sound []byte) {
	t.Helper()
	if printed, right := checker(t, files, sound); !right {
		t.Fatalf("%s: %s", what, printed)
	}
	absent := strings.Contains(string(sound), `"reason":"`)
	ofRisk := strings.HasPrefix(what, "a figure of risk")
	var changed [][]byte
	var paths []string
	for _, place := range leavesOf(t, sound) {
		path := strings.Join(place.path, ".")
		if strings.HasSuffix(path, "subject.family") {
			continue // no line of the cartola says of which family a series is
		}
		if strings.HasSuffix(what, "cost rate") && strings.HasSuffix(path, "subject.date") {
			continue // the same month may count on another day
		}
		if strings.HasSuffix(path, ".input") && stillGives(t, place.changed) {
			continue // another day has the same number
		}
		if !wordsOfReceipts.MatchString(path) && !(absent && strings.HasSuffix(path, ".unit")) {
			changed, paths = append(changed, place.changed), append(paths, path)
		}
	}
	if len(changed) < 10 {
		t.Errorf("%s: only %d places were changed", what, len(changed))
	}
	random := rand.New(rand.NewPCG(40, 5))
	for len(changed) > 600 { // a computed cost rate has over a thousand
		out := random.IntN(len(changed))
		if strings.HasSuffix(paths[out], "subject.date") {
			continue
		}
		changed, paths = slices.Delete(changed, out, out+1), slices.Delete(paths, out, out+1)
	}
	printed, _ := checker(t, files, changed...)
	for i, path := range paths {
		want := "wrong: "
		if ofRisk && strings.HasSuffix(path, "subject.date") { // much later, when newer month ends may be known
			want = "that there is no newer month end follows from other lines"
		}
		if !strings.Contains("\n"+printed, fmt.Sprintf("\n%d: %s", i+1, want)) {
			t.Errorf("%s: with another %s the checker accepts %s", what, path, changed[i])
		}
	}
}

// stillGives reports whether the formula of a changed receipt comes to its value.
func stillGives(t *testing.T, changed []byte) bool {
	t.Helper()
	made := receiptOf(t, changed)
	value, err := strconv.ParseFloat(*made.Value, 64)
	must(t, err)
	found, err := made.Eval(*made.Formula)
	return err == nil && math.Abs(found-value) <= 1e-12
}

func receiptOf(t *testing.T, body []byte) *receipt.Receipt {
	t.Helper()
	var item struct {
		Data struct{ Attributes receipt.Receipt }
	}
	must(t, json.Unmarshal(body, &item))
	return &item.Data.Attributes
}

// The checker shares no code with the program, and reads the demo's own files.
func TestReceiptsAreRecomputedFromTheFilesAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	files := demoFiles(t)
	random := rand.New(rand.NewPCG(40, 2))
	ids := []string{seriesID(9809, "B"), seriesID(9809, "A"), seriesID(9810, "B")}
	for range longtest.Times(3) {
		ids = append(ids, anySeries(t, r, random))
	}
	var receipts [][]byte
	values, costs, computed, reasons := 0, 0, 0, map[string]int{}
	for _, id := range ids {
		for range longtest.Times(4) {
			date := time.Date(2019, time.October, 1+random.IntN(2150), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			returns := decode[givenReturns](t, r.get(t, "/api/real_assets/"+id+"/returns?as_of_date="+date)).Data.Attributes.Periods
			for _, window := range model.Windows {
				got := r.get(t, fmt.Sprintf("/api/explain?series=%s&field=return&window=%s&date=%s", id, window, date))
				if agree(t, fmt.Sprintf("%s of series %s at %s", window, id, date), got, returns[window]) {
					values++
				} else {
					reasons[*returns[window].Reason]++
				}
				receipts = append(receipts, bytes.TrimSpace(got.body))
			}
			got := r.get(t, fmt.Sprintf("/api/explain?series=%s&date=%s", id, date))
			wantStatus(t, got, http.StatusOK)
			receipts = append(receipts, bytes.TrimSpace(got.body))
		}
		for _, date := range []string{"", "2025-10-15", "2021-03-31"} {
			rate := decode[givenCost](t, r.get(t, "/api/real_assets/"+id+"/expense_ratio"+strings.TrimSuffix("?as_of_date="+date, "?as_of_date=")))
			got := r.get(t, "/api/explain?field=tac&series="+id+strings.TrimSuffix("&date="+date, "&date="))
			want := givenReturn{Value: rate.Data.Attributes.TAC}
			switch {
			case want.Value == nil:
				want.Reason = new("no_cost_rate")
			case *rate.Data.Attributes.Kind == "computed":
				computed++
			}
			if agree(t, "the cost rate of series "+id, got, want) {
				costs++
			}
			receipts = append(receipts, bytes.TrimSpace(got.body))
		}
	}
	if values < 8 || costs < 2 || computed < 2 || len(reasons) < 2 {
		t.Errorf("%d values, %d costs, %d of them computed, and the reasons %v: this proves too little", values, costs, computed, reasons)
	}
	if printed, right := checker(t, files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}

	t.Run("a receipt that was changed is rejected", func(t *testing.T) {
		old, young := seriesID(9809, "B"), seriesOfOneDay(t, r)
		for what, query := range map[string]string{
			"a return": "series=" + old + "&field=return&window=3y_ann&date=2025-07-18",
			// Two files state this day.
			"a return that a line lost":  "series=" + old + "&field=return&window=1m&date=2025-07-20",
			"a quota":                    "series=" + old + "&date=2025-07-18",
			"a cost rate":                "series=" + old + "&field=tac",
			"a computed cost rate":       "series=" + old + "&field=tac&date=2021-03-31",
			"a return that is not there": "series=" + young + "&field=return&window=1y&date=2025-07-20",
		} {
			sound := bytes.TrimSpace(r.get(t, "/api/explain?"+query).body)
			absent := strings.Contains(string(sound), `"reason":"`)
			if absent != (what == "a return that is not there") ||
				strings.Contains(string(sound), `"counts":false`) != (what == "a return that a line lost") {
				t.Errorf("%s: %s", what, sound)
			}
			rejectsChanges(t, what, files, sound)
		}
	})
	t.Run("what can't be explained is refused", func(t *testing.T) {
		for _, query := range []string{"", "series=1161378270&field=return", "series=1161378270&window=1y",
			"series=1161378270&date=2999-01-01", "series=x", "series=1161378270&field=risk", "series=1161378270&field=volatility_monthly_12m&window=1y"} {
			wantStatus(t, r.get(t, "/api/explain?"+query), http.StatusUnprocessableEntity)
		}
		wantStatus(t, r.get(t, "/api/explain?series=1"), http.StatusNotFound)
	})
}

// Quotes in pesos, dollars and euros, the UF and the dólar are stated and corrected by files in any order, with days
// that lack and lines that can't be used. Each receipt has the number of returns, and the checker computes it again.
func TestReceiptsInPesosAndUFAreRecomputedFromTheFiles(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	const run = 60040
	random := rand.New(rand.NewPCG(40, 3))
	m, files := demotest.New(t), t.TempDir()
	first := time.Date(2021, time.October, 1, 0, 0, 0, 0, time.UTC)
	const days, changes = 1500, 1300
	number := 0
	ingest := func(dataset model.Dataset, text []byte) {
		number++
		path := filepath.Join(files, fmt.Sprintf("%d.txt", number))
		must(t, os.WriteFile(path, text, 0o600))
		m.Ingest(t, dataset, path, demotest.Clock.Add(-time.Duration(random.IntN(6))*time.Hour))
	}
	const names = "ABCD"
	currencies := []string{"PROM", "$$", "EUR", "PROM"}
	for share := 95; share > 5; share /= 3 {
		var rows []cartolaRow
		for d := 0; d < days; d += 3 {
			for i, currency := range currencies {
				if random.IntN(100) >= share {
					continue
				}
				if i == 3 && d > changes || i == 1 && number > 4 {
					currency = "CLP"
				}
				row := cartolaRow{run, names[i : i+1], first.AddDate(0, 0, d), currency,
					1000 + float64(random.IntN(1e6))/1e4, 1e6}
				if random.IntN(40) == 0 {
					row.quota = 0
				}
				rows = append(rows, row)
			}
		}
		text, err := os.ReadFile(writeRows(t, rows))
		must(t, err)
		ingest(model.Cartola, text)
		for _, rate := range []model.Dataset{model.UF, model.Dolar} {
			// Only the header of the first files is spelt as usual.
			lines := []string{[]string{"fecha,valor", "Fecha,VALOR"}[min(1, number/4)]}
			for d := 0; d < days; d += 3 {
				// The dólar pauses for ten days of sixty.
				if day := first.AddDate(0, 0, d); random.IntN(100) < share && (rate == model.UF || d%60 < 51) {
					lines = append(lines, fmt.Sprintf("%s,%d.%02d", day.Format(time.DateOnly), 600+random.IntN(400),
						random.IntN(100)))
				}
			}
			ingest(rate, []byte(strings.Join(lines, "\n")+"\n"))
		}
		lines := []string{"fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf," +
			"serie_digital,tac_sintetica"}
		for month := range 40 {
			for i := range names {
				if end := time.Date(2021, time.Month(11+month), 0, 0, 0, 0, 0, time.UTC); random.IntN(100) < share {
					lines = append(lines, fmt.Sprintf(`%d,%s,1,%s,$$,Retail,"FONDO, UNO",AGF,0,%g`, run, names[i:i+1],
						end.Format("20060102"), float64(random.IntN(3e7))/1e7))
				}
			}
		}
		ingest(model.TACComparator, []byte(strings.Join(lines, "\n")+"\n"))
	}
	m.Build(t)
	config := unlimited
	config.Returns = series.ReturnKinds
	r := newRig(t, m.Options, config)
	var receipts [][]byte
	values, reasons, corrected := map[string]int{}, map[string]int{}, 0
	for range longtest.Times(120) {
		id := seriesID(run, string(names[random.IntN(4)]))
		date := first.AddDate(0, 0, 30+random.IntN(days)).Format(time.DateOnly)
		window := model.Windows[random.IntN(len(model.Windows))]
		for _, valuation := range []string{"accounting", "clp", "real_uf"} {
			want := decode[givenReturns](t, r.get(t, "/api/real_assets/"+id+"/returns?as_of_date="+date+"&valuation="+
				valuation)).Data.Attributes.Periods[window]
			got := r.get(t, fmt.Sprintf("/api/explain?series=%s&field=return&window=%s&date=%s&valuation=%s", id, window, date,
				valuation))
			if agree(t, fmt.Sprintf("%s %s of series %s at %s", window, valuation, id, date), got, want) {
				values[valuation]++
			} else {
				reasons[*want.Reason]++
			}
			if bytes.Contains(got.body, []byte(`"counts":false`)) {
				corrected++
			}
			receipts = append(receipts, bytes.TrimSpace(got.body))
		}
	}
	for range longtest.Times(40) {
		id := seriesID(run, string(names[random.IntN(4)]))
		date := first.AddDate(0, 0, random.IntN(days)).Format(time.DateOnly)
		rate := decode[givenCost](t, r.get(t, "/api/real_assets/"+id+"/expense_ratio?as_of_date="+date)).Data.Attributes
		want := givenReturn{Value: rate.TAC}
		if rate.TAC == nil {
			want.Reason = new("no_cost_rate")
		} else if *rate.Kind != "synthetic" {
			t.Fatalf("the cost rate of %s at %s is %s", id, date, *rate.Kind)
		}
		got := r.get(t, "/api/explain?field=tac&series="+id+"&date="+date)
		if agree(t, "the cost rate of "+id+" at "+date, got, want) {
			values["tac"]++
		}
		receipts = append(receipts, bytes.TrimSpace(got.body))
	}
	// The dólar pauses, so some day a rate is missing or too old.
	for d := 45; ; d++ {
		if d == days {
			t.Fatal("no rate is missing on any day")
		}
		date := first.AddDate(0, 0, d).Format(time.DateOnly)
		got := r.get(t, "/api/explain?field=return&window=1m&valuation=clp&series="+seriesID(run, "A")+"&date="+date)
		if why := decode[givenReceipt](t, got).Data.Attributes.Reason; why != nil && strings.HasSuffix(*why, "_fx") {
			receipts = append(receipts, bytes.TrimSpace(got.body))
			break
		}
	}
	if len(values) < 4 || len(reasons) < 3 || corrected == 0 {
		t.Errorf("values %v, reasons %v, %d with corrected lines: this proves too little", values, reasons, corrected)
	}
	if printed, right := checker(t, files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}
	for _, sound := range receipts {
		if !bytes.Contains(sound, []byte(`"start_fx"`)) || !bytes.Contains(sound, []byte(`"start_uf"`)) ||
			bytes.Contains(sound, []byte(`"value":null`)) {
			continue
		}
		rejectsChanges(t, "a return above UF of quotes in dollars", files, sound)
		return
	}
	t.Error("no return of quotes in dollars has a value above UF")
}

// ingestLines writes a file of these lines and ingests it, published so many hours before the clock of the market.
func ingestLines(t *testing.T, m *demotest.Market, dataset model.Dataset, path string, lines []string, hours int) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	m.Ingest(t, dataset, path, demotest.Clock.Add(-time.Duration(hours)*time.Hour))
}

// Days lack, are void, without equity or with a reversal of costs, and files correct each other. Each computed cost
// rate has a receipt with the number of the API, and the checker computes it again.
func TestReceiptsOfComputedCostRatesFollowFromDailyLines(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	const run = 60070
	random := rand.New(rand.NewPCG(40, 6))
	m, files := demotest.New(t), t.TempDir()
	first := time.Date(2023, time.November, 20, 0, 0, 0, 0, time.UTC)
	const days = 140                                    // of which February has 29 in 2024
	names := []string{"WHOLE", "HOLES", "FEW", "EMPTY"} // the last one never has equity
	found, err := filepath.Glob(filepath.Join(demoFiles(t), "cartola", "*.txt"))
	must(t, err)
	text, err := os.ReadFile(found[0])
	must(t, err)
	header, _, _ := strings.Cut(string(text), "\n")
	for file, share := range []int{100, 30, 10} {
		lines := []string{strings.TrimRight(header, "\r")}
		for d := range days {
			for _, name := range names {
				rare := func(of int) bool { return name == "HOLES" && random.IntN(of) == 0 }
				if random.IntN(100) >= share || rare(20) || name == "FEW" && d%2 == 0 {
					continue
				}
				quota, equity, currency := fmt.Sprintf("%.4f", 900+200*random.Float64()), strconv.Itoa(random.IntN(1e9)), "$$"
				outstanding, redeemed, costs := 1e5+random.IntN(9e5), random.IntN(1e4), strconv.Itoa(random.IntN(5e4))
				switch {
				case name == "EMPTY", rare(15):
					equity = "0"
				case rare(15):
					outstanding, redeemed = 0, 0
				case rare(15):
					costs = "-" + costs
				case rare(15):
					currency = "" // the line is rejected, and its day void
				}
				lines = append(lines, fmt.Sprintf("77057272;UNA AGF;%d;%s;100000;%s;N;0;%s;%d.5;%d.25;%d.125;%s;%s;5;0;N;%s;%d.75;1;0.0001;0;0;;",
					run, first.AddDate(0, 0, d).Format("20060102"), currency, name, random.IntN(100), redeemed, outstanding,
					quota, equity, costs, random.IntN(1000)))
			}
		}
		ingestLines(t, m, model.Cartola, filepath.Join(files, fmt.Sprintf("%d.txt", file)), lines, 10-file)
	}
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	var receipts [][]byte
	kinds, zeros := map[string]int{}, 0
	for _, name := range names {
		for d := 10; d < days; d += 7 {
			about := seriesID(run, name) + "%s" + first.AddDate(0, 0, d).Format(time.DateOnly)
			rate := decode[givenCost](t, r.get(t, "/api/real_assets/"+fmt.Sprintf(about, "/expense_ratio?as_of_date="))).Data.Attributes
			got := r.get(t, "/api/explain?field=tac&series="+fmt.Sprintf(about, "&date="))
			want := givenReturn{Value: rate.TAC}
			if rate.TAC == nil {
				want.Reason = new("no_cost_rate")
			}
			if agree(t, "the cost rate of "+name+" at day "+strconv.Itoa(d), got, want) {
				kinds[*rate.Kind]++
				if *rate.TAC == 0 {
					zeros++
				}
			}
			receipts = append(receipts, bytes.TrimSpace(got.body))
		}
	}
	all := string(bytes.Join(receipts, nil))
	if kinds["computed"] < 15 || len(kinds) > 1 || zeros == 0 || !strings.Contains(all, `"number":"366"`) ||
		!strings.Contains(all, `{"op":"number","number":"0"}`) || !strings.Contains(all, `"counts":false`) {
		t.Errorf("rates of the kinds %v, %d of them 0: this proves too little", kinds, zeros)
	}
	printed, right := checker(t, files, receipts...)
	if !right || !strings.Contains(printed, "that no other day has a daily rate follows from other lines") {
		t.Errorf("the checker says:\n%s", printed)
	}
	const why = "No file states a rate of this month, and no synthetic one of the last year counts"
	if !strings.Contains(all, why) {
		t.Errorf("%q is missing in the rule of a computed rate", why)
	}
}

// Quotes lack at month ends, and the cartola states factors and breaks. Each volatility and each greatest fall has a
// receipt with the number of the API, and the checker computes it again.
func TestReceiptsOfRiskFollowFromQuotesAndFactors(t *testing.T) {
	t.Parallel()
	const run = 60080
	random := rand.New(rand.NewPCG(40, 7))
	m, files := demotest.New(t), t.TempDir()
	first := time.Date(2021, time.January, 20, 0, 0, 0, 0, time.UTC)
	const days = 1300
	found, err := filepath.Glob(filepath.Join(demoFiles(t), "cartola", "*.txt"))
	must(t, err)
	text, err := os.ReadFile(found[0])
	must(t, err)
	header, _, _ := strings.Cut(string(text), "\n")
	names, quotas := []string{"PLAIN", "PAYS", "SPLIT", "HOLE", "RISES"}, map[string][]float64{}
	for _, name := range names {
		quota := 1000.0
		for d := range days {
			change := (random.Float64() - 0.5) / 100
			if name == "RISES" {
				change = math.Abs(change)
			}
			if quota *= 1 + change; name == "SPLIT" && d == 800 {
				quota /= 10
			}
			quotas[name] = append(quotas[name], quota)
		}
	}
	for file := range 2 { // the second one corrects some days
		lines := []string{strings.TrimRight(header, "\r")}
		for d := range days {
			for _, name := range names {
				adjustment, distribution := "", ""
				switch {
				case name == "PAYS" && d%45 == 10:
					distribution = fmt.Sprintf("1.0%d", 100+random.IntN(900))
				case name == "SPLIT" && d == 800:
					adjustment = "10"
				case name == "HOLE" && (d%400 < 30 || d%3 == 0), file == 1 && (random.IntN(10) > 0 || name == "RISES"):
					continue
				}
				lines = append(lines, fmt.Sprintf("77057272;UNA AGF;%d;%s;100000;$$;N;0;%s;0;0;1;%.4f;1000;5;0;N;0;0;0;0;0;0;%s;%s",
					run, first.AddDate(0, 0, d).Format("20060102"), name, quotas[name][d]*(1+float64(file)/1000),
					adjustment, distribution))
			}
		}
		ingestLines(t, m, model.Cartola, filepath.Join(files, fmt.Sprintf("%d.txt", file)), lines, 10-file)
	}
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	var receipts [][]byte
	values, reasons, kept := map[string]int{}, map[string]int{}, map[string][]byte{}
	for _, name := range names {
		for i := range 1 + longtest.Times(8) {
			date := first.AddDate(0, 0, random.IntN(days)).Format(time.DateOnly)
			if i == 0 { // with 36 months before
				date = first.AddDate(0, 0, days-1).Format(time.DateOnly)
			}
			figures := decode[struct {
				Data struct{ Attributes map[string]any }
			}](t, r.get(t, "/api/real_assets/"+seriesID(run, name)+"/risk_metrics?as_of_date="+date)).Data.Attributes
			for _, field := range []string{"volatility_monthly_12m", "volatility_monthly_36m", "volatility_annualized_12m",
				"volatility_annualized_36m", "max_drawdown_36m"} {
				got := r.get(t, "/api/explain?series="+seriesID(run, name)+"&field="+field+"&date="+date)
				want := givenReturn{}
				if value, known := figures[field].(float64); known {
					want.Value = &value
				} else if want.Reason = new("missing_monthly_return"); figures["as_of_date"] == nil {
					want.Reason = new("no_risk_snapshot")
				}
				sound := bytes.TrimSpace(got.body)
				what := name
				if field == "max_drawdown_36m" {
					what = "the fall of " + name
				}
				if agree(t, field+" of "+name+" at "+date, got, want) {
					values[what]++
					kept[what] = sound
				} else {
					reasons[*want.Reason]++
					kept[*want.Reason] = sound
				}
				receipts = append(receipts, sound)
			}
		}
	}
	if values["PLAIN"] == 0 || values["PAYS"] == 0 || len(reasons) < 1 || !bytes.Contains(kept["PAYS"], []byte(`"stated_factor"`)) ||
		!bytes.Contains(bytes.Join(receipts, nil), []byte(`"counts":false`)) {
		t.Fatalf("values of %v and the reasons %v: this proves too little", values, reasons)
	}
	if printed, right := checker(t, files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}
	fell, rose := kept["the fall of PAYS"], kept["the fall of RISES"]
	if !bytes.Contains(fell, []byte(`"name":"peak"`)) || !bytes.Contains(rose, []byte(`"value":"0"`)) {
		t.Fatalf("a fall with its days and one of 0 are missing: %s\n%s", fell, rose)
	}
	rejectsChanges(t, "a figure of risk, a fall", files, fell)
	rejectsChanges(t, "a figure of risk, a fall of 0", files, rose)
	refutesFalls(t, files, fell)
	rejectsChanges(t, "a figure of risk", files, kept["PAYS"])
	refutesVolatilities(t, files, kept["PAYS"])
	if absent := kept["missing_monthly_return"]; absent != nil {
		rejectsChanges(t, "a figure of risk that is not there", files, absent)
	}
}

// refutesFalls demands that the checker rejects a fall whose highest and lowest quote are swapped, or are others that
// it cites, whatever the formula is, and one whose quotes are left out.
func refutesFalls(t *testing.T, files string, sound []byte) {
	t.Helper()
	for _, test := range []struct {
		what, why string
		change    func(*receipt.Receipt)
	}{
		{"a fall upwards", "the fall is not of these months", func(of *receipt.Receipt) {
			of.Inputs[0], of.Inputs[1] = of.Inputs[1], of.Inputs[0]
			of.Inputs[0].Name, of.Inputs[1].Name = "peak", "trough"
		}},
		{"a fall between month ends", "another fall between the days is deeper", func(of *receipt.Receipt) {
			fallBetween(of, 2, 38)
		}},
		{"the deepest fall between month ends, beside the quotes of another one", "another fall between the days is deeper",
			func(of *receipt.Receipt) {
				deepest, first, last := 0.0, 0, 0
				for i := 2; i < 39; i++ {
					for j := i + 1; j < 39; j++ {
						fall, err := of.Eval(fallFormula(of.Inputs, i, j))
						must(t, err)
						if fall < deepest {
							deepest, first, last = fall, i, j
						}
					}
				}
				fallBetween(of, 2, 38)
				of.Formula = new(fallFormula(of.Inputs, first, last))
			}},
		{"a highest quote with a target", "the inputs are not month ends and factors", func(of *receipt.Receipt) {
			of.Inputs[0].Target = of.Inputs[0].Date
		}},
		{"no fall", "the rule gives", func(of *receipt.Receipt) {
			of.Inputs, of.Formula = of.Inputs[2:], new(receipt.Number(0))
		}},
	} {
		folder, made := forged(t, files, sound, func([]string) {}, test.change)
		if printed, right := checker(t, folder, made); right || !strings.Contains(printed, "wrong: "+test.why) {
			t.Errorf("%s: the checker says:\n%s", test.what, printed)
		}
	}
}

// fallBetween makes the quotes of two month ends those of a fall.
func fallBetween(of *receipt.Receipt, peak, trough int) {
	of.Inputs[0], of.Inputs[1] = of.Inputs[peak], of.Inputs[trough]
	of.Inputs[0].Name, of.Inputs[1].Name = "peak", "trough"
	of.Inputs[0].Target, of.Inputs[1].Target = nil, nil
}

// fallFormula is the fall from one input to another, with the factors stated between.
func fallFormula(inputs []receipt.Input, peak, trough int) receipt.Formula {
	parts := []receipt.Formula{receipt.Quotient(receipt.In(trough), receipt.In(peak))}
	for i := range inputs {
		if on := inputs[i].Date; inputs[i].Name == "stated_factor" && on.Compare(*inputs[peak].Date) > 0 &&
			on.Compare(*inputs[trough].Date) <= 0 {
			parts = append(parts, receipt.In(i))
		}
	}
	return receipt.Sum(receipt.Product(parts...), receipt.Number(-1))
}

// refutesVolatilities demands that the checker rejects a volatility, which has factors of the cartola, once it cites
// files that refute it, and accepts it with files that do not.
func refutesVolatilities(t *testing.T, files string, sound []byte) {
	t.Helper()
	inputs := receiptOf(t, sound).Inputs
	first := slices.IndexFunc(inputs, func(of receipt.Input) bool { return of.Name == "stated_factor" })
	factorDay, middle := *inputs[first].Date, *inputs[first/2].Date
	compact := func(day model.Date) string { return strings.ReplaceAll(day.String(), "-", "") }
	pays := func(factor string) (func([]string), func(*receipt.Receipt)) {
		return func(fields []string) {
				if fields[3] == compact(factorDay) && fields[8] == "PAYS" {
					fields[len(fields)-1] = factor
				}
			}, func(of *receipt.Receipt) {
				input := &of.Inputs[first]
				input.Value = &factor
				for i := range input.Lines {
					input.Lines[i].Value = &factor
				}
			}
	}
	in := func(currency, unit string, since model.Date) (func([]string), func(*receipt.Receipt)) {
		return func(fields []string) {
				if fields[3] >= compact(since) {
					fields[5] = currency
				}
			}, func(of *receipt.Receipt) {
				for i := range first {
					if of.Inputs[i].Date.Compare(since) >= 0 {
						of.Inputs[i].Unit = unit + " per quota"
					}
				}
			}
	}
	without := func(reason string) (func([]string), func(*receipt.Receipt)) {
		return func([]string) {}, func(of *receipt.Receipt) {
			of.Inputs, of.Value, of.Formula, of.Reason = []receipt.Input{}, nil, nil, &reason
		}
	}
	try := func(what, wrong string) func(func([]string), func(*receipt.Receipt)) {
		return func(line func([]string), change func(*receipt.Receipt)) {
			t.Helper()
			folder, made := forged(t, files, sound, line, change)
			printed, right := checker(t, folder, made)
			if right != (wrong == "") || !strings.Contains(printed, wrong) {
				t.Errorf("a volatility with %s: the checker says:\n%s", what, printed)
			}
		}
	}
	try("a factor de reparto of 1.5", "")(pays("1.5"))
	try("a factor de reparto of 2", "wrong: a factor is a break")(pays("2"))
	try("a factor de reparto of 0.9", "wrong: a factor is a break")(pays("0.9"))
	try("quotes in dollars", "")(in("PROM", "DOLAR", *inputs[0].Date))
	const mixed = "wrong: the quotes are not all in pesos, or all in dollars"
	try("quotes in dollars from a month on", mixed)(in("PROM", "DOLAR", middle))
	try("quotes in euros", mixed)(in("EUR", "EUR", *inputs[0].Date))
	try("no month", "")(without("no_risk_snapshot"))
	try("no cutoff", "wrong: the reason is no_risk_snapshot")(without("no_complete_cutoff"))
}

// forged returns a folder with changed lines of files, and a receipt that cites them and whose number is that of its
// formula.
func forged(t *testing.T, files string, sound []byte, line func(fields []string),
	change func(*receipt.Receipt)) (folder string, made []byte) {
	t.Helper()
	folder = t.TempDir()
	paths, err := filepath.Glob(filepath.Join(files, "*.txt"))
	must(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		lines := strings.Split(string(text), "\n")
		for i := range lines {
			if fields := strings.Split(lines[i], ";"); i > 0 && len(fields) > 1 {
				line(fields)
				lines[i] = strings.Join(fields, ";")
			}
		}
		other := []byte(strings.Join(lines, "\n"))
		must(t, os.WriteFile(filepath.Join(folder, filepath.Base(path)), other, 0o600))
		was, is := fmt.Appendf(nil, "%x", sha256.Sum256(text)), fmt.Appendf(nil, "%x", sha256.Sum256(other))
		sound = bytes.ReplaceAll(sound, was, is)
	}
	of := receiptOf(t, sound)
	if change(of); of.Value != nil {
		value, err := of.Eval(*of.Formula)
		must(t, err)
		must(t, of.SetValue(value, *of.Formula))
	}
	made, err = json.Marshal(map[string]any{"data": map[string]any{"attributes": of}})
	must(t, err)
	return folder, made
}

// anySeries draws a series of the market.
func anySeries(t *testing.T, r *rig, random *rand.Rand) string {
	t.Helper()
	rows := decode[items](t, r.get(t, fmt.Sprintf("/api/screener?limit=1&offset=%d", random.IntN(2800)))).Data
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows[0].ID
}

// seriesOfOneDay returns a series that the demo has one day of.
func seriesOfOneDay(t *testing.T, r *rig) (id string) {
	t.Helper()
	must(t, r.conn.QueryRow(t.Context(), "SELECT toString(min(series_id)) FROM current_series WHERE first_date = last_date").
		Scan(&id))
	return id
}

// changedPlace is JSON in which the value at a path is another one.
type changedPlace struct {
	path    []string
	changed []byte
}

// leavesOf returns the JSON with each of its texts, numbers and truths changed, one at a time.
func leavesOf(t *testing.T, body []byte) (places []changedPlace) {
	t.Helper()
	var visit func(path []string, at any, set func(any))
	var root any
	must(t, json.Unmarshal(body, &root))
	visit = func(path []string, at any, set func(any)) {
		try := func(other any) {
			set(other)
			text, err := json.Marshal(root)
			must(t, err)
			places = append(places, changedPlace{path, text})
			set(at)
		}
		switch value := at.(type) {
		case map[string]any:
			for name, of := range value {
				visit(slices.Concat(path, []string{name}), of, func(other any) { value[name] = other })
			}
		case []any:
			for i, of := range value {
				visit(slices.Concat(path, []string{strconv.Itoa(i)}), of, func(other any) { value[i] = other })
			}
		case string:
			if value != "" {
				first := "7"
				if value[0] == '7' {
					first = "3"
				}
				try(first + value[1:])
			}
		case float64:
			try(value + 1)
		case bool:
			try(!value)
		}
	}
	visit(nil, root, func(any) {})
	return places
}

// Verified factors and exchanges in several files, some of which correct others or are wrong.
func TestReceiptsOfTotalReturnsAreRecomputedFromTheFiles(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	const run = 60050
	random := rand.New(rand.NewPCG(40, 4))
	m, files := demotest.New(t), t.TempDir()
	first := time.Date(2024, time.October, 1, 0, 0, 0, 0, time.UTC)
	const days = 180
	number := 0
	ingest := func(dataset model.Dataset, lines ...string) {
		number++
		ingestLines(t, m, dataset, filepath.Join(files, fmt.Sprintf("%d.csv", number)), lines, 100-number)
	}
	// Most are named by what is wrong with them on one day.
	names := []string{"PAYS", "DOLLARS", "SPLIT", "JUMP", "FROM", "INTO", "HOLE", "OTHER", "LOW", "TWICE", "GONE", "OFF", "BOTH",
		"FORK", "LEFT", "RIGHT"}
	quotas := map[string][]string{}
	var rows []cartolaRow
	const marked, exchangedOn = 120, 100
	for _, name := range names {
		quota := 500 + 1000*random.Float64()
		for d := range days {
			quota *= 1 + (random.Float64()-0.5)/100
			if name == "SPLIT" && d == marked {
				quota /= 10
			}
			currency := "$$"
			if name == "DOLLARS" {
				currency = "PROM"
			}
			quotas[name] = append(quotas[name], strconv.FormatFloat(quota, 'f', 4, 64))
			if (name == "FROM" || name == "GONE" || name == "BOTH") && d >= exchangedOn {
				continue
			}
			rows = append(rows, cartolaRow{run, name, first.AddDate(0, 0, d), currency, quota, 1e6})
		}
	}
	text, err := os.ReadFile(writeRows(t, rows))
	must(t, err)
	ingest(model.Cartola, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	evidence := ",https://example.org/x," + strings.Repeat("1", 64)
	day := func(d int) string { return first.AddDate(0, 0, d).Format(time.DateOnly) }
	const factorHeader = "kind,run,serie,date,distribution_factor,adjustment_factor,quota,currency,source_url,source_sha256"
	factorLine := func(name string, d int, distribution, adjustment string) string {
		currency, quota := "PESOS", quotas[name][d]
		switch {
		case name == "DOLLARS", name == "OTHER" && d == marked:
			currency = "DOLAR"
		case name == "OFF" && d == marked:
			quota = "1"
		}
		return fmt.Sprintf("factor,%d,%s,%s,%s,%s,%s,%s%s", run, name, day(d), distribution, adjustment, quota, currency, evidence)
	}
	for file := range 2 { // the second one corrects some days
		lines := []string{factorHeader}
		for _, name := range names {
			for d := range days {
				distribution, adjustment := "1", "1"
				switch {
				case file == 1 && (d%10 != 0 || name == "TWICE"), name == "HOLE" && d == marked:
					continue
				case name == "LOW" && d == marked:
					distribution = "0.9"
				case name == "SPLIT" && d == marked:
					adjustment = "10"
				case name == "JUMP" && d == marked:
					adjustment = "1.3"
				case name == "RIGHT" && d == exchangedOn:
					distribution = "1.01"
				case d%15 == 5 || d%30 == 0:
					distribution = fmt.Sprintf("1.0%d", 1000+random.IntN(9000))
				}
				lines = append(lines, factorLine(name, d, distribution, adjustment))
			}
		}
		if file == 0 {
			lines = append(lines, factorLine("TWICE", marked, "1", "1"))
		}
		ingest(model.Events, lines...)
	}
	const exchangeHeader = "kind,event_id,revision,origin_run,origin_serie,destination_run,destination_serie,effective_date," +
		"valuation_date,factor,source_url,source_sha256"
	exchangeLine := func(id string, revision int, from, into string, d int, factor string) string {
		return fmt.Sprintf("exchange,%s,%d,%d,%s,%d,%s,%s,%s,%s%s", id, revision, run, from, run, into, day(d), day(d-1), factor, evidence)
	}
	ingest(model.Events, exchangeHeader,
		exchangeLine("canje", 1, "LEFT", "INTO", exchangedOn-3, "0.5"), exchangeLine("canje", 2, "FROM", "INTO", exchangedOn, "0.987654321"),
		exchangeLine("onward", 1, "INTO", "PAYS", exchangedOn+62, "1.2"), exchangeLine("gone", 1, "GONE", "LEFT", exchangedOn, "2"),
		exchangeLine("both", 1, "BOTH", "RIGHT", exchangedOn, "1"),
		exchangeLine("left", 1, "FORK", "LEFT", exchangedOn, "1"), exchangeLine("right", 1, "FORK", "RIGHT", exchangedOn+20, "1"))
	rates := map[model.Dataset][]string{model.UF: {"fecha,valor"}, model.Dolar: {"fecha,valor"}}
	for d := range days {
		rates[model.UF] = append(rates[model.UF], fmt.Sprintf("%s,%d.%02d", day(d), 37000+d, random.IntN(100)))
		if d%7 != 0 {
			rates[model.Dolar] = append(rates[model.Dolar], fmt.Sprintf("%s,%d.%02d", day(d), 900+random.IntN(90),
				random.IntN(100)))
		}
	}
	ingest(model.UF, rates[model.UF]...)
	ingest(model.Dolar, rates[model.Dolar]...)
	m.Build(t)
	config := unlimited
	config.Returns = series.ReturnKinds
	r := newRig(t, m.Options, config)
	var receipts [][]byte
	values, reasons, applied, kept := 0, map[string]int{}, 0, map[string][]byte{}
	ask := func(name, date, window, valuation string) {
		id := seriesID(run, name)
		want := decode[givenReturns](t, r.get(t, "/api/real_assets/"+id+"/returns?return_basis=total&as_of_date="+date+"&valuation="+
			valuation)).Data.Attributes.Periods[window]
		got := r.get(t, fmt.Sprintf("/api/explain?series=%s&field=return&basis=total&window=%s&date=%s&valuation=%s", id, window, date,
			valuation))
		sound := bytes.TrimSpace(got.body)
		receipts = append(receipts, sound)
		if !agree(t, fmt.Sprintf("%s %s of series %s at %s", window, valuation, name, date), got, want) {
			reasons[*want.Reason]++
			kept[*want.Reason] = sound
			if name == "FORK" && *want.Reason == "ambiguous_continuation" && valuation == "accounting" {
				kept["stopped"] = sound
			}
			return
		}
		values++
		if bytes.Contains(sound, []byte(`"name":"factor"`)) {
			applied++
		}
		if name == "FROM" && bytes.Contains(sound, []byte(`"name":"factor"`)) && bytes.Contains(sound, []byte(`"held":{`)) {
			kept["exchanged"] = sound
		} else if name == "DOLLARS" && valuation == "real_uf" {
			kept["dollars"] = sound
		} else if name == "PAYS" && date == day(150) {
			kept["paid at the end"] = sound
		}
	}
	ask("PAYS", day(150), "1m", "accounting") // of which the last day has a factor
	for _, name := range names {
		ask(name, day(exchangedOn+33), "1m", "accounting")
		ask(name, day(marked+2), "3m", "accounting")
		ask(name, day(marked+20), "1m", "clp")
		ask(name, day(marked+45), "3m", "real_uf")
	}
	if values < 20 || applied < 20 || len(reasons) < 8 {
		t.Errorf("%d values, %d with factors, the reasons %v: this proves too little", values, applied, reasons)
	}
	if printed, right := checker(t, files, receipts...); !right {
		t.Errorf("the checker says:\n%s", printed)
	}
	t.Run("the demo has no verified factors", func(t *testing.T) {
		r, id := newRig(t, demotest.Published(t), config), seriesID(9809, "B")
		const about = "&window=1y&date=2025-07-18"
		want := decode[givenReturns](t, r.get(t, "/api/real_assets/"+id+"/returns?return_basis=total&as_of_date=2025-07-18"))
		got := r.get(t, "/api/explain?basis=total&field=return&series="+id+about)
		if agree(t, "1y", got, want.Data.Attributes.Periods["1y"]) ||
			!bytes.Contains(got.body, []byte(`"name":"factor","target":null,"date":"2024-07-19","value":null`)) {
			t.Errorf("%s", got.body)
		}
		rejectsChanges(t, "a total return", demoFiles(t), bytes.TrimSpace(got.body))
		for _, query := range []string{"series=" + id + "&basis=total", "field=return&basis=total&window=1y&series=" + noUUID,
			"field=return&basis=net&window=1y&series=" + id} {
			wantStatus(t, r.get(t, "/api/explain?"+query), http.StatusUnprocessableEntity)
		}
		wantCode(t, newRig(t, demotest.Published(t), unlimited).get(t, "/api/explain?basis=total&field=return&series="+id+about),
			http.StatusServiceUnavailable, "valuation_not_enabled")
	})
	t.Run("what the rule forbids is rejected, whatever files say", func(t *testing.T) {
		const followed = `"held":{"series":`
		if !bytes.Contains(kept["exchanged"], []byte(followed)) || kept["stopped"] == nil || kept["paid at the end"] == nil {
			t.Fatalf("%s", kept["exchanged"])
		}
		of := func(name string) map[string]any {
			return map[string]any{"series": seriesID(run, name), "run": model.RUN(run).String(),
				"names": []any{map[string]any{"serie": name, "valid_from": nil, "valid_until": nil}}}
		}
		number = 900
		// exchanged is an input whose line is the only one of a file that the market does not have.
		exchanged := func(from, into string, on, valued int, factor string, held any) map[string]any {
			row := exchangeLine("forged", 1, from, into, on, factor)
			row = strings.Replace(row, ","+day(on-1)+",", ","+day(valued)+",", 1)
			text := []byte(exchangeHeader + "\n" + row + "\n")
			number++
			must(t, os.WriteFile(filepath.Join(files, fmt.Sprintf("%d.csv", number)), text, 0o600))
			line := map[string]any{"dataset": "events", "file": nil, "sha256": fmt.Sprintf("%x", sha256.Sum256(text)), "line": 2, "serie": from,
				"value": factor, "void": false, "counts": true, "published_at": "2025-01-01T00:00:00Z", "seen_at": nil}
			return map[string]any{"name": "exchange", "target": nil, "date": day(on), "value": factor, "unit": "quotas per quota",
				"held": held, "lines": []any{line}}
		}
		unstated := func(date string) map[string]any {
			return map[string]any{"name": "factor", "target": nil, "date": date, "value": nil, "unit": "quotas per quota", "held": nil,
				"lines": []any{}}
		}
		without := func(receipt map[string]any, reason string, inputs ...any) {
			receipt["value"], receipt["formula"], receipt["reason"], receipt["inputs"] = nil, nil, reason, inputs
		}
		quoted := func(receipt map[string]any) []any { return receipt["inputs"].([]any)[:2] }
		const notFollowed, after = "the rule does not follow the exchange", "an exchange is after the end"
		for what, c := range map[string]struct {
			sound, want string
			change      func(receipt map[string]any)
		}{
			"a factor below 0": {"exchanged", notFollowed, func(receipt map[string]any) {
				receipt["inputs"] = append(quoted(receipt), exchanged("FROM", "INTO", exchangedOn, exchangedOn-1, "-1", of("INTO")))
			}},
			"a valuation after the exchange": {"exchanged", notFollowed, func(receipt map[string]any) {
				receipt["inputs"] = append(quoted(receipt), exchanged("FROM", "INTO", exchangedOn, exchangedOn+10, "1", of("INTO")))
			}},
			"a cycle": {"exchanged", notFollowed, func(receipt map[string]any) {
				receipt["inputs"] = append(quoted(receipt), exchanged("FROM", "INTO", exchangedOn, exchangedOn-1, "1", of("INTO")),
					exchanged("INTO", "FROM", exchangedOn+1, exchangedOn, "1", of("FROM")))
			}},
			"six exchanges": {"exchanged", notFollowed, func(receipt map[string]any) {
				inputs := quoted(receipt)
				for i, path := 0, []string{"FROM", "INTO", "PAYS", "LEFT", "RIGHT", "FORK", "HOLE"}; i < 6; i++ {
					on := exchangedOn + i
					inputs = append(inputs, exchanged(path[i], path[i+1], on, on-1, "1", of(path[i+1])))
				}
				receipt["inputs"] = inputs
			}},
			"an exchange years later": {"paid at the end", after, func(receipt map[string]any) {
				without(receipt, "continuation_cycle", append(quoted(receipt), exchanged("PAYS", "LEFT", 2000, 1999, "1", nil))...)
			}},
			"a quote after an exchange that is not followed": {"stopped", after, func(receipt map[string]any) {
				subject := receipt["subject"].(map[string]any)
				got := r.get(t, fmt.Sprintf("/api/explain?series=%s&field=return&window=%s&date=%s", subject["series"], subject["window"], subject["date"]))
				receipt["inputs"].([]any)[0] = decode[givenReceipt](t, got).Data.Attributes.Inputs[0]
			}},
			"a missing factor after an exchange that is not followed": {"stopped", "is not of a day of the window", func(receipt map[string]any) {
				without(receipt, "missing_factor_coverage", append(receipt["inputs"].([]any), unstated("2027-01-01"))...)
			}},
			"an exchange as the reason beside a missing factor": {"stopped", "the lines do not give the reason", func(receipt map[string]any) {
				receipt["inputs"] = append(receipt["inputs"].([]any), unstated(day(exchangedOn-1)))
			}},
			"an adjustment of 1 as the reason": {"paid at the end", "'unsupported_adjustment' is no reason", func(receipt map[string]any) {
				without(receipt, "unsupported_adjustment", receipt["inputs"].([]any)...)
			}},
			"a factor of the quote of its day as the reason": {"paid at the end", "'factor_quote_mismatch' is no reason", func(receipt map[string]any) {
				inputs := receipt["inputs"].([]any)
				without(receipt, "factor_quote_mismatch", append(quoted(receipt), inputs[len(inputs)-1])...)
			}},
			"a power of three parts": {"paid at the end", "this is no receipt", func(receipt map[string]any) {
				of := []any{}
				for _, part := range []string{"5", "2", "3"} {
					of = append(of, map[string]any{"op": "number", "number": part})
				}
				receipt["formula"] = map[string]any{"op": "power", "of": of}
			}},
		} {
			var item map[string]any
			must(t, json.Unmarshal(kept[c.sound], &item))
			c.change(item["data"].(map[string]any)["attributes"].(map[string]any))
			forged, err := json.Marshal(item)
			must(t, err)
			if printed, right := checker(t, files, forged); right || !strings.Contains(printed, "1: wrong: ") ||
				!strings.Contains(printed, c.want) {
				t.Errorf("%s: the checker says %s, want %s", what, printed, c.want)
			}
		}
	})
	for _, what := range []string{"exchanged", "dollars", "missing_factor_coverage", "duplicate_factor_date",
		"invalid_distribution_factor", "factor_currency_mismatch", "origin_not_active_at_start", "ambiguous_exchange_distribution"} {
		if kept[what] == nil {
			t.Errorf("no receipt is %s", what)
			continue
		}
		rejectsChanges(t, what, files, kept[what])
	}
}
