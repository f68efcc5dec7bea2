package marketpages_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/demo/synth"
	"cuota/internal/account"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/docspages"
	"cuota/internal/site/marketpages"
	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/query"
	"cuota/sql"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// anyKey accepts every key and counts nothing.
type anyKey struct{}

func (anyKey) Authenticate(context.Context, string) (account.Key, error) { return account.Key{}, nil }
func (anyKey) Refund(context.Context, account.Key, time.Time) error      { return nil }

func (anyKey) Spend(context.Context, account.Key, time.Time) (account.Usage, error) {
	return account.Usage{Allowed: true}, nil
}
func (anyKey) Usage(context.Context, account.Key, time.Time) (account.Usage, error) {
	return account.Usage{Allowed: true}, nil
}

// servedSite is the API with its pages.
type servedSite struct {
	t        testing.TB
	base     string
	accounts *account.Store
	mails    *mailbox // of the account area
	*query.Server
}

// serve starts a site over a database, and reads its published batch.
func serve(t testing.TB, options *clickhouse.Options, now time.Time) *servedSite {
	t.Helper()
	return serveAs(t, options, now, published)
}

// published is the market of the published batch.
func published(s *query.Server) marketpages.Market { return marketpages.MarketOf(s.PageBatch) }

// serveAs is serve with pages that read what market gives.
func serveAs(t testing.TB, options *clickhouse.Options, now time.Time,
	market func(*query.Server) marketpages.Market) *servedSite {
	t.Helper()
	conn, err := clickhouse.Open(options)
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	// The base address is known only when the server listens.
	var handler atomic.Pointer[http.Handler]
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*handler.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(listening.Close)
	mails := &mailbox{}
	accounts, area, series := accountArea(t, listening.URL, mails)
	server, err := query.New(query.Config{
		Returns: []string{"clp", "real_uf", "total"}, QueryTimeout: 3 * time.Minute,
		ClickHouse: sql.NewHTTP(options, "http://"+clickhousetest.Server(t).HTTP()),
		HTTP: httpapi.Config{Area: area, Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9}, Now: func() time.Time {
			return now
		}},
		Pages: func(s *query.Server) query.Pages {
			published := market(s)
			frame := site.New(site.Config{Published: published.Published, Accounts: true})
			return query.Pages{NotFound: frame.Problem, Operations: slices.Concat(
				marketpages.Operations(marketpages.Config{Frame: frame, Market: published, BaseURL: listening.URL}),
				docspages.Operations(docspages.Config{Frame: frame, BaseURL: listening.URL,
					Document: query.Document()}), site.Assets())}
		},
	}, conn, anyKey{}, zerolog.Nop())
	must(t, err)
	series.Server = server
	must(t, server.Refresh(t.Context()))
	served := server.Handler()
	handler.Store(&served)
	return &servedSite{t, listening.URL, accounts, mails, server}
}

// marketEnd is the last day of the synthetic market.
var marketEnd = model.NewDate(2025, time.July, 20)

// synthetic serves a synthetic market, in which everything is filled: closures, renames,
// exchanges, holdings, article 107, benchmarks and investment funds.
func synthetic(t testing.TB) *servedSite {
	t.Helper()
	return syntheticAs(t, published)
}

func syntheticAs(t testing.TB, market func(*query.Server) marketpages.Market) *servedSite {
	t.Helper()
	return syntheticOf(t, 240, 420, market)
}

// syntheticOf is syntheticAs with so many series and days.
func syntheticOf(t testing.TB, series, days int, market func(*query.Server) marketpages.Market) *servedSite {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "market")
	_, err := synth.Write(t.Context(), dir,
		synth.Config{Series: series, Days: days, Seed: 7, End: marketEnd, Bad: synth.DefaultBad}, nil)
	must(t, err)
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	m.Build(t)
	return serveAs(t, m.Options, marketEnd.Time().AddDate(0, 0, 3), market)
}

// get reads a path without a browser.
func (s *servedSite) get(target string, headers ...string) (status int, header http.Header, body string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+target, nil)
	must(s.t, err)
	request.Header.Set("X-Api-Key", "any")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	must(s.t, err)
	defer func() { must(s.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	must(s.t, err)
	return response.StatusCode, response.Header, string(text)
}
