package demo

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write files.zip anew")

func TestTheProgramHasTheFilesOfTheDirectory(t *testing.T) {
	wanted := map[string][]byte{}
	must(t, fs.WalkDir(os.DirFS("files"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		wanted[path], err = os.ReadFile("files/" + path)
		return err
	}))
	text, err := os.ReadFile(list)
	must(t, err)
	wanted[list] = text
	if *update {
		must(t, os.WriteFile("files.zip", pack(t, wanted), 0o644))
		t.Skip("files.zip is written; build again")
	}
	market, err := content()
	must(t, err)
	for path, want := range wanted {
		if got, err := fs.ReadFile(market, path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of the directory (%v): run this test with -update", path, err)
		}
	}
	if packed := market.(*zip.Reader).File; len(packed) != len(wanted) {
		t.Errorf("%d files are packed, and there are %d", len(packed), len(wanted))
	}
}

// pack returns the files, without times, so that the same files have the same bytes.
func pack(t *testing.T, files map[string][]byte) []byte {
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	to.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, path := range slices.Sorted(maps.Keys(files)) {
		entry, err := to.Create(path)
		must(t, err)
		_, err = entry.Write(files[path])
		must(t, err)
	}
	must(t, to.Close())
	return out.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
