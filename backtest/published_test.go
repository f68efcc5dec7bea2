package backtest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/internal/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
	"cuota/sql"
)

// publishedMarket writes a synthetic market and gives its files as if they had been published in the
// course of time: a month of the cartola is 20 days late, and another one was loaded 100 days later; each
// correction comes 40 days after its day; and there are comparators of three dates.
func publishedMarket(t *testing.T) (files []backtestoracle.File) {
	t.Helper()
	end := model.NewDate(2025, time.July, 20)
	dir := filepath.Join(t.TempDir(), "market")
	if _, err := synth.Write(t.Context(), dir, synth.Config{Series: 60, Days: 640, Seed: 4, End: end, Bad: synth.DefaultBad}, nil); err != nil {
		t.Fatal(err)
	}
	begin := end.AddDays(-640).Time()
	add := func(dataset, name string, published time.Time) {
		files = append(files, backtestoracle.File{Dataset: dataset, Path: filepath.Join(dir, filepath.FromSlash(name)), Published: published})
	}
	write := func(name, content string) string {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	months := 0
	for _, source := range records(t, dir, "sources.csv") {
		dataset, name := source[0], source[1]
		published, err := time.Parse(time.RFC3339, source[2])
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.Contains(name, "correccion"):
			header, rest, _ := strings.Cut(read(t, dir, name), "\n")
			for i, line := range strings.Split(strings.TrimSpace(rest), "\n") {
				day, err := time.Parse("20060102", strings.Split(line, ";")[3])
				if err != nil {
					t.Fatal(err)
				}
				add(dataset, write(fmt.Sprintf("cartola/correction_%d.txt", i), header+"\n"+line+"\n"), day.AddDate(0, 0, 40))
			}
		case dataset == "cartola":
			switch months++; months {
			case 15:
				published = published.AddDate(0, 0, 20)
			case 4:
				published = published.AddDate(0, 0, 100)
			}
			add(dataset, name, published)
		case dataset == "returns-comparator" || dataset == "tac-comparator":
			add(dataset, name, published)
			stated := "20250630"
			for i, day := range []string{"20240531", "20241031"} {
				lines := strings.Split(strings.TrimSpace(read(t, dir, name)), "\n")
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
				add(dataset, write(fmt.Sprintf("comparator/%s_%d.csv", dataset, i), strings.Join(kept, "\n")+"\n"), on.AddDate(0, 0, 12))
			}
		case slices.Contains([]string{"uf", "dolar", "register", "events"}, dataset):
			add(dataset, name, begin)
		}
	}
	return files
}

// A run on the published batch of a market, from files to ClickHouse, equals the independent
// computation from the files.
func TestRunsOnAPublishedBatchEqualTheIndependentComputationFromItsFiles(t *testing.T) {
	files := publishedMarket(t)
	published := demotest.New(t)
	for _, f := range files {
		published.Ingest(t, model.Dataset(f.Dataset), f.Path, f.Published)
	}
	d := backtest.NewDatabase(sql.NewReader(published.Conn, "test", 3*time.Minute, false, nil), published.Build(t))
	market := classified(t, files)
	m := oracleSource{market, market.Prepare()}
	m.rows = m.known.Rows()

	rng := rand.New(rand.NewPCG(7, 7))
	seen, compared := map[string]int{}, 0
	for range 60 {
		s := drawStrategy(rng, m)
		got, err := backtest.Run(t.Context(), d, s.ours)
		if refused := (*backtest.InvalidStrategy)(nil); errors.As(err, &refused) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", describe(s.ours), err)
		}
		c := comparison{m: m, got: got, want: m.known.Run(s.theirs), seen: seen}
		if c.compare(); len(c.differences) > 0 {
			t.Errorf("strategy %s\n%s", describe(s.ours), strings.Join(c.differences[:min(len(c.differences), 8)], "\n"))
		}
		compared++
		if t.Failed() {
			return
		}
		if s.ours.Known == "then" {
			seen["without the future"] += withoutTheFuture(t, market, s, got)
		}
	}
	if compared < 40 || seen["selected"] < 100 || seen["without the future"] < 20 {
		t.Errorf("%d runs were compared: %v", compared, seen)
	}
	t.Log(compared, seen)
}

// classified gives the market of files, with the categories of its families.
func classified(t *testing.T, files []backtestoracle.File) *invented {
	t.Helper()
	market, err := backtestoracle.Load(files...)
	if err != nil {
		t.Fatal(err)
	}
	m := &invented{Market: market}
	for i, l := range m.Lines {
		for _, prefix := range [][2]string{{"Balanceado", "balanced"}, {"Accionario", "equity"}, {"Deuda < 90", "money_market"}, {"Deuda", "fixed_income"}, {"", "other"}} {
			if strings.HasPrefix(l.Family, prefix[0]) {
				m.Lines[i].Category = prefix[1]
				break
			}
		}
		if !slices.Contains(m.families, l.Family) {
			m.families = append(m.families, l.Family)
		}
	}
	for _, s := range m.Statements {
		if m.first.IsZero() || s.Day.Before(m.first) {
			m.first = s.Day
		}
		if s.Day.After(m.last) {
			m.last = s.Day
		}
	}
	return m
}

// withoutTheFuture holds each selection of a run against that from the market without what was
// published after its order day, and counts them. Risk is left out, because it is null
// where it was corrected later.
func withoutTheFuture(t *testing.T, market *invented, s drawn, got *backtest.Result) (compared int) {
	t.Helper()
	risky := func(name string) bool {
		return strings.Contains(name, "volatility") || strings.Contains(name, "drawdown")
	}
	if s.ours.Universe != "then" || risky(s.ours.Sort) || risky(s.ours.Weights) || s.ours.Filter.VolatilityMax != nil || s.ours.Filter.DrawdownMin != nil {
		return 0
	}
	for i, r := range got.Rebalancings {
		if i%3 > 0 || r.Excluded["not_known_then"] > 0 {
			continue
		}
		order := r.Date.AddDays(*s.ours.EntryLag)
		past := market.Until(order.Time())
		past.Cutoff = r.Day.Time()
		known := past.Prepare()
		signal := backtestoracle.Signal{Date: r.Date.Time(), Day: r.Day.Time(), Order: order.Time()}
		revised := s.theirs
		revised.Known = "revised"
		chosen, _, _ := revised.Select(signal, known.Candidates(signal, false))
		if len(chosen) != len(r.Selected) {
			t.Errorf("%s on %s: %d series are selected, without the future %d", describe(s.ours), r.Date, len(r.Selected), len(chosen))
			return compared
		}
		for i, c := range chosen {
			if c.ID != r.Selected[i].Series || !agree(c.Weight, r.Selected[i].Weight) {
				t.Errorf("%s on %s: %+v, without the future %+v", describe(s.ours), r.Date, r.Selected[i], c)
				return compared
			}
		}
		compared++
	}
	return compared
}
