package query_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dayView is what the replies about one day of the market have in common.
type dayView struct {
	Data     []map[string]any
	Families []map[string]any
	Meta     struct {
		dayAnswered
		Unconverted int `json:"unconverted_series"`
	}
}

// dayAnswered is the day that a reply shows, and what the reply says about it.
type dayAnswered struct {
	Date     *string
	Complete bool
}

// answeringDays returns, for requested dates, the days of the small market that are shown.
var answeringDays = map[string]dayAnswered{
	"2026-06-30": {p("2026-06-30"), true}, "2026-07-24": {p("2026-06-30"), true},
	"2026-07-25": {p("2026-07-25"), false},
	"2026-07-29": {p("2026-06-30"), true}, "2026-07-30": {p("2026-07-30"), true}, "2026-07-31": {p("2026-07-31"), true},
	"2026-08-04": {p("2026-07-31"), true}, "2026-08-05": {p("2026-07-31"), true}, "9999-12-31": {p("2026-07-31"), true},
	"2026-06-29": {}, "2026-06-28": {}, "0001-01-01": {},
}

type ranking struct {
	Data []struct {
		ID         string
		Attributes ranked
	}
	Meta struct {
		dayAnswered
		Metric      string
		Unconverted int `json:"unconverted_series"`
	}
}

type ranked struct {
	Administrator string
	Patrimony     *float64 `json:"total_patrimony"`
	Shareholders  int      `json:"total_shareholders"`
	Funds         int      `json:"fund_count"`
	Rank          int
}

func (r ranking) managers() []ranked {
	var list []ranked
	for _, item := range r.Data {
		list = append(list, item.Attributes)
	}
	return list
}

func TestRanking(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	alfa := ranked{"ALFA AGF", p(1009000.5), 8, 3, 1}
	beta := ranked{"BETA ÑUÑOA AGF", p(1009000.5), 2, 1, 2}

	t.Run("dollars count in pesos, what cannot be converted is left out and counted, ties go by name",
		func(t *testing.T) {
			got := decode[ranking](t, r.get(t, "/api/agf_stats/ranking"))
			if diff := cmp.Diff([]ranked{alfa, beta}, got.managers()); diff != "" {
				t.Error(diff)
			}
			if *got.Meta.Date != "2026-07-31" || got.Meta.Metric != "patrimony" || got.Meta.Unconverted != 1 ||
				got.Data[0].ID != "11" {
				t.Errorf("%+v", got)
			}
		})
	t.Run("equity that cannot be converted at all is null and comes last", func(t *testing.T) {
		got := decode[ranking](t, r.get(t, "/api/agf_stats/ranking?date=2026-06-30"))
		want := []ranked{{"BETA ÑUÑOA AGF", p(40.0), 3, 1, 1}, {"ALFA AGF", nil, 9, 1, 2}}
		if diff := cmp.Diff(want, got.managers()); diff != "" || got.Meta.Unconverted != 2 {
			t.Error(diff, got.Meta)
		}
		got = decode[ranking](t, r.get(t, "/api/agf_stats/ranking?date=2026-06-30&metric=shareholders"))
		want[0].Rank, want[1].Rank = 2, 1
		if diff := cmp.Diff([]ranked{want[1], want[0]}, got.managers()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a date with data answers for itself, complete or not, and the latest complete day for any other",
		func(t *testing.T) {
			for asked, want := range answeringDays {
				got := decode[dayView](t, r.get(t, "/api/agf_stats/ranking?date="+asked))
				if diff := cmp.Diff(want, got.Meta.dayAnswered); diff != "" ||
					(want.Date == nil) != (len(got.Data) == 0) ||
					got.Data == nil {
					t.Errorf("%s: %s, %d rows", asked, diff, len(got.Data))
				}
			}
		})
}

type evolution struct {
	Data []map[string]any
	Meta struct {
		Metric         string
		Administrators []string
		Unconverted    int `json:"unconverted_series"`
	}
}

func TestEvolution(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	ask := func(t *testing.T, query string) evolution {
		t.Helper()
		return decode[evolution](t, r.get(t, "/api/agf_stats/evolution?"+query))
	}
	const alfa, beta, cero = "ALFA AGF", "BETA ÑUÑOA AGF", "CERO AGF"

	t.Run("each month is of its last complete day, with every name in each row", func(t *testing.T) {
		got := ask(t, "administrator=beta+nunoa+AGF&administrator=Alfa+Agf&administrator=CERO+AGF&administrator=BETA+%C3%91U%C3%91OA+AGF")
		want := []map[string]any{
			{"month": "2026-06", alfa: nil, beta: 40.0, cero: nil},
			{"month": "2026-07", alfa: 1009000.5, beta: 1009000.5, cero: nil},
		}
		if diff := cmp.Diff(want, got.Data); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{beta, alfa, cero}, got.Meta.Administrators); diff != "" ||
			got.Meta.Unconverted != 2 || got.Meta.Metric != "patrimony" {
			t.Error(diff, got.Meta)
		}
	})
	t.Run("from and to are inclusive", func(t *testing.T) {
		for query, months := range map[string]int{
			"": 2, "&from_month=2026-06": 2, "&from_month=2026-07": 1, "&to_month=2026-06": 1, "&to_month=2026-05": 0,
			"&from_month=2026-06&to_month=2026-06": 1, "&from_month=2026-08": 0,
			"&from_month=0001-01&to_month=9999-12": 2,
		} {
			if got := ask(t, "administrator=ALFA+AGF&metric=shareholders"+query); len(got.Data) != months ||
				got.Data == nil {
				t.Errorf("%s: %v, want %d months", query, got.Data, months)
			}
		}
	})
	t.Run("an unknown name is named", func(t *testing.T) {
		body := decodeAs[struct{ Detail []violation }](t,
			r.get(t, "/api/agf_stats/evolution?administrator=ALFA+AGF&administrator=no+%22such%22"))
		want := []violation{{Loc: []string{"query", "administrator"}, Type: "unknown_administrator", Input: `no "such"`,
			Msg: `There is no manager named "no \"such\"". GET /api/asset_providers lists them.`}}
		if diff := cmp.Diff(want, body.Detail); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("lists of names that read alike have validators of their own", func(t *testing.T) {
		one := r.get(t, "/api/agf_stats/evolution?administrator=ALFA+AGF&administrator=CERO+AGF")
		request := r.request(http.MethodGet, "/api/agf_stats/evolution?administrator=ALFA+AGF+CERO+AGF")
		request.Header.Set("If-None-Match", one.header.Get("ETag"))
		wantStatus(t, r.do(t, request), http.StatusUnprocessableEntity)
	})
}
