package query_test

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
)

func seriesID(run int, serie string) string {
	return strconv.FormatUint(uint64(oracle.ID(oracle.SeriesKey(run, serie))), 10)
}

func TestEveryIdOfARenamedSeriesFindsOneIdentity(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	for _, source := range demotest.RenamedDemo(t, false) {
		m.Ingest(t, source.Dataset, source.Path, source.Published)
	}
	m.IngestRenames(t, demotest.Renames, demotest.Clock.AddDate(0, 0, -3))
	m.Build(t)
	r := newRig(t, m.Options, unlimited)
	first, middle, current := seriesID(9809, "B-VIEJA"), seriesID(9809, "B MEDIA"), seriesID(9809, "B")
	aliases := []any{current, middle, first}

	t.Run("what is asked of one series answers under the id asked for, the same for each", func(t *testing.T) {
		for _, path := range []string{
			"/days", "/days?from_date=2024-05-10", "/days?revisions=all&limit=20", "/returns", "/returns?as_of_date=2024-05-20",
			"/returns?as_of_date=2021-06-30",
			"/expense_ratio", "/expense_ratio/history", "/risk_metrics",
		} {
			want := r.get(t, "/api/real_assets/"+current+path)
			wantStatus(t, want, http.StatusOK)
			if !strings.Contains(string(want.body), `"id":"`+current) {
				t.Fatalf("%s: %.300s", path, want.body)
			}
			for _, id := range []string{first, middle} {
				got := r.get(t, "/api/real_assets/"+id+path)
				// The link to more has the id asked for, too.
				asked := strings.NewReplacer(`"id":"`+current, `"id":"`+id, "/"+current+"/", "/"+id+"/")
				if diff := gocmp.Diff(asked.Replace(string(want.body)), string(got.body)); diff != "" {
					t.Errorf("%s of %s (-the current id's, with the id asked for; +got):\n%s", path, id, diff)
				}
			}
		}
	})

	t.Run("days are those of every name, and returns reach across the renames", func(t *testing.T) {
		days := decode[items](t, r.get(t, "/api/real_assets/"+first+"/days"))
		if n := len(days.Data); n != 64+149+217+365*3+366+201 {
			t.Errorf("%d days", n)
		}
		market, err := oracle.Load(demoHistory(t)...) // the same series with one name throughout
		must(t, err)
		cutoff := time.Date(2025, 7, 20, 0, 0, 0, 0, time.UTC)
		got := decode[struct {
			Data struct {
				Attributes struct {
					Serie   string
					Periods map[string]struct{ Value *float64 }
					Spheres struct{ Value *float64 } `json:"cmf_spheres"`
				}
			}
		}](t, r.get(t, "/api/real_assets/"+middle+"/returns")).Data.Attributes
		// The comparator has the first name too, with one sphere.
		if got.Spheres.Value == nil || *got.Spheres.Value != 4 {
			t.Errorf("%+v spheres", got.Spheres)
		}
		// The comparator has only the old name of this series.
		for _, serie := range []string{"APV", "APV PLUS"} {
			if body := string(r.get(t, "/api/real_assets/"+seriesID(9809, serie)+"/returns").body); !strings.Contains(
				body, `"cmf_spheres":{"value":5,`) {
				t.Errorf("%s: %s", serie, body)
			}
		}
		for window, period := range got.Periods {
			want := market.Period(9809, "B", cutoff, window)
			if (period.Value == nil) != (want.Value == nil) ||
				want.Value != nil && math.Abs(*period.Value-*want.Value) > 1e-12 {
				t.Errorf("%s: %v, want %+v", window, period.Value, want)
			}
		}
		if got.Serie != "B" || len(got.Periods) != 8 || got.Periods["5y_ann"].Value == nil {
			t.Errorf("%+v", got)
		}
	})

	continuity := map[string]any{"type": "rename", "previousSerie": "B MEDIA", "currentSerie": "B",
		"firstCurrentDate": "2024-05-15", "aliasIds": aliases}

	t.Run("compare has one row for all ids of it, at the place of the first", func(t *testing.T) {
		other := seriesID(9809, "FREE")
		for asked, want := range map[string][]string{
			first: {current}, current: {current},
			strings.Join([]string{first, other, current, middle}, ","): {current, other},
			strings.Join([]string{other, middle, first}, ","):          {other, current},
		} {
			got := decode[comparison](t, r.get(t, "/api/compare?series="+asked))
			if diff := gocmp.Diff(want, got.ids()); diff != "" {
				t.Errorf("%s: %s", asked, diff)
			}
			for _, item := range got.Data {
				attributes := item.Attributes
				if item.ID == other {
					if shown, there := attributes["seriesContinuity"]; !there || shown != nil {
						t.Errorf("a series without renames has %v", shown)
					}
					continue
				}
				if diff := gocmp.Diff(continuity, attributes["seriesContinuity"]); diff != "" ||
					attributes["serieId"] != current || attributes["serie"] != "B" {
					t.Errorf("%s: %v %s", asked, attributes["serieId"], diff)
				}
			}
		}
		if got := r.get(t, "/api/compare?series="+first+","+first); got.status != http.StatusUnprocessableEntity {
			t.Errorf("the same id twice is answered with %d", got.status)
		}
	})

	t.Run("screener, all-funds and the list of a fund's series have it once, under its current id", func(t *testing.T) {
		fund := strconv.FormatUint(uint64(oracle.ID(oracle.FundKey(9809))), 10)
		for path, id := range map[string]string{
			"/api/screener?q=9809&limit=200": "serieId", "/api/all-funds": "serieId",
			"/api/all-funds?date=2025-07-20":                  "serieId",
			"/api/conceptual_assets/" + fund + "/real_assets": "",
		} {
			answer := r.get(t, path)
			found := map[string]int{}
			if strings.Contains(path, "all-funds") {
				for _, row := range decode[struct{ Data []map[string]any }](t, answer).Data {
					if row["run"] != "9809-4" {
						continue
					}
					found[fmt.Sprint(row["serie"], " ", row[id])]++
					if row[id] == current {
						if diff := gocmp.Diff(any(continuity), row["seriesContinuity"]); diff != "" {
							t.Errorf("%s: %s", path, diff)
						}
					}
				}
			} else {
				for _, item := range decode[items](t, answer).Data {
					found[fmt.Sprint(item.Attributes["serie"], " ", item.ID)]++
				}
			}
			want := map[string]int{"B " + current: 1, "APV PLUS " + seriesID(9809, "APV PLUS"): 1,
				"APV-FREE " + seriesID(9809, "APV-FREE"): 1, "FREE " + seriesID(9809, "FREE"): 1}
			if strings.Contains(path, "conceptual") {
				want["A "+seriesID(9809, "A")] = 1 // closed
			}
			if diff := gocmp.Diff(want, found); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	})

	t.Run("a name that only a file of renames speaks of is not found", func(t *testing.T) {
		m.IngestRenames(t, strings.SplitAfter(demotest.Renames, "\n")[0]+
			"rename,9809,FREE,LIBRE,2025-07-20,https://example.org/r/5,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"+
			"rename,9809,NADIE,NUNCA,2025-07-20,https://example.org/r/6,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
			demotest.Clock.AddDate(0, 0, -2))
		m.Build(t)
		must(t, r.Refresh(t.Context()))
		for _, name := range []string{"NADIE", "NUNCA"} {
			wantCode(t, r.get(t, "/api/real_assets/"+seriesID(9809, name)+"/days"), http.StatusNotFound, "not_found")
		}
		// A name under which nothing was quoted yet also finds the series.
		for _, name := range []string{"FREE", "LIBRE"} {
			if got := decode[items](t,
				r.get(t, "/api/real_assets/"+seriesID(9809, name)+"/days?from_date=2025-07-01")); len(got.Data) != 20 {
				t.Errorf("%s has %d days", name, len(got.Data))
			}
		}
	})
}

// demoHistory returns the demo's genuine cartolas.
func demoHistory(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, year := range []string{"20191014_20191231", "20200101_20201231", "20210101_20211231", "20220101_20221231",
		"20230101_20231231", "20240101_20241231", "20250101_20250720"} {
		paths = append(paths, "../demo/files/cartola/cartola_9809_9810_"+year+".txt")
	}
	return paths
}
