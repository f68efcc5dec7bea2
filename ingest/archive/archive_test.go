package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAFileAboveTheSizeLimitIsRefused(t *testing.T) {
	t.Parallel()
	const content = "fecha,valor\n2026-01-01,39000.25\n"
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	a := New(filepath.Join(t.TempDir(), "archive"), time.Now)
	a.limit = int64(len(content)) - 1
	if _, err := a.Keep(t.Context(), path); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("one byte too many: %v, want a refusal", err)
	}
	a.limit++
	if entry, err := a.Keep(t.Context(), path); err != nil || entry.Size != int64(len(content)) {
		t.Errorf("as large as is allowed: %+v, %v", entry, err)
	}
}
