package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Files lists the files that the paths name, in the order of the paths. A directory
// stands for its regular files, sorted by name, without those of subdirectories, dot
// files and *.md. It fails if a path gives no file.
func Files(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path) // ReadDir sorts by name
		if err != nil {
			return nil, fmt.Errorf("list the directory: %w", err)
		}
		found := len(files)
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".") || strings.EqualFold(filepath.Ext(entry.Name()), ".md") {
				continue
			}
			file := filepath.Join(path, entry.Name())
			if info, err := os.Stat(file); err != nil { // Stat follows links
				return nil, err
			} else if info.Mode().IsRegular() {
				files = append(files, file)
			}
		}
		if len(files) == found {
			return nil, fmt.Errorf("directory %s has no files to ingest", path)
		}
	}
	return files, nil
}
