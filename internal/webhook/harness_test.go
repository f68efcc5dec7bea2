package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/tlstest"
	"cuota/internal/testkit/waittest"
	"cuota/internal/webhook"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// patience is the timeout of each wait. No wait is expected to take that long.
const patience = 2 * time.Minute

const site = "https://funds.example.org"

var noon = time.Date(2026, 7, 15, 16, 0, 0, 0, time.UTC)

// rig is an account store with webhooks.
type rig struct {
	dsn    string
	raw    *sql.DB // direct access to the account database
	store  *account.Store
	hooks  *webhook.Hooks
	config webhook.Config
	clock  *atomic.Pointer[time.Time]
	logged *bytes.Buffer // what senders log; read it when they have stopped
	conn   driver.Conn   // nil without batches
}

func eachDatabase(t *testing.T, prove func(t *testing.T, r *rig)) {
	accounttest.Each(t, func(t *testing.T, db accounttest.Database) { prove(t, newRig(t, db)) })
}

// newRig makes a rig whose policy allows private addresses, because receivers of tests are on this machine.
func newRig(t testing.TB, db accounttest.Database) *rig {
	t.Helper()
	r := &rig{dsn: db.DSN, raw: db.Raw, clock: &atomic.Pointer[time.Time]{}, logged: &bytes.Buffer{}}
	r.setClock(noon)
	r.store = r.openStore(t)
	r.config = webhook.Config{Site: site, Private: true, Now: r.now, Every: 5 * time.Millisecond}
	r.hooks = r.newHooks(t)
	return r
}

// withBatches gives a rig an empty database of batches.
func (r *rig) withBatches(t testing.TB) *rig {
	t.Helper()
	var err error
	r.conn, err = clickhouse.Open(demotest.Schema(t))
	must(t, err)
	t.Cleanup(func() { must(t, r.conn.Close()) })
	return r
}

func (r *rig) now() time.Time             { return *r.clock.Load() }
func (r *rig) setClock(at time.Time)      { r.clock.Store(&at) }
func (r *rig) advance(step time.Duration) { r.setClock(r.now().Add(step)) }

func (r *rig) openStore(t testing.TB) *account.Store {
	t.Helper()
	store, err := account.Open(t.Context(), r.dsn, bytes.Repeat([]byte{7}, 32), account.WithTimeout(patience),
		account.WithClock(r.now))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	return store
}

// newHooks makes the webhooks of another process.
func (r *rig) newHooks(t testing.TB) *webhook.Hooks {
	t.Helper()
	hooks, err := webhook.New(r.config, r.openStore(t))
	must(t, err)
	return hooks
}

// send runs a sender of a process of its own until the test ends, or until stop is called.
func (r *rig) send(t testing.TB) (stop func()) {
	t.Helper()
	s := webhook.NewSender(r.newHooks(t), zerolog.New(zerolog.SyncWriter(r.logged)))
	must(t, s.Start())
	var once sync.Once
	stop = func() { once.Do(func() { must(t, s.Stop(context.Background())) }) }
	t.Cleanup(stop)
	return stop
}

// person signs a person in.
func (r *rig) person(t testing.TB, email string) (id string) {
	t.Helper()
	session, err := r.store.SignInIdentity(t.Context(), account.Identity{Issuer: "test", Subject: email, Email: email}, "")
	must(t, err)
	p, err := r.store.Session(t.Context(), session)
	must(t, err)
	return p.ID
}

func (r *rig) register(t testing.TB, person, address string) (id, secret string) {
	t.Helper()
	w, secret, err := r.hooks.Register(t.Context(), person, address)
	must(t, err)
	return w.ID, secret
}

// test asks for a test message, which a sender of another process sends.
func (r *rig) test(t testing.TB, person, id string) webhook.Delivery {
	t.Helper()
	d, err := r.hooks.Test(t.Context(), person, id)
	must(t, err)
	return d
}

func (r *rig) log(t testing.TB, person, id string) (webhook.Webhook, []webhook.Delivery) {
	t.Helper()
	w, list, err := r.hooks.Log(t.Context(), person, id)
	must(t, err)
	return w, list
}

// until waits until the newest delivery of a webhook is as a test wants it.
func (r *rig) until(t testing.TB, person, id, what string, is func(webhook.Delivery) bool) (d webhook.Delivery) {
	t.Helper()
	waittest.Until(t, what, func() bool {
		_, list := r.log(t, person, id)
		if len(list) == 0 {
			return false
		}
		d = list[0]
		return is(d)
	})
	return d
}

// untilTried waits until a number of attempts has ended.
func (r *rig) untilTried(t testing.TB, person, id string, attempts int64) webhook.Delivery {
	t.Helper()
	return r.until(t, person, id, fmt.Sprintf("%d attempts", attempts), func(d webhook.Delivery) bool {
		return d.Attempts == attempts && d.TriedAt != nil && d.TriedAt.Equal(r.now()) &&
			(d.NextAt == nil || d.NextAt.After(r.now()) && !d.NextAt.Equal(r.now().Add(time.Minute))) // no lease
	})
}

