package query_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"

	"github.com/google/go-cmp/cmp"
)

// echoArea answers with the request that it got.
type echoArea struct{}

func (echoArea) Paths() []string { return []string{"/register", "/api/me"} }

func (echoArea) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Pattern = "/the/pattern"
	_, _ = io.WriteString(w, "area "+r.RemoteAddr)
}

func TestAnAreaHasItsPathsAndItsOwnRulesForOrigins(t *testing.T) {
	t.Parallel()
	config := unlimited
	config.HTTP.Area = echoArea{}
	config.HTTP.TrustedProxies = prefixes(t, "192.0.2.0/24") // the address from which httptest calls
	r := newRig(t, demotest.Schema(t), config)
	for path, within := range map[string]bool{
		"/register": true, "/register/": true, "/register/confirm": true, "/api/me": true, "/api/me/x/y": true,
		"/registered": false, "/api/men": false, "/api": false, "/health": false, "//register": false,
	} {
		request := httptest.NewRequest(http.MethodPost, path, nil)
		request.Header.Set("X-Forwarded-For", "203.0.113.9")
		got := serve(r.Handler(), request)
		if is := string(got.body) == "area 203.0.113.9:0"; is != within {
			t.Errorf("%s: %.80s", path, got.body)
		}
		if open := got.header.Get("Access-Control-Allow-Origin") == "*"; open == within {
			t.Errorf("%s: open to any origin: %t", path, open)
		}
		if got.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no request id", path)
		}
	}
	if !strings.Contains(r.logged.String(), `"route":"/the/pattern","status":200`) {
		t.Errorf("the access log does not name the pattern: %s", r.logged)
	}

	config.HTTP.Burst = httpapi.Burst{PerSecond: 1, Size: 1}
	slow := newRig(t, demotest.Schema(t), config)
	for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		wantStatus(t, serve(slow.Handler(), httptest.NewRequest(http.MethodGet, "/register", nil)), want)
	}
}

func TestASeriesIsThereWhenTheBatchKnowsItsID(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	got := map[string]bool{}
	for _, id := range []string{"201", "0201", "999999", "not an id", "", "12345678-1234-1234-1234-123456789012",
		noUUID} {
		var err error
		got[id], err = r.HasSeries(t.Context(), id)
		must(t, err)
	}
	want := map[string]bool{"201": true, "0201": true, "999999": false, "not an id": false, "": false,
		"12345678-1234-1234-1234-123456789012": false, noUUID: false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if there, err := newRig(t, demotest.Schema(t), unlimited).HasSeries(t.Context(), "201"); err == nil {
		t.Errorf("without a batch: %t, and no error", there)
	}
}
