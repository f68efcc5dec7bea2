package query_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/httpapi"
	"cuota/internal/loop"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
)

type bulkList struct {
	Data []struct {
		Table   string
		Columns []struct{ Name, Type, Meaning string }
		Files   []bulkFile
	}
	Meta struct {
		BatchID string `json:"batch_id"`
	}
}

type bulkFile struct {
	Address string
	Year    *int
	Rows    int
	Bytes   int
	SHA256  string
}

// file returns the only file of a table.
func (list bulkList) file(t *testing.T, table string) bulkFile {
	t.Helper()
	for _, of := range list.Data {
		if of.Table == table && len(of.Files) == 1 {
			return of.Files[0]
		}
	}
	t.Fatalf("%s does not have one file", table)
	return bulkFile{}
}

// bulkRig is a server that makes files in a directory.
func bulkRig(t *testing.T, dir string) *rig {
	t.Helper()
	return filesRig(t, demotest.Published(t), dir)
}

// filesRig is a server over a database that makes files in a directory.
func filesRig(t *testing.T, options *clickhouse.Options, dir string) *rig {
	t.Helper()
	config := unlimited
	config.BulkDir = dir
	r := newRig(t, options, config)
	t.Cleanup(func() { must(t, r.Stop(t.Context())) })
	return r
}

// listed waits until the files of the batch are made.
func (r *rig) listed(t *testing.T) bulkList {
	t.Helper()
	var got answer
	must(t, loop.Until(t.Context(), 50*time.Millisecond, func() (bool, error) {
		got = serve(r.Handler(), r.request(http.MethodGet, "/api/bulk"))
		if got.status == http.StatusServiceUnavailable && got.failure(t).Code == "files_being_made" &&
			got.header.Get("Retry-After") != "" {
			return false, nil
		}
		return true, nil
	}))
	return decode[bulkList](t, got)
}

// The files of a table have its rows, and their size and hash are those of the list.
func TestTheFilesOfABatchHaveTheRowsOfItsTables(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := bulkRig(t, t.TempDir())
	list := r.listed(t)
	seen := map[string]int{}
	for _, table := range list.Data {
		if len(table.Files) == 0 && table.Table != "investment_daily" { // the demo has no values of investment funds
			t.Errorf("%s has no file", table.Table)
		}
		for _, file := range table.Files {
			got := serve(r.Handler(), r.request(http.MethodGet, file.Address))
			wantStatus(t, got, http.StatusOK)
			hash := sha256.Sum256(got.body)
			if len(got.body) != file.Bytes || hex.EncodeToString(hash[:]) != file.SHA256 ||
				got.header.Get("ETag") != `"`+file.SHA256+`"` ||
				!strings.Contains(got.header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s: %d bytes of %d, headers %v", file.Address, len(got.body), file.Bytes, got.header)
			}
			rows := readTable(t, "parquet", got.body, nil)
			if len(rows) != file.Rows {
				t.Errorf("%s has %d rows, the list says %d", file.Address, len(rows), file.Rows)
			}
			for _, row := range rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%s: %d columns, the list names %d", file.Address, len(row), len(table.Columns))
				}
				for _, column := range table.Columns {
					if _, there := row[column.Name]; !there || column.Meaning == "" || column.Type == "" {
						t.Fatalf("%s: column %+v, there: %t", file.Address, column, there)
					}
				}
				if file.Year != nil && !strings.HasPrefix(row["date"].(string), fmt.Sprint(*file.Year)) {
					t.Fatalf("%s has a row of %v", file.Address, row["date"])
				}
			}
			seen[table.Table] += len(rows)
		}
	}
	// A shared cache would answer a link after its end.
	file := list.Data[0].Files[0]
	token, _, err := r.store.CreateAddressLink(t.Context(), r.key[len(r.key)-4:], file.Address, time.Hour)
	must(t, err)
	linked := serve(r.Handler(), httptest.NewRequest(http.MethodGet, httpapi.LinkPath+token, nil))
	if kept := linked.header.Get("Cache-Control"); len(linked.body) != file.Bytes || !strings.Contains(kept, "private") {
		t.Errorf("a link to a file gives %d bytes of %d, to be kept as %q", len(linked.body), file.Bytes, kept)
	}
	var counted []struct {
		Returns  uint64 `ch:"returns"`
		Screener uint64 `ch:"screener"`
		Index    uint64 `ch:"points"`
	}
	must(t, r.conn.Select(t.Context(), &counted, `SELECT (SELECT count() FROM current_return_day) AS returns,
		(SELECT count() FROM current_screener) AS screener,
		(SELECT count() FROM batch_family_index(batch = (SELECT max(batch) FROM batch), family = '')) AS points`))
	if want := counted[0]; seen["returns_daily"] != int(want.Returns) || seen["screener"] != int(want.Screener) ||
		seen["family_index"] != int(want.Index) || want.Returns == 0 {
		t.Errorf("rows %v, in the views %+v", seen, want)
	}
}

