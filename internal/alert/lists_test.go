package alert_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/testkit/demotest"
)

func TestAMailOfAListStopsItsList(t *testing.T) {
	r := watching(t)
	r.lookAt(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
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
		if page == nil || token == "" || page[1] != url.QueryEscape(token) ||
			!strings.Contains(got[i].HTML, `href="https://funds.example.org/unsubscribe?token=`+token) {
			t.Fatalf("the mail of %s has header %s and says\n%s\n%s", list, header, got[i].Text, got[i].HTML)
		}
		stopped, _, err := r.store.Unsubscribe(t.Context(), token)
		if err != nil || stopped != list {
			t.Errorf("the token of %s stops %s: %v", list, stopped, err)
		}
	}
	r.lookAt(t, 3, "2025-07-31", made{id: 1, category: "equity", move: 5})
	wantMails(t, r.mails(t))
}

// A mail may wait for hours between the outbox and the relay.
func TestWhoLeavesAListGetsNotEvenWhatWaits(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		ana := r.person(t, "ana@example.cl", true, true, "1")
		r.person(t, "ben@example.cl", true, true, "1")
		gone := r.person(t, "cleo@example.cl", true, true, "1")
		r.lookAt(t, 1, "2025-05-31", made{id: 1, category: "equity"})
		r.lookAt(t, 2, "2025-06-30", made{id: 1, category: "equity", move: 5})
		_, _, err := r.store.Unsubscribe(t.Context(), r.store.UnsubscribeToken(ana, account.Alerts))
		must(t, err)
		must(t, r.store.Forget(t.Context(), gone))
		wantMails(t, r.mails(t), "ana@example.cl Resumen", "ben@example.cl Novedades", "ben@example.cl Resumen")
		r.look(t)
		wantMails(t, r.mails(t))
	})
}
