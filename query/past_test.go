package query_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query"

	gocmp "github.com/google/go-cmp/cmp"
)

// datedFile is a file of a generated market.
type datedFile struct {
	dataset   model.Dataset
	path      string
	published time.Time
	dated     string // YYYYMMDD for which all its rows are; empty if the rows have dates, or no dates at all
}

// inventedMarket writes a market of fourteen months, in which series begin, end, split, pay
// distributions, have errors and stand still. It has the regulator's families on two dates;
// on the first, every third series is in another family.
func inventedMarket(t testing.TB) (files []datedFile) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "market")
	_, err := synth.Write(t.Context(), dir,
		synth.Config{Series: 60, Days: 420, Seed: 5, End: model.NewDate(2025, time.July, 20), Bad: synth.DefaultBad},
		nil)
	must(t, err)
	for _, source := range table(t, filepath.Join(dir, "sources.csv")) {
		published, err := time.Parse(time.RFC3339, source["published"])
		must(t, err)
		file := datedFile{dataset: model.Dataset(source["dataset"]), path: filepath.Join(dir, source["file"]),
			published: published}
		name := strings.TrimSuffix(filepath.Base(file.path), ".csv")
		date := name[strings.LastIndex(name, "_")+1:]
		switch file.dataset {
		case model.Cartola, model.Register, model.Dolar:
		case model.TACComparator:
			file.dated = date
		case model.TACMonthly:
			file.dated = date + "31" // its last day or the day after
		case model.ReturnsComparator:
			files = append(files, datedFile{file.dataset, earlierFamilies(t, file.path), published.AddDate(0, -1, 0),
				"20250430"})
			file.dated = date
		default:
			continue
		}
		files = append(files, file)
	}
	return files
}

// earlierFamilies writes a return comparator as of 2025-04-30.
func earlierFamilies(t testing.TB, path string) string {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	var studies, date int
	for i, name := range lines[0] {
		switch strings.TrimPrefix(name, "\ufeff") {
		case "familia_estudios": // the next columns are familia_visualizador and familia_rar
			studies = i
		case "fm_fecha":
			date = i
		}
	}
	moved := 0
	for i := 1; i < len(lines); i++ {
		lines[i][date] = "20250430"
		if other := lines[1+(i+len(lines)/2)%(len(lines)-1)]; i%3 == 0 && other[studies+2] != lines[i][studies+2] {
			copy(lines[i][studies:studies+3], other[studies:studies+3])
			moved++
		}
	}
	if moved < 3 {
		t.Fatalf("only %d series were in another family", moved)
	}
	earlier, err := os.Create(filepath.Join(t.TempDir(), "cmf_rentabilidades_20250430.csv"))
	must(t, err)
	must(t, csv.NewWriter(earlier).WriteAll(lines))
	must(t, earlier.Close())
	return earlier.Name()
}

