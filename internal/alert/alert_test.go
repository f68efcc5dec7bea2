package alert_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/alert"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"

	"github.com/rs/zerolog"
)

func TestOneMailForABatchTellsAllThatIsNewInIt(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "ana@example.cl", true, true, "1", "2", "3", "4")
		r.person(t, "ben@example.cl", false, false, "1", "2", "3") // never opted in
		r.person(t, "cleo@example.cl", true, false, "4")           // nothing happens to it
		r.person(t, "dan@example.cl", true, false)                 // watches nothing
		r.person(t, "eva@example.cl", true, false, "3", "6ba7b810-9dad-51d1-80b4-00c04fd430c8")
		before := []made{
			{id: 1, category: "equity", tac: []any{0.0119, 0.0119}},
			{id: 2, category: "equity", move: 1},
			{id: 3, category: "equity"},
			{id: 4, category: "equity", tac: []any{0.01, 0.02}}, // known from the start
		}
		// The quote after the month is not used.
		r.quotes(t, 1, map[string]string{"2024-12-31": "100", "2025-05-31": "93.8457", "2025-06-30": "95", "2025-07-02": "99"})
		r.publish(t, 1, "2025-05-31", before...)
		r.look(t)
		wantMails(t, r.mails(t))

		after := []made{
			{id: 1, category: "equity", tac: []any{0.0119, 0.0119, 0.0132}},
			{id: 2, category: "equity", move: -3.21},
			{id: 3, category: "equity", closed: true, last: "2025-06-20"},
			{id: 4, category: "equity", tac: []any{0.01, 0.02, 0.02}},
		}
		r.publish(t, 2, "2025-07-02", after...)
		// Several processes look at the same time.
		var looking sync.WaitGroup
		for _, a := range []*alert.Alerts{r.alerts(t), r.alerts(t), r.alerts(t)} {
			looking.Go(func() {
				if err := a.Look(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		looking.Wait()
		got := r.mails(t)
		wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen", "eva@example.cl Novedades")
		for _, said := range []string{
			"FONDO MUTUO AÑIL, serie S1 (RUN 8011-K): 1,19 % (2025-05) → 1,32 % (2025-06)",
			"FONDO MUTUO AÑIL, serie S2 (RUN 8011-K): -3,21 % (2025-07-01 → 2025-07-02)",
			"FONDO MUTUO AÑIL, serie S3 (RUN 8011-K): último valor / last value: 2025-06-20",
		} {
			name, fact, _ := strings.Cut(said, ": ")
			if !strings.Contains(got[0].Text, said) || !strings.Contains(got[0].HTML, name+": <strong>"+fact+"</strong>") {
				t.Errorf("it does not say %q: %s\n%s", said, got[0].Text, got[0].HTML)
			}
		}
		if strings.Contains(got[0].Text, "S4") || got[0].Subject != "Novedades de sus fondos al 2025-07-02 (3) / News of your funds" {
			t.Errorf("%s\n%s", got[0].Subject, got[0].Text)
		}
		for _, said := range []string{"S1", "mes / month +1,23 %", "año / year to date -5,00 %", "12 meses / 12 months —", "TAC 1,32 % (2025-06)"} {
			if !strings.Contains(got[1].Text, said) || !strings.Contains(got[1].HTML, strings.ReplaceAll(said, "+", "&#43;")) {
				t.Errorf("the summary does not say %q: %s\n%s", said, got[1].Text, got[1].HTML)
			}
		}
		if strings.Contains(got[2].Text, "S1") || !strings.Contains(got[2].Text, "S3") {
			t.Errorf("eva is told %s", got[2].Text)
		}

		// The same events again, corrected again, in a batch with another number, in other
		// processes.
		for number := 3; number <= 5; number++ {
			after[1].move = -3.5 - float64(number)
			after[0].tac[2] = 0.0140 + float64(number)/1000
			r.publish(t, number, "2025-07-02", after...)
			r.look(t)
		}
		wantMails(t, r.mails(t))
	})
}

func TestAMailOfAListStopsItsList(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	r.look(t)
	r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
	r.look(t)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
	inText := regexp.MustCompile(`https://funds\.example\.org/unsubscribe\?token=(\S+)`)
	for i, list := range []account.MailingList{account.Alerts, account.MonthlySummary} {
		header := got[i].Header.Get("List-Unsubscribe")
		if got[i].Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			t.Errorf("%s has no one-click: %v", list, got[i].Header)
		}
		oneClick, err := url.Parse(strings.Trim(header, "<>"))
		must(t, err)
		token := oneClick.Query().Get("token")
		page := inText.FindStringSubmatch(got[i].Text)
		if page == nil || token == "" || page[1] != url.QueryEscape(token) || !strings.Contains(got[i].HTML, `href="https://funds.example.org/unsubscribe?token=`+token) {
			t.Fatalf("the mail of %s has header %s and says\n%s\n%s", list, header, got[i].Text, got[i].HTML)
		}
		stopped, err := r.store.Unsubscribe(t.Context(), token)
		if err != nil || stopped != list {
			t.Errorf("the token of %s stops %s: %v", list, stopped, err)
		}
	}
	r.publish(t, 3, "2025-07-31", made{id: 1, category: "equity", move: 5})
	r.look(t)
	wantMails(t, r.mails(t))
}

