package projector_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/demo"
	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// dealt writes the rows of cartolas into files of a few days each: four with days in any
// order, one with a day on which other days depend a week later and one before a gap, and
// one with the last ten days. Days 60 to 72 are left out, which is a gap of the whole
// market. One series has no quotes from day 41 to 47 and on days 58 and 59. On the first of
// the last ten days it changes its currency and has equity again. dealt returns this
// series, as run;serie.
func dealt(t *testing.T, dir string, cartolas []string, end model.Date, days int) (files []string, changing string) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	const parts = 6
	var header string
	on := func(day int) string { return end.AddDays(day - days + 1).Time().Format("20060102") }
	content := make([]strings.Builder, parts)
	partOf := map[string]int{}
	for day := range days {
		date := on(day)
		switch {
		case day == 40 || day == 57:
			partOf[date] = parts - 2
		case day >= days-10:
			partOf[date] = parts - 1
		case day < 60 || day > 72:
			partOf[date] = random.IntN(parts - 2)
		}
	}
	var rows [][]string
	quoted := map[string]int{}
	for _, path := range cartolas {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		header = lines[0]
		for _, line := range lines[1:] {
			if columns := strings.Split(line, ";"); len(columns) == 25 {
				rows = append(rows, columns)
				key := columns[2] + ";" + columns[8]
				if quoted[key]++; quoted[key] > quoted[changing] {
					changing = key
				}
			}
		}
	}
	for _, columns := range rows {
		part, kept := partOf[columns[3]]
		if !kept {
			continue
		}
		if columns[2]+";"+columns[8] == changing {
			switch date := columns[3]; {
			case date >= on(41) && date <= on(47), date == on(58), date == on(59):
				continue
			case date == on(days-11):
				columns[13] = "0"
			case date >= on(days-10):
				columns[5] = "PROM"
			}
		}
		content[part].WriteString(strings.Join(columns, ";") + "\n")
	}
	for i := range content {
		path := filepath.Join(dir, fmt.Sprintf("part_%d.txt", i))
		if err := os.WriteFile(path, []byte(header+"\n"+content[i].String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files, changing
}

func TestDaysInAnyOrderGiveWhatOneBatchGives(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "market")
	end := model.NewDate(2025, time.July, 20)
	config := synth.Config{Series: 25, Days: 130, Seed: 7, End: end, Bad: 0.02}
	if _, err := synth.Write(t.Context(), dir, config, nil); err != nil {
		t.Fatal(err)
	}
	sources, err := demo.SourcesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	var cartolas []string
	var dolar, others []demo.Source
	for _, source := range sources {
		source.Path = filepath.Join(dir, filepath.FromSlash(source.Path))
		switch source.Dataset {
		case model.Cartola:
			cartolas = append(cartolas, source.Path)
		case model.Dolar:
			dolar = append(dolar, source)
		case model.Holdings:
		default:
			others = append(others, source)
		}
	}
	parts, changing := dealt(t, t.TempDir(), cartolas, end, config.Days)
	published := end.AddDays(1).Time()

	whole, steps := demotest.New(t), demotest.New(t)
	ingest := func(m *demotest.Market, sources []demo.Source) {
		for _, source := range sources {
			m.Ingest(t, source.Dataset, source.Path, source.Published)
		}
	}
	for _, m := range []*demotest.Market{whole, steps} {
		ingest(m, others)
	}
	// An event about a day without a quote, which becomes known long after the days were
	// built.
	late := filepath.Join(t.TempDir(), "events.csv")
	event := fmt.Sprintf("kind,run,serie,date,note,source_url,source_sha256\ndiscontinuity,%s,%s,Quota "+
		"divided,https://example.org/d/1,%s\n",
		strings.ReplaceAll(changing, ";", ","), end.AddDays(44-config.Days+1), strings.Repeat("ab", 32))
	if err := os.WriteFile(late, []byte(event), 0o600); err != nil {
		t.Fatal(err)
	}
	whole.Ingest(t, model.Events, late, published)
	for i, part := range parts {
		whole.Ingest(t, model.Cartola, part, published)
		steps.Ingest(t, model.Cartola, part, published)
		if i == 2 {
			ingest(whole, dolar)
			steps.Build(t)
			ingest(steps, dolar)
		}
		if i%2 == 0 && i < len(parts)-1 {
			steps.Build(t)
		}
	}
	steps.Build(t)
	steps.Ingest(t, model.Events, late, published)
	wholeBatch, lastStep := whole.Build(t), steps.Build(t)
	if diff := cmp.Diff(demotest.Checksums(t, whole.Conn, wholeBatch),
		demotest.Checksums(t, steps.Conn, lastStep)); diff != "" {
		t.Errorf("projections differ (-one full batch; +%d increments):\n%s", lastStep, diff)
	}
	for _, kind := range []string{"currency_change", "restart", "curated"} {
		var found uint64
		if err := whole.Conn.QueryRow(t.Context(), "SELECT count() FROM discontinuity WHERE batch = $1 AND kind = $2",
			wholeBatch, kind).Scan(&found); err != nil {
			t.Fatal(err)
		}
		if found == 0 {
			t.Errorf("no %s in the market: the increments prove nothing of it", kind)
		}
	}
}
