package query_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/httpapi"
)

func TestALinkAnswersLikeItsAddressWithTheKey(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	key := r.issue(t, account.Free)
	for _, address := range []string{"/api/screener?limit=2&q=acci%C3%B3n", "/api/real_assets/201/days?format=csv",
		"/api/agf_stats/evolution?administrator=BETA%20%C3%91U%C3%91OA%20AGF", "/api/screener?limit=0", "/api/none"} {
		token, _, err := r.store.CreateAddressLink(t.Context(), key[len(key)-4:], address, 24*time.Hour)
		must(t, err)
		follow := func(method, more string, headers ...string) answer {
			request := httptest.NewRequest(method, httpapi.LinkPath+token+more, nil)
			for i := 0; i < len(headers); i += 2 {
				request.Header.Set(headers[i], headers[i+1])
			}
			return serve(r.Handler(), request)
		}
		want := r.get(t, address)
		got := follow(http.MethodGet, "")
		without := func(body []byte) string { // the id of the request
			text, _, _ := strings.Cut(string(body), `"request_id"`)
			return text
		}
		if got.status != want.status || without(got.body) != without(want.body) {
			t.Errorf("%s: status %d, want %d: %.200s", address, got.status, want.status, got.body)
		}
		// Neither other parameters nor another key change what a link answers.
		other := follow(http.MethodGet, "?limit=1&format=json", "X-Api-Key", r.key, "Authorization", "Bearer "+r.key,
			"Accept", "text/csv")
		if other.status != got.status || without(other.body) != without(got.body) {
			t.Errorf("%s with more: status %d: %.200s", address, other.status, other.body)
		}
		if got.status != http.StatusOK {
			continue
		}
		if limit := other.header.Get("X-RateLimit-Limit"); limit != "300" {
			t.Errorf("%s is counted on a key of %s requests", address, limit)
		}
		if head := follow(http.MethodHead, ""); head.status != http.StatusOK {
			t.Errorf("HEAD of %s: status %d", address, head.status)
		}
		if again := follow(http.MethodGet, "", "If-None-Match", got.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s is sent again: status %d", address, again.status)
		}
		if refused := follow(http.MethodPost, ""); refused.status != http.StatusMethodNotAllowed {
			t.Errorf("POST to a link of %s: status %d", address, refused.status)
		}
		if strings.Contains(r.logged.String(), token) {
			t.Errorf("the log has the token of a link: %s", r.logged)
		}
	}
	wantCode(t, serve(r.Handler(), httptest.NewRequest(http.MethodGet, httpapi.LinkPath+strings.Repeat("a", 43), nil)),
		http.StatusNotFound, "not_found")
	must(t, r.store.Close())
	wantCode(t, serve(r.Handler(), httptest.NewRequest(http.MethodGet, httpapi.LinkPath+strings.Repeat("a", 43), nil)),
		http.StatusServiceUnavailable, "key_unchecked")
}

func TestALinkSpendsTheQuotaOfItsKey(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	key := r.issue(t, account.Free, account.OwnQuota(2))
	token, _, err := r.store.CreateAddressLink(t.Context(), key[len(key)-4:], "/api/screener", time.Hour)
	must(t, err)
	for _, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		got := serve(r.Handler(), httptest.NewRequest(http.MethodGet, httpapi.LinkPath+token, nil))
		if got.status != want {
			t.Errorf("status %d, want %d: %s", got.status, want, got.body)
		}
	}
	r.setClock(r.clock.Load().Add(time.Hour))
	wantCode(t, serve(r.Handler(), httptest.NewRequest(http.MethodGet, httpapi.LinkPath+token, nil)),
		http.StatusNotFound, "not_found")
}