// A mail may wait for hours between the outbox and the relay.
func TestWhoLeavesAListGetsNotEvenWhatWaits(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		ana := r.person(t, "ana@example.cl", true, true, "1")
		r.person(t, "ben@example.cl", true, true, "1")
		gone := r.person(t, "cleo@example.cl", true, true, "1")
		r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.look(t)
		r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
		r.look(t)
		_, err := r.store.Unsubscribe(t.Context(), r.store.UnsubscribeToken(ana, account.Alerts))
		must(t, err)
		must(t, r.store.Forget(t.Context(), gone))
		wantMails(t, r.mails(t), "ana@example.cl Resumen", "ben@example.cl Novedades", "ben@example.cl Resumen")
		r.look(t)
		wantMails(t, r.mails(t))
	})
}

func TestALookThatIsBrokenOffIsFinishedByWhoeverLooksNext(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		const people = 120 // more people than one transaction handles
		for i := range people {
			r.person(t, fmt.Sprintf("p%03d@example.cl", i), true, true, "1")
		}
		r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.look(t)
		r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
		for _, left := range []int{77, 170} { // the first is among the alerts, the second among the summaries
			if err := r.alertsInto(t, &brittle{r.outbox, left}).Look(t.Context()); !errors.Is(err, errBrittle) {
				t.Fatalf("the look ended with %v", err)
			}
		}
		// Meanwhile the batch's rows change, and there is a newer batch.
		must(t, r.conn.Exec(t.Context(), "TRUNCATE TABLE market_day"))
		r.publish(t, 3, "2025-06-30", made{id: 1, category: "equity", move: 5})
		r.look(t)
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
func TestNothingIsLostOrToldTwiceWhereverAProcessDies(t *testing.T) {
	longtest.Skip(t)
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.publish(t, 1, "2025-05-31")
		r.look(t)
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
func TestWhatWasWrittenDownIsToldOnceItsBatchIsGone(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "ana@example.cl", true, false, "1")
		r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.look(t)
		r.publish(t, 2, "2025-06-05", made{id: 1, category: "equity", move: 5})
		// It dies before the fourth transaction. The first reads which batches are known, the
		// second records the batch, the third its events.
		if err := r.alertsOf(t, &dying{r.store, 4}, r.outbox).Look(t.Context()); !errors.Is(err, errBrittle) {
			t.Fatalf("the look ended with %v", err)
		}
		r.retire(t, 2)
		r.publish(t, 3, "2025-06-06", made{id: 1, category: "equity"})
		r.look(t)
		got := r.mails(t)
		wantMails(t, got, "ana@example.cl Novedades")
		if !strings.Contains(got[0].Text, "+5,00 % (2025-06-04 → 2025-06-05)") {
			t.Errorf("%s", got[0].Text)
		}
	})
}

