package alert_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
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

// alerts makes the alerts of one process. Each call gives a new one.
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
	a, err := alert.New(alert.Config{Site: site, Now: r.now, Every: 5 * time.Millisecond, Unsubscribe: func(person string, list account.MailingList) (page, oneClick string) {
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

// person signs a person in, who wants the given lists and watches the given series.
func (r *rig) person(t testing.TB, email string, alerts, summary bool, series ...string) (id string) {
	t.Helper()
	session, err := r.store.SignInIdentity(t.Context(), account.Identity{Issuer: "test", Subject: email, Email: email}, "")
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

type row map[string]any

func (r *rig) insert(t testing.TB, table string, rows ...row) {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("INSERT INTO " + table + " FORMAT JSONEachRow\n")
	for _, one := range rows {
		must(t, json.NewEncoder(&text).Encode(one))
	}
	must(t, r.conn.Exec(t.Context(), text.String()))
}

// made describes a series of an invented batch.
type made struct {
	id       int
	category any    // nil means unclassified
	move     any    // change on the cutoff's day in percent points; nil if there is none
	outlier  string // reason why the move is an outlier; "" if it is not
	tac      []any  // stated rates of the months up to that of the cutoff, newest last
	kind     string // kind of the rates; the default is real
	computed []any  // rates computed from the daily costs of the same months
	last     string // day of the last quote; the default is the cutoff
	closed   bool
	name     string
	aliases  []int // ids of its names, newest first
}

// instrument is a series of an investment fund in an invented batch.
type instrument struct {
	number int
	id     string
	status string
	last   string
}

// instruments writes the investment funds of a batch. It must be called before the batch is
// published.
func (r *rig) instruments(t testing.TB, batch int, list ...instrument) {
	t.Helper()
	r.insert(t, "fund", row{"batch": batch, "fund_id": 200, "run": "9278-9", "name": "FONDO DE INVERSIÓN ÑIRE", "vehicle": "investment_fund", "current": true})
	for _, one := range list {
		r.insert(t, "fi_instrument", row{"batch": batch, "instrument_id": one.id, "series_id": one.number, "listed": true, "fund_id": 200,
			"run": "9278-9", "serie": "I", "fund": "FONDO DE INVERSIÓN ÑIRE", "vehicle": "investment_fund", "regulatory_type": "RES",
			"status": one.status, "current": one.status == "active", "first_date": "2025-01-01", "last_date": one.last})
	}
}

// bookValues writes values of a series of an investment fund.
func (r *rig) bookValues(t testing.TB, number int, byDate map[string]string) {
	t.Helper()
	for date, value := range byDate {
		r.insert(t, "fi_day", row{"series_id": number, "date": date, "build": 1, "book_value": value, "currency": "PESOS"})
		r.insert(t, "fi_day_version", row{"date": date, "build": 1})
	}
}

// publish writes all rows of a batch, and at last the row that publishes it. It sets the clock
// to the day after the cutoff, unless the clock is later already.
func (r *rig) publish(t testing.TB, number int, asOf string, list ...made) {
	t.Helper()
	cutoff, err := time.Parse(time.DateOnly, asOf)
	must(t, err)
	if next := cutoff.AddDate(0, 0, 1).Add(16 * time.Hour); next.After(r.now()) {
		r.setClock(next)
	}
	monthEnd := func(ago int) string { // the month end that is this many months before that of the day after the cutoff
		next := cutoff.AddDate(0, 0, 1)
		return time.Date(next.Year(), next.Month()-time.Month(ago), 0, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	tables := map[string][]row{"fund": {{"batch": number, "fund_id": 100, "run": "8011-K", "name": "FONDO MUTUO AÑIL", "current": true}}}
	add := func(table string, rows ...row) { tables[table] = append(tables[table], rows...) }
	for _, one := range list {
		if one.last == "" {
			one.last = asOf
		}
		if one.kind == "" {
			one.kind = "real"
		}
		fund := 100
		if one.name != "" {
			fund = 1000 + one.id
			add("fund", row{"batch": number, "fund_id": fund, "run": "8011-K", "name": one.name, "current": true})
		}
		add("series", row{"batch": number, "series_id": one.id, "fund_id": fund, "run": "8011-K", "serie": fmt.Sprint("S", one.id),
			"category": one.category, "first_date": "2020-01-01", "last_date": one.last, "current": !one.closed, "alias_ids": append([]int{}, one.aliases...)})
		if one.last == asOf {
			add("market_day", row{"date": asOf, "series_id": one.id, "build": number, "currency": "PESOS",
				"previous_date": cutoff.AddDate(0, 0, -1).Format(time.DateOnly), "daily_change": one.move, "category": one.category, "daily_outlier": one.outlier})
		}
		for i, rate := range one.tac {
			add("tac_month", row{"batch": number, "series_id": one.id, "month": monthEnd(len(one.tac) - 1 - i), "kind": one.kind, "source": "stated", "tac": rate})
		}
		for i, rate := range one.computed {
			add("tac_month", row{"batch": number, "series_id": one.id, "month": monthEnd(len(one.computed) - 1 - i), "kind": one.kind, "source": "computed", "tac": rate})
		}
	}
	for table, rows := range tables {
		r.insert(t, table, rows...)
	}
	r.insert(t, "market_day_version", row{"date": asOf, "build": number})
	r.insert(t, "window_target", row{"batch": number, "window": "last_closed_month", "target_start": monthEnd(1), "target_end": monthEnd(0)})
	r.insert(t, "batch", row{"batch": number, "batch_id": fmt.Sprintf("%s-%d-abc", strings.ReplaceAll(asOf, "-", ""), number), "as_of_date": asOf,
		"calculation_date": asOf, "calculated_at": asOf + " 12:00:00.000", "input_fingerprint": strings.Repeat("f", 64)})
}

// quotes writes quotas of a series.
func (r *rig) quotes(t testing.TB, series int, byDate map[string]string) {
	t.Helper()
	for date, quota := range byDate {
		r.insert(t, "series_day", row{"series_id": series, "date": date, "build": 1, "quota": quota, "currency": "PESOS"})
		r.insert(t, "series_day_version", row{"date": date, "build": 1})
	}
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

// retire drops the rows of a batch, as the projector does once twenty newer batches are kept.
func (r *rig) retire(t testing.TB, batch int) {
	t.Helper()
	must(t, r.conn.Exec(t.Context(), fmt.Sprintf("DELETE FROM batch WHERE batch = %d", batch)))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
