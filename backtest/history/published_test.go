package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/backtest/backtesttest"
	"cuota/backtest/history"
	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// publishedMarket writes a synthetic market and returns its files as if they had been published in the
// course of time: the cartola each five days, a month of the cartola is 20 days late, and another one was loaded 100
// days later; each correction comes 40 days after its day; and there are comparators of three dates.
func publishedMarket(t *testing.T) (files []backtestoracle.File) {
	t.Helper()
	end := model.NewDate(2025, time.July, 20)
	dir := filepath.Join(t.TempDir(), "market")
	if _, err := synth.Write(t.Context(), dir,
		synth.Config{Series: 60, Days: 640, Seed: 4, End: end, Bad: synth.DefaultBad}, nil); err != nil {
		t.Fatal(err)
	}
	begin := end.AddDays(-640).Time()
	add := func(dataset, name string, published time.Time) {
		files = append(files, backtestoracle.File{Dataset: dataset, Path: filepath.Join(dir, filepath.FromSlash(name)),
			Published: published})
	}
	write := func(name, content string) string {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	months := 0
	for _, source := range table(t, filepath.Join(dir, "sources.csv"), ',')[1:] {
		dataset, name := source[0], source[1]
		published, err := time.Parse(time.RFC3339, source[2])
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.Contains(name, "correccion"):
			header, rest, _ := strings.Cut(read(t, filepath.Join(dir, filepath.FromSlash(name))), "\n")
			for i, line := range strings.Split(strings.TrimSpace(rest), "\n") {
				day, err := time.Parse("20060102", strings.Split(line, ";")[3])
				if err != nil {
					t.Fatal(err)
				}
				add(dataset, write(fmt.Sprintf("cartola/correction_%d.txt", i), header+"\n"+line+"\n"),
					day.AddDate(0, 0, 40))
			}
		case dataset == "cartola":
			switch months++; months {
			case 14: // of 30 days: a gap of more than 31 would be a break, until it is closed
				published = published.AddDate(0, 0, 20)
			case 4:
				published = published.AddDate(0, 0, 100)
			}
			header, rest, _ := strings.Cut(read(t, filepath.Join(dir, filepath.FromSlash(name))), "\n")
			parts := map[int]string{} // of five days each, the last one with the rest and with broken dates
			for line := range strings.Lines(rest) {
				part := 5
				if day, err := time.Parse("20060102", strings.Split(line, ";")[3]); err == nil {
					part = min(5, (day.Day()-1)/5)
				}
				parts[part] += line
			}
			for part, lines := range parts {
				on := published
				if part < 5 && months != 14 && months != 4 {
					last := published.AddDate(0, 0, -1) // of the month
					on = oracle.Date(last.Year(), last.Month(), 5*part+6)
				}
				add(dataset, write(fmt.Sprintf("cartola/month_%d_%d.txt", months, part), header+"\n"+lines), on)
			}
		case dataset == "returns-comparator" || dataset == "tac-comparator":
			add(dataset, name, published)
			stated := "20250630"
			for i, day := range []string{"20240531", "20241031"} {
				lines := strings.Split(strings.TrimSpace(read(t, filepath.Join(dir, filepath.FromSlash(name)))), "\n")
				kept := lines[:1]
				for n, line := range lines[1:] {
					if (n+i)%5 > 0 {
						kept = append(kept, strings.ReplaceAll(line, stated, day))
					}
				}
				on, err := time.Parse("20060102", day)
				if err != nil {
					t.Fatal(err)
				}
				add(dataset, write(fmt.Sprintf("comparator/%s_%d.csv", dataset, i), strings.Join(kept, "\n")+"\n"),
					on.AddDate(0, 0, 12))
			}
		case dataset == "register":
			add(dataset, name, begin)
		// published after the last day that they are about
		case slices.Contains([]string{"uf", "dolar", "events"}, dataset):
			add(dataset, name, published)
		}
	}
	add("events", write("events/between_currencies.csv", exchangeBetweenCurrencies(t, files)), end.AddDays(1).Time())
	return files
}