func TestWhatWasPublishedWhileNobodyLookedIsAnnouncedLater(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	r.look(t)
	r.publish(t, 2, "2025-06-27", made{id: 1, category: "equity", move: 4})
	r.publish(t, 3, "2025-06-28", made{id: 1, category: "equity", move: 0.1})
	r.publish(t, 4, "2025-06-29", made{id: 1, category: "equity", move: -4})
	r.look(t)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Novedades")
	if !strings.Contains(got[0].Text, "+4,00 % (2025-06-26 → 2025-06-27)") || !strings.Contains(got[1].Text, "-4,00 % (2025-06-28 → 2025-06-29)") {
		t.Errorf("%s\n%s", got[0].Text, got[1].Text)
	}
}

func TestHistoryThatIsLoadedAgainIsNoNews(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	r.look(t)
	// The projections were built again from the log, batch by batch, with new numbers.
	r.publish(t, 2, "2024-02-29", made{id: 1, category: "equity", move: 4, tac: []any{0.01, 0.02}})
	r.publish(t, 3, "2025-04-30", made{id: 1, category: "equity", move: 4, tac: []any{0.01, 0.02}})
	r.publish(t, 4, "2025-05-31", made{id: 1, category: "equity"})
	r.look(t)
	wantMails(t, r.mails(t))
	// A correction moves the cutoff back by a day. Its events are announced.
	r.publish(t, 5, "2025-05-30", made{id: 1, category: "equity", move: 4})
	r.look(t)
	wantMails(t, r.mails(t), "ana@example.cl Novedades")
	r.publish(t, 6, "2025-06-30", made{id: 1, category: "equity", tac: []any{0.01, 0.01}})
	r.look(t)
	wantMails(t, r.mails(t), "ana@example.cl Resumen")
}

func TestHistoryThatIsLoadedForwardsIsNoNews(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "ana@example.cl", true, true, "1", "2")
		r.setClock(time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC))
		gone := made{id: 2, category: "equity", closed: true, last: "2017-12-20"}
		r.publish(t, 1, "2017-11-30", made{id: 1, category: "equity"})
		r.look(t)
		r.publish(t, 2, "2017-12-31", gone, made{id: 1, category: "equity", move: 5})
		r.look(t)
		r.publish(t, 3, "2018-02-28", gone, made{id: 1, category: "equity", move: 6})
		r.look(t)
		wantMails(t, r.mails(t))
		// The history has reached the present. New events are announced, recorded ones are not.
		r.publish(t, 4, "2026-11-19", gone, made{id: 1, category: "equity", move: 7})
		r.look(t)
		got := r.mails(t)
		wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
		if strings.Contains(got[0].Text, "2017-1") || !strings.Contains(got[0].Text, "+7,00 %") || !strings.Contains(got[1].Subject, "2026-10") {
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
		"the last instant": {midnight.Add(-time.Second), []string{"ana@example.cl Novedades", "ana@example.cl Resumen"}},
		"the day after":    {midnight, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, demotest.Schema(t))
			r.person(t, "ana@example.cl", true, true, "1")
			r.publish(t, 1, "2025-09-30", made{id: 1, category: "equity"})
			r.look(t)
			r.publish(t, 2, "2025-10-31", made{id: 1, category: "equity", move: 5})
			r.setClock(one.at)
			r.look(t)
			wantMails(t, r.mails(t), one.want...)
		})
	}
}

