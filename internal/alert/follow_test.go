package alert_test

import (
	"context"
	"testing"
	"time"

	"cuota/internal/alert"
	"cuota/internal/testkit/demotest"

	"github.com/rs/zerolog"
)

func TestAlertsFollowBatchesUntilTheyAreStopped(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, false, "1")
	a := r.alerts(t)
	must(t, a.Start())
	if err := a.Start(); err == nil {
		t.Error("started twice")
	}
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	r.await(t, "SELECT count(*) FROM alert_batch WHERE handled_at IS NOT NULL", 1)
	r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
	r.await(t, "SELECT count(*) FROM outbox", 1)
	must(t, a.Stop(t.Context()))
	must(t, a.Stop(t.Context()))
	must(t, a.Start())
	must(t, a.Stop(t.Context()))
	wantMails(t, r.mails(t), "ana@example.cl Novedades")
}

// await waits until a query gives the wanted count.
func (r *rig) await(t testing.TB, query string, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for got := 0; ; {
		must(t, r.raw.QueryRowContext(ctx, query).Scan(&got))
		if got == want {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s stays %d, want %d", query, got, want)
		}
	}
}

func TestAlertsNeedWhatMailsName(t *testing.T) {
	if _, err := alert.New(alert.Config{}, nil, nil, nil, zerolog.Nop()); err == nil {
		t.Error("alerts without an address")
	}
}
