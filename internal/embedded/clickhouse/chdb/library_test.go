package chdb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALibraryThatIsNoneIsAnErrorAndNoPanic(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libchdb.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"missing": text + ".none", "no library": text, "another library": "libm.so.6"} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
