package account

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/mail"

	"github.com/google/go-cmp/cmp"
)

// Using a link locks the link first. Removing the account locks the account first and then its
// links.
func TestWhoSignsInWhileTheirAccountIsRemovedSeesNoFailure(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		for i := range 4 {
			address := fmt.Sprintf("ana%d@example.cl", i)
			session, person := signedIn(t, s, address)
			toSignIn, toRegister := mailed(t, s, SignIn, address), mailed(t, s, Register, address)
			begin := make(chan struct{})
			var wg sync.WaitGroup
			for _, act := range []func() error{
				func() error { _, _, err := s.SignIn(testContext(t), toSignIn, session); return err },
				func() error { _, err := s.SignInIdentity(testContext(t), google(address), session); return err },
				func() error { _, _, err := s.ConfirmRegistration(testContext(t), toRegister); return err },
				func() error { return s.Forget(testContext(t), person.ID) },
			} {
				wg.Go(func() {
					<-begin
					// the link is erased with the account
					if err := act(); err != nil && !errors.Is(err, ErrInvalidLink) {
						t.Error(err)
					}
				})
			}
			close(begin)
			wg.Wait()
		}
	})
}

func TestTheWatchlistHasItsLimitHoweverManyAddAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		_, p := signedIn(t, stores[0], "ana@example.cl")
		for i := range maxWatched - 3 {
			check(t, stores[0].Watch(testContext(t), p.ID, fmt.Sprint(i)))
		}
		if n := atOnce(t, 20, ErrWatchlistFull, func(i int) error {
			return stores[i%2].Watch(testContext(t), p.ID, fmt.Sprint(1000+i))
		}); n != 3 {
			t.Errorf("%d series found the last 3 places", n)
		}
		check(t, stores[0].Watch(testContext(t), p.ID, "0")) // it is on the list already
		check(t, stores[0].Unwatch(testContext(t), p.ID, "0"))
		check(t, stores[0].Unwatch(testContext(t), p.ID, "0"))
		check(t, stores[0].Watch(testContext(t), p.ID, "again"))
		watched, err := stores[1].Watchlist(testContext(t), p.ID)
		check(t, err)
		if len(watched) != maxWatched || watched[0].SeriesID != "1" && !slices.ContainsFunc(watched,
			func(w Watched) bool {
				return w.SeriesID == "again"
			}) {
			t.Errorf("%d series, beginning with %+v", len(watched), watched[0])
		}
	})
}

