package webhook_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/testkit/waittest"
	"cuota/internal/webhook"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

var nop = zerolog.Nop()

// dying is a store whose process ends after a number of transactions.
type dying struct {
	*account.Store
	left int
}

func (d *dying) Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if d.left--; d.left < 0 {
		return errors.New("the process has ended")
	}
	return d.Store.Transact(ctx, do)
}

func TestAPersonRegistersUpToFiveAddresses(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		ana, eva := r.person(t, "ana@example.cl"), r.person(t, "eva@example.cl")
		var done atomic.Int64
		var wg sync.WaitGroup
		others := []*webhook.Hooks{r.hooks, r.newHooks(t)}
		for i := range 12 {
			wg.Go(func() {
				_, _, err := others[i%2].Register(t.Context(), ana, fmt.Sprintf("https://hooks.example.org/%d", i))
				switch {
				case err == nil:
					done.Add(1)
				case !errors.Is(err, webhook.ErrFull):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		list, err := r.hooks.Webhooks(t.Context(), ana)
		must(t, err)
		if done.Load() != webhook.MaxWebhooks || len(list) != webhook.MaxWebhooks {
			t.Errorf("%d were registered, and %d are listed", done.Load(), len(list))
		}
		must(t, r.hooks.Remove(t.Context(), ana, list[0].ID))
		again := " HTTPS://hooks.EXAMPLE.org" + strings.TrimPrefix(list[1].Address, "https://hooks.example.org")
		_, _, err = r.hooks.Register(t.Context(), ana, again)
		if !errors.Is(err, webhook.ErrRegistered) {
			t.Errorf("an address again: %v", err)
		}
		var refused *webhook.AddressError
		if _, _, err := r.hooks.Register(t.Context(), ana, "http://hooks.example.org"); !errors.As(err, &refused) {
			t.Errorf("http: %v", err)
		}
		id, _ := r.register(t, eva, list[1].Address) // that somebody else has is no obstacle
		for what, err := range map[string]error{
			"removing": r.hooks.Remove(t.Context(), ana, id),
			"rotating": func() error { _, _, err := r.hooks.Rotate(t.Context(), ana, id); return err }(),
			"enabling": func() error { _, err := r.hooks.Enable(t.Context(), ana, id); return err }(),
			"testing":  func() error { _, err := r.hooks.Test(t.Context(), ana, id); return err }(),
			"the log":  func() error { _, _, err := r.hooks.Log(t.Context(), ana, id); return err }(),
			"no id":    func() error { _, _, err := r.hooks.Log(t.Context(), ana, ""); return err }(),
			"removed":  r.hooks.Remove(t.Context(), ana, list[0].ID),
		} {
			if !errors.Is(err, webhook.ErrUnknown) {
				t.Errorf("%s of a webhook of somebody else: %v", what, err)
			}
		}
		if list, err := r.hooks.Webhooks(t.Context(), eva); err != nil || len(list) != 1 {
			t.Errorf("%v, %v", list, err)
		}
	})
}

func TestAddressesAndSecretsAreNotInTheDatabaseInClear(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		ana := r.person(t, "ana@example.cl")
		id, first := r.register(t, ana, "https://hooks.example.org/in?token=s3cret")
		_, second, err := r.hooks.Rotate(t.Context(), ana, id)
		must(t, err)
		var seen strings.Builder
		for _, column := range []string{"address FROM webhooks", "sealed FROM webhook_secrets"} {
			rows, err := r.raw.QueryContext(t.Context(), "SELECT "+column)
			must(t, err)
			for rows.Next() {
				var text string
				must(t, rows.Scan(&text))
				seen.WriteString(text + "\n")
			}
			must(t, errors.Join(rows.Err(), rows.Close()))
		}
		if strings.Count(seen.String(), "\n") != 3 {
			t.Fatalf("the check sees nothing: %q", seen.String())
		}
		for _, secret := range []string{"s3cret", "hooks.example", "https:", "whsec_", strings.TrimPrefix(first, "whsec_"),
			strings.TrimPrefix(second, "whsec_")} {
			if strings.Contains(seen.String(), secret) {
				t.Errorf("%q can be read", secret)
			}
		}
		for _, printed := range []string{fmt.Sprintf("%+v", r.hooks), fmt.Sprintf("%#v", r.hooks)} {
			if strings.Contains(printed, first) {
				t.Error("a secret is printed")
			}
		}
	})
}

func TestSecretsThatSignAtOnceAreFew(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		ana := r.person(t, "ana@example.cl")
		id, _ := r.register(t, ana, "https://hooks.example.org/")
		for range 3 {
			_, _, err := r.hooks.Rotate(t.Context(), ana, id)
			must(t, err)
			r.advance(time.Minute)
		}
		if _, _, err := r.hooks.Rotate(t.Context(), ana, id); !errors.Is(err, webhook.ErrManySecrets) {
			t.Errorf("a fifth secret: %v", err)
		}
		r.advance(webhook.Overlap)
		if _, _, err := r.hooks.Rotate(t.Context(), ana, id); err != nil {
			t.Error(err)
		}
	})
}

