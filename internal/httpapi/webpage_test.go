package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/httpapi"
)

// pageOf makes a page that shows its parameters and what /inner/{id} finds.
func pageOf(server **httpapi.Server) httpapi.Operation {
	return httpapi.NewWebPage(httpapi.WebPage{
		Path: "/page/{id}", Type: "text/html; charset=utf-8", Keys: []string{"a"}, More: func() []string {
			return []string{"b"}
		},
		Problem: func(_ *http.Request, header http.Header, p httpapi.PageProblem) []byte {
			header.Set("X-Page", "problem")
			return []byte(p.Code + ": " + p.Detail)
		},
		Answer: func(_ context.Context, _ *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
			return httpapi.Answer{Version: "1", Make: func(ctx context.Context) (httpapi.Reply, error) {
				found, err := (*server).Ask(ctx, "/inner/{id}", url.Values{"id": texts["id"]})
				return httpapi.Reply{Body: fmt.Append(nil, texts.Encode(), " ", found)}, err
			}}, nil
		},
	})
}

// inner finds its id, and fails for the ids none and broken.
func inner(access httpapi.Access) httpapi.Operation {
	type params struct {
		ID string `path:"id" max:"10" example:"1"`
	}
	return httpapi.NewOperation(http.MethodGet, "/inner/{id}", access, nil,
		func(_ context.Context, _ *httpapi.Call, p *params) (httpapi.Answer, error) {
			return httpapi.Answer{Version: "1", Find: func(context.Context) (any, error) {
				switch p.ID {
				case "none":
					return nil, httpapi.NotFound("no such id")
				case "broken":
					return nil, errors.New("secret cause")
				}
				return "found " + p.ID, nil
			}}, nil
		})
}

func TestAPageShowsWhatOperationsFindThatNeedAKeyOrAreNotServed(t *testing.T) {
	for _, access := range []httpapi.Access{httpapi.Keyed, httpapi.Internal} {
		var server *httpapi.Server
		server, _ = newServer(t, unlimited, pageOf(&server), inner(access))
		for target, want := range map[string]string{
			"/page/1":                      "id=1 found 1",
			"/page/memory?b=2&a=1&other=3": "a=1&b=2&id=memory found memory",
			"/page/%C3%B1%2F?a=":           "id=%C3%B1%2F found ñ/",
		} {
			got := serve(server.Handler(), http.MethodGet, target)
			if got.Code != http.StatusOK || got.Body.String() != want ||
				got.Header().Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s: %d %s %q, want %q", target, got.Code, got.Header().Get("Content-Type"), got.Body, want)
			}
		}
		direct := serve(server.Handler(), http.MethodGet, "/inner/1")
		if access == httpapi.Internal && direct.Code != http.StatusNotFound ||
			access == httpapi.Keyed && direct.Code != http.StatusUnauthorized {
			t.Errorf("the operation itself answers %d", direct.Code)
		}
	}
}

func TestPagesWithOtherParametersHaveOtherValidators(t *testing.T) {
	var server *httpapi.Server
	server, _ = newServer(t, unlimited, pageOf(&server), inner(httpapi.Internal))
	tags := map[string]string{}
	for _, target := range []string{"/page/1", "/page/2", "/page/1?a=1", "/page/1?b=1", "/page/1?a=1&b=1",
		"/page/1?a=1&a=b%3D1"} {
		tag := serve(server.Handler(), http.MethodGet, target).Header().Get("ETag")
		if other, taken := tags[tag]; taken || tag == "" {
			t.Errorf("%s has the validator %s of %s", target, tag, other)
		}
		tags[tag] = target
		if got := serve(server.Handler(), http.MethodGet, target, "If-None-Match",
			tag); got.Code != http.StatusNotModified {
			t.Errorf("%s with its own validator: %d", target, got.Code)
		}
	}
	if one, two := serve(server.Handler(), http.MethodGet, "/page/1?x=1"),
		serve(server.Handler(), http.MethodGet, "/page/1"); one.Header().Get("ETag") != two.Header().Get("ETag") {
		t.Error("a parameter that the page does not read changes its validator")
	}
}

// A page holds a turn. If an operation that it asks waited for another turn, pages that hold all
// turns would wait for each other for ever.
func TestAnOperationThatAPageAsksNeedsNoTurnOfItsOwn(t *testing.T) {
	var server *httpapi.Server
	config := unlimited
	config.AtOnce = 1
	waits := httpapi.NewOperation(http.MethodGet, "/inner/{id}", httpapi.Internal, nil,
		func(ctx context.Context, c *httpapi.Call, _ *struct {
			ID string `path:"id" max:"10" example:"1"`
		}) (httpapi.Answer, error) {
			read := false
			err := c.Wait(ctx, func() error { read = true; return nil })
			return httpapi.Answer{Find: func(context.Context) (any, error) {
				return fmt.Sprint("read ", read), nil
			}}, err
		})
	server, _ = newServer(t, config, pageOf(&server), waits)
	if got := serve(server.Handler(), http.MethodGet, "/page/1"); got.Body.String() != "id=1 read true" {
		t.Errorf("%d %q", got.Code, got.Body)
	}
}

