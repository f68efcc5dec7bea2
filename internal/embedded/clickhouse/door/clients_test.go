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
	"os"
	"os/exec"
	"path/filepath"
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
		"HTTP LZ4":    {Addr: []string{d.http}, Protocol: driver.HTTP, Compression: &driver.Compression{Method: driver.CompressionLZ4}},
		"HTTP ZSTD":   {Addr: []string{d.http}, Protocol: driver.HTTP, Compression: &driver.Compression{Method: driver.CompressionZSTD}},
		"HTTP gzip":   {Addr: []string{d.http}, Protocol: driver.HTTP, Compression: &driver.Compression{Method: driver.CompressionGZIP}},
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
	got := exchange(t, d.http, "GET /?session_id=s&query=CREATE+TEMPORARY+TABLE+mine+(a+Int8) HTTP/1.0\nHost: localhost\n\n")
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
	got := exchange(t, d.http, fmt.Sprintf("POST /?send_progress_in_http_headers=1&http_headers_progress_interval_ms=1 HTTP/1.0\nHost: localhost\nContent-Length: %d\n\n%s", len(statement), statement))
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
	query := url.Values{"query": {"SELECT sum(value) FROM quote WHERE value IN wanted"}, "wanted_structure": {"v Float64"}}
	response, err := http.Post("http://"+d.http+"/?"+query.Encode(), form.FormDataContentType(), &body)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	must(t, err)
	if string(got) != "15\n" {
		t.Errorf("%s %q", response.Status, got)
	}
}

// The drivers of other languages, by their package names.
func TestDriversOfOtherLanguagesReadWithTheirDefaults(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	t.Run("Python", func(t *testing.T) {
		dir, python := t.TempDir(), tool(t, "python3")
		install(t, dir, python, "-m", "venv", "venv")
		bin := filepath.Join(dir, "venv", "bin")
		install(t, dir, filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check",
			"clickhouse-connect", "clickhouse-driver[lz4,zstd]")
		wantPrinted(t, d, filepath.Join(bin, "python"), "client.py")
	})
	t.Run("JavaScript", func(t *testing.T) {
		dir, npm, node := t.TempDir(), tool(t, "npm"), tool(t, "node")
		script, err := os.ReadFile("testdata/client.mjs")
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true}`), 0o600))
		install(t, dir, npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "@clickhouse/client")
		wantPrinted(t, d, node, filepath.Join(dir, "client.mjs"))
	})
}

// wantPrinted runs a program of testdata, which uses both doors as far as it can, and checks
// what it prints.
func wantPrinted(t *testing.T, d *doors, program, script string) {
	t.Helper()
	if !filepath.IsAbs(script) {
		script = filepath.Join("testdata", script)
	}
	output, err := execute(t, "", program, script, d.http, d.native)
	must(t, err)
	for line := range strings.Lines(output) {
		if _, got, _ := strings.Cut(line, ": "); got != "100 people 497\n" {
			t.Errorf("%s", line)
		}
	}
	if strings.Count(output, "\n") < 2 {
		t.Errorf("too little is printed: %q", output)
	}
}

// tool gives the path of a program. If it is missing, the test is skipped, or fails if CI=true.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skipOutsideCI(t, "there is no "+name)
	}
	return path
}

// install runs a command that downloads packages. If that fails, the test is skipped, or fails
// if CI=true.
func install(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	if _, err := execute(t, dir, program, args...); err != nil {
		skipOutsideCI(t, err.Error())
	}
}

func execute(t *testing.T, dir, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = dir
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, problems.String())
	}
	return string(output), err
}
