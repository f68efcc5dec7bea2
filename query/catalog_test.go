package query_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type items struct {
	Data []struct {
		ID         string
		Type       string
		Attributes map[string]any
	}
}

func (l items) ids() []string {
	ids := make([]string, len(l.Data))
	for i, item := range l.Data {
		ids[i] = item.ID
	}
	return ids
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)

	t.Run("managers come by name, and scope keeps those of a vehicle", func(t *testing.T) {
		for target, want := range map[string][]string{
			"":                       {"11", "12", "13"},
			"?scope=all":             {"11", "12", "13"},
			"?scope=mutual_fund":     {"11"},
			"?scope=investment_fund": {"12"},
			"?scope=etf":             {"12"},
		} {
			if got := decode[items](t, r.get(t, "/api/asset_providers"+target)).ids(); !cmp.Equal(got, want) {
				t.Errorf("%s: %v, want %v", target, got, want)
			}
		}
	})

	t.Run("a manager's funds are its current mutual funds by name, in ISO currencies", func(t *testing.T) {
		got := decode[items](t, r.get(t, "/api/asset_providers/0011/conceptual_assets"))
		if want := []string{"103", "101"}; !cmp.Equal(got.ids(), want) {
			t.Fatalf("%v, want %v", got.ids(), want)
		}
		want := map[string]any{"name": "RENTA 1", "symbol": "8011-K", "run": "8011-K", "category": "equity",
			"currency": "CLP"}
		if diff := cmp.Diff(want, got.Data[1].Attributes); diff != "" {
			t.Error(diff)
		}
		if got.Data[0].Attributes["currency"] != "EUR" {
			t.Errorf("currency %v, want EUR", got.Data[0].Attributes["currency"])
		}
	})

	t.Run("a manager without mutual funds has an empty list, an unknown one is not found", func(t *testing.T) {
		for _, id := range []int{managerBeta, managerEmpty} {
			if got := decode[items](t,
				r.get(t, fmt.Sprintf("/api/asset_providers/%d/conceptual_assets", id))); got.Data == nil ||
				len(got.Data) > 0 {
				t.Errorf("%d: %v", id, got)
			}
		}
		wantCode(t, r.get(t, "/api/asset_providers/77/conceptual_assets"), http.StatusNotFound, "not_found")
	})

	t.Run("the id of a name that a manager has finds the manager", func(t *testing.T) {
		const named, unused = 21, 22
		insert(t, r.conn, "registry",
			row{"kind": "manager", "id": named, "key": "agf:BETANUNOAAGF", "run": 0, "serie": "BETANUNOAAGF",
				"batch": 1},
			row{"kind": "manager", "id": unused, "key": "agf:OMEGAAGF", "run": 0, "serie": "OMEGAAGF", "batch": 1})
		for _, path := range []string{"/api/asset_providers/%d/conceptual_assets",
			"/api/fi/instruments?provider_id=%d"} {
			own, other := r.get(t, fmt.Sprintf(path, managerBeta)), r.get(t, fmt.Sprintf(path, named))
			if got, want := decode[items](t, other), decode[items](t, own); !cmp.Equal(got, want) {
				t.Errorf("%s: %v by the name's id, want %v", path, got, want)
			}
		}
		if got := decode[items](t, r.get(t, fmt.Sprintf("/api/fi/instruments?provider_id=%d", named))); len(
			got.Data) == 0 {
			t.Error("no instruments by the id of the manager's name")
		}
		wantCode(t, r.get(t, fmt.Sprintf("/api/asset_providers/%d/conceptual_assets", unused)), http.StatusNotFound,
			"not_found")
	})

	t.Run("a fund's series are all it ever had, by name, with exact amounts", func(t *testing.T) {
		answer := r.get(t, fmt.Sprintf("/api/conceptual_assets/%d/real_assets", fundAlfa))
		got := decode[items](t, answer)
		if want := []string{"201", "202"}; !cmp.Equal(got.ids(), want) {
			t.Fatalf("%v, want %v", got.ids(), want)
		}
		want := `{"data":[{"id":"201","type":"real_asset","attributes":{"name":"8011-K Serie A","serie":"A","run":"8011-K","currency":"CLP","investor_class":"Retail",` +
			`"last_day":{"net_asset_value":121.000001,"total_net_assets":1234567890123.4567,"shareholders":12,"date":"2026-07-31"}}},` +
			`{"id":"202","type":"real_asset","attributes":{"name":"8011-K Serie B","serie":"B","run":"8011-K","currency":null,"investor_class":"APV",` +
			`"last_day":{"net_asset_value":null,"total_net_assets":null,"shareholders":null,"date":"2020-01-31"}}}]}` +
			"\n"
		if diff := cmp.Diff(want, string(answer.body)); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a fund without series has an empty list, an unknown one is not found", func(t *testing.T) {
		for _, id := range []int{fundNoSeries, fundClosed, 104} {
			if got := decode[items](t,
				r.get(t, fmt.Sprintf("/api/conceptual_assets/%d/real_assets", id))); got.Data == nil ||
				len(got.Data) > 0 {
				t.Errorf("%d: %v", id, got)
			}
		}
		wantCode(t, r.get(t, "/api/conceptual_assets/77/real_assets"), http.StatusNotFound, "not_found")
	})
}

