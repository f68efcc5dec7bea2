package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

func TestClickHouseGoReadsWithItsDefaults(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	for name, options := range map[string]*driver.Options{
		"native":      d.overNative(),
		"native LZ4":  {Addr: []string{d.native}, Compression: &driver.Compression{Method: driver.CompressionLZ4}},
		"native ZSTD": {Addr: []string{d.native}, Compression: &driver.Compression{Method: driver.CompressionZSTD}},
		"HTTP":        d.overHTTP(),
		"HTTP LZ4": {Addr: []string{d.http}, Protocol: driver.HTTP,
			Compression: &driver.Compression{Method: driver.CompressionLZ4}},
		"HTTP ZSTD": {Addr: []string{d.http}, Protocol: driver.HTTP,
			Compression: &driver.Compression{Method: driver.CompressionZSTD}},
		"HTTP gzip": {Addr: []string{d.http}, Protocol: driver.HTTP,
			Compression: &driver.Compression{Method: driver.CompressionGZIP}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := open(t, options)
			must(t, conn.Ping(t.Context()))
			version, err := conn.ServerVersion()
			must(t, err)
			if version.Version.Major < 26 {
				t.Errorf("the server is %s", version)
			}
			rows, err := conn.Query(t.Context(), "SELECT day, value FROM quote WHERE value >= ? ORDER BY day", 10)
			must(t, err)
			defer func() { _ = rows.Close() }()
			count, sum := 0, 0.0
			for rows.Next() {
				var day time.Time
				var value float64
				must(t, rows.Scan(&day, &value))
				count, sum = count+1, sum+value
			}
			must(t, rows.Err())
			if count != 90 || sum != 4905 {
				t.Errorf("%d rows, of the sum %v", count, sum)
			}
			var exception *driver.Exception
			if err := conn.Exec(t.Context(), "INSERT INTO quote SELECT today(), 1"); err == nil {
				t.Error("people can insert")
			} else if errors.As(err, &exception) && exception.Code != 497 || !strings.Contains(err.Error(), "497") {
				t.Errorf("an insert fails with %v", err)
			}
			// The driver tells the engine its timeout.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			must(t, conn.Exec(ctx, "SELECT 1"))
		})
	}
}

func TestATemporaryTableIsRefusedByTheEngine(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	got := exchange(t, d.http,
		"GET /?session_id=s&query=CREATE+TEMPORARY+TABLE+mine+(a+Int8) HTTP/1.0\nHost: localhost\n\n")
	if got.code != "497" && got.code != "164" {
		t.Errorf("over HTTP: %d %q", got.status, got.body)
	}
	err := open(t, d.overNative()).Exec(t.Context(), "CREATE TEMPORARY TABLE mine (a Int8)")
	var exception *driver.Exception
	if !errors.As(err, &exception) || exception.Code != 497 && exception.Code != 164 {
		t.Errorf("over native: %v", err)
	}
}

func TestProgressPassesTheDoors(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	const statement = "SELECT sum(sipHash64(number)) FROM numbers(50000000)"
	got := exchange(t, d.http,
		fmt.Sprintf("POST /?send_progress_in_http_headers=1&http_headers_progress_interval_ms=1 HTTP/1.0\nHost: "+
			"localhost\nContent-Length: %d\n\n%s", len(statement), statement))
	if len(got.header.Values("X-ClickHouse-Progress")) == 0 || got.header.Get("X-ClickHouse-Summary") == "" {
		t.Errorf("the header has no progress: %v %s", got.header, got.body)
	}
	var rows uint64
	ctx := driver.Context(t.Context(), driver.WithProgress(func(p *driver.Progress) { rows += p.Rows }))
	var sum uint64
	must(t, open(t, d.overNative()).QueryRow(ctx, statement).Scan(&sum))
	if rows != 50000000 {
		t.Errorf("the progress comes to %d rows", rows)
	}
}

func TestAnExternalTablePassesTheDoor(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("wanted", "wanted.tsv")
	must(t, err)
	_, err = io.WriteString(file, "7\n8\n")
	must(t, err)
	must(t, form.Close())
	query := url.Values{"query": {"SELECT sum(value) FROM quote WHERE value IN wanted"},
		"wanted_structure": {"v Float64"}}
	response, err := http.Post("http://"+d.http+"/?"+query.Encode(), form.FormDataContentType(), &body)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	must(t, err)
	if string(got) != "15\n" {
		t.Errorf("%s %q", response.Status, got)
	}
}
