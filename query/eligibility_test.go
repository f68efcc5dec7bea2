package query_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// statedFor is what files state of a series. A member is "true", "false", or empty where no file states it.
type statedFor map[string]string

// yes returns the text of a flag.
func yes(is bool) string { return strconv.FormatBool(is) }

// statedByFiles reads for whom series are in the files of the demo market, by RUN and by the name of the series, of
// which the sheet has twelve characters.
func statedByFiles(t *testing.T) (bySheet, byComparator map[[2]string]statedFor) {
	t.Helper()
	dir := demoFiles(t)
	bySheet, byComparator = map[[2]string]statedFor{}, map[[2]string]statedFor{}
	for _, line := range table(t, filepath.Join(dir, "aafm", "aafm_resumen_diario_20250720.csv")) {
		run, _, _ := strings.Cut(line["run"], "-")
		if line["run"] == "9430-3" { // its lines are rejected, because the check digit is wrong
			continue
		}
		of, word := statedFor{"apv": yes(line["serie_apv"] == "Si")}, line["categoria_aafm"]
		if word != "" && !strings.HasPrefix(word, "S/C ") {
			of["qualified"] = yes(strings.Contains(word, "Calificados"))
		}
		bySheet[[2]string{run, oracle.SerieName(line["serie"])}] = of
	}
	for _, file := range []string{"cmf_tac_20250930.csv", "cmf_rentabilidades_20250930.csv"} { // the second one counts
		for _, line := range table(t, filepath.Join(dir, "comparator", file)) {
			byComparator[[2]string{line["fo_run"], oracle.SerieName(line["fm_serie"])}] = statedFor{
				"class": line["clase_inversionista"], "digital": yes(line["serie_digital"] == "1")}
		}
	}
	return bySheet, byComparator
}

func TestForWhomASeriesIsFollowsFromTheFiles(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	bySheet, byComparator := statedByFiles(t)
	memory, plain, _ := fromMemoryAndSQL(t, demotest.Published(t))
	all := memory.screenerRows(t, 1)
	// The sheet is of 2025-07-20, and the comparators are of 2025-09-30.
	for _, date := range []string{"", "2025-07-20", "2025-07-19"} {
		want := map[string][]string{}
		for _, row := range all {
			run, _, _ := strings.Cut(*row.text("run"), "-")
			name := *row.text("serie")
			listed := bySheet[[2]string{run, strings.TrimSpace(string([]rune(name)[:min(12, len([]rune(name)))]))}]
			compared := byComparator[[2]string{run, name}]
			if date != "" {
				compared = nil
			}
			if date == "2025-07-19" {
				listed = nil
			}
			of := statedFor{"digital": compared["digital"], "qualified": listed["qualified"], "apv": listed["apv"]}
			if class := compared["class"]; class == "APV" {
				of["apv"] = "true"
			} else if class != "" && of["apv"] == "" {
				of["apv"] = "false"
			}
			for name, value := range of {
				want[name+"="+value] = append(want[name+"="+value], strconv.FormatUint(uint64(row.ID), 10))
			}
		}
		for at, r := range []*rig{memory, plain} {
			inScreener := r.pastScreen(t, date, "").ids()
			r.pagesSayForWhom(t, inScreener[:min(len(inScreener), []int{500, 25}[at])], date, want)
			for _, name := range []string{"apv", "digital", "qualified"} {
				for _, value := range []string{"true", "false"} {
					filter := name + "=" + value
					ids := slices.DeleteFunc(slices.Clone(want[filter]),
						func(id string) bool { return !slices.Contains(inScreener, id) })
					slices.Sort(ids)
					got := r.pastScreen(t, date, filter).ids()
					slices.Sort(got)
					if diff := gocmp.Diff(ids, got, cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("%s at %q (-files +screener):\n%s", filter, date, diff)
					}
					if date == "" && len(got) < 20 {
						t.Errorf("%s finds %d series: this proves too little", filter, len(got))
					}
				}
			}
		}
	}
}

// pagesSayForWhom compares what the pages of series say with want, which has the ids of the series of each answer.
func (r *rig) pagesSayForWhom(t *testing.T, ids []string, date string, want map[string][]string) {
	t.Helper()
	for _, id := range ids {
		texts := url.Values{"asset_id": {id}}
		if date != "" {
			texts.Set("as_of_date", date)
		}
		body, err := foundBy(t, r.PageBatch(), "/pages/series/{asset_id}", texts)
		must(t, err)
		var got struct {
			Class                   *string `json:"investor_class"`
			ClassLater              bool    `json:"class_later"`
			Family                  *string
			FamilySince             *string `json:"family_since"`
			APV, Digital, Qualified *bool
		}
		must(t, json.Unmarshal(body, &got))
		// Classes and families are those of the comparators, which are newer than every date.
		if got.ClassLater != (date != "" && got.Class != nil) || (got.Family != nil) != (got.FamilySince != nil) ||
			got.Family != nil && *got.FamilySince != "2025-09-30" {
			t.Errorf("the page of series %s at %q: %s", id, date, body)
		}
		for name, flag := range map[string]*bool{"apv": got.APV, "digital": got.Digital, "qualified": got.Qualified} {
			for _, value := range []string{"true", "false"} {
				says := flag != nil && strconv.FormatBool(*flag) == value
				if says != slices.Contains(want[name+"="+value], id) {
					t.Errorf("the page of series %s at %q says %s=%s: %t", id, date, name, value, says)
				}
			}
		}
	}
}

