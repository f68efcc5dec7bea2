package clickhouse_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
)

// childVariable names the function of children that a process started by a
// test runs instead of the tests.
const childVariable = "CUOTA_CLICKHOUSE_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(clickhousetest.Main(m))
}

// patience bounds whatever a test waits for.
const patience = 3 * time.Minute

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// open answers a connection of the owner on a database of the test's own.
func open(t *testing.T) driver.Conn {
	t.Helper()
	return openWith(t, clickhousetest.Database(t))
}

func openWith(t *testing.T, options *driver.Options) driver.Conn {
	t.Helper()
	conn, err := driver.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func execute(t *testing.T, conn driver.Conn, statement string, args ...any) {
	t.Helper()
	if err := conn.Exec(within(t), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func scalar[T any](t *testing.T, conn driver.Conn, query string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(within(t), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// response is an answer of the endpoint.
type response struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// call sends a request to the endpoint.
type call struct {
	method     string // GET, or POST with a body
	path       string
	parameters url.Values
	header     map[string]string
	body       io.Reader
}

func (c call) do(t *testing.T) response {
	t.Helper()
	if c.method == "" {
		c.method = http.MethodGet
		if c.body != nil {
			c.method = http.MethodPost
		}
	}
	address := "http://" + clickhousetest.Server(t).Addr() + "/" + strings.TrimPrefix(c.path, "/")
	if len(c.parameters) > 0 {
		address += "?" + c.parameters.Encode()
	}
	request, err := http.NewRequestWithContext(within(t), c.method, address, c.body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range c.header {
		if strings.EqualFold(name, "Host") {
			request.Host = value
		}
		request.Header.Set(name, value)
	}
	// A client of one's own for each request: no connection of another test,
	// and no decompression behind our back.
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var body bytes.Buffer
	_, err = io.Copy(&body, answer.Body)
	return response{status: answer.StatusCode, header: answer.Header, body: body.String(), err: err}
}

// ask sends a statement as people do.
func ask(t *testing.T, statement string, parameters ...string) response {
	t.Helper()
	return call{body: strings.NewReader(statement), parameters: pairs(parameters)}.do(t)
}

// askOwner sends a statement as the owner does.
func askOwner(t *testing.T, statement string, parameters ...string) response {
	t.Helper()
	return call{body: strings.NewReader(statement), parameters: pairs(parameters), header: ownerHeader(t)}.do(t)
}

func ownerHeader(t *testing.T) map[string]string {
	auth := clickhousetest.Server(t).Options().Auth
	return map[string]string{"X-ClickHouse-User": auth.Username, "X-ClickHouse-Key": auth.Password}
}

func pairs(list []string) url.Values {
	values := url.Values{}
	for i := 0; i+1 < len(list); i += 2 {
		values.Set(list[i], list[i+1])
	}
	return values
}

func (r response) code() string { return r.header.Get("X-ClickHouse-Exception-Code") }
