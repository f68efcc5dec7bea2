package synth

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

// small returns a market in which every story and every fault occurs.
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

// lines returns the lines of a file without its header.
func lines(t testing.TB, dir, name string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(read(t, dir, name)), "\n"), "\n")[1:]
}

// table returns the rows of a CSV file without its header.
func table(t testing.TB, dir, name string, comma rune) [][]string {
	t.Helper()
	reader := csv.NewReader(bytes.NewReader(read(t, dir, name)))
	reader.Comma = comma
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// listed returns the rows of sources.csv.
func listed(t testing.TB, dir string) (files []source) {
	t.Helper()
	for _, row := range table(t, dir, "sources.csv", ',') {
		published, err := time.Parse(time.RFC3339, row[2])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, source{model.Dataset(row[0]), row[1], model.DateOf(published)})
	}
	return files
}

// files returns the contents of all files below a directory, by relative path.
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
		for i, line := range lines(t, dir, file.file) {
			each(place{file.file, i + 2}, line)
		}
	}
}

// soundRows calls each with the fields of the cartola lines that are not broken.
func soundRows(t testing.TB, dir string, e Expected, each func(at place, fields []string)) {
	t.Helper()
	broken := faulty(e)
	cartolaLines(t, dir, func(at place, line string) {
		if _, bad := broken[at]; !bad {
			each(at, strings.Split(line, ";"))
		}
	})
}

// faulty returns the broken rows by their places.
func faulty(e Expected) map[place]Reject {
	at := map[place]Reject{}
	for _, r := range e.Rejects {
		at[place{r.File, r.Line}] = r
	}
	return at
}

func monthEndOf(date model.Date) model.Date {
	t := date.Time()
	return model.NewDate(t.Year(), t.Month()+1, 0)
}

func atoi(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func atof(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