func TestForWhomASeriesWasIsWhatHadBeenStated(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	header := func(path string) string {
		line, _, _ := strings.Cut(string(readAll(t, path)), "\n")
		return strings.TrimRight(line, "\r")
	}
	m := demotest.New(t)
	published := demotest.Clock.AddDate(0, 0, -9)
	ingest := func(dataset model.Dataset, name string, lines ...string) {
		path := filepath.Join(t.TempDir(), name)
		must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		m.Ingest(t, dataset, path, published)
		published = published.Add(time.Hour)
	}
	const long = "LONG-SERIES-NAME" // the sheet has twelve characters of it
	cartola := []string{header("../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt")}
	day := time.Date(2025, time.April, 20, 0, 0, 0, 0, time.UTC)
	for ; day.Month() < time.July; day = day.AddDate(0, 0, 1) {
		for _, serie := range []string{"A", "B", "C", long, "TWIN-SERIES-ONE", "TWIN-SERIES-TWO"} {
			cartola = append(cartola,
				fmt.Sprintf("76000001;ADMINISTRADORA S.A.;73000;%s;100000;$$;N;0;%s;0;0;1;1000;1000000;5;0;N;0;0;0;0;0;0;;",
					day.Format("20060102"), serie))
		}
	}
	ingest(model.Cartola, "cartola.txt", cartola...)
	listed := func(serie, apv, category string) string {
		return "M," + model.RUN(73000).String() + ",,F," + serie + ",1,1,0,0,1,1," + category + "," + apv + ",PESOS"
	}
	const bonds, balanced = "Inversionistas Calificados Títulos de Deuda", "Balanceado Moderado"
	sheet := func(day string, lines ...string) {
		ingest(model.AAFM, "sheet_"+day+".csv",
			append([]string{header("../demo/files/aafm/aafm_resumen_diario_20250720.csv")}, lines...)...)
	}
	sheet("20250510", listed("A", "Si", balanced), listed("B", "No", bonds),
		listed("TWIN-SERIES-", "Si", balanced), // of which of the two, nobody knows
		listed(long[:12], "Si", "S/C Fondos creados recientemente que aún no han sido clasificados"))
	sheet("20250610", listed("B", "No", bonds))
	sheet("20250610", listed("B", "Si", balanced)) // corrects the one before
	sheet("20250601", listed("A", "No", balanced))
	compared := func(serie, class, digital, day string) string {
		return "73000," + serie + ",,,,,,,,,,F,F,Balanceado moderado," + class + ",F,M," + digital + "," + day
	}
	returns := header("../demo/files/comparator/cmf_rentabilidades_20250930.csv")
	ingest(model.ReturnsComparator, "returns1.csv", returns, compared("A", "Retail", "1", "20250531"),
		compared("B", "APV", "0", "20250531"))
	ingest(model.ReturnsComparator, "returns2.csv", returns, compared("B", "Retail", "1", "20250620"))
	ingest(model.TACComparator, "tac.csv", header("../demo/files/comparator/cmf_tac_20250930.csv"),
		"73000,A,1,20250531,$$,Alto Patrimonio,F,M,0,1.5", "73000,C,1,20250531,$$,APV,F,M,1,1.5")
	m.Build(t)

	memory, plain, _ := fromMemoryAndSQL(t, m.Options)
	const twins = "TWIN-SERIES-ONE --- TWIN-SERIES-TWO ---"
	// By series: apv, digital and qualified. A dash is unknown.
	for date, want := range map[string]string{
		"2025-05-09": "A --- B --- C --- LONG-SERIES-NAME --- " + twins,
		"2025-05-10": "A y-n B n-y C --- LONG-SERIES-NAME y-- " + twins,
		"2025-05-30": "A y-n B n-y C --- LONG-SERIES-NAME y-- " + twins,
		"2025-05-31": "A yyn B yny C yy- LONG-SERIES-NAME y-- " + twins, // the class APV; of A the comparator of returns counts
		"2025-06-01": "A nyn B yny C yy- LONG-SERIES-NAME y-- " + twins,
		"2025-06-09": "A nyn B yny C yy- LONG-SERIES-NAME y-- " + twins,
		"2025-06-10": "A nyn B ynn C yy- LONG-SERIES-NAME y-- " + twins,
		"2025-06-20": "A nyn B yyn C yy- LONG-SERIES-NAME y-- " + twins, // B is Retail, and on the sheet for APV
		"":           "A nyn B yyn C yy- LONG-SERIES-NAME y-- " + twins,
	} {
		for at, r := range []*rig{memory, plain} {
			names, found := map[string]string{}, map[string][3]byte{}
			for _, row := range r.pastScreen(t, date, "").Data {
				names[row.ID], found[row.ID] = row.Attributes["serie"].(string), [3]byte{'-', '-', '-'}
			}
			for i, name := range []string{"apv", "digital", "qualified"} {
				for value, letter := range map[string]byte{"true": 'y', "false": 'n'} {
					for _, id := range r.pastScreen(t, date, name+"="+value).ids() {
						of := found[id]
						of[i] = letter
						found[id] = of
					}
				}
			}
			var got []string
			for id, of := range found {
				got = append(got, names[id]+" "+string(of[:]))
			}
			slices.Sort(got)
			if diff := gocmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("at %q, from SQL alone: %t (-want +got):\n%s", date, at == 1, diff)
			}
		}
	}
}