// enqueue lets a message about a batch wait for every webhook, without a batch.
func (r *rig) enqueue(t testing.TB, number int) (batchID string) {
	t.Helper()
	batchID = fmt.Sprintf("20260714-%d-abc", number)
	for _, statement := range []string{
		`INSERT INTO webhook_events (id, type, batch_id, body, created_at)
			VALUES ('batch_%[1]s', 'batch.published', '%[1]s', '{"of":"%[1]s"}', %[2]d)`,
		`INSERT INTO webhook_deliveries (webhook_id, event_id, created_at, due_at, attempts)
			SELECT id, 'batch_%[1]s', %[2]d, %[2]d, 0 FROM webhooks WHERE disabled_at IS NULL`,
	} {
		_, err := r.raw.ExecContext(t.Context(), fmt.Sprintf(statement, batchID, r.now().UnixMilli()))
		must(t, err)
	}
	return batchID
}

// publish writes the row that publishes a batch.
func (r *rig) publish(t testing.TB, number int, asOf string, at time.Time) (id string) {
	t.Helper()
	id = fmt.Sprintf("%s-%d-abc", strings.ReplaceAll(asOf, "-", ""), number)
	row, err := json.Marshal(map[string]any{"batch": number, "batch_id": id, "as_of_date": asOf, "calculation_date": asOf,
		"calculated_at": at.Format("2006-01-02 15:04:05.000"), "input_fingerprint": strings.Repeat("f", 64)})
	must(t, err)
	must(t, r.conn.Exec(t.Context(), "INSERT INTO batch FORMAT JSONEachRow\n"+string(row)))
	return id
}

// announcer makes the announcer of another process.
func (r *rig) announcer(t testing.TB) *webhook.Announcer {
	t.Helper()
	return webhook.NewAnnouncer(r.newHooks(t), r.conn, zerolog.Nop())
}

func (r *rig) look(t testing.TB) {
	t.Helper()
	must(t, r.announcer(t).Look(t.Context()))
}

// arrived is a message that reached a receiver.
type arrived struct {
	method, path string
	header       http.Header
	body         string
}

// id is the webhook-id of a message.
func (a arrived) id() string { return a.header.Get("webhook-id") }

// receiver is an https server on this machine.
type receiver struct {
	*httptest.Server
	roots  *x509.CertPool
	got    chan arrived
	answer atomic.Pointer[http.HandlerFunc]
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	certified := tlstest.For(t, "")
	in := &receiver{roots: certified.Roots, got: make(chan arrived, 10_000)}
	in.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		in.got <- arrived{r.Method, r.URL.RequestURI(), r.Header.Clone(), string(body)}
		if answer := in.answer.Load(); answer != nil {
			(*answer)(w, r)
		}
	}))
	in.TLS = &tls.Config{Certificates: certified.Server.Certificates}
	in.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail on purpose
	in.StartTLS()
	t.Cleanup(in.Close)
	return in
}

// answers sets how the receiver answers from now on.
func (in *receiver) answers(how http.HandlerFunc) { in.answer.Store(&how) }

func (in *receiver) answersWith(status int) {
	in.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// next waits for the next message.
func (in *receiver) next(t testing.TB) arrived {
	t.Helper()
	select {
	case a := <-in.got:
		return a
	case <-time.After(patience):
		t.Fatal("no message arrived")
		return arrived{}
	}
}

// receiving returns a rig with one webhook of ana at a receiver.
func receiving(t testing.TB, db accounttest.Database) (r *rig, in *receiver, person, id, secret string) {
	t.Helper()
	r, in = newRig(t, db), newReceiver(t)
	r.config.Roots = in.roots
	r.hooks = r.newHooks(t)
	person = r.person(t, "ana@example.cl")
	id, secret = r.register(t, person, in.URL+"/hook?of=ana")
	return r, in, person, id, secret
}

// verifies reports how many of the signatures of a message one secret has made. It is a verifier as receivers have it,
// written from the text of Standard Webhooks.
func (a arrived) verifies(t testing.TB, secret string) (signed int) {
	t.Helper()
	encoded, is := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil {
		t.Fatalf("not a secret: %v", err)
	}
	seconds := a.header.Get("webhook-timestamp")
	if _, err := strconv.ParseInt(seconds, 10, 64); err != nil {
		t.Fatalf("the timestamp is %q", seconds)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", a.id(), seconds, a.body)
	for one := range strings.SplitSeq(a.header.Get("webhook-signature"), " ") {
		version, text, _ := strings.Cut(one, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if version != "v1" || err != nil {
			t.Fatalf("not a signature: %q", one)
		}
		if hmac.Equal(given, mac.Sum(nil)) {
			signed++
		}
	}
	return signed
}

// count reads one number of the account database.
func (r *rig) count(t testing.TB, statement string, args ...any) (n int) {
	t.Helper()
	must(t, r.raw.QueryRowContext(t.Context(), statement, args...).Scan(&n))
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
