package alert_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
)

func TestWhatWasPublishedWhileNobodyLookedIsAnnouncedLater(t *testing.T) {
	r := watching(t)
	r.publish(t, 2, "2025-06-27", made{id: 1, category: "equity", move: 4})
	r.publish(t, 3, "2025-06-28", made{id: 1, category: "equity", move: 0.1})
	r.lookAt(t, 4, "2025-06-29", made{id: 1, category: "equity", move: -4})
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Novedades")
	if !strings.Contains(got[0].Text, "+4,00 % (2025-06-26 → 2025-06-27)") ||
		!strings.Contains(got[1].Text, "-4,00 % (2025-06-28 → 2025-06-29)") {
		t.Errorf("%s\n%s", got[0].Text, got[1].Text)
	}
}

func TestHistoryThatIsLoadedAgainIsNoNews(t *testing.T) {
	r := watching(t)
	// The projections were built again from the log, batch by batch, with new numbers.
	r.publish(t, 2, "2024-02-29", made{id: 1, category: "equity", move: 4, tac: []any{0.01, 0.02}})
	r.publish(t, 3, "2025-04-30", made{id: 1, category: "equity", move: 4, tac: []any{0.01, 0.02}})
	r.lookAt(t, 4, "2025-05-31", made{id: 1, category: "equity"})
	wantMails(t, r.mails(t))
	// A correction moves the cutoff back by a day. Its events are announced.
	r.lookAt(t, 5, "2025-05-30", made{id: 1, category: "equity", move: 4})
	wantMails(t, r.mails(t), "ana@example.cl Novedades")
	r.lookAt(t, 6, "2025-06-30", made{id: 1, category: "equity", tac: []any{0.01, 0.01}})
	wantMails(t, r.mails(t), "ana@example.cl Resumen")
}

func TestHistoryThatIsLoadedForwardsIsNoNews(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "ana@example.cl", true, true, "1", "2")
		r.setClock(time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC))
		gone := made{id: 2, category: "equity", closed: true, last: "2017-12-20"}
		r.lookAt(t, 1, "2017-11-30", made{id: 1, category: "equity"})
		r.lookAt(t, 2, "2017-12-31", gone, made{id: 1, category: "equity", move: 5})
		r.lookAt(t, 3, "2018-02-28", gone, made{id: 1, category: "equity", move: 6})
		wantMails(t, r.mails(t))
		// The history has reached the present. New events are announced, recorded ones are not.
		r.lookAt(t, 4, "2026-11-19", gone, made{id: 1, category: "equity", move: 7})
		got := r.mails(t)
		wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
		if strings.Contains(got[0].Text, "2017-1") || !strings.Contains(got[0].Text, "+7,00 %") ||
			!strings.Contains(got[1].Subject, "2026-10") {
			t.Errorf("%s\n%s", got[1].Subject, got[0].Text)
		}
	})
}

// Days are local dates in Santiago, three hours behind UTC in December.
func TestACutoffIsNewsForThirtyOneDays(t *testing.T) {
	midnight := time.Date(2025, 12, 2, 3, 0, 0, 0, time.UTC) // December 2 begins in Santiago
	for name, one := range map[string]struct {
		at   time.Time
		want []string
	}{
		"the last instant": {midnight.Add(-time.Second),
			[]string{"ana@example.cl Novedades", "ana@example.cl Resumen"}},
		"the day after": {midnight, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, demotest.Schema(t))
			r.person(t, "ana@example.cl", true, true, "1")
			r.lookAt(t, 1, "2025-09-30", made{id: 1, category: "equity"})
			r.publish(t, 2, "2025-10-31", made{id: 1, category: "equity", move: 5})
			r.setClock(one.at)
			r.look(t)
			wantMails(t, r.mails(t), one.want...)
		})
	}
}

func TestWhatWasBrokenOffLongAgoIsNoNews(t *testing.T) {
	for _, mails := range []int{1, 2} { // the process dies while it enqueues the alert, then the summary
		r := watching(t)
		r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
		if err := r.alertsInto(t, &brittle{r.outbox, mails}).Look(t.Context()); !errors.Is(err, errBrittle) {
			t.Fatalf("the look ended with %v", err)
		}
		wantMails(t, r.mails(t), []string{"ana@example.cl Novedades"}[:mails-1]...)
		r.setClock(time.Date(2026, 6, 30, 16, 0, 0, 0, time.UTC))
		r.look(t)
		wantMails(t, r.mails(t))
	}
}

func TestTheFirstLookTellsNothing(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.look(t) // nothing is published
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity", move: 5})
	r.lookAt(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5, tac: []any{0.01, 0.02}})
	r.look(t)
	wantMails(t, r.mails(t))
}

func TestWhatHappenedBeforeSomebodyWatchedIsNotReported(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.lookAt(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	r.lookAt(t, 2, "2025-06-30", made{id: 1, category: "equity", tac: []any{0.01, 0.02}})
	r.person(t, "ana@example.cl", true, true, "1")
	r.lookAt(t, 3, "2025-07-05", made{id: 1, category: "equity", tac: []any{0.01, 0.02}})
	wantMails(t, r.mails(t))
}
