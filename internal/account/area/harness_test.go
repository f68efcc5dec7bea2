package area_test

import (
	"bytes"
	"cmp"
	"context"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/account/area"
	"cuota/internal/httpapi"
	"cuota/internal/mail"
	"cuota/internal/site"
	"cuota/internal/webhook"
	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
)

// patience is the timeout of each wait. No wait is expected to take that long.
const patience = 3 * time.Minute

// noon is noon of an ordinary Santiago day.
var noon = time.Date(2026, 7, 15, 16, 0, 0, 0, time.UTC)

var pepper = []byte("pepper-pepper-pepper-pepper-pepp")

// frontEnd is an allowed origin other than the service's own.
const frontEnd = "https://app.example.org"

// rig is the whole service except its data: the query server over a real connection, with the
// account area, a real store and a real outbox.
type rig struct {
	base   string
	store  *account.Store
	outbox *mail.Outbox
	hooks  *webhook.Hooks
	post   *post
	clock  *atomic.Pointer[time.Time]
	logged *lockedBuffer
	market *market
	files  string // directory of the database
	server *httptest.Server
}

type options struct {
	http   bool // serve over http as on one machine; otherwise https
	google area.Google
	folder string // folder for mails; if "", they go to post
	files  area.MailFiles
	mails  area.Mails

	timeout time.Duration // of the account store; 0 means patience
}

func newRig(t testing.TB, o options) *rig {
	t.Helper()
	r := &rig{clock: &atomic.Pointer[time.Time]{}, logged: &lockedBuffer{}, market: &market{}, files: t.TempDir(),
		post: newPost()}
	r.setClock(noon)
	now := func() time.Time { return *r.clock.Load() }
	log := zerolog.New(r.logged)
	var err error
	r.store, err = account.Open(t.Context(), accounttest.SQLiteDSN(filepath.Join(r.files, "accounts.db")), pepper,
		account.WithClock(now), account.WithTimeout(cmp.Or(o.timeout, patience)))
	must(t, err)
	t.Cleanup(func() { _ = r.store.Close() })
	r.outbox, err = mail.NewOutbox(r.store, now)
	must(t, err)
	var carrier mail.Carrier = r.post
	files := o.files
	if o.folder != "" {
		folder, err := mail.NewFolder(o.folder, "cuota@example.org", log)
		must(t, err)
		carrier, files = folder, folder
	}
	sender := mail.NewSender(r.outbox, carrier, log)
	must(t, sender.Start())
	t.Cleanup(func() { must(t, sender.Stop(context.Background())) })

	r.server = httptest.NewUnstartedServer(nil)
	r.base = "https://" + r.server.Listener.Addr().String()
	if o.http {
		r.base = "http://" + r.server.Listener.Addr().String()
	}
	r.hooks, err = webhook.New(webhook.Config{Site: r.base, Now: now}, r.store)
	must(t, err)
	handler, err := area.New(area.Config{BaseURL: r.base, Origins: []string{frontEnd}, Google: o.google,
		Mails: o.mails, MailFiles: files, Now: now}, r.store, r.outbox, r.hooks, r.market, log)
	must(t, err)
	// Nothing listens there, because these tests read no data.
	conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{"127.0.0.1:1"}, Protocol: clickhouse.HTTP})
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	data, err := query.New(query.Config{HTTP: httpapi.Config{
		Area: handler, Links: r.store, Now: now, Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}, Pages: func(*query.Server) query.Pages { return query.Pages{Operations: site.Assets()} }}, conn, r.store, log)
	must(t, err)
	r.server.Config.Handler = data.Handler()
	if o.http {
		r.server.Start()
	} else {
		r.server.StartTLS()
	}
	t.Cleanup(r.server.Close)
	return r
}

func (r *rig) setClock(at time.Time) { r.clock.Store(&at) }

func (r *rig) advance(by time.Duration) { r.setClock(r.clock.Load().Add(by)) }

// post records the mails that were carried.
type post struct {
	mu       sync.Mutex
	messages []mail.Message
	arrived  chan struct{}
}

func newPost() *post { return &post{arrived: make(chan struct{}, 1000)} }

func (p *post) Carry(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
	p.arrived <- struct{}{}
	return nil
}

// to waits for the next mail and checks its recipient.
func (p *post) to(t testing.TB, address string) mail.Message {
	t.Helper()
	select {
	case <-p.arrived:
	case <-time.After(patience):
		t.Fatalf("no mail to %s arrived", address)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.messages[0]
	p.messages = p.messages[1:]
	if m.To != address {
		t.Fatalf("a mail to %s, want one to %s", m.To, address)
	}
	return m
}

var linkForm = regexp.MustCompile(`https?://\S+`)

// linkTo waits for the next mail, checks its recipient, and returns its link.
func (r *rig) linkTo(t testing.TB, address string) *url.URL {
	t.Helper()
	m := r.post.to(t, address)
	link, err := url.Parse(linkForm.FindString(m.Text))
	must(t, err)
	if !strings.Contains(m.HTML, strings.ReplaceAll(link.String(), "&", "&amp;")) {
		t.Errorf("the HTML of a mail has another link than its text")
	}
	return link
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
