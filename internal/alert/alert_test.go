package alert_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuota/internal/alert"
	"cuota/internal/testkit/demotest"
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
		r.quotes(t, 1, map[string]string{"2024-12-31": "100", "2025-05-31": "93.8457", "2025-06-30": "95",
			"2025-07-02": "99"})
		r.lookAt(t, 1, "2025-05-31", before...)
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
			if !strings.Contains(got[0].Text, said) ||
				!strings.Contains(got[0].HTML, name+": <strong>"+fact+"</strong>") {
				t.Errorf("it does not say %q: %s\n%s", said, got[0].Text, got[0].HTML)
			}
		}
		if strings.Contains(got[0].Text, "S4") ||
			got[0].Subject != "Novedades de sus fondos al 2025-07-02 (3) / News of your funds" {
			t.Errorf("%s\n%s", got[0].Subject, got[0].Text)
		}
		for _, said := range []string{"S1", "mes / month +1,23 %", "año / year to date -5,00 %",
			"12 meses / 12 months —", "TAC 1,32 % (2025-06)"} {
			if !strings.Contains(got[1].Text, said) ||
				!strings.Contains(got[1].HTML, strings.ReplaceAll(said, "+", "&#43;")) {
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
			r.lookAt(t, number, "2025-07-02", after...)
		}
		wantMails(t, r.mails(t))
	})
}

// The thresholds of each category, as in docs/decisions/0013-alerts.md.
func TestAChangeIsReportedFromItsFamilysThresholdOn(t *testing.T) {
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
	add(false, "", made{tac: []any{0.01}})              // no earlier rate to compare with
	add(true, "tac", made{tac: []any{0.01, nil, 0.02}}) // with an unknown month in between
	add(false, "", made{tac: []any{0.01, 0.02, 0.02}})  // the change was a month earlier
	add(true, "tac", made{tac: []any{0.0, 0.02}})       // 0 is a valid rate
	// the kind matches none of the known kinds
	add(false, "", made{tac: []any{0.01, 0.02}, kind: "none of both", move: nil})
	// stated and computed rates are not compared
	add(false, "", made{tac: []any{0.02}, computed: []any{0.01, 0.01}})
	// if both are known for the months, the stated rates count
	add(false, "", made{tac: []any{0.01, 0.01}, computed: []any{0.01, 0.02}})
	// here only the computed rates have both months
	add(true, "tac", made{tac: []any{0.03}, computed: []any{0.01, 0.02}})
	add(true, "closed", made{closed: true, last: "2025-06-23"})
	add(true, "closed", made{closed: true, last: "2025-05-01"}) // 60 days
	add(false, "", made{closed: true, last: "2025-04-30"})
	add(false, "", made{last: "2025-06-24"}) // late but not closed

	r.lookAt(t, 1, "2025-05-31")
	r.person(t, "ana@example.cl", true, false, watched...)
	r.lookAt(t, 2, "2025-06-30", all...)
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

// The view gives every id of a series. Here it is replaced by one that knows a rename.
func TestARenamedSeriesIsFoundByEachOfItsIDsAndReportedOnce(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		r.person(t, "new@example.cl", true, true, "2")
		r.person(t, "old@example.cl", true, true, "1")
		r.person(t, "two@example.cl", true, true, "1", "2")
		r.quotes(t, 2, map[string]string{"2025-05-31": "100", "2025-06-30": "101"})
		r.lookAt(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.lookAt(t, 2, "2025-06-10", made{id: 1, category: "equity", move: 4})
		wantMails(t, r.mails(t), "old@example.cl Novedades", "two@example.cl Novedades")
		renamed := made{id: 2, category: "equity", aliases: []int{2, 1}, tac: []any{0.01, 0.02}}
		r.lookAt(t, 3, "2025-06-30", renamed)
		got := r.mails(t)
		wantMails(t, got, "new@example.cl Novedades", "new@example.cl Resumen", "old@example.cl Novedades",
			"old@example.cl Resumen",
			"two@example.cl Novedades", "two@example.cl Resumen")
		for _, l := range got {
			if strings.Count(l.Text, "\n- ") != 1 ||
				!strings.Contains(l.Text, map[bool]string{true: "2,00 % (2025-06)",
					false: "1,00 %"}[strings.HasPrefix(l.Subject, "Novedades")]) {
				t.Errorf("%s is told:\n%s", l.To, l.Text)
			}
		}
	})
}

func TestASeriesOfAnInvestmentFundIsNamedByItsUUID(t *testing.T) {
	const moving, closing, quarterly = "6ba7b810-9dad-51d1-80b4-00c04fd430c8", "6ba7b811-9dad-51d1-80b4-00c04fd430c8",
		"6ba7b812-9dad-51d1-80b4-00c04fd430c8"
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, moving)
	r.person(t, "ben@example.cl", true, false, closing)
	r.person(t, "cleo@example.cl", true, false, quarterly)
	r.person(t, "dan@example.cl", true, true, "7") // 7 is the number of a series but not an id
	r.bookValues(t, 7, map[string]string{"2025-05-31": "100", "2025-06-25": "101", "2025-06-26": "105.04",
		"2025-06-27": "150", "2025-06-30": "106"})
	r.instruments(t, 1, instrument{7, moving, "active", "2025-05-31"}, instrument{8, closing, "active", "2025-03-31"},
		instrument{9, quarterly, "active", "2025-03-31"})
	r.lookAt(t, 1, "2025-05-31")
	wantMails(t, r.mails(t))
	r.instruments(t, 2, instrument{7, moving, "active", "2025-06-30"}, instrument{8, closing, "inactive", "2025-03-31"},
		instrument{9, quarterly, "unknown", "2025-03-31"})
	r.lookAt(t, 2, "2025-06-30")
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen", "ben@example.cl Novedades")
	for i, said := range []string{
		// the next change is an outlier, and so is the one after it
		"FONDO DE INVERSIÓN ÑIRE, serie I (RUN 9278-9): +4,00 % (2025-06-25 → 2025-06-26)",
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
	r.lookAt(t, 1, "2025-05-31")
	hostile := "FONDO\r\nBcc: eva@example.cl\r\n\r\n<script>alert(1)</script>\u2028\u202e\x00" +
		strings.Repeat("LARGO ", 1000)
	r.lookAt(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5, name: hostile})
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
	for _, l := range got {
		if l.Header.Get("Bcc") != "" || strings.Contains(l.HTML, "<script>") ||
			strings.ContainsAny(l.Text+l.HTML, "\u2028\u202e\x00") ||
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
		all = append(all, made{id: id, category: "equity", move: 5, tac: []any{0.01, 0.02},
			name: strings.Repeat("Ñ", 500)})
		watched = append(watched, fmt.Sprint(id))
	}
	r.lookAt(t, 1, "2025-05-31")
	r.person(t, "ana@example.cl", true, true, watched...)
	r.lookAt(t, 2, "2025-06-30", all...)
	got := r.mails(t)
	wantMails(t, got, "ana@example.cl Novedades", "ana@example.cl Resumen")
	if lines := strings.Count(got[0].Text, "\n- "); lines != 400 {
		t.Errorf("%d lines", lines)
	}
}