func TestWhoIsForgottenIsNowhereAndTheirKeysAreDead(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		outbox, err := mail.NewOutbox(s, time.Now)
		check(t, err)
		plaintext, k := issue(t, s, "ana@example.cl", Free, Named("Ana's"))
		_, err = s.Spend(testContext(t), k, noon)
		check(t, err)
		session, p := signedIn(t, s, "ana@example.cl")
		check(t, s.Watch(testContext(t), p.ID, "4242424242"))
		check(t, s.SaveScreen(testContext(t), p.ID, "Ana's", "q=4242424242"))
		_, _, err = s.CreateAddressLink(testContext(t), k.ID, "/api/compare?series=4242424242", time.Hour)
		check(t, err)
		for _, made := range []string{ // package webhook, which makes them, imports this one
			"INSERT INTO webhooks (id, account_id, address, created_at) VALUES ('w', '" + p.ID + "', '4242424242', 1)",
			"INSERT INTO webhook_secrets (id, webhook_id, sealed, created_at) VALUES ('s', 'w', '4242424242', 1)",
			"INSERT INTO webhook_events (id, type, body, created_at) VALUES ('e', 'webhook.test', '{}', 1)",
			`INSERT INTO webhook_deliveries (webhook_id, event_id, created_at, due_at, attempts, reply)
				VALUES ('w', 'e', 1, 1, 1, '4242424242')`,
		} {
			_, err := db.raw.ExecContext(testContext(t), made)
			check(t, err)
		}
		yes := true
		_, err = s.SetPreferences(testContext(t), p.ID, &yes, &yes)
		check(t, err)
		check(t, s.MailLink(testContext(t),
			LinkRequest{Purpose: SignIn, Email: "ana@example.cl", ReturnURL: "https://x"}, outbox,
			func(string) mail.Message { return mail.Message{Subject: "x", Text: "x"} }))
		_, other := signedIn(t, s, "eva@example.cl")
		check(t, s.Watch(testContext(t), other.ID, "78"))
		otherKey, _ := issue(t, s, "eva@example.cl", Free)

		for range 2 {
			check(t, s.Forget(testContext(t), p.ID))
		}
		for _, table := range []string{"accounts", "api_keys", "address_links", "links", "sessions", "identities", "watchlist",
			"saved_screens", "webhooks", "webhook_secrets", "webhook_events", "webhook_deliveries", "outbox"} {
			for _, row := range dump(t, db, table) {
				// texts that no digest contains by chance
				for _, trace := range []string{"ana@", "Ana's", "4242424242"} {
					if strings.Contains(row, trace) && !strings.Contains(row, "eva@") {
						t.Errorf("%s still has %q: %s", table, trace, row)
					}
				}
			}
		}
		for _, table := range []string{"outbox", "webhooks", "webhook_secrets", "webhook_deliveries"} {
			if n := len(dump(t, db, table)); n != 0 {
				t.Errorf("%s has %d rows", table, n)
			}
		}
		if _, err := s.Authenticate(testContext(t), plaintext); err != ErrInvalidKey {
			t.Errorf("the key gives %v", err)
		}
		if _, err := s.Session(testContext(t), session); !errors.Is(err, ErrNoSession) {
			t.Errorf("the session gives %v", err)
		}
		for what, err := range map[string]error{
			"watching":    s.Watch(testContext(t), p.ID, "79"),
			"preferences": func() error { _, err := s.SetPreferences(testContext(t), p.ID, &yes, nil); return err }(),
		} {
			if !errors.Is(err, ErrNoSession) {
				t.Errorf("%s as somebody who is gone gives %v", what, err)
			}
		}
		// Other people's data stays, and a person who returns gets a new account.
		if _, err := s.Authenticate(testContext(t), otherKey); err != nil {
			t.Error(err)
		}
		if watched, err := s.Watchlist(testContext(t), other.ID); err != nil || len(watched) != 1 {
			t.Errorf("%v, %v", watched, err)
		}
		_, again := signedIn(t, s, "ana@example.cl")
		if again.ID == p.ID || again.Alerts || again.MonthlySummary {
			t.Errorf("%+v", again)
		}
	})
}

// dump returns each row of a table as text.
func dump(t testing.TB, db testDatabase, table string) (found []string) {
	t.Helper()
	rows, err := db.raw.QueryContext(testContext(t), "SELECT * FROM "+table)
	check(t, err)
	defer func() { check(t, rows.Close()) }()
	columns, err := rows.Columns()
	check(t, err)
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		check(t, rows.Scan(values...))
		var row strings.Builder
		for i, value := range values {
			fmt.Fprintf(&row, "%s=%s ", columns[i], value.(*sql.NullString).String)
		}
		found = append(found, row.String())
	}
	check(t, rows.Err())
	return found
}

func TestPreferencesChangeOnlyWhereTheyAreGiven(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		_, p := signedIn(t, s, "ana@example.cl")
		yes, no := true, false
		for _, step := range []struct {
			alerts, monthly *bool
			want            Preferences
		}{{nil, nil, Preferences{}}, {&yes, nil, Preferences{true, false}}, {nil, &yes, Preferences{true, true}},
			{&no, &yes, Preferences{false, true}}} {
			got, err := s.SetPreferences(testContext(t), p.ID, step.alerts, step.monthly)
			check(t, err)
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Error(diff)
			}
		}
		if list, _, err := s.Unsubscribe(testContext(t), s.UnsubscribeToken(p.ID, MonthlySummary)); err != nil ||
			list != MonthlySummary {
			t.Errorf("%s, %v", list, err)
		}
		if _, _, err := s.Unsubscribe(testContext(t), s.UnsubscribeToken(p.ID, "everything")); !errors.Is(err,
			ErrInvalidToken) {
			t.Errorf("a list that there is not: %v", err)
		}
	})
}
