package main

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/mail/mailtest"
)

// relayFor runs a mail relay and returns the environment of a process that sends over
// it.
func relayFor(t *testing.T) (relay *mailtest.Relay, env []string) {
	t.Helper()
	relay = mailtest.Start(t, mailtest.Script{})
	authority := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, relay.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	return relay, []string{"CUOTA_SMTP=" + relay.URL(), "CUOTA_MAIL_FROM=Cuota <cuota@example.org>",
		"SSL_CERT_FILE=" + authority}
}

// untilMarch2020 returns the real history of 2020 up to the day with the largest losses
// of its funds.
func untilMarch2020(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../../demo/files/cartola/cartola_9809_9810_20200101_20201231.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	kept := slices.DeleteFunc(lines, func(line string) bool {
		columns := strings.Split(line, ";")
		return len(columns) > 3 && columns[3] != "FECHA_INF" && columns[3] > "20200316"
	})
	path := filepath.Join(t.TempDir(), "cartola.txt")
	if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// alertsGoOutOnce makes a person watch a series at two servers with one account store,
// both of which send mails. It checks that the alert about the next file is mailed once,
// even if a batch is built again. finish runs a command to its end; accounts is the
// store, a SQLite file.
func alertsGoOutOnce(t *testing.T, relay *mailtest.Relay, apis []string, accounts string,
	finish func(...string) string) {
	t.Helper()
	send := func(method, target, body, session string) (*http.Response, string) {
		t.Helper()
		return sendFrom(t, apis[0], method, target, "application/json", body, session)
	}
	// asked requests a sign-in link and returns its mail, which comes after all mails
	// that were in the outbox.
	asked := func() mailtest.Letter {
		t.Helper()
		send(http.MethodPost, apis[0]+"/api/auth/magic-link", `{"email":"person@example.org","return_url":"`+apis[0]+
			`/account"}`, "")
		l := relay.Next(t)
		if !strings.Contains(l.Text, "/sign-in/confirm?token=") {
			t.Fatalf("another mail came: %s\n%s", l.Subject, l.Text)
		}
		return l
	}
	token := regexp.MustCompile(`token=([0-9A-Za-z]{43})`).FindStringSubmatch(asked().Text)[1]
	response, _ := send(http.MethodPost, apis[0]+"/api/auth/callback", `{"token":"`+token+`"}`, "")
	session, _, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
	for _, write := range [][3]string{
		{http.MethodPost, "/api/me/watchlist", `{"serie_id":"1161378270"}`},
		{http.MethodPatch, "/api/me/alerts", `{"email_opt_in_alerts":true,"email_opt_in_monthly_summary":true}`},
	} {
		if response, body := send(write[0], apis[0]+write[1], write[2], session); response.StatusCode != http.StatusOK {
			t.Fatalf("%s %s gives %d: %s", write[0], write[1], response.StatusCode, body)
		}
	}
	store, err := sql.Open("sqlite", "file:"+accounts+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	handled := func(batches int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		pause := time.NewTicker(20 * time.Millisecond)
		defer pause.Stop()
		for {
			var got, waiting int
			if err := store.QueryRowContext(ctx,
				`SELECT (SELECT count(*) FROM alert_batch WHERE handled_at IS NOT NULL),
				(SELECT count(*) FROM outbox WHERE sealed IS NOT NULL)`).Scan(&got, &waiting); err != nil {
				t.Fatalf("%d of %d batches were handled: %v", got, batches, err)
			}
			if got == batches && waiting == 0 {
				return
			}
			<-pause.C
		}
	}
	handled(2)

	finish("ingest", "cartola", untilMarch2020(t), "--wait")
	mails := []mailtest.Letter{relay.Next(t), relay.Next(t)}
	slices.SortFunc(mails, func(a, b mailtest.Letter) int { return strings.Compare(a.Subject, b.Subject) })
	if alert := mails[0]; alert.Subject != "Novedades de sus fondos al 2020-03-16 (1) / News of your funds" ||
		!strings.Contains(alert.Text, ", serie B (RUN 9809-4): -4,88 % (2020-03-15 → 2020-03-16)") ||
		alert.To != "person@example.org" {
		t.Errorf("%s to %s:\n%s", alert.Subject, alert.To, alert.Text)
	}
	if summary := mails[1]; summary.Subject != "Resumen de 2020-02 / Summary of 2020-02" ||
		!strings.Contains(summary.Text, ", serie B (RUN 9809-4):") {
		t.Errorf("%s:\n%s", summary.Subject, summary.Text)
	}
	finish("rebuild")
	finish("project", "--now")
	handled(5)
	asked()

	oneClick := strings.Trim(mails[0].Header.Get("List-Unsubscribe"), "<>")
	response, err = http.Post(oneClick, "application/x-www-form-urlencoded",
		strings.NewReader("List-Unsubscribe=One-Click"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Errorf("one-click at %s gives %d", oneClick, response.StatusCode)
	}
	if _, body := send(http.MethodGet, apis[1]+"/api/me", "", session); !strings.Contains(body,
		`"email_opt_in_alerts":false`) {
		t.Errorf("after one-click: %s", body)
	}
}
