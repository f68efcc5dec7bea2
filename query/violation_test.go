package query_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestViolationsNameWhatIsMissingAndRepeatWhatWasGiven(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	var body struct{ Detail []violation }
	body = decodeAs[struct{ Detail []violation }](t, r.get(t, "/api/screener?sort=3m"))
	want := []violation{{Loc: []string{"query", "currency"}, Type: "missing", Msg: "Required to sort by 3m"}}
	if diff := cmp.Diff(want, body.Detail); diff != "" {
		t.Error(diff)
	}
	body = decodeAs[struct{ Detail []violation }](t,
		r.get(t, "/api/screener?limit="+strings.Repeat("9", 500)+"&currency=%FF%3Cb%3E"))
	inputs := []string{body.Detail[0].Input, body.Detail[1].Input}
	if want := []string{"\ufffd<b>", strings.Repeat("9", 200) + "…"}; !cmp.Equal(inputs, want) {
		t.Errorf("%q, want %q", inputs, want)
	}
}

func TestUnknownParametersAreIgnoredAndNamedSafely(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	many := make(url.Values)
	for n := range 40 {
		many.Set("p"+strings.Repeat("x", n), "")
	}
	for query, want := range map[string]string{
		"limit=1":                       "",
		"limit=1&b=2&a=1&a=3":           "a, b",
		"Limit=1":                       "Limit",
		"a%0D%0ASet-Cookie:x=1=1":       "a%0D%0ASet-Cookie%3Ax",
		"%2C=1&%F0%9F%92%A5=1":          "%2C, %F0%9F%92%A5",
		strings.Repeat("n", 100) + "=1": strings.Repeat("n", 64),
		"api_key=not-asked-for-because-there-is-one": "api_key",
	} {
		got := r.get(t, "/api/screener?"+query)
		wantStatus(t, got, http.StatusOK)
		if found := got.header.Get("X-Ignored-Parameters"); found != want {
			t.Errorf("%s: %q, want %q", query, found, want)
		}
	}
	named := r.get(t, "/api/screener?"+many.Encode()).header.Get("X-Ignored-Parameters")
	if !strings.HasSuffix(named, ", and+20+more") || strings.Count(named, ",") != 20 {
		t.Errorf("%q", named)
	}
	if got := r.get(t, "/api/screener?limit=0&zzz=1"); got.header.Get("X-Ignored-Parameters") != "zzz" {
		t.Errorf("%v", got.header)
	}
	if got := r.do(t, httptest.NewRequest(http.MethodGet, "/health?x=1", nil)); got.header.Get(
		"X-Ignored-Parameters") != "x" {
		t.Errorf("%v", got.header)
	}
}

// violationCase is a request and its violations. Without violations the request is
// answered.
type violationCase struct {
	target string
	want   []string
}

func wantViolations(t *testing.T, r *rig, cases []violationCase) {
	t.Helper()
	for _, c := range cases {
		got := r.get(t, c.target)
		switch {
		case c.want == nil && got.status != http.StatusOK, c.want != nil &&
			got.status != http.StatusUnprocessableEntity:
			t.Errorf("%.120s: %d %.300s", c.target, got.status, got.body)
		case c.want != nil:
			if diff := cmp.Diff(c.want, got.violations(t)); diff != "" {
				t.Errorf("%.120s: %s", c.target, diff)
			}
		}
	}
}
