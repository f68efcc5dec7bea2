package demotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

// IngestEnd publishes that every series of the market without a row on a day or later has
// ended on it. Files of a few funds then move the cutoff.
func (m *Market) IngestEnd(t testing.TB, day string, published time.Time) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ends.csv")
	text := fmt.Sprintf("kind,run,serie,ended_on,note,source_url,source_sha256\nend,*,*,%s,Nothing more was "+
		"downloaded,https://example.org/end,%s\n",
		day, strings.Repeat("0", 64))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	if report := m.Ingest(t, model.Events, path, published); report.Rejected > 0 || report.Refused {
		t.Fatalf("the end was not taken: %+v", report)
	}
}