func TestRangesOfAFileMakeUpTheFile(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := bulkRig(t, t.TempDir())
	file := r.listed(t).file(t, "screener")
	ask := func(method string, header map[string]string) answer {
		request := r.request(method, file.Address)
		for name, value := range header {
			request.Header.Set(name, value)
		}
		return serve(r.Handler(), request)
	}
	whole, tag := sha256.New(), `"`+file.SHA256+`"`
	const part = 1000
	for from := 0; from < file.Bytes; from += part {
		got := ask(http.MethodGet, map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", from, from+part-1),
			"If-Range": tag})
		wantStatus(t, got, http.StatusPartialContent)
		whole.Write(got.body)
	}
	if hex.EncodeToString(whole.Sum(nil)) != file.SHA256 {
		t.Error("the ranges are not the file")
	}
	wantStatus(t, ask(http.MethodGet, map[string]string{"Range": fmt.Sprintf("bytes=%d-", file.Bytes)}),
		http.StatusRequestedRangeNotSatisfiable)
	wantStatus(t, ask(http.MethodGet, map[string]string{"Range": "bytes=0-9", "If-Range": `"other"`}), http.StatusOK)
	wantStatus(t, ask(http.MethodGet, map[string]string{"If-None-Match": tag}), http.StatusNotModified)
	head := ask(http.MethodHead, nil)
	if head.status != http.StatusOK || len(head.body) > 0 ||
		head.header.Get("Content-Length") != fmt.Sprint(file.Bytes) || head.header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}