// until returns the file without rows later than a day, YYYYMMDD. It returns nothing if no row
// is left.
func (f datedFile) until(t testing.TB, day string) string {
	t.Helper()
	if f.dated > day {
		return ""
	}
	column, separator := -1, ";"
	switch f.dataset {
	case model.Cartola:
		column = 3
	case model.Dolar:
		column, separator = 0, ","
	default:
		return f.path
	}
	text, err := os.ReadFile(f.path)
	must(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	kept := slices.DeleteFunc(lines[1:], func(line string) bool {
		columns := strings.Split(line, separator)
		return line == "" || column >= len(columns) || strings.ReplaceAll(columns[column], "-", "") > day
	})
	if len(kept) == 0 {
		return ""
	}
	cut := filepath.Join(t.TempDir(), filepath.Base(f.path))
	must(t, os.WriteFile(cut, []byte(lines[0]+strings.Join(kept, "")), 0o600))
	return cut
}

func TestThePastIsTheSameAsWithAllThatCameLaterDeleted(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	files := inventedMarket(t)
	m := demotest.New(t)
	for _, file := range files {
		m.Ingest(t, file.dataset, file.path, file.published)
	}
	m.Build(t)
	today := newRig(t, m.Options, unlimited)
	var alive []uint32
	must(t, today.conn.QueryRow(t.Context(), "SELECT groupArray(series_id) FROM current_screener").Scan(&alive))

	gone, movers := uint64(0), 0
	for date, later := range map[string]bool{
		"2024-10-31": true, // no report of families exists by then, so the first report is used, and the reply says so
		"2025-05-20": false,
		"2025-07-10": false,
	} {
		day := strings.ReplaceAll(date, "-", "")
		m := demotest.New(t)
		for _, file := range files {
			if path := file.until(t, day); path != "" {
				m.Ingest(t, file.dataset, path, file.published)
			} else if later && file.dated == "20250430" {
				m.Ingest(t, file.dataset, file.path, file.published)
			}
		}
		batch := m.Build(t)

		// The universe is that of today. It lacks the series that have closed since, so the summaries are made anew
		// without them.
		var closed uint64
		must(t, m.Conn.QueryRow(t.Context(), "SELECT count() FROM current_screener WHERE series_id NOT IN $1",
			alive).Scan(&closed))
		must(t, m.Conn.Exec(t.Context(), "DELETE FROM screener WHERE series_id NOT IN $1", alive))
		for _, table := range []string{"flow_day", "summary_day_version", "summary_family", "summary_mover"} {
			must(t, m.Conn.Exec(t.Context(), "TRUNCATE TABLE "+table))
		}
		// parts of the batch in memory would have more series than its tables now
		then := newRig(t, m.Options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
		then.summariseDays(t, int(batch))
		gone += closed

		now, before := today.get(t, "/api/market-summary?date="+date), then.get(t, "/api/market-summary")
		got := decode[marketSummary](t, now)
		movers += len(got.GainersDaily) + len(got.LosersDaily) + len(got.GainersMonthly) + len(got.LosersMonthly)
		if !got.Meta.Bias || *got.Meta.Date != date || len(got.Families) < 3 ||
			got.Meta.Classification.Later != later || got.Meta.Classification.Classified < 10 {
			t.Errorf("%s: %+v", date, got.Meta)
		}
		// Nothing else may differ: that day was the latest day then.
		unbiased := strings.Replace(string(now.body), `"survivorship_bias":true`, `"survivorship_bias":false`, 1)
		if diff := gocmp.Diff(string(before.body), unbiased); diff != "" {
			t.Errorf("market-summary of %s (-then +now):\n%s", date, diff)
		}

		funds := "/api/all-funds?vehicle=all&date=" + date
		was, is := decode[allFunds](t, then.get(t, funds)), decode[allFunds](t, today.get(t, funds))
		if diff := gocmp.Diff(was, is); diff != "" || len(is.Data) < 20 {
			t.Errorf("all-funds of %s, %d rows (-then +now):\n%s", date, len(is.Data), diff)
		}
		screenWas, screenIs := then.pastScreen(t, "", ""), today.pastScreen(t, date, "")
		if !gocmp.Equal(screenWas.ids(), screenIs.ids()) || len(screenIs.Data) < 20 ||
			screenIs.Meta.Past.ClassifiedLater != later || !screenIs.Meta.Past.Bias {
			t.Fatalf("screener of %s: %v, then %v; %+v", date, screenIs.ids(), screenWas.ids(), screenIs.Meta)
		}
		for i := range screenIs.Data {
			was, is := withoutBatch(screenWas.Data[i].Attributes), withoutBatch(screenIs.Data[i].Attributes)
			if later { // the first report was published later: it gives families, but neither ratings nor classes
				for _, key := range []string{"cmf_spheres", "fundFamilyStudies", "classificationInvestorClass",
					"classificationDate"} {
					delete(was, key)
					delete(is, key)
				}
			}
			if diff := gocmp.Diff(was, is); diff != "" {
				t.Fatalf("screener of %s, series %s (-then +now):\n%s", date, screenIs.Data[i].ID, diff)
			}
		}
		known := map[string]int{}
		for _, row := range is.Data {
			for key, value := range row {
				if value != nil && value != false {
					known[key]++
				}
			}
		}
		for _, key := range []string{"tac", "category", "fundFamily", "dailyChange", "monthlyChange",
			"volatility_monthly_12m"} {
			if known[key] == 0 && (key != "volatility_monthly_12m" || date > "2025-06") {
				t.Errorf("%s: %s is null throughout", date, key)
			}
		}
		if (known["classified_later"] > 0) != later {
			t.Errorf("%s: %d series are flagged as classified later", date, known["classified_later"])
		}
	}
	if gone == 0 || movers < 20 {
		t.Errorf("%d series closed since, %d movers: nothing was put to the test", gone, movers)
	}
}
