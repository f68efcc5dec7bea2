package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cuota/client"
)

// The tests of what a client does with a real service are the cases of clients/conformance.

const key = "cuota_secret-of-this-test"

// service answers each request with the next handler, and the last one again and again.
func service(t *testing.T, replies ...http.HandlerFunc) (address string, asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply := replies[min(*asked, len(replies)-1)]
		*asked++
		reply(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func answer(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func newClient(t *testing.T, address string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(address, append([]client.Option{client.WithKey(key)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const onePage = `{"data":[{"id":"7","attributes":{"serie":"B","tac":0.5,"unknown":1}}],` +
	`"meta":{"batch_id":"b1","total":1}}`

func TestACallerBoundsTheAttempts(t *testing.T) {
	address, asked := service(t, answer(http.StatusServiceUnavailable, `{"code":"overloaded"}`, "Retry-After", "0"))
	_, err := newClient(t, address, client.WithAttempts(2, time.Second)).Screener(t.Context(), client.Screen{})
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 503 || *asked != 2 {
		t.Errorf("after %d requests: %v", *asked, err)
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		answer(http.StatusServiceUnavailable, "{}", "Retry-After", "9")(w, r)
	})
	if _, err := newClient(t, address).Screener(ctx, client.Screen{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call ends with %v", err)
	}
}

func TestAnErrorExplainsItselfAsTheAPIDoes(t *testing.T) {
	for _, told := range [][2]string{
		{`{"detail":"There is no series of this id.","code":"not_found"}`,
			"404 not_found: There is no series of this id."},
		{`{"detail":[{"loc":["query","sort"],"msg":"Must be one of: id, tac","type":"literal"}]}`,
			"404: sort: Must be one of: id, tac"},
		{`<html>`, "404: Not Found; is this the address of cuota's API?"},
	} {
		address, _ := service(t, answer(http.StatusNotFound, told[0]))
		_, err := newClient(t, address).MarketSummary(t.Context(), "")
		if err == nil || err.Error() != "GET /api/market-summary: "+told[1] {
			t.Errorf("%s: %v", told[0], err)
		}
	}
}

func TestAKeyIsNeitherPrintedNorSentElsewhere(t *testing.T) {
	elsewhere, asked := service(t, answer(http.StatusOK, onePage))
	address, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != key {
			t.Errorf("the key was sent as %q", r.Header.Get("X-Api-Key"))
		}
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	})
	c := newClient(t, address)
	_, err := c.Screener(t.Context(), client.Screen{})
	if *asked != 0 || err == nil {
		t.Errorf("a redirect was followed: %v", err)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	_, unreachable := newClient(t, closed.URL).Screener(t.Context(), client.Screen{})
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprintf("%+v %#v", *c, *c), err.Error(),
		fmt.Sprint(unreachable)} {
		if strings.Contains(text, key) {
			t.Errorf("the key is in %q", text)
		}
	}
	for _, wrong := range []string{"http://user:hidden@host", "ftp://host", "", "host:80", "http://h/?q=1",
		"http://\x7f"} {
		if _, err := client.New(wrong); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestALongReplyIsRefused(t *testing.T) {
	address, _ := service(t, answer(http.StatusOK, onePage+strings.Repeat(" ", 1000)))
	if _, err := newClient(t, address, client.WithMaxBytes(1000)).Screener(t.Context(), client.Screen{}); err == nil ||
		!strings.Contains(err.Error(), "longer than 1000 bytes") {
		t.Error(err)
	}
}

func TestWhatIsAskedForIsInTheRequest(t *testing.T) {
	var got string
	address, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = r.Method + " " + r.URL.RequestURI() + " " + string(body) + " " + r.UserAgent()
		fmt.Fprint(w, `{"data":[]}`)
	})
	c := newClient(t, address+"/", client.WithUserAgent("test/1"))
	_, err := c.Screens(
		t.Context(),
		"b1",
		[]client.Screen{{Text: "a b", SpheresMin: 2, Fields: []string{"tac", "serie"}}},
	)
	want := `POST /api/screens?batch_id=b1 {"screens":[{"cmf_spheres_min":2,"fields":"tac,serie","q":"a b"}]} test/1`
	if got != want || err != nil {
		t.Errorf("%s, want %s, %v", got, want, err)
	}
	_, err = c.Screener(t.Context(), client.Screen{APV: new(true), Digital: new(false)})
	if want = "GET /api/screener?apv=true&digital=false  test/1"; got != want || err != nil {
		t.Errorf("%s, want %s, %v", got, want, err)
	}
	_, err = c.Compare(t.Context(), []string{"1", "2"}, client.CompareOptions{AsOfDate: "2024-01-02"})
	want = `POST /api/compare {"series":["1","2"],"as_of_date":"2024-01-02"} test/1`
	if got != want || err != nil {
		t.Errorf("%s, want %s, %v", got, want, err)
	}
}