func TestDays(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	const path = "/api/real_assets/201/days"

	t.Run("days ascend, exact, and void ones are left out", func(t *testing.T) {
		got := decode[items](t, r.get(t, path))
		if want := []string{"201_2025-12-31", "201_2026-06-30", "201_2026-07-31"}; !cmp.Equal(got.ids(), want) {
			t.Fatalf("%v, want %v", got.ids(), want)
		}
		if last := got.Data[2].Attributes; last["date"] != "2026-07-31" || last["price"] != 121.000001 {
			t.Errorf("%v", last)
		}
	})
	t.Run("from_date is inclusive, and may lie before or after all there is", func(t *testing.T) {
		for from, want := range map[string]int{"2026-06-30": 2, "2026-07-01": 1, "1970-01-01": 3, "0001-01-01": 3,
			"2149-06-07": 0, "9999-12-31": 0} {
			if got := decode[items](t, r.get(t, path+"?from_date="+from)); len(got.Data) != want {
				t.Errorf("from %s: %d days, want %d", from, len(got.Data), want)
			}
		}
	})
	t.Run("to_date is inclusive too, and limit counts from the first day of the range", func(t *testing.T) {
		for query, want := range map[string][]string{
			"?to_date=2026-06-30":                      {"201_2025-12-31", "201_2026-06-30"},
			"?to_date=2026-06-29":                      {"201_2025-12-31"},
			"?from_date=2026-06-30&to_date=2026-06-30": {"201_2026-06-30"},
			"?to_date=0001-01-01":                      {},
			"?to_date=9999-12-31":                      {"201_2025-12-31", "201_2026-06-30", "201_2026-07-31"},
			"?limit=3":                                 {"201_2025-12-31", "201_2026-06-30", "201_2026-07-31"},
			"?limit=1":                                 {"201_2025-12-31"},
			"?limit=1&from_date=2026-01-01":            {"201_2026-06-30"},
			"?limit=2&from_date=2026-01-01&to_date=2026-06-30":     {"201_2026-06-30"},
			"?limit=1&from_date=2026-07-30&to_date=2026-07-30":     {}, // void
			"?limit=5000&from_date=2026-07-30&to_date=2026-08-01":  {"201_2026-07-31"},
			"?from_date=2026-08-01&to_date=9999-12-31&limit=00001": {},
		} {
			if got := decode[items](t, r.get(t, path+query)).ids(); !cmp.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
	})
	t.Run("a series first quoted after the cutoff has its days", func(t *testing.T) {
		if got := decode[items](t, r.get(t, "/api/real_assets/203/days")).ids(); !cmp.Equal(got,
			[]string{"203_2026-08-05"}) {
			t.Errorf("%v", got)
		}
	})
	t.Run("a series that no batch up to this one knows is not found, nor is a UUID of none", func(t *testing.T) {
		for _, id := range []string{"77", "999", "0f0e0d0c-0b0a-4908-8706-050403020100", noUUID} {
			wantCode(t, r.get(t, "/api/real_assets/"+id+"/days"), http.StatusNotFound, "not_found")
			wantCode(t, r.get(t, "/api/real_assets/"+id+"/returns"), http.StatusNotFound, "not_found")
		}
	})
}
