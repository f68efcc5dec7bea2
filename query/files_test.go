package query_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/model"
)

// fileMarket is a rig over batches that are made of files, as in production.
type fileMarket struct {
	*rig
	market *demotest.Market
}

// newFileMarket returns a market without files and without a batch.
func newFileMarket(t testing.TB) fileMarket {
	t.Helper()
	market := demotest.New(t)
	return fileMarket{newRig(t, market.Options, unlimited), market}
}

// fixture returns a test file of ingest in the layout of its source. oldNew lists pairs of
// texts, of which the first is replaced by the second.
func fixture(t testing.TB, name string, oldNew ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../ingest/testdata", name))
	must(t, err)
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(string(text), oldNew[i]) {
			t.Fatalf("%s has no %q", name, oldNew[i])
		}
	}
	return strings.NewReplacer(oldNew...).Replace(string(text))
}

// firstPublished is when the sources published the files, unless a file corrects another.
var firstPublished = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

// ingest publishes a file under that name, days after firstPublished.
func (m fileMarket) ingest(t testing.TB, dataset model.Dataset, name, text string, days int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	report := m.market.Ingest(t, dataset, path, firstPublished.AddDate(0, 0, days))
	if report.Refused || report.Rejected > 0 {
		t.Fatalf("%s: %+v", name, report)
	}
}

// build publishes a batch of all ingested files, and lets the server answer from it.
func (m fileMarket) build(t testing.TB) {
	t.Helper()
	m.market.Build(t)
	must(t, m.Refresh(t.Context()))
}
