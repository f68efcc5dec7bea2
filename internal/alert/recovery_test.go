package alert_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/alert"
	"cuota/internal/mail"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

func TestALookThatIsBrokenOffIsFinishedByWhoeverLooksNext(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		const people = 120 // more people than one transaction handles
		for i := range people {
			r.person(t, fmt.Sprintf("p%03d@example.cl", i), true, true, "1")
		}
		r.lookAt(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
		for _, left := range []int{77, 170} { // the first is among the alerts, the second among the summaries
			if err := r.alertsInto(t, &brittle{r.outbox, left}).Look(t.Context()); !errors.Is(err, errBrittle) {
				t.Fatalf("the look ended with %v", err)
			}
		}
		// Meanwhile the batch's rows change, and there is a newer batch.
		must(t, r.conn.Exec(t.Context(), "TRUNCATE TABLE market_day"))
		r.lookAt(t, 3, "2025-06-30", made{id: 1, category: "equity", move: 5})
		got := map[string]int{}
		for _, name := range addressees(r.mails(t)) {
			got[name]++
		}
		for i := range people {
			for _, kind := range []string{"Novedades", "Resumen"} {
				if name := fmt.Sprintf("p%03d@example.cl %s", i, kind); got[name] != 1 {
					t.Errorf("%s: %d mails", name, got[name])
				}
			}
		}
		if len(got) != 2*people {
			t.Errorf("%d kinds of mail", len(got))
		}
	})
}

// A process dies before each of its transactions in turn, and the batch is retired before
// another process looks. Each batch closes more series than one transaction writes.
func TestNothingIsLostOrReportedTwiceWhereverAProcessDies(t *testing.T) {
	longtest.Skip(t)
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.lookAt(t, 1, "2025-05-31")
		const closing = 201
		ana := r.person(t, "ana@example.cl", true, false)
		batch, told := 1, map[string]int{}
		died, ended := 0, false
		for ; !ended; died++ {
			var all []made
			next := func() {
				batch++
				r.publish(t, batch, "2025-06-30", all...)
			}
			first := died*closing + 1
			for id := first; id < first+closing; id++ {
				all = append(all, made{id: id, category: "equity", closed: true, last: "2025-06-20"})
			}
			for _, id := range []int{first, first + closing - 1} {
				must(t, r.store.Watch(t.Context(), ana, fmt.Sprint(id)))
				told[fmt.Sprint("S", id)] = 0
			}
			next()
			switch err := r.alertsOf(t, &dying{r.store, died + 1}, r.outbox).Look(t.Context()); {
			case err == nil:
				ended = true
			case !errors.Is(err, errBrittle):
				t.Fatalf("the look ended with %v", err)
			}
			r.retire(t, batch)
			next()
			r.look(t)
		}
		for _, l := range r.mails(t) {
			for _, found := range regexp.MustCompile(`serie (S\d+) `).FindAllStringSubmatch(l.Text, -1) {
				told[found[1]]++
			}
		}
		for series, times := range told {
			if times != 1 {
				t.Errorf("the end of %s is told %d times", series, times)
			}
		}
		if died < 8 {
			t.Errorf("a look came to its end with %d transactions: it wrote nothing", died-1)
		}
	})
}

// An event that only one batch shows, such as a move of its day, is announced even if the
// process that recorded it died and the batch was retired.
func TestWhatWasWrittenDownIsReportedOnceItsBatchIsGone(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "ana@example.cl", true, false, "1")
		r.lookAt(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.publish(t, 2, "2025-06-05", made{id: 1, category: "equity", move: 5})
		// It dies before the fourth transaction. The first reads which batches are known, the
		// second records the batch, the third its events.
		if err := r.alertsOf(t, &dying{r.store, 4}, r.outbox).Look(t.Context()); !errors.Is(err, errBrittle) {
			t.Fatalf("the look ended with %v", err)
		}
		r.retire(t, 2)
		r.lookAt(t, 3, "2025-06-06", made{id: 1, category: "equity"})
		got := r.mails(t)
		wantMails(t, got, "ana@example.cl Novedades")
		if !strings.Contains(got[0].Text, "+5,00 % (2025-06-04 → 2025-06-05)") {
			t.Errorf("%s", got[0].Text)
		}
	})
}

// brittle is an outbox that fails once, at its nth mail.
type brittle struct {
	alert.Outbox
	left int
}

var errBrittle = errors.New("the process died")

func (b *brittle) Enqueue(ctx context.Context, tx *sql.Tx, m mail.Message) error {
	if b.left--; b.left == 0 {
		return errBrittle
	}
	return b.Outbox.Enqueue(ctx, tx, m)
}

// dying is the account store of a process that dies before its nth transaction.
type dying struct {
	alert.Store
	left int
}

func (d *dying) Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if d.left--; d.left <= 0 {
		return errBrittle
	}
	return d.Store.Transact(ctx, do)
}
