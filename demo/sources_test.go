package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheExtractedDemoIsAMarketLikeAnyOther(t *testing.T) {
	dir := t.TempDir()
	if err := Extract(dir); err != nil {
		t.Fatal(err)
	}
	inside, err := Sources()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := SourcesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed) != len(inside) || len(listed) == 0 {
		t.Fatalf("%d files listed, want %d", len(listed), len(inside))
	}
	for i, source := range listed {
		if source != inside[i] {
			t.Errorf("file %d is %+v, want %+v", i, source, inside[i])
		}
		if _, err := os.Stat(filepath.Join(dir, source.Path)); err != nil {
			t.Error(err)
		}
	}
}

func TestAListThatIsNoneIsRefused(t *testing.T) {
	const header = "dataset,file,published\n"
	for name, text := range map[string]string{
		"empty":           "",
		"header alone":    header,
		"two columns":     "dataset,file\nuf,a.csv\n",
		"unknown dataset": header + "prices,a.csv,2025-07-21T00:00:00Z\n",
		"outside":         header + "uf,../a.csv,2025-07-21T00:00:00Z\n",
		"absolute":        header + "uf,/etc/passwd,2025-07-21T00:00:00Z\n",
		"no instant":      header + "uf,a.csv,yesterday\n",
		"short row":       header + "uf\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "sources.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if sources, err := SourcesIn(dir); err == nil {
			t.Errorf("%s: taken as %v", name, sources)
		} else if !strings.Contains(err.Error(), "sources") && !strings.Contains(err.Error(), "list") {
			t.Errorf("%s: %v does not say what is wrong", name, err)
		}
	}
	if _, err := SourcesIn(t.TempDir()); err == nil {
		t.Error("a directory without a list is taken")
	}
}
