package query_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestRepliesAreValidatedByBatchRequestAndDay(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	validator := func(target string) string {
		got := r.get(t, target)
		wantStatus(t, got, http.StatusOK)
		tag := got.header.Get("ETag")
		if len(tag) != 34 || got.header.Get("Cache-Control") != "private, max-age=300" ||
			got.header.Get("Vary") != "X-Api-Key, Authorization, Accept, Accept-Encoding" {
			t.Errorf("%s: %v", target, got.header)
		}
		return tag
	}
	ask := func(target, tags string) answer {
		request := r.request(http.MethodGet, target)
		request.Header.Set("If-None-Match", tags)
		return r.do(t, request)
	}
	const target = "/api/screener?limit=2&currency=CLP"
	tag := validator(target)

	t.Run("the same question has the same validator, however it is put", func(t *testing.T) {
		for _, same := range []string{target, "/api/screener?currency=PESOS&limit=2&sort=id&order=asc&q=&unknown=1",
			"/api/screener?limit=002&currency=clp"} {
			if got := validator(same); got != tag {
				t.Errorf("%s: %s, want %s", same, got, tag)
			}
		}
	})
	t.Run("another question has another", func(t *testing.T) {
		seen := map[string]string{}
		for _, other := range []string{
			target, "/api/screener?limit=2", "/api/screener?limit=2&currency=USD", "/api/screener?limit=2&q=PESOS",
			"/api/screener?limit=2&category=PESOS",
			"/api/compare?series=201", "/api/compare?series=201,204", "/api/compare?series=204,201",
			"/api/real_assets/201/days",
			"/api/real_assets/201/returns", "/api/real_assets/202/returns",
			"/api/real_assets/201/returns?as_of_date=2026-07-31",
			"/api/asset_providers", "/api/asset_providers/11/conceptual_assets",
			"/api/conceptual_assets/101/real_assets",
		} {
			got := validator(other)
			if twin, known := seen[got]; known {
				t.Errorf("%s and %s have the same", other, twin)
			}
			seen[got] = other
		}
	})
	t.Run("a caller who has the reply is told so, without a body", func(t *testing.T) {
		for _, tags := range []string{tag, `"x", ` + tag, "W/" + tag, "*"} {
			got := ask(target, tags)
			wantStatus(t, got, http.StatusNotModified)
			if len(got.body) > 0 || got.header.Get("ETag") != tag {
				t.Errorf("%s: %s %v", tags, got.body, got.header)
			}
		}
		for _, tags := range []string{"", strings.Trim(tag, `"`), `"x"`} {
			wantStatus(t, ask(target, tags), http.StatusOK)
		}
		wantStatus(t, ask("/api/compare?series=77", "*"), http.StatusNotFound)
		wantStatus(t, ask("/api/screener?limit=0", tag), http.StatusUnprocessableEntity)
	})
	t.Run("another day or batch, another validator: ages and rows may differ", func(t *testing.T) {
		r.setClock(r.clock.Load().AddDate(0, 0, 1))
		tomorrow := validator(target)
		r.publish(t, 2)
		must(t, r.Refresh(t.Context()))
		if next := validator(target); tomorrow == tag || next == tomorrow {
			t.Errorf("%s, %s, %s", tag, tomorrow, next)
		}
		wantStatus(t, ask(target, tag), http.StatusOK)
	})
	t.Run("failures are kept by nobody", func(t *testing.T) {
		for _, target := range []string{"/api/compare?series=77", "/api/screener?limit=0", "/nope"} {
			if got := r.get(t, target); got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag") != "" {
				t.Errorf("%s: %v", target, got.header)
			}
		}
	})
}