func TestTestsAreCountedOverAllWebhooksOfAPerson(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		ana, eva := r.person(t, "ana@example.cl"), r.person(t, "eva@example.cl")
		for i := range webhook.TestsPerHour { // removing a webhook does not reset the count
			id, _ := r.register(t, ana, fmt.Sprintf("https://hooks.example.org/%d", i))
			r.test(t, ana, id)
			must(t, r.hooks.Remove(t.Context(), ana, id))
		}
		id, _ := r.register(t, ana, "https://hooks.example.org/")
		if _, err := r.hooks.Test(t.Context(), ana, id); !errors.Is(err, webhook.ErrTooManyTests) {
			t.Errorf("a test too many: %v", err)
		}
		other, _ := r.register(t, eva, "https://hooks.example.org/")
		logged := map[string]webhook.Delivery{}
		for range 3 { // at the same moment
			sent := r.test(t, eva, other)
			logged[sent.EventID] = sent
		}
		_, list := r.log(t, eva, other)
		for _, d := range list {
			if diff := cmp.Diff(logged[d.EventID], d); diff != "" {
				t.Errorf("what a test gives (-) is not what the log has (+): %s", diff)
			}
		}
		if len(list) != 3 || len(logged) != 3 {
			t.Errorf("%d tests are in the log", len(list))
		}
		r.advance(time.Hour)
		r.test(t, ana, id)
	})
}

func TestTheLogOfAWebhookIsBoundedAndSwept(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, _ *receiver, ana, id, _ string) {
		for i := range 70 {
			_, err := r.raw.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO webhook_events (id, type, batch_id, body,
				created_at) VALUES ('batch_%02d', 'batch.published', '%02[1]d', '{}', %d)`, i, noon.UnixMilli()+int64(i)))
			must(t, err)
			_, err = r.raw.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO webhook_deliveries (webhook_id, event_id,
				created_at, attempts, ended, ended_at) VALUES ('%s', 'batch_%02d', %d, 1, 'delivered', %[3]d)`, id, i,
				noon.UnixMilli()+int64(i)))
			must(t, err)
		}
		r.advance(time.Second)
		stop := r.send(t)
		waittest.Until(t, "the log is cut", func() bool { return r.count(t, "SELECT count(*) FROM webhook_deliveries") == 50 })
		stop()
		_, list := r.log(t, ana, id)
		if len(list) != 50 || list[0].BatchID != "69" || list[49].BatchID != "20" {
			t.Errorf("%d, from %+v to %+v", len(list), list[0], list[len(list)-1])
		}
		r.setClock(noon.Add(31 * 24 * time.Hour))
		r.send(t)
		waittest.Until(t, "old events are removed", func() bool {
			return r.count(t, "SELECT (SELECT count(*) FROM webhook_deliveries) + (SELECT count(*) FROM webhook_events)") == 0
		})
	})
}

func TestWhoIsForgottenHasNoWebhooks(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, ana, id, _ string) {
		eva := r.person(t, "eva@example.cl")
		other, _ := r.register(t, eva, in.URL+"/eva")
		r.enqueue(t, 1)
		r.test(t, ana, id)
		must(t, r.store.Forget(t.Context(), ana))
		for table, want := range map[string]int{"webhooks": 1, "webhook_secrets": 1, "webhook_deliveries": 1} {
			if n := r.count(t, "SELECT count(*) FROM "+table); n != want {
				t.Errorf("%s has %d rows, want %d", table, n, want)
			}
		}
		_, _, err := r.hooks.Register(t.Context(), ana, "https://hooks.example.org")
		if !errors.Is(err, account.ErrNoSession) {
			t.Errorf("who is gone registers: %v", err)
		}
		r.send(t)
		if got := in.next(t); got.path != "/eva" {
			t.Errorf("%s got a message", got.path)
		}
		r.untilTried(t, eva, other, 1)
		if len(in.got) > 0 {
			t.Error("a message of a removed webhook was sent")
		}
	})
}

// A message that is under way when its webhook is removed changes nothing afterwards.
func TestAWebhookMayBeRemovedWhileItIsSentTo(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, ana, id, _ string) {
		release := make(chan struct{})
		in.answers(func(http.ResponseWriter, *http.Request) { <-release })
		r.test(t, ana, id)
		stop := r.send(t)
		in.next(t)
		must(t, r.hooks.Remove(t.Context(), ana, id))
		close(release)
		stop()
		if n := r.count(t, "SELECT count(*) FROM webhook_deliveries"); n != 0 {
			t.Errorf("%d deliveries", n)
		}
		if r.logged.Len() > 0 {
			t.Errorf("logged: %s", r.logged)
		}
	})
}

func TestANewPepperErasesWebhooks(t *testing.T) {
	accounttest.Each(t, func(t *testing.T, db accounttest.Database) {
		r := newRig(t, db)
		ana := r.person(t, "ana@example.cl")
		r.register(t, ana, "https://hooks.example.org")
		_, err := account.ReplacePepper(t.Context(), db.DSN, t.TempDir()+"/pepper")
		must(t, err)
		if n := r.count(t, "SELECT (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM webhook_secrets)"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

func TestCountsAreThoseOfAllWebhooks(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, ana, id, _ string) {
		in.answersWith(410)
		r.test(t, ana, id)
		r.advance(90 * time.Second)
		got, err := r.hooks.Count(t.Context())
		must(t, err)
		if want := (webhook.Count{Waiting: 1, Overdue: 90 * time.Second}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		stop := r.send(t)
		in.next(t)
		waittest.Until(t, "it is given up", func() bool {
			got, err = r.hooks.Count(t.Context())
			must(t, err)
			return got == webhook.Count{GivenUp: 1, Disabled: 1}
		})
		stop()
		lines := strings.Split(strings.TrimSpace(r.logged.String()), "\n")
		if len(lines) != 1 || !strings.Contains(lines[0], id) || slices.ContainsFunc([]string{"127.0.0.1", "of=ana"},
			func(part string) bool { return strings.Contains(lines[0], part) }) {
			t.Errorf("logged: %q", lines)
		}
	})
}
