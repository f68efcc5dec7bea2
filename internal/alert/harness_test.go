package alert_test

import (
	"bytes"
	"context"
	"database/sql"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/alert"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/mail"
	"cuota/internal/mail/mailtest"
	"cuota/internal/testkit/demotest"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// patience bounds what a test waits for; nothing is expected to take so long.
const patience = 2 * time.Minute

const site = "https://funds.example.org"

// rig is what alerts connect: published batches and an account store with people.
type rig struct {
	conn   driver.Conn
	dsn    string
	store  *account.Store
	outbox *mail.Outbox
	raw    *sql.DB // direct access to the account database
	clock  *atomic.Pointer[time.Time]
	// screens find the series of saved screens; nil: nothing does
	screens alert.Screens
}

func (r *rig) now() time.Time        { return *r.clock.Load() }
func (r *rig) setClock(at time.Time) { r.clock.Store(&at) }

// eachDatabase runs a test on every supported kind of account store.
func eachDatabase(t *testing.T, options func(testing.TB) *clickhouse.Options, prove func(t *testing.T, r *rig)) {
	accounttest.Each(t, func(t *testing.T, db accounttest.Database) { prove(t, rigOn(t, options(t), db)) })
}

func newRig(t testing.TB, options *clickhouse.Options) *rig {
	t.Helper()
	return rigOn(t, options, accounttest.SQLite(t))
}

func rigOn(t testing.TB, options *clickhouse.Options, db accounttest.Database) *rig {
	t.Helper()
	r := &rig{dsn: db.DSN, raw: db.Raw, clock: &atomic.Pointer[time.Time]{}}
	r.setClock(time.Date(2025, 1, 1, 16, 0, 0, 0, time.UTC))
	var err error
	r.conn, err = clickhouse.Open(options)
	must(t, err)
	t.Cleanup(func() { must(t, r.conn.Close()) })
	r.store = r.openStore(t)
	r.outbox, err = mail.NewOutbox(r.store, r.now)
	must(t, err)
	return r
}

func (r *rig) openStore(t testing.TB) *account.Store {
	t.Helper()
	store, err := account.Open(t.Context(), r.dsn, bytes.Repeat([]byte{7}, 32), account.WithTimeout(patience))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	return store
}

// alerts makes the alerts of one process. Each call returns a new one.
func (r *rig) alerts(t testing.TB) *alert.Alerts {
	t.Helper()
	store := r.openStore(t)
	outbox, err := mail.NewOutbox(store, r.now)
	must(t, err)
	return r.alertsInto(t, outbox)
}

func (r *rig) alertsInto(t testing.TB, outbox alert.Outbox) *alert.Alerts {
	t.Helper()
	return r.alertsOf(t, r.store, outbox)
}

func (r *rig) alertsOf(t testing.TB, store alert.Store, outbox alert.Outbox) *alert.Alerts {
	t.Helper()
	a, err := alert.New(alert.Config{Site: site, Now: r.now, Every: 5 * time.Millisecond, Screens: r.screens,
		Unsubscribe: func(person string, list account.MailingList) (page, oneClick string) {
			token := url.QueryEscape(r.store.UnsubscribeToken(person, list))
			return site + "/unsubscribe?token=" + token, site + "/one-click?token=" + token
		}}, r.conn, store, outbox, zerolog.Nop())
	must(t, err)
	return a
}

func (r *rig) look(t testing.TB) {
	t.Helper()
	must(t, r.alerts(t).Look(t.Context()))
}

// lookAt publishes a batch and looks.
func (r *rig) lookAt(t testing.TB, number int, asOf string, list ...made) {
	t.Helper()
	r.publish(t, number, asOf, list...)
	r.look(t)
}

// watching returns a rig in which ana wants both lists and watches series 1, after a look at a
// first batch.
func watching(t testing.TB) *rig {
	t.Helper()
	r := newRig(t, demotest.Schema(t))
	r.person(t, "ana@example.cl", true, true, "1")
	r.lookAt(t, 1, "2025-05-31", made{id: 1, category: "equity"})
	return r
}

// person signs a person in, who wants the given lists and watches the given series.
func (r *rig) person(t testing.TB, email string, alerts, summary bool, series ...string) (id string) {
	t.Helper()
	session, err := r.store.SignInIdentity(t.Context(), account.Identity{Issuer: "test", Subject: email, Email: email},
		"")
	must(t, err)
	p, err := r.store.Session(t.Context(), session)
	must(t, err)
	_, err = r.store.SetPreferences(t.Context(), p.ID, &alerts, &summary)
	must(t, err)
	for _, id := range series {
		must(t, r.store.Watch(t.Context(), p.ID, id))
	}
	return p.ID
}

// mails sends the waiting mails of the outbox to a relay and returns them as received, sorted
// by recipient and subject.
func (r *rig) mails(t testing.TB) (letters []mailtest.Letter) {
	t.Helper()
	var waiting int
	must(t, r.raw.QueryRowContext(t.Context(), "SELECT count(*) FROM outbox WHERE sealed IS NOT NULL").Scan(&waiting))
	if waiting == 0 {
		return nil
	}
	relay := mailtest.Start(t, mailtest.Script{})
	carrier, err := mail.NewSMTP(relay.URL(), "Cuota <cuota@example.org>", relay.Roots)
	must(t, err)
	sender := mail.NewSender(r.outbox, carrier, zerolog.Nop())
	must(t, sender.Start())
	for range waiting {
		letters = append(letters, relay.Next(t))
	}
	must(t, sender.Stop(context.Background()))
	letters = append(letters, relay.Waiting()...)
	slices.SortFunc(letters, func(a, b mailtest.Letter) int { return strings.Compare(a.To+a.Subject, b.To+b.Subject) })
	return letters
}

// addressees lists who got which kind of mail.
func addressees(letters []mailtest.Letter) []string {
	var list []string
	for _, l := range letters {
		kind, _, _ := strings.Cut(l.Subject, " ")
		list = append(list, l.To+" "+kind)
	}
	return list
}

func wantMails(t testing.TB, got []mailtest.Letter, want ...string) {
	t.Helper()
	if found := addressees(got); !slices.Equal(found, want) {
		t.Fatalf("mails %v, want %v", found, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
