package query_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/httpapi"
	"cuota/query"
)

// wire is a connection that delivers some bytes and then nothing more, and records what is
// written to it.
type wire struct {
	in     *bytes.Reader
	mu     sync.Mutex
	out    bytes.Buffer
	once   sync.Once
	closed chan struct{}
}

func newWire(in []byte) *wire { return &wire{in: bytes.NewReader(in), closed: make(chan struct{})} }

func (w *wire) Read(p []byte) (int, error) { return w.in.Read(p) }
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}
func (w *wire) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}
func (w *wire) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
func (w *wire) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000} }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// wires is a listener that accepts the connections sent on the channel.
type wires chan net.Conn

func (l wires) Accept() (net.Conn, error) {
	if conn, open := <-l; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (l wires) Close() error   { return nil }
func (l wires) Addr() net.Addr { return &net.TCPAddr{} }

// onTheWire returns a function that sends bytes to a server as a client's connection does,
// and returns everything that the server wrote.
func onTheWire(t testing.TB, config query.Config) func(in []byte) []byte {
	t.Helper()
	config.HTTP.Burst = unlimited.HTTP.Burst
	server, err := query.New(config, nil, nil, discard)
	must(t, err)
	accepting, served := make(wires), make(chan error, 1)
	go func() { served <- server.Serve(accepting) }()
	t.Cleanup(func() {
		close(accepting)
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return func(in []byte) []byte {
		conn := newWire(in)
		accepting <- conn
		<-conn.closed
		conn.mu.Lock()
		defer conn.mu.Unlock()
		return bytes.Clone(conn.out.Bytes())
	}
}

// first parses the first response in the output.
func first(t testing.TB, out []byte, method string) answer {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(out)), &http.Request{Method: method})
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return answer{response.StatusCode, response.Header, body}
}

func TestWhatNoHandlerSeesIsRefusedInJSON(t *testing.T) {
	t.Parallel()
	ask := onTheWire(t, query.Config{})
	const host = "Host: funds.example.org\r\n"
	long := strings.Repeat("x", 40<<10)
	for name, c := range map[string]struct {
		request string
		status  int
		code    string
	}{
		"headers that are too large": {"GET /health HTTP/1.1\r\n" + host + "X: " + long + "\r\n\r\n", 431,
			"headers_too_large"},
		"headers that are too many": {"GET /health HTTP/1.1\r\n" + host +
			strings.Repeat("X: y\r\n", 10_000) + "\r\n", 431, "headers_too_large"},
		"an address that is too long": {"GET /health?" + long + " HTTP/1.1\r\n" + host + "\r\n", 431,
			"headers_too_large"},
		"no version":             {"GET /health\r\n" + host + "\r\n", 400, "bad_request"},
		"no HTTP at all":         {"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400, "bad_request"},
		"a version that is none": {"GET /health HTTP/one\r\n" + host + "\r\n", 400, "bad_request"},
		"a version to come": {"GET /health HTTP/3.0\r\n" + host + "\r\n", 505,
			"unsupported_version"},
		"no host": {"GET /health HTTP/1.1\r\n\r\n", 400, "bad_request"},
		"two hosts": {"GET /health HTTP/1.1\r\n" + host + host + "\r\n", 400,
			"bad_request"},
		"a host that is none": {"GET /health HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "bad_request"},
		"a header without a colon": {"GET /health HTTP/1.1\r\n" + host + "nothing\r\n\r\n", 400,
			"bad_request"},
		"a header name with a space": {"GET /health HTTP/1.1\r\n" + host + "X y: z\r\n\r\n", 400,
			"bad_request"},
		"a header value with a control": {"GET /health HTTP/1.1\r\n" + host + "X: \x01\r\n\r\n", 400,
			"bad_request"},
		"a method that is none":             {"G{T /health HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		"an address with an invalid escape": {"GET /api/%zz HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		"an address cut within an escape":   {"GET /api/% HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		"a length that is no number": {"GET /health HTTP/1.1\r\n" + host + "Content-Length: ten\r\n\r\n",
			400, "bad_request"},
		"a negative length": {"GET /health HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
			400, "bad_request"},
		"two lengths": {"GET /health HTTP/1.1\r\n" + host +
			"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "bad_request"},
		"an encoding of the transfer": {"GET /health HTTP/1.1\r\n" + host +
			"Transfer-Encoding: gzip\r\n\r\n", 501, "unsupported_transfer_encoding"},
		"a length beside chunks": {"POST /health HTTP/1.1\r\n" + host +
			"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + "GET /health HTTP/1.1\r\n" + host +
			"\r\n", 400, "bad_request"},
		"a length behind chunks, in other case": {"GET /health HTTP/1.1\r\n" + host +
			"transfer-encoding: CHUNKED\r\nX: y\r\ncontent-LENGTH:0\r\n\r\n0\r\n\r\n", 400, "bad_request"},
		"an expectation": {"GET /health HTTP/1.1\r\n" + host + "Expect: tea\r\n\r\n", 417,
			"expectation_failed"},
		"an expectation of HTTP/1.0": {"GET /health HTTP/1.0\r\nExpect: tea\r\n\r\n", 417,
			"expectation_failed"},
		"a host that is none, of an old version": {"GET /health HTTP/1.0\r\nHost: a b\r\n\r\n", 400, "bad_request"},
	} {
		t.Run(name, func(t *testing.T) {
			out := ask([]byte(c.request))
			got := first(t, out, http.MethodGet)
			wantCode(t, got, c.status, c.code)
			for header, want := range map[string]string{
				"Content-Type": "application/json", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*",
				"Content-Length": fmt.Sprint(len(got.body)), "X-Content-Type-Options": "nosniff",
			} {
				if found := got.header.Get(header); found != want {
					t.Errorf("%s is %q, want %q", header, found, want)
				}
			}
			if !bytes.Contains(out, []byte("\r\nConnection: close\r\n")) {
				t.Errorf("the connection does not end: %.500s", out)
			}
			if c.status == http.StatusBadRequest || c.status == http.StatusRequestHeaderFieldsTooLarge {
				ours.Conforms(t, httptest.NewRequest(http.MethodGet, "/health", nil), got.status, got.header, got.body)
			}
			if bytes.Count(out, []byte("\r\n\r\n")) != 1 || !bytes.HasSuffix(out, got.body) {
				t.Errorf("more than one reply: %.500s", out)
			}
		})
	}
	t.Run("with the reason, where there is one", func(t *testing.T) {
		got := first(t, ask([]byte("GET /health HTTP/1.1\r\n\r\n")), http.MethodGet)
		if !strings.Contains(string(got.failure(t).Detail), "missing required Host header") {
			t.Errorf("%s", got.body)
		}
	})
	t.Run("after requests that were answered", func(t *testing.T) {
		good := "GET /health HTTP/1.1\r\n" + host + "\r\n"
		read := bufio.NewReader(bytes.NewReader(ask([]byte(good + good + "GET /health\r\n\r\n"))))
		for _, want := range []int{200, 200, 400} {
			response, err := http.ReadResponse(read, nil)
			must(t, err)
			var body map[string]any
			must(t, json.NewDecoder(response.Body).Decode(&body))
			if response.StatusCode != want || response.Header.Get("Content-Type") != "application/json" {
				t.Errorf("status %d, want %d: %v", response.StatusCode, want, response.Header)
			}
		}
	})
	t.Run("after pipelined requests, with a length beside chunks in the last one", func(t *testing.T) {
		good := "GET /health HTTP/1.1\r\n" + host + "\r\n"
		both := "POST /health HTTP/1.1\r\n" + host + "Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
		read := bufio.NewReader(bytes.NewReader(ask([]byte(good + good + both + good))))
		for _, want := range []int{200, 200, 400} {
			response, err := http.ReadResponse(read, nil)
			must(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			must(t, err)
			if response.StatusCode != want || response.Close != (want == 400) {
				t.Errorf("status %d, want %d; the connection ends: %v", response.StatusCode, want, response.Close)
			}
		}
		if rest, err := io.ReadAll(read); err != nil || len(rest) > 0 {
			t.Errorf("what was sent behind it is answered: %q, %v", rest, err)
		}
	})
	t.Run("and a request in chunks alone is the last one of its connection", func(t *testing.T) {
		chunked := "GET /health HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
		out := ask([]byte(chunked + "GET /health HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\n"))
		if got := first(t, out, http.MethodGet); got.status != http.StatusOK ||
			!bytes.Contains(out, []byte("\r\nConnection: close\r\n")) || bytes.Count(out, []byte("HTTP/1.1 ")) != 1 {
			t.Errorf("%.900s", out)
		}
	})
	t.Run("and nothing else is", func(t *testing.T) {
		for request, want := range map[string]int{
			"GET /health HTTP/1.0\r\n\r\n":                                                          200,
			"OPTIONS * HTTP/1.1\r\n" + host + "\r\n":                                                200,
			"PRI * HTTP/2.0\r\n\r\n":                                                                405,
			"CONNECT funds.example.org:443 HTTP/1.1\r\n" + host + "\r\n":                            404,
			"GET http://funds.example.org/health HTTP/1.1\r\n" + host + "\r\n":                      200,
			"GET /health HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n": 200,
		} {
			if got := first(t, ask([]byte(request)), http.MethodGet); got.status != want {
				t.Errorf("%q: status %d, want %d", request, got.status, want)
			}
		}
	})
}

// quoting is an area whose replies contain the text that net/http writes when it refuses a
// request.
type quoting struct{ text []byte }

func (quoting) Paths() []string { return []string{"/quote"} }

func (q quoting) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for range 3 {
		_, _ = w.Write(q.text)
		_ = http.NewResponseController(w).Flush()
	}
}

func TestWhatAHandlerWritesLeavesAsItIs(t *testing.T) {
	t.Parallel()
	text := []byte("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: " +
		"close\r\n\r\n400 Bad Request" + strings.Repeat(" ", 8<<10))
	ask := onTheWire(t, query.Config{HTTP: httpapi.Config{Area: quoting{text}}})
	out := ask([]byte("GET /quote HTTP/1.0\r\n\r\n"))
	if got := first(t, out, http.MethodGet); got.status != http.StatusOK ||
		!bytes.Equal(got.body, bytes.Repeat(text, 3)) {
		t.Errorf("status %d, %d bytes of %d", got.status, len(got.body), 3*len(text))
	}
}

func TestOverHTTPSBrowsersAreAskedToStayThere(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{"https://funds.example.org": "max-age=31536000",
		"http://127.0.0.1:8080": "", "": ""} {
		config := query.Config{HTTP: httpapi.Config{BaseURL: base, Burst: unlimited.HTTP.Burst}}
		server, err := query.New(config, nil, nil, discard)
		must(t, err)
		for _, request := range []*http.Request{
			httptest.NewRequest(http.MethodGet, "/health", nil),
			httptest.NewRequest(http.MethodGet, "/openapi.json", nil),
			httptest.NewRequest(http.MethodGet, "/api/screener", nil),
			httptest.NewRequest(http.MethodGet, "/nope", nil),
			httptest.NewRequest(http.MethodPost, "/api/screener", nil),
			httptest.NewRequest(http.MethodOptions, "/api/screener", nil),
		} {
			if got := serve(server.Handler(), request); got.header.Get("Strict-Transport-Security") != want {
				t.Errorf("%s %s at %q: %v", request.Method, request.URL, base, got.header)
			}
		}
		if got := first(t, onTheWire(t, config)([]byte("nothing\r\n\r\n")),
			http.MethodGet); got.header.Get("Strict-Transport-Security") != want {
			t.Errorf("a refusal at %q: %v", base, got.header)
		}
	}
}

func TestABodyThatNoDataOperationTakesIsRefused(t *testing.T) {
	t.Parallel()
	server, err := query.New(unlimited, nil, nil, discard)
	must(t, err)
	for length, want := range map[int]int{0: http.StatusOK, 64 << 10: http.StatusOK,
		64<<10 + 1: http.StatusRequestEntityTooLarge} {
		request := httptest.NewRequest(http.MethodGet, "/health", strings.NewReader(strings.Repeat("x", length)))
		got := serve(server.Handler(), request)
		wantStatus(t, got, want)
		conforms(t, request, got)
		if want != http.StatusOK {
			wantCode(t, got, want, "body_too_large")
		}
	}
}

// Whatever bytes a client sends, the server answers only with JSON, and keeps serving.
func FuzzWhateverComesOnTheWireIsAnsweredInJSON(f *testing.F) {
	ask := onTheWire(f, query.Config{})
	for _, text := range []string{
		"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", "GET /health HTTP/1.0\r\n\r\nGET", "GET /health\r\n\r\n",
		"HEAD /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
		"GET /api%2Fbenchmarks HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n", "\r\n\r\n\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := ask(in)
		if len(out) == 0 {
			return // an incomplete request
		}
		method, _, _ := strings.Cut(strings.TrimLeft(string(in), "\r\n"), " ")
		got := first(t, out, method)
		kind := got.header.Get("Content-Type")
		if len(got.body) > 0 && (kind != "application/json" || !json.Valid(got.body)) ||
			strings.HasPrefix(kind, "text/") {
			t.Fatalf("%q: %q", in, out)
		}
		if got.status >= 500 && got.status != http.StatusNotImplemented &&
			got.status != http.StatusHTTPVersionNotSupported {
			t.Fatalf("%q: %q", in, out)
		}
	})
}
