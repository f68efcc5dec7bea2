package area_test

import (
	"net/http"
	"strings"
	"testing"

	"cuota/internal/testkit/plaintest"

	"github.com/google/go-cmp/cmp"
)

// violations returns all violations of a 422 response, as loc:type.
func (got answer) violations() (list []string) {
	got.t.Helper()
	got.want(http.StatusUnprocessableEntity)
	for _, v := range decode[struct {
		Detail []struct {
			Loc  []string
			Type string
		}
	}](got).Detail {
		list = append(list, strings.Join(v.Loc, ".")+":"+v.Type)
	}
	return list
}

func TestAllThatIsWrongWithABodyIsReported(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.register("ana@example.cl")
	b.signIn("ana@example.cl")
	long := strings.Repeat("x", 3000)
	for _, c := range []struct {
		method, path, body string
		want               []string
	}{
		{"POST", "/api/auth/magic-link", `{}`, []string{"body.email:missing", "body.return_url:missing"}},
		{"POST", "/api/auth/magic-link", `null`, []string{"body.email:missing", "body.return_url:missing"}},
		{"POST", "/api/auth/magic-link", `{"email":null,"return_url":null}`,
			[]string{"body.email:missing", "body.return_url:missing"}},
		{"POST", "/api/auth/magic-link", `{"email":5,"return_url":["x"]}`,
			[]string{"body.email:string_type", "body.return_url:string_type"}},
		{"POST", "/api/auth/magic-link", `{"email":"` + long + `","return_url":"` + long + `"}`,
			[]string{"body.email:string_too_long", "body.return_url:string_too_long"}},
		{"POST", "/api/auth/magic-link", `{"email":"nobody","return_url":"https://evil.example"}`,
			[]string{"body.email:email", "body.return_url:url_origin"}},
		{"POST", "/api/auth/magic-link", `{"email":"","return_url":""}`,
			[]string{"body.email:email", "body.return_url:url_origin"}},
		{"POST", "/api/auth/magic-link", `{"email":true,"return_url":"https://evil.example","other":1}`,
			[]string{"body.email:string_type", "body.return_url:url_origin"}},
		{"POST", "/api/auth/callback", `{}`, []string{"body:one_of"}},
		{"POST", "/api/auth/callback", `{"code":1,"token":2}`,
			[]string{"body.code:string_type", "body.token:string_type", "body:one_of"}},
		{"POST", "/api/auth/callback", `{"code":"` + long + `","token":{}}`,
			[]string{"body.code:string_too_long", "body.token:string_type", "body:one_of"}},
		{"POST", "/api/auth/callback", `{"code":null,"token":2}`, []string{"body.token:string_type"}},
		{"POST", "/api/me/watchlist", `{}`, []string{"body.serie_id:missing"}},
		{"POST", "/api/me/watchlist", `{"serie_id":12}`, []string{"body.serie_id:string_type"}},
		{"POST", "/api/me/watchlist", `{"serie_id":"x"}`, []string{"body.serie_id:serie_id_parsing"}},
		{"POST", "/api/me/webhooks", `{}`, []string{"body.url:missing"}},
		{"POST", "/api/me/webhooks", `{"url":7}`, []string{"body.url:string_type"}},
		{"POST", "/api/me/webhooks", `{"url":"` + long + `"}`, []string{"body.url:string_too_long"}},
		{"POST", "/api/me/webhooks", `{"url":"` + long[:1001] + `"}`, []string{"body.url:url_malformed"}},
		{"POST", "/api/me/webhooks", `{"url":"https://ñ.cl"}`, []string{"body.url:url_malformed"}},
		{"POST", "/api/me/webhooks", `{"url":"http://hooks.example.org"}`, []string{"body.url:url_not_https"}},
		{"POST", "/api/me/webhooks", `{"url":"https://a:b@hooks.example.org"}`, []string{"body.url:url_userinfo"}},
		{"POST", "/api/me/webhooks", `{"url":"https://hooks.example.org/#a"}`, []string{"body.url:url_fragment"}},
		{"POST", "/api/me/webhooks", `{"url":"https://127.0.0.1"}`, []string{"body.url:url_internal"}},
		{"PATCH", "/api/me/alerts", `{"email_opt_in_alerts":"yes","email_opt_in_monthly_summary":1}`, []string{
			"body.email_opt_in_alerts:bool_type", "body.email_opt_in_monthly_summary:bool_type"}},
		{"POST", "/api/alerts/unsubscribe", `{"token":false}`, []string{"body.token:string_type"}},
		{"POST", "/api/auth/magic-link", `[]`, []string{"body:json_invalid"}},
		{"POST", "/api/auth/magic-link", `{"email":"a@b.cl"} {}`, []string{"body:json_invalid"}},
		{"POST", "/api/auth/magic-link", `{"email":`, []string{"body:json_invalid"}},
		{"POST", "/api/auth/magic-link", ``, []string{"body:json_invalid"}},
	} {
		got := b.do(c.method, c.path, "application/json", c.body)
		if word := plaintest.Find(string(got.body)); word != "" {
			t.Errorf("%s %.100s says %q: %s", c.path, c.body, word, got.body)
		}
		if diff := cmp.Diff(c.want, got.violations()); diff != "" {
			t.Errorf("%s %.100s: %s", c.path, c.body, diff)
		}
	}
}

func TestTheUUIDOfNothingIsNoSeriesToWatch(t *testing.T) {
	b := newRig(t, options{}).browser(t)
	b.signIn("ana@example.cl")
	got := b.json(http.MethodPost, "/api/me/watchlist",
		map[string]string{"serie_id": "00000000-0000-0000-0000-000000000000"}).want(http.StatusNotFound)
	if got.code() != "not_found" {
		t.Errorf("%s", got.body)
	}
}

func TestAnEscapedSlashLeadsToNoPathOfTheArea(t *testing.T) {
	b := newRig(t, options{}).browser(t)
	b.signIn("ana@example.cl")
	b.get("/api/me").want(http.StatusOK)
	for _, path := range []string{
		"/api%2Fme", "/api/me%2fwatchlist", "/api/auth/google%2Fcallback?code=1&state=2", "/register%2Fsent",
		"/api/me/watchlist%2F1", "/%61ccount%2Fdelete",
		"/api/alerts/unsubscribe%2Fone-click?token=x",
	} {
		b.get(path).want(http.StatusNotFound)
	}
}