func TestAFileThatIsNotInTheListIsNeverServed(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := t.TempDir()
	r := bulkRig(t, dir)
	batch := r.listed(t).Meta.BatchID
	must(t, os.WriteFile(filepath.Join(dir, batch, ".unfinished-1"), []byte("part"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600))
	for _, name := range []string{".unfinished-1", "manifest.json", "..%2f..%2fsecret", "..%2fsecret", "%2e%2e",
		"screener.parquet%00", "screener.csv"} {
		wantCode(t, serve(r.Handler(), r.request(http.MethodGet, "/api/bulk/"+batch+"/"+name)), http.StatusNotFound,
			"not_found")
	}
	for _, other := range []string{"20200101-1-000000000000", "..", "%2e%2e", strings.Repeat("x", 200)} {
		got := serve(r.Handler(), r.request(http.MethodGet, "/api/bulk/"+other+"/screener.parquet"))
		if got.status != http.StatusGone && got.status != http.StatusNotFound {
			t.Errorf("%s: status %d %s", other, got.status, got.body)
		}
	}
}

// A process that was killed leaves parts without a manifest. The next one makes all files again.
func TestFilesWithoutAManifestAreMadeAgain(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := t.TempDir()
	batch := bulkRig(t, t.TempDir()).listed(t).Meta.BatchID
	must(t, os.MkdirAll(filepath.Join(dir, batch), 0o750))
	for _, name := range []string{".unfinished-7", "screener.parquet"} {
		must(t, os.WriteFile(filepath.Join(dir, batch, name), []byte("half"), 0o600))
	}
	r := bulkRig(t, dir)
	first := serve(r.Handler(), r.request(http.MethodGet, "/api/bulk/"+batch+"/screener.parquet"))
	wantCode(t, first, http.StatusGone, "batch_gone")
	file := r.listed(t).file(t, "screener")
	got := serve(r.Handler(), r.request(http.MethodGet, file.Address))
	if len(got.body) != file.Bytes || bytes.Equal(got.body, []byte("half")) {
		t.Errorf("%d bytes of %d", len(got.body), file.Bytes)
	}
	left, err := filepath.Glob(filepath.Join(dir, batch, ".unfinished-*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestTwoServersShareOneDirectory(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := t.TempDir()
	a, b := bulkRig(t, dir), bulkRig(t, dir)
	for _, r := range []*rig{a, b} {
		serve(r.Handler(), r.request(http.MethodGet, "/api/bulk"))
	}
	if x, y := a.listed(t), b.listed(t); x.file(t, "screener").SHA256 != y.file(t, "screener").SHA256 ||
		x.Meta != y.Meta {
		t.Errorf("%+v and %+v", x, y)
	}
}

func TestFilesAreMadeSoonAfterPublicationBeforeAnybodyAsks(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := t.TempDir()
	r := bulkRig(t, dir)
	var calculated time.Time
	must(t, r.conn.QueryRow(t.Context(),
		"SELECT calculated_at FROM batch ORDER BY batch DESC LIMIT 1").Scan(&calculated))
	for _, c := range []struct {
		after time.Duration
		begun bool
	}{{29 * time.Second, false}, {30 * time.Second, true}} {
		now := calculated.Add(c.after)
		r.clock.Store(&now)
		if begun := r.FilesAhead(); begun != c.begun {
			t.Errorf("%s after the publication files are begun: %t", c.after, begun)
		}
	}
	must(t, loop.Until(t.Context(), 50*time.Millisecond, func() (bool, error) {
		found, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
		return len(found) == 1, err
	}))
	wantStatus(t, serve(r.Handler(), r.request(http.MethodGet, "/api/bulk")), http.StatusOK)
}

func TestEachRequestForAFileCountsOnce(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := bulkRig(t, t.TempDir())
	file := r.listed(t).file(t, "screener")
	key := r.issue(t, "free")
	var left []string
	for _, target := range []string{file.Address, file.Address, "/api/screener?format=parquet", "/api/bulk"} {
		request := httptest.NewRequest(http.MethodGet, target, nil)
		request.Header.Set("X-Api-Key", key)
		request.Header.Set("Range", "bytes=0-9")
		left = append(left, serve(r.Handler(), request).header.Get("X-RateLimit-Remaining"))
	}
	var numbers []int
	for _, text := range left {
		var n int
		_, err := fmt.Sscan(text, &n)
		must(t, err)
		numbers = append(numbers, n)
	}
	if want := []int{numbers[0], numbers[0] - 1, numbers[0] - 2, numbers[0] - 3}; !slices.Equal(numbers, want) {
		t.Errorf("requests left: %v", numbers)
	}
}

func TestWithoutADirectoryOrAnAddressOtherFormatsAreRefused(t *testing.T) {
	t.Parallel()
	r := rigOver(t, connect(t, demotest.Published(t)), query.Config{HTTP: unlimited.HTTP})
	wantCode(t, r.get(t, "/api/screener?format=csv"), http.StatusNotImplemented, "format_unavailable")
	wantCode(t, serve(r.Handler(), r.request(http.MethodGet, "/api/bulk")), http.StatusNotImplemented,
		"bulk_unavailable")
	wantStatus(t, r.get(t, "/api/screener?format=json"), http.StatusOK)
}

// Each reply with data names its batch in a header, whatever its format.
func TestEveryDataReplyNamesItsBatch(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := bulkRig(t, t.TempDir())
	list := r.listed(t)
	targets := append(exampleTargets(t), "/api/bulk", list.file(t, "screener").Address,
		"/api/changes?since="+list.Meta.BatchID,
		"/api/screener?format=csv", "/api/all-funds?format=parquet", "/api/returns?date=2025-06-30&format=arrow")
	for _, target := range targets {
		got := serve(r.Handler(), r.request(http.MethodGet, target))
		there := !strings.HasPrefix(target, "/api/fi/instruments/") // the demo has none with values
		if id := got.header.Get("X-Batch-Id"); there && got.status != http.StatusOK || id != list.Meta.BatchID {
			t.Errorf("%s: status %d, batch %q, want %q", target, got.status, id, list.Meta.BatchID)
		}
	}
}
