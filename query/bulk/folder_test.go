package bulk_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cuota/query/bulk"
)

// part is a file of some bytes.
func part(name string, bytesOf int) bulk.Part {
	return bulk.Part{Name: name, Table: "t", Write: func(_ context.Context, to io.Writer) (uint64, error) {
		_, err := to.Write(bytes.Repeat([]byte{'x'}, bytesOf))
		return 1, err
	}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheOldestFilesGoFirstWhenTheFolderIsFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := bulk.NewFolder(dir, 10_000)
	for i, batch := range []string{"a", "b", "c"} {
		must(t, f.Make(t.Context(), batch, time.Unix(int64(i), 0), []bulk.Part{part("t.parquet", 4000)}))
	}
	if _, err := f.Manifest("a"); !errors.Is(err, bulk.ErrNotMade) {
		t.Errorf("the oldest files are still listed: %v", err)
	}
	for _, batch := range []string{"b", "c"} {
		file, of, err := f.Open(batch, "t.parquet")
		must(t, err)
		if of.Bytes != 4000 || of.Rows != 1 {
			t.Errorf("%+v", of)
		}
		must(t, file.Close())
	}
	if err := f.Make(t.Context(), "d", time.Unix(4, 0), []bulk.Part{part("t.parquet", 20_000)}); !errors.Is(err,
		bulk.ErrFull) {
		t.Errorf("files beyond the limit: %v", err)
	}
	if _, err := f.Manifest("d"); !errors.Is(err, bulk.ErrNotMade) {
		t.Errorf("a batch that failed is listed: %v", err)
	}
	half := []bulk.Part{part("one.parquet", 100), part("two.parquet", 20_000)}
	if err := f.Make(t.Context(), "e", time.Unix(5, 0), half); !errors.Is(err, bulk.ErrFull) {
		t.Errorf("files beyond the limit: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "e")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("files of a batch that failed stay on the disk: %v", err)
	}
}

func TestNothingIsListedBeforeAllFilesAreComplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := bulk.NewFolder(dir, 1<<20)
	broken := errors.New("ClickHouse ended")
	err := f.Make(t.Context(), "a", time.Unix(0, 0),
		[]bulk.Part{part("one.parquet", 10),
			{Name: "two.parquet", Table: "t", Write: func(_ context.Context, to io.Writer) (uint64, error) {
				if _, err := f.Manifest("a"); !errors.Is(err, bulk.ErrNotMade) {
					t.Errorf("listed before the end: %v", err)
				}
				if err := bulk.NewFolder(dir, 1<<20).Make(context.Background(), "a", time.Unix(0, 0),
					nil); !errors.Is(err,
					bulk.ErrMaking) {
					t.Errorf("two processes make files at once: %v", err)
				}
				_, _ = to.Write([]byte("half"))
				return 0, broken
			}}})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if _, _, err := f.Open("a", "one.parquet"); !errors.Is(err, bulk.ErrNotMade) {
		t.Errorf("a file without a list is served: %v", err)
	}
	must(t, f.Make(t.Context(), "a", time.Unix(0, 0), []bulk.Part{part("one.parquet", 10), part("two.parquet", 10)}))
	left, err := filepath.Glob(filepath.Join(dir, "a", ".unfinished-*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestFilesOfBatchesThatAreNotKeptAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := bulk.NewFolder(dir, 1<<20)
	for _, batch := range []string{"a", "b"} {
		must(t, f.Make(t.Context(), batch, time.Unix(0, 0), []bulk.Part{part("t.parquet", 10)}))
	}
	open, _, err := f.Open("a", "t.parquet")
	must(t, err)
	must(t, f.Sweep(func(batch string) (bool, error) { return batch == "b", nil }))
	if _, err := os.Stat(filepath.Join(dir, "a")); !os.IsNotExist(err) {
		t.Errorf("the files are still there: %v", err)
	}
	if text, err := io.ReadAll(open); err != nil || len(text) != 10 {
		t.Errorf("a download that had begun got %d bytes: %v", len(text), err)
	}
	must(t, open.Close())
	if _, err := f.Manifest("b"); err != nil {
		t.Error(err)
	}
}