func TestWhatWasBrokenOffLongAgoIsNoNews(t *testing.T) {
	for _, mails := range []int{1, 2} { // the process dies while it enqueues the alert, then the summary
		r := newRig(t, demotest.Schema(t))
		r.person(t, "ana@example.cl", true, true, "1")
		r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.look(t)
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

// The thresholds of each category, as in docs/decisions/0013-alerts.md.
func TestAChangeIsToldFromItsFamilysThresholdOn(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	thresholds := map[any]struct{ move, tac float64 }{ // percent points
		"money_market": {0.2, 0.05}, "fixed_income": {1, 0.1}, "balanced": {2, 0.1},
		"equity": {3, 0.1}, "structured": {3, 0.1}, "other": {3, 0.1}, nil: {3, 0.1},
	}
	var all []made
	var watched, want []string
	add := func(told bool, kind string, one made) {
		one.id = len(all) + 1
		all = append(all, one)
		watched = append(watched, fmt.Sprint(one.id))
		if told {
			want = append(want, fmt.Sprintf("S%d ", one.id)+kind)
		}
	}
	const base = 0.0125
	for category, at := range thresholds {
		for _, sign := range []float64{1, -1} {
			add(true, "move", made{category: category, move: sign * at.move})
			add(true, "move", made{category: category, move: sign * at.move * 1.5})
			add(false, "", made{category: category, move: sign * at.move * 0.999})
			add(false, "", made{category: category, move: sign * at.move * 1.5, outlier: "cap"})
			add(false, "", made{category: category, move: sign * at.move * 1.5, outlier: "peers"})
			add(true, "tac", made{category: category, tac: []any{base, base + sign*at.tac/100}})
			add(false, "", made{category: category, tac: []any{base, base + sign*at.tac/100*0.999}})
		}
	}
	add(false, "", made{move: nil})
	add(false, "", made{tac: []any{0.01}})                                        // no earlier rate to compare with
	add(true, "tac", made{tac: []any{0.01, nil, 0.02}})                           // with an unknown month in between
	add(false, "", made{tac: []any{0.01, 0.02, 0.02}})                            // the change was a month earlier
	add(true, "tac", made{tac: []any{0.0, 0.02}})                                 // 0 is a valid rate
	add(false, "", made{tac: []any{0.01, 0.02}, kind: "none of both", move: nil}) // the kind matches none of the known kinds
	add(false, "", made{tac: []any{0.02}, computed: []any{0.01, 0.01}})           // stated and computed rates are not compared
	add(false, "", made{tac: []any{0.01, 0.01}, computed: []any{0.01, 0.02}})     // if both are known for the months, the stated rates count
	add(true, "tac", made{tac: []any{0.03}, computed: []any{0.01, 0.02}})         // here only the computed rates have both months
	add(true, "closed", made{closed: true, last: "2025-06-23"})
	add(true, "closed", made{closed: true, last: "2025-05-01"}) // 60 days
	add(false, "", made{closed: true, last: "2025-04-30"})
	add(false, "", made{last: "2025-06-24"}) // late but not closed

	r.publish(t, 1, "2025-05-31")
	r.look(t)
	r.person(t, "ana@example.cl", true, false, watched...)
	r.publish(t, 2, "2025-06-30", all...)
	r.look(t)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades")
	var told []string
	kind := ""
	for _, line := range strings.Split(got[0].Text, "\n") {
		switch {
		case strings.HasPrefix(line, "Cambió"):
			kind = "tac"
		case strings.HasPrefix(line, "Se movieron"):
			kind = "move"
		case strings.HasPrefix(line, "Dejaron"):
			kind = "closed"
		}
		if found := regexp.MustCompile(`serie (S\d+) `).FindStringSubmatch(line); found != nil {
			told = append(told, found[1]+" "+kind)
		}
	}
	slices.Sort(told)
	slices.Sort(want)
	if !slices.Equal(told, want) {
		t.Errorf("told %v,\nwant %v", told, want)
	}
}

func TestTheFirstLookTellsNothing(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.look(t) // nothing is published
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity", move: 5})
	r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5, tac: []any{0.01, 0.02}})
	r.look(t)
	r.look(t)
	wantMails(t, r.mails(t))
}

func TestWhatHappenedBeforeSomebodyWatchedIsNotTold(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	r.look(t)
	r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", tac: []any{0.01, 0.02}})
	r.look(t)
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 3, "2025-07-05", made{id: 1, category: "equity", tac: []any{0.01, 0.02}})
	r.look(t)
	wantMails(t, r.mails(t))
}

// The view gives every id of a series. Here it is replaced by one that knows a rename.
func TestARenamedSeriesIsFoundByEachOfItsIDsAndToldOnce(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "new@example.cl", true, true, "2")
		r.person(t, "old@example.cl", true, true, "1")
		r.person(t, "two@example.cl", true, true, "1", "2")
		r.quotes(t, 2, map[string]string{"2025-05-31": "100", "2025-06-30": "101"})
		r.publish(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.look(t)
		r.publish(t, 2, "2025-06-10", made{id: 1, category: "equity", move: 4})
		r.look(t)
		wantMails(t, r.mails(t), "old@example.cl Novedades", "two@example.cl Novedades")
		renamed := made{id: 2, category: "equity", aliases: []int{2, 1}, tac: []any{0.01, 0.02}}
		r.publish(t, 3, "2025-06-30", renamed)
		r.look(t)
		got := r.mails(t)
		wantMails(t, got, "new@example.cl Novedades", "new@example.cl Resumen", "old@example.cl Novedades", "old@example.cl Resumen",
			"two@example.cl Novedades", "two@example.cl Resumen")
		for _, l := range got {
			if strings.Count(l.Text, "\n- ") != 1 || !strings.Contains(l.Text, map[bool]string{true: "2,00 % (2025-06)", false: "1,00 %"}[strings.HasPrefix(l.Subject, "Novedades")]) {
				t.Errorf("%s is told:\n%s", l.To, l.Text)
			}
		}
	})
}