// exchangeBetweenCurrencies returns a file with an exchange of a series in pesos that closes for one in
// dollars, which is not followed.
func exchangeBetweenCurrencies(t *testing.T, files []backtestoracle.File) string {
	t.Helper()
	market, err := backtestoracle.Load(files...)
	if err != nil {
		t.Fatal(err)
	}
	rows, exchanged := market.Prepare().Rows(), map[oracle.Series]bool{}
	for _, x := range market.Exchanges {
		exchanged[x.Origin] = true
	}
	var origin, destination oracle.Series
	var last time.Time
	for series, list := range rows {
		newest := list[len(list)-1]
		switch {
		case newest.Moneda == "PROM" && newest.Day.Equal(oracle.Date(2025, 7, 20)) && len(list) > 600 &&
			(destination.Run == 0 || series.Run < destination.Run):
			destination = series
		case newest.Moneda == "$$" && newest.Day.Before(oracle.Date(2025, 6, 1)) && !exchanged[series] &&
			(origin.Run == 0 || series.Run < origin.Run):
			origin, last = series, newest.Day
		}
	}
	if origin.Run == 0 || destination.Run == 0 {
		t.Fatal("the market has no series that closes in pesos, or none in dollars")
	}
	run := func(s oracle.Series) string { return fmt.Sprintf("%d-%s", s.Run, oracle.CheckDigit(s.Run)) }
	return "kind,event_id,revision,origin_run,origin_serie,destination_run,destination_serie,effective_date,valuation_date,factor,source_url,source_sha256\n" +
		strings.Join([]string{"exchange", "between-currencies", "1", run(origin), origin.Name, run(destination),
			destination.Name,
			last.AddDate(0, 0, 1).Format(time.DateOnly), last.Format(time.DateOnly), "2",
			"https://sintetico.invalid/exchange", strings.Repeat("ab", 32)}, ",") + "\n"
}

