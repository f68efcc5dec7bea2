package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/httpapi"
)

// refusing is an operation that always fails.
func refusing(path string, err error) httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, path, httpapi.Open, nil,
		func(context.Context, *httpapi.Call, *struct{}) (httpapi.Answer, error) { return httpapi.Answer{}, err })
}

func TestErrorsAreProblemDetailsForWhoNamesTheirType(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, unlimited,
		refusing("/gone", &httpapi.Problem{Status: http.StatusGone, Code: "batch_gone", Detail: "Take another.", CurrentBatch: "b2"}),
		refusing("/wrong", httpapi.Invalid{{Loc: []string{"query", "limit"}, Msg: "Must be a number", Type: "int_parsing"}}))
	for _, accept := range []string{"application/problem+json", "application/json, application/problem+json;q=0.1"} {
		for target, want := range map[string]map[string]any{
			"/gone": {"type": "about:blank", "title": "Gone", "status": 410.0, "detail": "Take another.", "code": "batch_gone",
				"request_id": "r1", "current_batch_id": "b2"},
			"/wrong": {"type": "about:blank", "title": "Unprocessable Entity", "status": 422.0, "code": "invalid",
				"detail": "Some of the request is wrong: errors lists all of it.", "request_id": "r1",
				"errors": []any{map[string]any{"loc": []any{"query", "limit"}, "msg": "Must be a number", "type": "int_parsing"}}},
		} {
			got := serve(server.Handler(), http.MethodGet, target, "Accept", accept, "X-Request-Id", "r1")
			var body map[string]any
			must(t, json.Unmarshal(got.Body.Bytes(), &body))
			if diff := cmp.Diff(want, body); diff != "" || got.Header().Get("Content-Type") != "application/problem+json" ||
				got.Code != int(want["status"].(float64)) {
				t.Errorf("%s for %s: status %d, %s: %s", target, accept, got.Code, got.Header().Get("Content-Type"), diff)
			}
		}
	}
	for _, accept := range []string{"", "*/*", "application/*", "application/json", "application/problem+json;q=0"} {
		got := serve(server.Handler(), http.MethodGet, "/gone", "Accept", accept)
		if got.Header().Get("Content-Type") != "application/json" {
			t.Errorf("Accept %q gives %s", accept, got.Header().Get("Content-Type"))
		}
	}
}
