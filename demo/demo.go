// Package demo holds the market that cuota shows on its first start: real files
// of the Chilean fund market as it stood on 2025-07-20, inside the binary. What
// each file is, where it comes from and what is derived in it stands in
// demo/README.md. The package sits before ingest in the flow: its files go
// through the same door as any other.
package demo

import (
	"embed"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cuota/model"
)

//go:embed files sources.csv
var content embed.FS

// Source is one file of the demo market.
type Source struct {
	Dataset model.Dataset
	// Path is relative to the directory given to Extract.
	Path string
	// Published orders files that speak of the same day: genuine cartolas
	// outrank the market day that was derived from the association's sheet.
	Published time.Time
}

// Sources lists the files in the order in which the demo ingests them.
func Sources() ([]Source, error) {
	list, err := content.Open("sources.csv")
	if err != nil {
		return nil, fmt.Errorf("open the list of demo files: %w", err)
	}
	defer func() { _ = list.Close() }()
	rows, err := csv.NewReader(list).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the list of demo files: %w", err)
	}
	sources := make([]Source, 0, len(rows))
	for _, row := range rows[1:] {
		dataset, err := model.ParseDataset(row[0])
		if err != nil {
			return nil, fmt.Errorf("list of demo files: %w", err)
		}
		published, err := time.Parse(time.RFC3339, row[2])
		if err != nil {
			return nil, fmt.Errorf("list of demo files: %w", err)
		}
		sources = append(sources, Source{Dataset: dataset, Path: filepath.FromSlash(row[1]), Published: published})
	}
	return sources, nil
}

// Extract writes the files under dir, which must not hold them yet.
func Extract(dir string) error {
	sources, err := Sources()
	if err != nil {
		return err
	}
	for _, source := range sources {
		bytes, err := content.ReadFile("files/" + filepath.ToSlash(source.Path))
		if err != nil {
			return fmt.Errorf("read a demo file: %w", err)
		}
		path := filepath.Join(dir, source.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make a folder for the demo files: %w", err)
		}
		if err := os.WriteFile(path, bytes, 0o644); err != nil {
			return fmt.Errorf("write a demo file: %w", err)
		}
	}
	return nil
}
