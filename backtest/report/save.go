package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cuota/backtest"
	"cuota/internal/unfinished"
)

// prefix begins the names of unfinished files.
const prefix = ".cuota-backtest-"

// mode is that of finished files. What they hold is public.
const mode = 0o644

// part is a file of a result.
type part struct {
	path  string
	write func(io.Writer) error
}

// Files names the files that Save writes for a path, the named one first. It fails if the path
// does not end with .json, .csv, .parquet or .html.
func Files(path string) ([]string, error) {
	parts, err := partsOf(path, &backtest.Result{}, Spanish)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.path
	}
	return names, nil
}

// Save writes a result in the form that the end of the path says: .json (all of it), .html (the
// report, in a language), or .csv and .parquet. Of those two the named file has the curve, and
// the other tables are beside it: study-trades.csv beside study.csv. What no table has is in
// study-run.json.
//
// Each file appears complete or not at all and replaces an earlier one. All are written before
// the first one gets its name, and the named file gets its name last. If writing fails, no file
// has changed; if renaming fails, some may have, and the named one has not.
func Save(path string, r *backtest.Result, language Language) (err error) {
	parts, err := partsOf(path, r, language)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if _, err := unfinished.Sweep(dir, prefix); err != nil {
		return fmt.Errorf("remove unfinished files of killed processes from %s: %w", dir, err)
	}
	files := make([]*os.File, 0, len(parts))
	renamed := map[*os.File]bool{}
	defer func() {
		for _, file := range files {
			if !renamed[file] {
				err = errors.Join(err, os.Remove(file.Name()))
			}
			err = errors.Join(err, file.Close())
		}
	}()
	for _, p := range parts {
		file, err := unfinished.Create(dir, prefix)
		if err != nil {
			return fmt.Errorf("write %s: create the folder, or let this user write to it: %w", p.path, err)
		}
		files = append(files, file)
		if err := fill(file, p.write); err != nil {
			return fmt.Errorf("write %s: %w", p.path, err)
		}
	}
	for i := len(parts) - 1; i >= 0; i-- {
		if err := os.Rename(files[i].Name(), parts[i].path); err != nil {
			return fmt.Errorf("write %s: %w", parts[i].path, err)
		}
		renamed[files[i]] = true
	}
	return nil
}

func fill(file *os.File, write func(io.Writer) error) error {
	buffered := bufio.NewWriter(file)
	if err := write(buffered); err != nil {
		return err
	}
	return errors.Join(buffered.Flush(), file.Chmod(mode), file.Sync())
}

func partsOf(path string, r *backtest.Result, language Language) ([]part, error) {
	end := filepath.Ext(path)
	stem := strings.TrimSuffix(path, end)
	switch {
	case filepath.Base(path) == end: // it has no name
	case end == ".json":
		return []part{{path, func(w io.Writer) error { return JSON(w, r) }}}, nil
	case end == ".html":
		return []part{{path, func(w io.Writer) error { return HTML(w, r, language) }}}, nil
	case end == ".csv", end == ".parquet":
		var parts []part
		for i, table := range Tables(r) {
			p := part{stem + "-" + table.Name + end, table.CSV}
			if i == 0 {
				p.path = path
			}
			if end == ".parquet" {
				p.write = func(w io.Writer) error { return table.Parquet(w, r) }
			}
			parts = append(parts, p)
		}
		return append(parts, part{stem + "-run.json", func(w io.Writer) error { return writeRun(w, r) }}), nil
	}
	return nil, fmt.Errorf("%q is no name for a result: name a file that ends with .json, .csv, .parquet or .html", path)
}
