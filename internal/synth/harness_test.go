package synth

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

// small gives a market in which every story and every fault occurs.
func small(seed uint64) Config {
	return Config{Series: 50, Days: 400, Seed: seed, End: model.NewDate(2025, time.July, 20), Bad: DefaultBad}
}

// written writes a market and fails the test if that fails.
func written(t testing.TB, config Config) (dir string, expected Expected) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "market")
	if _, err := Write(t.Context(), dir, config, nil); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read(t, dir, "expected.json"), &expected); err != nil {
		t.Fatal(err)
	}
	return dir, expected
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// listed gives the rows of sources.csv.
func listed(t testing.TB, dir string) (files []source) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(read(t, dir, "sources.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		published, err := time.Parse(time.RFC3339, row[2])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, source{model.Dataset(row[0]), row[1], model.DateOf(published)})
	}
	return files
}

// files gives the contents of all files below a directory, by relative path.
func files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = read(t, dir, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// place identifies a line of a cartola file.
type place struct {
	file string
	line int
}

// cartolaLines calls each with the lines of the cartola files, without headers, in the order of
// sources.csv.
func cartolaLines(t testing.TB, dir string, each func(at place, line string)) {
	t.Helper()
	for _, file := range listed(t, dir) {
		if file.dataset != model.Cartola {
			continue
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(read(t, dir, file.file)), "\n"), "\n") {
			if i > 0 {
				each(place{file.file, i + 1}, line)
			}
		}
	}
}

// faulty gives the broken rows by their places.
func faulty(e Expected) map[place]Reject {
	at := map[place]Reject{}
	for _, r := range e.Rejects {
		at[place{r.File, r.Line}] = r
	}
	return at
}
