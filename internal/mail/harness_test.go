package mail_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/mail"
	"cuota/internal/testkit/waittest"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is the timeout of each wait. No wait is expected to take that long.
const patience = 3 * time.Minute

var noon = time.Date(2026, 7, 15, 16, 0, 0, 0, time.UTC)

// rig is an outbox in a real store.
type rig struct {
	store  *account.Store
	outbox *mail.Outbox
	raw    *sql.DB // direct access to the database
	clock  *atomic.Pointer[time.Time]
}

func eachDatabase(t *testing.T, prove func(t *testing.T, r *rig)) {
	accounttest.Each(t, func(t *testing.T, db accounttest.Database) { prove(t, newRig(t, db)) })
}

func newRig(t *testing.T, db accounttest.Database) *rig {
	r := &rig{raw: db.Raw, clock: &atomic.Pointer[time.Time]{}}
	r.setClock(noon)
	var err error
	r.store, err = account.Open(t.Context(), db.DSN, bytes.Repeat([]byte{7}, 32), account.WithTimeout(patience))
	must(t, err)
	t.Cleanup(func() { must(t, r.store.Close()) })
	r.outbox, err = mail.NewOutbox(r.store, r.now)
	must(t, err)
	return r
}

func (r *rig) now() time.Time { return *r.clock.Load() }

func (r *rig) setClock(at time.Time) { r.clock.Store(&at) }

func (r *rig) enqueue(t testing.TB, messages ...mail.Message) {
	t.Helper()
	must(t, r.store.Transact(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		for _, m := range messages {
			if err := r.outbox.Enqueue(t.Context(), tx, m); err != nil {
				return err
			}
		}
		return nil
	}))
}

// send runs a sender until the test ends.
func (r *rig) send(t *testing.T, carrier mail.Carrier) {
	t.Helper()
	s := mail.NewSender(r.outbox, carrier, zerolog.Nop())
	must(t, s.Start())
	t.Cleanup(func() { must(t, s.Stop(context.Background())) })
}

// carrier counts the messages that it gets, and fails while a test tells it to.
type carrier struct {
	mu      sync.Mutex
	given   map[string]int
	failing atomic.Bool
	tried   chan string
}

func newCarrier() *carrier {
	return &carrier{given: map[string]int{}, tried: make(chan string, 1000)}
}

func (c *carrier) Carry(_ context.Context, m mail.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried <- m.ID
	if c.failing.Load() {
		return errors.New("no route")
	}
	c.given[m.ID]++
	return nil
}

func (c *carrier) awaits(t testing.TB) string {
	t.Helper()
	select {
	case id := <-c.tried:
		return id
	case <-time.After(patience):
		t.Fatal("nothing was carried")
		return ""
	}
}

func message(id string) mail.Message {
	return mail.Message{ID: id, To: "ana@example.cl", Subject: "Año nuevo",
		Text: "Hola: http://127.0.0.1/x?token=s3cret&y=1\n",
		HTML: "<p>Hola</p>", Unsubscribe: "https://funds.example.org/u?token=t"}
}

// rows returns the rows of the table as text.
func (r *rig) rows(t testing.TB) (found []string) {
	t.Helper()
	rows, err := r.raw.QueryContext(t.Context(),
		"SELECT id, recipient, COALESCE(sealed, 'erased'), attempts, due_at FROM outbox ORDER BY id")
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	for rows.Next() {
		var id, recipient, sealed string
		var attempts, due int64
		must(t, rows.Scan(&id, &recipient, &sealed, &attempts, &due))
		found = append(found, fmt.Sprintf("%s %s %s attempts=%d due=%s", id, recipient, sealed, attempts,
			time.UnixMilli(due).UTC().Format(time.RFC3339)))
	}
	must(t, rows.Err())
	return found
}

// untilErased waits until the contents of a number of messages are erased.
func (r *rig) untilErased(t testing.TB, messages int) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("%d messages are erased", messages), func() bool {
		return strings.Count(strings.Join(r.rows(t), "\n"), " erased ") == messages
	})
}

// untilDue waits until the first message was tried a number of times and is due at an instant.
func (r *rig) untilDue(t testing.TB, attempts int, at time.Time) {
	t.Helper()
	want := fmt.Sprintf("attempts=%d due=%s", attempts, at.Format(time.RFC3339))
	waittest.Until(t, want, func() bool { return strings.HasSuffix(r.rows(t)[0], want) })
}

// expiring returns a message that expires at an instant.
func expiring(id string, at time.Time) mail.Message {
	m := message(id)
	m.Expires = at
	return m
}

// ids lists the ids in the table.
func (r *rig) ids(t testing.TB) string {
	t.Helper()
	var ids []string
	for _, row := range r.rows(t) {
		id, _, _ := strings.Cut(row, " ")
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// to returns a message to an address.
func to(address, id string) mail.Message {
	m := message(id)
	m.To = address
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type carrierFunc func(context.Context, mail.Message) error

func (f carrierFunc) Carry(ctx context.Context, m mail.Message) error { return f(ctx, m) }