func TestASeriesOfAnInvestmentFundIsToldByItsUUID(t *testing.T) {
	const moving, closing, quarterly = "6ba7b810-9dad-51d1-80b4-00c04fd430c8", "6ba7b811-9dad-51d1-80b4-00c04fd430c8", "6ba7b812-9dad-51d1-80b4-00c04fd430c8"
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, moving)
	r.person(t, "ben@example.cl", true, false, closing)
	r.person(t, "cleo@example.cl", true, false, quarterly)
	r.person(t, "dan@example.cl", true, true, "7") // 7 is the number of a series but not an id
	r.bookValues(t, 7, map[string]string{"2025-05-31": "100", "2025-06-25": "101", "2025-06-26": "105.04", "2025-06-27": "150", "2025-06-30": "106"})
	r.instruments(t, 1, instrument{7, moving, "active", "2025-05-31"}, instrument{8, closing, "active", "2025-03-31"}, instrument{9, quarterly, "active", "2025-03-31"})
	r.publish(t, 1, "2025-05-31")
	r.look(t)
	wantMails(t, r.mails(t))
	r.instruments(t, 2, instrument{7, moving, "active", "2025-06-30"}, instrument{8, closing, "inactive", "2025-03-31"}, instrument{9, quarterly, "unknown", "2025-03-31"})
	r.publish(t, 2, "2025-06-30")
	r.look(t)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen", "ben@example.cl Novedades")
	for i, said := range []string{
		"FONDO DE INVERSIÓN ÑIRE, serie I (RUN 9278-9): +4,00 % (2025-06-25 → 2025-06-26)", // the next change is an outlier, and so is the one after it
		"6,00 %", // return in June
		"FONDO DE INVERSIÓN ÑIRE, serie I (RUN 9278-9): último valor / last value: 2025-03-31",
	} {
		if !strings.Contains(got[i].Text, said) {
			t.Errorf("it does not say %q: %s", said, got[i].Text)
		}
	}
}

// Names come from files whose contents can't be trusted.
func TestANameInAMailStaysInItsLine(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, "1")
	r.publish(t, 1, "2025-05-31")
	r.look(t)
	hostile := "FONDO\r\nBcc: eva@example.cl\r\n\r\n<script>alert(1)</script>\u2028\u202e\x00" + strings.Repeat("LARGO ", 1000)
	r.publish(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5, name: hostile})
	r.look(t)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
	for _, l := range got {
		if l.Header.Get("Bcc") != "" || strings.Contains(l.HTML, "<script>") || strings.ContainsAny(l.Text+l.HTML, "\u2028\u202e\x00") ||
			!strings.Contains(l.Text, "- FONDO Bcc: eva@example.cl <script>") || len(l.Text) > 2000 {
			t.Errorf("%v\n%s\n%s", l.Header, l.Text, l.HTML)
		}
	}
}

// The longest watchlist, with an event of every kind for each series.
func TestAFullWatchlistFitsIntoAMail(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	var all []made
	var watched []string
	for id := 1; id <= 200; id++ {
		all = append(all, made{id: id, category: "equity", move: 5, tac: []any{0.01, 0.02}, name: strings.Repeat("Ñ", 500)})
		watched = append(watched, fmt.Sprint(id))
	}
	r.publish(t, 1, "2025-05-31")
	r.look(t)
	r.person(t, "ana@example.cl", true, true, watched...)
	r.publish(t, 2, "2025-06-30", all...)
	r.look(t)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
	if lines := strings.Count(got[0].Text, "\n- "); lines != 400 {
		t.Errorf("%d lines", lines)
	}
}

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
