// Package demo embeds the market that cuota shows on its first start: real files of the
// Chilean fund market as it stood on 2025-07-20. demo/README.md says what each file is,
// where it comes from and what is derived in it. The files are ingested in the same way
// as any other.
package demo

import (
	"archive/zip"
	"bytes"
	_ "embed" // the files
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cuota/model"
)

// packed has sources.csv and the files of the directory files, by their paths there. Compressed they take 0.7 MB of the
// program instead of 4.6. A test writes it anew, with -update.
//
//go:embed files.zip
var packed []byte

func content() (fs.FS, error) {
	market, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("open the demo market: %w", err)
	}
	return market, nil
}

// Source is one file of a market, and how to ingest it.
type Source struct {
	Dataset model.Dataset
	// Path is relative to the market's directory.
	Path string
	// Published decides between files that state the same day. Genuine cartolas have a
	// later instant than the day that was derived from the association's sheet, so they
	// count.
	Published time.Time
}

// list is the file that lists the others, in the order in which they are ingested.
const list = "sources.csv"

// Sources lists the files of the embedded market in the order in which they are
// ingested.
func Sources() ([]Source, error) {
	market, err := content()
	if err != nil {
		return nil, err
	}
	return sources(market)
}

// SourcesIn lists the files of a market in the directory dir, in the order in which they
// are ingested. It reads the sources.csv there: dataset, path in the directory, instant
// of publication. Both an extracted demo market and a synthetic market have that form.
func SourcesIn(dir string) ([]Source, error) { return sources(os.DirFS(dir)) }

func sources(market fs.FS) ([]Source, error) {
	text, err := fs.ReadFile(market, list)
	if err != nil {
		return nil, fmt.Errorf("read the list of a market's files: %w", err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the list of a market's files: %w", err)
	}
	if len(rows) < 2 || len(rows[0]) < 3 {
		return nil, fmt.Errorf("%s lists no files: give it the columns dataset,file,published and a row for each file",
			list)
	}
	listed := make([]Source, 0, len(rows)-1)
	for i, row := range rows[1:] {
		dataset, err := model.ParseDataset(row[0])
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", list, i+2, err)
		}
		if !fs.ValidPath(row[1]) {
			return nil, fmt.Errorf("%s, line %d: %q is not the path of a file inside the directory of the market", list,
				i+2, row[1])
		}
		published, err := time.Parse(time.RFC3339, row[2])
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", list, i+2, err)
		}
		listed = append(listed, Source{Dataset: dataset, Path: filepath.FromSlash(row[1]), Published: published})
	}
	return listed, nil
}

// Extract writes the files and their list under dir. It fails if dir holds one of them
// already.
func Extract(dir string) error {
	market, err := content()
	if err != nil {
		return err
	}
	listed, err := sources(market)
	if err != nil {
		return err
	}
	names := []string{list}
	for _, source := range listed {
		names = append(names, filepath.ToSlash(source.Path))
	}
	for _, name := range names {
		if err := extract(dir, market, name); err != nil {
			return err
		}
	}
	return nil
}

func extract(dir string, market fs.FS, name string) error {
	text, err := fs.ReadFile(market, name)
	if err != nil {
		return fmt.Errorf("read a demo file: %w", err)
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create the directory of the demo files: %w", err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("write a demo file: %w", err)
	}
	return nil
}
