package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"cuota/backtest"
	"cuota/internal/tablefile"
)

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
// Each file appears complete or not at all. It replaces an earlier one only if force is set; otherwise
// Save fails with a [tablefile.ErrExists]. All are written before the first one gets its name, and the
// named file gets its name last. If writing fails, no file has changed; if renaming fails, some may
// have, and the named one has not.
func Save(path string, r *backtest.Result, language Language, force bool) (err error) {
	parts, err := partsOf(path, r, language)
	if err != nil {
		return err
	}
	files := make([]*tablefile.File, 0, len(parts))
	abandon := func(err error) error {
		for _, file := range files {
			err = errors.Join(err, file.Abandon())
		}
		return err
	}
	for _, p := range slices.Backward(parts) {
		file, err := tablefile.Create(p.path, force)
		if err != nil {
			return abandon(err)
		}
		files = append(files, file)
		if err := p.write(file); err != nil {
			return abandon(fmt.Errorf("write %s: %w", p.path, err))
		}
	}
	return tablefile.Finish(files...)
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
	return nil, fmt.Errorf("%q is no name for a result: name a file that ends with .json, .csv, .parquet or .html",
		path)
}
