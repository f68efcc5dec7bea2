package web_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/account/web"
	"cuota/internal/httpapi"
	"cuota/internal/mail"
	"cuota/internal/testkit/openapitest"
	"cuota/model"
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
	post   *post
	clock  *atomic.Pointer[time.Time]
	logged *lockedBuffer
	market *market
	files  string // directory of the database
	server *httptest.Server
}

type options struct {
	http   bool // serve over http as on one machine; otherwise https
	google web.Google
	folder string // folder for mails; if "", they go to post
	files  web.MailFiles

	timeout time.Duration // of the account store; 0 means patience
}

func newRig(t testing.TB, o options) *rig {
	t.Helper()
	r := &rig{clock: &atomic.Pointer[time.Time]{}, logged: &lockedBuffer{}, market: &market{}, files: t.TempDir(), post: newPost()}
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
	area, err := web.New(web.Config{BaseURL: r.base, Origins: []string{frontEnd}, Google: o.google, MailFiles: files, Now: now}, r.store, r.outbox, r.market, log)
	must(t, err)
	// Nothing listens there, because these tests read no data.
	conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{"127.0.0.1:1"}, Protocol: clickhouse.HTTP})
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	data, err := query.New(query.Config{HTTP: httpapi.Config{
		Area: area, Now: now, Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}}, conn, r.store, log)
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

// market gives the series that exist: one of a mutual fund, which had another id before; a
// closed one of an ETF whose name is an attack; one that is known by its id only; and those of
// a fund with more series than a page shows.
type market struct{ gone, silent atomic.Bool }

const (
	fundSeries   = "1161378270"
	formerSeries = "1161378271" // the former id of fundSeries
	etfSeries    = "6ba7b810-9dad-51d1-80b4-00c04fd430c8"
	youngSeries  = "4242"
	manySeries   = 60
)

var errMarketGone = errors.New("the market is gone")

func (m *market) names() []model.SeriesName {
	list := []model.SeriesName{
		{IDs: []string{fundSeries, formerSeries}, Fund: "FONDO MUTUO ÑANDÚ RENTA", RUN: "9809-4", Serie: "B"},
		{IDs: []string{etfSeries}, Fund: `ETF <script>alert("x")</script> & CO`, RUN: "9278-9", Serie: "ÚNICA", Closed: true},
	}
	for i := range manySeries {
		list = append(list, model.SeriesName{IDs: []string{fmt.Sprint(7000 + i)}, Fund: "MUCHAS SERIES", RUN: "8011-K", Serie: fmt.Sprint("S", i)})
	}
	return list
}

func (m *market) among(is func(model.SeriesName) bool) ([]model.SeriesName, error) {
	if m.gone.Load() {
		return nil, errMarketGone
	}
	return slices.DeleteFunc(m.names(), func(n model.SeriesName) bool { return !is(n) }), nil
}

func (m *market) HasSeries(_ context.Context, id string) (bool, error) {
	named, err := m.NameSeries(context.Background(), []string{id})
	return len(named) > 0 || id == youngSeries, err
}

func (m *market) FindSeries(_ context.Context, text string, most int) ([]model.SeriesName, error) {
	found, err := m.among(func(n model.SeriesName) bool {
		return slices.Contains(n.IDs, text) || strings.EqualFold(n.RUN, text) || strings.Contains(n.Fund, strings.ToUpper(text))
	})
	return found[:min(most, len(found))], err
}

func (m *market) NameSeries(ctx context.Context, ids []string) ([]model.SeriesName, error) {
	if m.silent.Load() { // wait until the caller gives up
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return m.among(func(n model.SeriesName) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(n.IDs, id) })
	})
}

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

// linkTo waits for the next mail, checks its recipient, and gives its link.
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

// browser is a client with cookies that sends an Origin with its writes and does not follow
// redirects.
type browser struct {
	t      testing.TB
	rig    *rig
	client *http.Client
	origin string // of its writes
	header http.Header
}

func (r *rig) browser(t testing.TB) *browser {
	jar, err := cookiejar.New(nil)
	must(t, err)
	client := *r.server.Client()
	client.Jar = jar
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{t: t, rig: r, client: &client, origin: r.base, header: http.Header{}}
}