func TestErrorsOfAPageArePages(t *testing.T) {
	var server *httpapi.Server
	config := unlimited
	config.NotFoundPage = func(*http.Request, http.Header, httpapi.PageProblem) []byte { return []byte("no page") }
	server, _ = newServer(t, config, pageOf(&server), inner(httpapi.Internal))
	for target, want := range map[string]struct {
		status int
		body   string
	}{
		"/page/none": {http.StatusNotFound, "not_found: no such id"},
		"/page/broken": {http.StatusInternalServerError,
			"internal: Something went wrong on our side. Report it with the request_id."},
		"/page/12345678901":                     {http.StatusUnprocessableEntity, "invalid: "},
		"/page/1?a=" + strings.Repeat("x", 201): {http.StatusUnprocessableEntity, "invalid: "},
		"/page/1?a=%":                           {http.StatusUnprocessableEntity, "invalid: "},
		"/page/1?a=1;b=2":                       {http.StatusUnprocessableEntity, "invalid: "},
		"/page/1?a=%FF":                         {http.StatusUnprocessableEntity, "invalid: "},
		"/page/1?" + strings.Repeat("a=1&", 21): {http.StatusUnprocessableEntity, "invalid: "},
	} {
		got := serve(server.Handler(), http.MethodGet, target)
		if got.Code != want.status || got.Body.String() != want.body ||
			!strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") ||
			got.Header().Get("X-Page") != "problem" || got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%.40s: %d %q %v", target, got.Code, got.Body, got.Header())
		}
	}
	for target, accept := range map[string]string{"/nothing": "text/html,*/*", "/": "text/html"} {
		if got := serve(server.Handler(), http.MethodGet, target, "Accept", accept); got.Code != http.StatusNotFound ||
			got.Body.String() != "no page" {
			t.Errorf("%s: %d %q", target, got.Code, got.Body)
		}
	}
	for target, accept := range map[string]string{"/nothing": "*/*", "/api/nothing": "text/html"} {
		if got := serve(server.Handler(), http.MethodGet, target, "Accept", accept); !strings.Contains(
			got.Body.String(), `"code":"not_found"`) || got.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %q", target, got.Code, got.Body)
		}
	}
}

func TestAPageThatAnswersAFormIsNeverCached(t *testing.T) {
	made := 0
	server, _ := newServer(t, unlimited, httpapi.NewWebPage(httpapi.WebPage{
		Path: "/form", Type: "text/html; charset=utf-8", Keys: []string{"lang"}, Fields: []string{"text"},
		Answer: func(_ context.Context, _ *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
			return httpapi.Answer{Version: "1", Make: func(context.Context) (httpapi.Reply, error) {
				made++
				return httpapi.Reply{Body: fmt.Append(nil, texts.Encode())}, nil
			}}, nil
		},
	}))
	send := func(kind, body string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(http.MethodPost, "/form?lang=es&text=address", strings.NewReader(body))
		request.Header.Set("Content-Type", kind)
		request.ContentLength = -1 // the body states no length
		recorder := httptest.NewRecorder()
		server.Handler().ServeHTTP(recorder, request)
		return recorder
	}
	const form = "application/x-www-form-urlencoded"
	for range 2 {
		got := send(form, "text=a%0Ab&other=c")
		if got.Code != http.StatusOK || got.Body.String() != "lang=es&text=a%0Ab" ||
			got.Header().Get("Cache-Control") != "no-store" || got.Header().Get("ETag") != "" {
			t.Errorf("%d %v %q", got.Code, got.Header(), got.Body)
		}
	}
	if made != 2 {
		t.Errorf("two forms were answered %d times", made)
	}
	long := "text=" + strings.Repeat("x", 64<<10)
	for _, c := range []struct {
		kind, body string
		want       int
	}{
		{form, long[:60_000], http.StatusOK}, {form, long, http.StatusRequestEntityTooLarge},
		{form, "text=%ff", http.StatusUnprocessableEntity}, {form, "text=%zz", http.StatusUnprocessableEntity},
		{"text/plain", "text=a", http.StatusUnprocessableEntity}, {"", "text=a", http.StatusUnprocessableEntity},
	} {
		if got := send(c.kind, c.body); got.Code != c.want {
			t.Errorf("%q with %.10q answers %d, want %d", c.kind, c.body, got.Code, c.want)
		}
	}
	if got := serve(server.Handler(), http.MethodGet, "/form"); got.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET answers %d", got.Code)
	}
}
