package query_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// cartolaRow is a row of a generated cartola: one series on one day.
type cartolaRow struct {
	run    int
	serie  string
	day    time.Time
	moneda string // if it is blank, ingest rejects the row, and the day is void
	quota  float64
	equity float64
}

// writeRows writes a cartola with the regulator's header.
func writeRows(t testing.TB, rows []cartolaRow) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(demoFiles(t), "cartola", "*.txt"))
	must(t, err)
	text, err := os.ReadFile(files[0])
	must(t, err)
	header, _, _ := strings.Cut(string(text), "\n")
	lines := []string{strings.TrimRight(header, "\r")}
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("77057272;UNA AGF;%d;%s;100000;%s;N;0;%s;0;0;1;%.4f;%.0f;5;0;N;0;0;0;0;0;0;;",
			r.run, r.day.Format("20060102"), r.moneda, r.serie, r.quota, r.equity))
	}
	path := filepath.Join(t.TempDir(), "cartola.txt")
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

// writeFamilies writes a return comparator as of 2025-03-31, with the family of each
// series, keyed by RUN and name.
func writeFamilies(t testing.TB, families map[string]string) string {
	t.Helper()
	lines := []string{"fo_run,fm_serie,rent_nominal_1a,rent_real_1a,rent_nominal_3a_ann,rent_real_3a_ann,rent_nominal_5a_ann,rent_real_5a_ann," +
		"rent_nominal_10a_ann,rent_real_10a_ann,ind_rar_pond,familia_estudios,familia_visualizador,familia_rar,clase_inversionista,nombre_fondo," +
		"nombre_agf,serie_digital,fm_fecha"}
	for series, family := range families {
		lines = append(lines, fmt.Sprintf("%s,,,,,,,,,,%s,%[2]s,%[2]s,Retail,FONDO,ADMINISTRADORA,0,20250331", series,
			family))
	}
	path := filepath.Join(t.TempDir(), "comparator.csv")
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

// marketWithVoidDays is a market up to 2025-04-30, its cutoff:
//   - 60030 ALONE is its family with two others that do the same, because one series has no index. It is quoted
//     on the 28th and the 30th and void between;
//   - 60031 VOID was last quoted on the 29th, and its row of the 30th is void;
//   - 60031 LONG has a void row on the 30th, 32 days after its last quote;
//   - 60032 has three series, of which the largest rises by 25 % on the 30th, which
//     is an outlier as a daily change and none as a monthly one;
//   - 60033 has a hundred series, so that the 30th is complete.
func marketWithVoidDays(t testing.TB) *rig {
	t.Helper()
	const nacional, eeuu, emergente = "Accionario nacional", "Accionario eeuu", "Accionario emergente"
	families := map[string]string{"60030,ALONE": nacional, "60030,TWIN": nacional, "60034,ALONE": nacional,
		"60031,VOID": emergente}
	var rows []cartolaRow
	last := time.Date(2025, time.April, 30, 0, 0, 0, 0, time.UTC)
	for day := time.Date(2025, time.March, 15, 0, 0, 0, 0, time.UTC); !day.After(last); day = day.AddDate(0, 0, 1) {
		ago := int(last.Sub(day).Hours()) / 24
		add := func(run int, serie, moneda string, quota, equity float64) {
			rows = append(rows, cartolaRow{run, serie, day, moneda, quota, equity})
		}
		alone := func(moneda string, quota float64) {
			add(60030, "ALONE", moneda, quota, 2e9)
			add(60030, "TWIN", moneda, quota, 1e9)
			add(60034, "ALONE", moneda, quota, 1e9)
		}
		switch ago {
		case 0:
			alone("$$", 123.7491)
		case 1:
			alone(" ", 123.6)
		case 2:
			alone("$$", 123.5069)
		default:
			alone("$$", 123)
		}
		voided := map[bool]string{true: " ", false: "$$"}[ago == 0]
		add(60031, "VOID", voided, 1000+float64(day.YearDay()), 1e6*float64(day.YearDay()))
		if ago == 0 || ago >= 32 {
			add(60031, "LONG", voided, 1000, 3e6)
		}
		for serie, series := range map[string]struct{ rise, equity float64 }{"BIG": {1.25, 9e9}, "MID": {1.03, 5e9},
			"SMALL": {1.05, 2e8}} {
			families["60032,"+serie] = eeuu
			quota := 1000.0
			if ago == 0 {
				quota *= series.rise
			}
			add(60032, serie, "$$", quota, series.equity)
		}
		for i := range 200 {
			add(60033, fmt.Sprintf("S%03d", i), "$$", 1000, 1e9)
		}
	}
	m := demotest.New(t)
	if report := m.Ingest(t, model.Cartola, writeRows(t, rows), demotest.Clock); report.Rejected != 5 {
		t.Fatalf("%d rows are rejected, want the void ones: %+v", report.Rejected, report.FirstRejects)
	}
	m.Ingest(t, model.ReturnsComparator, writeFamilies(t, families), demotest.Clock)
	m.Build(t)
	return newRig(t, m.Options, unlimited)
}

func TestAVoidDay(t *testing.T) {
	t.Parallel()
	r := marketWithVoidDays(t)

	t.Run("does not break the family index", func(t *testing.T) {
		index := decode[familyIndex](t, r.get(t, "/api/families/accionario%20nacional/index?from_date=2025-04-27"))
		got := ""
		for _, p := range index.Data {
			got += fmt.Sprintf("%s %.4f", p.Date, p.Value)
			if p.Change != nil {
				got += fmt.Sprintf(" %+.4f", *p.Change)
			}
			got += "; "
		}
		if want := "2025-04-27 100.0000 +0.0000; 2025-04-28 100.4121 +0.4121; 2025-04-30 100.6090 +0.1961; "; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		summary := decode[marketSummary](t, r.get(t, "/api/market-summary"))
		for _, family := range summary.Families {
			if family.Family == "Accionario nacional" &&
				(family.DailyChange == nil || fmt.Sprintf("%.4f", *family.DailyChange) != "0.1961") {
				t.Errorf("the summary's change is %v", family.DailyChange)
			}
		}
		if len(summary.Families) != 2 {
			t.Errorf("%d families", len(summary.Families))
		}
	})

	t.Run("at the end leaves screener, all-funds and compare of one mind", func(t *testing.T) {
		var ids []struct {
			ID    uint32 `ch:"id"`
			Serie string `ch:"serie"`
		}
		must(t, r.conn.Select(t.Context(), &ids,
			"SELECT id, serie FROM registry WHERE kind = 'series' AND run = 60031"))
		type list struct {
			Data []struct {
				ID         string
				Attributes map[string]any
			}
		}
		told := []string{"currency", "price", "price_as_of_date", "dailyChange", "monthlyChange", "patrimony",
			"previousPatrimony", "monthlyPatrimony"}
		of := func(attributes map[string]any) map[string]any {
			out := map[string]any{}
			for _, name := range told {
				value, known := attributes[name]
				if !known {
					t.Errorf("%s is missing", name)
				}
				out[name] = value
			}
			return out
		}
		wants := map[string]map[string]any{
			"VOID": {"currency": "PESOS", "price": nil, "price_as_of_date": "2025-04-30", "dailyChange": nil,
				"monthlyChange": nil,
				"patrimony":     nil, "previousPatrimony": 119.0, "monthlyPatrimony": 89.0},
			"LONG": {"currency": nil, "price": nil, "price_as_of_date": "2025-04-30", "dailyChange": nil,
				"monthlyChange": nil,
				"patrimony":     nil, "previousPatrimony": nil, "monthlyPatrimony": nil},
		}
		for _, series := range ids {
			id, want := fmt.Sprint(series.ID), wants[series.Serie]
			other := fmt.Sprint(ids[0].ID + ids[1].ID - series.ID)
			found := map[string]int{}
			for _, path := range []string{"/api/screener?q=60031", "/api/compare?series=" + id + "," + other} {
				for _, row := range decode[list](t, r.get(t, path)).Data {
					if row.ID == id {
						found[path]++
						if diff := gocmp.Diff(want, of(row.Attributes)); diff != "" {
							t.Errorf("%s of %s (-want +got):\n%s", path, series.Serie, diff)
						}
					}
				}
			}
			for _, path := range []string{"/api/all-funds", "/api/all-funds?date=2025-04-30"} {
				for _, row := range decode[allFunds](t, r.get(t, path)).Data {
					if row["serieId"] == id {
						found[path]++
						if diff := gocmp.Diff(want, of(row)); diff != "" {
							t.Errorf("%s of %s (-want +got):\n%s", path, series.Serie, diff)
						}
					}
				}
			}
			if len(found) != 4 {
				t.Errorf("%s was seen in %v", series.Serie, found)
			}
		}
	})
}

func TestAMoversSeriesIsTheLargestThatIsNoOutlier(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := marketWithVoidDays(t)
	summary := decode[marketSummary](t, r.get(t, "/api/market-summary"))
	series := func(list []moved) (names []string) {
		for _, m := range list {
			if strings.HasPrefix(m.RUN, "60032") {
				names = append(names, m.Serie)
			}
		}
		return names
	}
	if got := series(summary.GainersDaily); !gocmp.Equal(got, []string{"MID"}) {
		t.Errorf("daily gainers: %v", got)
	}
	if got := series(summary.GainersMonthly); !gocmp.Equal(got, []string{"BIG"}) {
		t.Errorf("monthly gainers: %v", got)
	}
	for _, m := range summary.GainersMonthly {
		if m.Serie == "BIG" && m.DailyChange != nil {
			t.Errorf("an outlier is shown: %v", *m.DailyChange)
		}
	}
}

func TestTheSummaryOfADayWithDataNeedsNoCutoff(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	first := time.Date(2025, time.April, 29, 0, 0, 0, 0, time.UTC)
	m.Ingest(t, model.Cartola, writeRows(t, []cartolaRow{
		{60030, "A", first, " ", 100, 1e9}, // void: the market begins with a day without a readable row
		{60030, "B", first, " ", 100, 1e9}, // it is expected on the next day too, so that no day is complete
		{60030, "A", first.AddDate(0, 0, 1), "$$", 100, 1e9},
	}), demotest.Clock)
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	var cutoffs []struct {
		Date *time.Time `ch:"latest_complete_date"`
	}
	must(t, r.conn.Select(t.Context(), &cutoffs, "SELECT latest_complete_date FROM batch ORDER BY batch DESC LIMIT 1"))
	if len(cutoffs) != 1 || cutoffs[0].Date != nil {
		t.Fatalf("there is a cutoff: %v", cutoffs)
	}
	summary := decode[struct {
		Meta struct {
			Date             *string `json:"date"`
			Complete         bool    `json:"complete"`
			SurvivorshipBias bool    `json:"survivorship_bias"`
		} `json:"meta"`
	}](t, r.get(t, "/api/market-summary?date=2025-04-30"))
	if meta := summary.Meta; meta.Date == nil || *meta.Date != "2025-04-30" || meta.Complete || meta.SurvivorshipBias {
		t.Errorf("%+v", meta)
	}
}
