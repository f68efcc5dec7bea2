// Package demo embeds the market that cuota shows on its first start: real files of the
// Chilean fund market as it stood on 2025-07-20. demo/README.md says what each file is,
// where it comes from and what is derived in it. The files are ingested in the same way
// as any other.
package demo

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cuota/model"
)

//go:embed files sources.csv
var content embed.FS

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
func Sources() ([]Source, error) { return sources(content) }

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
	sources, err := Sources()
	if err != nil {
		return err
	}
	if err := extract(dir, list, list); err != nil {
		return err
	}
	for _, source := range sources {
		if err := extract(dir, "files/"+filepath.ToSlash(source.Path), source.Path); err != nil {
			return err
		}
	}
	return nil
}

func extract(dir, name, path string) error {
	bytes, err := content.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read a demo file: %w", err)
	}
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create the directory of the demo files: %w", err)
	}
	if err := os.WriteFile(path, bytes, 0o644); err != nil {
		return fmt.Errorf("write a demo file: %w", err)
	}
	return nil
}