// answer is a response that was checked against the document.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (b *browser) do(method, target, contentType, body string) answer {
	b.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.rig.base + target
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, target, strings.NewReader(body))
	must(b.t, err)
	for name, values := range b.header {
		request.Header[name] = values
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if b.origin != "" && method != http.MethodGet && method != http.MethodHead {
		request.Header.Set("Origin", b.origin)
	}
	response, err := b.client.Do(request)
	must(b.t, err)
	text, err := io.ReadAll(response.Body)
	must(b.t, err)
	must(b.t, response.Body.Close())
	got := answer{b.t, response.StatusCode, response.Header, string(text)}
	if strings.HasPrefix(request.URL.Path, "/api/") && request.URL.Path != "/api/key/info" && method != http.MethodHead && method != http.MethodOptions {
		got.conforms(request)
	}
	return got
}

func (b *browser) get(target string) answer {
	b.t.Helper()
	return b.do(http.MethodGet, target, "", "")
}

// page requests a page as a browser does.
func (b *browser) page(target string) answer {
	b.t.Helper()
	b.header.Set("Accept", "text/html,application/xhtml+xml")
	defer b.header.Del("Accept")
	return b.get(target)
}

func (b *browser) form(target string, pairs ...string) answer {
	b.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return b.do(http.MethodPost, target, "application/x-www-form-urlencoded", values.Encode())
}

func (b *browser) json(method, target string, body any) answer {
	b.t.Helper()
	text, err := json.Marshal(body)
	must(b.t, err)
	return b.do(method, target, "application/json", string(text))
}

// cookie gives the value of the browser's cookie for the service.
func (b *browser) cookie(name string) string {
	u, err := url.Parse(b.rig.base)
	must(b.t, err)
	for _, cookie := range b.client.Jar.Cookies(u) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// register goes through the whole registration and gives the key.
func (b *browser) register(address string) (key string) {
	b.t.Helper()
	b.form("/register", "email", address).want(http.StatusSeeOther)
	link := b.rig.linkTo(b.t, strings.ToLower(address))
	b.page(link.String()).want(http.StatusOK)
	return b.form("/register/confirm", "token", link.Query().Get("token")).want(http.StatusOK).key()
}

// signIn goes through the whole sign-in.
func (b *browser) signIn(address string) {
	b.t.Helper()
	b.form("/sign-in", "email", address, "return_url", b.rig.base+"/account").want(http.StatusSeeOther)
	link := b.rig.linkTo(b.t, strings.ToLower(address))
	b.form("/sign-in/confirm", "token", link.Query().Get("token")).want(http.StatusSeeOther)
}

// keyStatus gives the status with which the data endpoints answer a key.
func (b *browser) keyStatus(key string) int {
	b.t.Helper()
	b.header.Set("X-Api-Key", key)
	defer b.header.Del("X-Api-Key")
	return b.get("/api/key/info").status
}

func (got answer) want(status int) answer {
	got.t.Helper()
	if got.status != status {
		got.t.Fatalf("status %d, want %d: %.600s", got.status, status, got.body)
	}
	return got
}

func (got answer) code() string {
	var body struct{ Code string }
	_ = json.Unmarshal([]byte(got.body), &body)
	return body.Code
}

// violation gives the first violation of a 422 response, as loc:type.
func (got answer) violation() string {
	var body struct {
		Detail []struct {
			Loc  []string
			Type string
		}
	}
	if json.Unmarshal([]byte(got.body), &body) != nil || len(body.Detail) == 0 {
		return ""
	}
	return strings.Join(body.Detail[0].Loc, ".") + ":" + body.Detail[0].Type
}

var keyForm = regexp.MustCompile(`cuota_[0-9A-Za-z]{49}`)

func (got answer) key() string {
	got.t.Helper()
	key := keyForm.FindString(got.body)
	if key == "" {
		got.t.Fatalf("no key in: %.600s", got.body)
	}
	return key
}

func decode[T any](got answer) T {
	got.t.Helper()
	var body T
	must(got.t, json.Unmarshal([]byte(got.body), &body))
	return body
}

var document = openapitest.New(query.Document(), "../../../query/examples")

// conforms checks a response of an operation against openapi.json. Pages are not in the
// document.
func (got answer) conforms(request *http.Request) {
	got.t.Helper()
	known := strings.HasPrefix(request.URL.Path, "/api/auth/") || strings.HasPrefix(request.URL.Path, "/api/me") || strings.HasPrefix(request.URL.Path, "/api/alerts/")
	if !known || strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || got.code() == "not_found" && got.status == http.StatusNotFound && request.Method != http.MethodPost || got.status == http.StatusMethodNotAllowed {
		return
	}
	document.Conforms(got.t, request, got.status, got.header, []byte(got.body))
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