// A run on the published batch of a market, from files to ClickHouse, equals the independent
// computation from the files.
func TestRunsOnAPublishedBatchEqualTheOracle(t *testing.T) {
	longtest.InTurns(t)
	files := publishedMarket(t)
	published := demotest.New(t)
	for _, f := range files {
		published.Ingest(t, model.Dataset(f.Dataset), f.Path, f.Published)
	}
	d := source(published, published.Build(t))
	market := classified(t, files)
	m := backtesttest.Source{Market: market, Known: market.Prepare()}
	m.Rows = m.Known.Rows()

	exchanges, err := d.Exchanges(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for _, list := range exchanges {
		followed += len(list)
	}
	if followed != len(market.Exchanges)-1 {
		t.Errorf("%d exchanges are followed, of %d all but the one between currencies must be", followed,
			len(market.Exchanges))
	}

	rng := rand.New(rand.NewPCG(0, 7))
	seen, compared := map[string]int{}, 0
	runs := 25
	if testing.Short() {
		runs = 8
	}
	for range runs {
		s := backtesttest.DrawStrategy(rng, m)
		got, err := backtest.Run(t.Context(), d, s)
		if err != nil {
			t.Fatalf("%s: %v", backtesttest.Describe(s), err)
		}
		if differences := backtesttest.Compare(m, s, got, seen); len(differences) > 0 {
			t.Errorf("strategy %s\n%s", backtesttest.Describe(s),
				strings.Join(differences[:min(len(differences), 8)], "\n"))
		}
		compared++
		if t.Failed() {
			return
		}
	}
	if compared < runs || seen["selected"] < 4*runs {
		t.Errorf("%d runs were compared: %v", compared, seen)
	}
	t.Log(compared, seen)

	t.Run("a run can't see the future", func(t *testing.T) { withoutTheFuture(t, d, m, rng) })
}

// classified returns the market of files, with the categories of its families.
func classified(t *testing.T, files []backtestoracle.File) *backtesttest.Market {
	t.Helper()
	market, err := backtestoracle.Load(files...)
	if err != nil {
		t.Fatal(err)
	}
	m := &backtesttest.Market{Market: market}
	for i, l := range m.Lines {
		for _, prefix := range [][2]string{{"Balanceado", "balanced"}, {"Accionario", "equity"},
			{"Deuda < 90", "money_market"}, {"Deuda", "fixed_income"}, {"", "other"}} {
			if strings.HasPrefix(l.Family, prefix[0]) {
				m.Lines[i].Category = prefix[1]
				break
			}
		}
		if !slices.Contains(m.Families, l.Family) {
			m.Families = append(m.Families, l.Family)
		}
	}
	for _, s := range m.Statements {
		if m.First.IsZero() || s.Day.Before(m.First) {
			m.First = s.Day
		}
		if s.Day.After(m.Last) {
			m.Last = s.Day
		}
	}
	return m
}

// withoutTheFuture holds the selections of runs on random dates against those from the market without
// what was published after each order day. Risk is left out, because it is null where it was
// corrected later. A computed cost rate is null if a row of its month was corrected later.
func withoutTheFuture(t *testing.T, d *history.Source, m backtesttest.Source, rng *rand.Rand) {
	s := backtest.Strategy{Name: "blind", Rebalance: "dates", EntryLag: new(5), ExitLag: new(5), RedemptionDays: new(3),
		Top: 8, Known: "then", Convert: true}
	theirs := backtestoracle.Strategy{Known: "revised", Universe: "then", Currency: "PESOS", Convert: true,
		OnePerFund: true, Top: 8, Weights: "equity"}
	s.Weights = "equity"
	for day := model.DateOf(m.First).AddDays(60 + rng.IntN(30)); day.Compare(
		model.DateOf(m.Last)) < 0; day = day.AddDays(31 + rng.IntN(40)) {
		s.Dates = append(s.Dates, day)
	}
	s.From, s.To = s.Dates[0], model.DateOf(m.Last)
	past := map[model.Date]*backtestoracle.Prepared{}
	selected, unknown := 0, 0
	for _, s.Sort = range []string{"1m", "3m", "6m", "1y", "ytd", "last_closed_month", "tac", "cmf_spheres",
		"equity_clp", "id"} {
		s.Order = backtesttest.Choose(rng, "asc", "desc")
		theirs.Sort, theirs.Descending = s.Sort, s.Order == "desc"
		s.Within = backtesttest.Choose(rng, "", "family", "manager")
		theirs.Within = s.Within
		got, err := backtest.Run(t.Context(), d, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Rebalancings {
			// Without the future, an older row would stand for them. A window is null too if the
			// quotes of its first day were corrected later, which a file does for all series at once.
			if r.Excluded["not_known_then"] > 0 || r.Excluded["no_value"] == r.Universe {
				unknown++
				continue
			}
			order := r.Date.AddDays(*s.EntryLag).Time()
			if past[r.Date] == nil {
				then := m.Until(order)
				then.Cutoff = r.Day.Time()
				past[r.Date] = then.Prepare()
			}
			signal := backtestoracle.Signal{Date: r.Date.Time(), Day: r.Day.Time(), Order: order}
			candidates := past[r.Date].Candidates(signal, false, false)
			if s.Sort == "tac" {
				candidates = withoutCorrectedCosts(candidates, m.Known.Candidates(signal, true, false))
			}
			chosen, _, _ := theirs.Select(signal, candidates)
			if len(chosen) != len(r.Selected) {
				t.Fatalf("%s on %s: %d series are selected, without the future %d", s.Sort, r.Date, len(r.Selected),
					len(chosen))
			}
			for i, c := range chosen {
				selected++
				if c.ID != r.Selected[i].Series || !backtesttest.Agree(c.Weight, r.Selected[i].Weight) ||
					!backtesttest.Agree(c.Value, r.Selected[i].Value) {
					t.Fatalf("%s on %s: %+v, without the future %+v", s.Sort, r.Date, r.Selected[i], c)
				}
			}
		}
	}
	if selected < 200 {
		t.Errorf("only %d series were selected; on %d dates some were not known", selected, unknown)
	}
	t.Log(selected, unknown)
}

// withoutCorrectedCosts returns candidates without the computed cost rates that are null in the list of the whole
// market.
func withoutCorrectedCosts(candidates, whole []backtestoracle.Candidate) []backtestoracle.Candidate {
	null := map[uint32]bool{}
	for _, c := range whole {
		null[c.ID] = math.IsNaN(c.TAC)
	}
	candidates = slices.Clone(candidates)
	for i, c := range candidates {
		if c.TACKind == "computed" && null[c.ID] {
			candidates[i].TAC = math.NaN()
		}
	}
	return candidates
}
