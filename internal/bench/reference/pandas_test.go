package reference

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWithoutPythonOrItsPackagesThereIsNoPandas(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(empty, "cache"))
	for name, script := range map[string]string{
		"no python3": "",
		"no venv":    "#!/bin/sh\ncase $1 in -I) echo 3.99;; *) echo 'No module named venv' >&2; exit 1;; esac\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			if script != "" {
				if err := os.WriteFile(filepath.Join(path, "python3"), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", path)
			if _, err := NewPandas(t.Context()); !errors.Is(err, ErrNoPandas) {
				t.Errorf("%v", err)
			}
			left, err := filepath.Glob(filepath.Join(empty, "cache", "cuota", "pandas", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left in the cache: %v, %v", left, err)
			}
		})
	}
}
