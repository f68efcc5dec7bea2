package projector_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/projector"
)

func TestABatchOfOtherRulesIsFollowedByOneWithEveryDayBuiltAnew(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	first := m.Build(t)
	fresh := demotest.Checksums(t, m.Conn, first)
	days := count(t, m, "SELECT count() FROM market_completeness WHERE batch = $1", first)
	rebuilt := func(batch uint64) uint64 {
		return count(t, m, "SELECT toUInt64(rebuilt_days) FROM batch WHERE batch = $1", batch)
	}
	if same := m.Build(t); rebuilt(same) != 0 {
		t.Fatalf("the same rules built %d days anew without a new file", rebuilt(same))
	}
	// The state that an older program left, which computed other values than this one.
	for _, statement := range []string{
		"ALTER TABLE batch UPDATE rules = '' WHERE true SETTINGS mutations_sync = 2",
		"ALTER TABLE series_day UPDATE quota = quota * 2 WHERE true SETTINGS mutations_sync = 2",
	} {
		m.Change(t, statement)
	}
	p := projector.New(projector.Config{Now: func() time.Time { return demotest.Clock }}, m.Conn, zerolog.Nop())
	p.Lead(true)
	if err := p.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	published := func() uint64 { return count(t, m, "SELECT max(batch) FROM batch") }
	waittest.Until(t, "a started projector publishes a batch of its own rules", func() bool {
		return published() > first+1
	})
	if err := p.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	anew := published()
	if got := rebuilt(anew); got != days {
		t.Errorf("%d of %d days were built anew", got, days)
	}
	if diff := cmp.Diff(fresh, demotest.Checksums(t, m.Conn, anew)); diff != "" {
		t.Errorf("projections differ (-from nothing; +after other rules):\n%s", diff)
	}
}
