package query_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/plaintest"
	"cuota/query"
)

func TestNoErrorNamesTypesOfTheProgram(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t)
	bad := []string{"", "x", "-1", "1e400", "99999999999999999999", "2026-13-45", "0000-00-00", "{}", "[1", "null",
		"true", "\xff", "\x00", "1,1", "1,x", "1.5", strings.Repeat("9", 300)}
	refused := 0
	check := func(request *http.Request, what string) {
		t.Helper()
		got := r.do(t, request)
		if got.status < http.StatusBadRequest {
			return
		}
		refused++
		if word := plaintest.Find(string(got.body)); word != "" {
			t.Errorf("%s %s: %d says %q: %.400s", request.Method, what, got.status, word, got.body)
		}
	}
	for _, op := range query.Operations() {
		path := func(name, value string) string {
			target := op.Path
			for _, p := range op.Parameters {
				given := "1"
				if p.Name == name {
					given = value
				}
				if p.In == "path" {
					target = strings.Replace(target, "{"+p.Name+"}", url.PathEscape(given), 1)
				}
			}
			return target
		}
		for _, p := range op.Parameters {
			for _, value := range bad {
				target := path(p.Name, value)
				if p.In != "path" {
					target += "?" + url.Values{p.Name: {value}}.Encode()
				}
				check(r.request(op.Method, target), target)
			}
		}
		if op.Method != http.MethodPost {
			continue
		}
		for _, body := range append(bad, `{"from":5}`, `{"top":"many"}`, `{"top":1.5}`, `{"top":1e99}`, `{"filter":[]}`,
			`{"filter":{"tac_max":"x"}}`, `{"costs":{"buy":{}}}`, `{"dates":{"x":1}}`,
			`{"from":"2025-99-01"}`, `{"known":7}`, `{"no_such":1}`, `{"filter":{"no_such":1}}`, `{"from":"2025-01-01"`,
			`{"from":"2025-01-01"}{}`, `[]`, `"text"`, "{\"name\":\"\xff\"}", `{"name":"\ud800"}`, `{,}`) {
			request := r.request(op.Method, path("", ""))
			request.Body = io.NopCloser(strings.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			check(request, op.Path+" "+body)
		}
	}
	if refused < 300 {
		t.Errorf("only %d requests were refused: nothing was tried", refused)
	}
}
