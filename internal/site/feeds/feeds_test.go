package feeds_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/demo/synth"
	"cuota/internal/account"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/feeds"
	"cuota/internal/site/marketpages"
	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/query"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// anyKey accepts every key and counts nothing.
type anyKey struct{ httpapi.Keys }

func (anyKey) Authenticate(context.Context, string) (account.Key, error) { return account.Key{}, nil }

func (anyKey) Spend(context.Context, account.Key, time.Time) (account.Usage, error) {
	return account.Usage{Allowed: true}, nil
}

// serve serves a small synthetic market with its feeds.
func serve(t *testing.T) http.Handler {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "market")
	_, err := synth.Write(t.Context(), dir,
		synth.Config{Series: 60, Days: 130, Seed: 7, End: model.NewDate(2025, time.July, 20)}, nil)
	must(t, err)
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	m.Build(t)
	conn, err := clickhouse.Open(m.Options)
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	server, err := query.New(query.Config{
		HTTP: httpapi.Config{Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9}},
		Pages: func(s *query.Server) query.Pages {
			market := marketpages.MarketOf(s.PageBatch)
			frame := site.New(site.Config{Published: market.Published})
			return query.Pages{NotFound: frame.Problem, Operations: slices.Concat(
				feeds.Operations(feeds.Config{Frame: frame, Market: market, BaseURL: "https://fondos.example"}))}
		},
	}, conn, anyKey{}, zerolog.Nop())
	must(t, err)
	must(t, server.Refresh(t.Context()))
	return server.Handler()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get reads an address, with a key if it is one of the API.
func get(t *testing.T, handler http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, target, nil)
	if strings.HasPrefix(target, "/api/") {
		request.Header.Set("X-Api-Key", "any")
	}
	got := httptest.NewRecorder()
	handler.ServeHTTP(got, request)
	if got.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", target, got.Code, got.Body)
	}
	return got
}

// read is a feed as a reader of feeds sees it.
type read struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Summary string `xml:"summary"`
		Link    struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

func feedAt(t *testing.T, handler http.Handler, target string) (of read) {
	t.Helper()
	got := get(t, handler, target)
	if kind := got.Header().Get("Content-Type"); kind != "application/atom+xml; charset=utf-8" {
		t.Errorf("%s has the type %s", target, kind)
	}
	must(t, xml.Unmarshal(got.Body.Bytes(), &of))
	ids := []string{of.ID}
	for _, e := range of.Entries {
		ids = append(ids, e.ID)
		if _, err := time.Parse(time.RFC3339, e.Updated); err != nil || e.Title == "" || e.Summary == "" {
			t.Errorf("%s: %+v", target, e)
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(of.Entries)+1 || !strings.HasPrefix(ids[0], "urn:uuid:") {
		t.Errorf("%s: ids %v", target, ids)
	}
	if of.Author == "" || len(of.Links) != 2 || of.Links[0].Href != "https://fondos.example"+target {
		t.Errorf("%s: author %q, links %v", target, of.Author, of.Links)
	}
	return of
}

// Both feeds are of one market, because to build it takes longer than to read it.
func TestFeedsHaveWhatTheAPIAnswers(t *testing.T) {
	t.Parallel()
	handler := serve(t)
	t.Run("batches", func(t *testing.T) { batchesAreThoseOfTheAPI(t, handler) })
	t.Run("costs", func(t *testing.T) { costsAreThoseOfTheAPI(t, handler) })
}

func batchesAreThoseOfTheAPI(t *testing.T, handler http.Handler) {
	t.Helper()
	var list struct {
		Data []struct {
			ID         string
			Attributes struct {
				PublishedAt time.Time `json:"published_at"`
				AsOf        string    `json:"as_of_date"`
			}
		}
	}
	must(t, json.Unmarshal(get(t, handler, "/api/batches").Body.Bytes(), &list))
	of := feedAt(t, handler, "/lotes.atom?lang=en")
	if len(list.Data) == 0 || len(of.Entries) != len(list.Data) {
		t.Fatalf("%d batches, %d entries", len(list.Data), len(of.Entries))
	}
	for i, batch := range list.Data {
		e := of.Entries[i]
		if !strings.Contains(e.Summary, batch.ID) || e.Updated != batch.Attributes.PublishedAt.Format(time.RFC3339) {
			t.Errorf("batch %s of %s: %+v", batch.ID, batch.Attributes.PublishedAt, e)
		}
	}
	if of.Updated != of.Entries[0].Updated {
		t.Errorf("the feed was updated at %s, its newest entry at %s", of.Updated, of.Entries[0].Updated)
	}
	if spanish := feedAt(t, handler, "/lotes.atom?lang=es"); spanish.Title == of.Title || spanish.ID != of.ID {
		t.Errorf("in Spanish: %q with the id %s; in English: %q with %s", spanish.Title, spanish.ID, of.Title, of.ID)
	}
}

func costsAreThoseOfTheAPI(t *testing.T, handler http.Handler) {
	t.Helper()
	var want []string
	for _, month := range []string{"2025-06-30", "2025-05-31", "2025-04-30"} {
		for _, direction := range []string{"up", "down"} {
			var list struct {
				Data []struct {
					SerieID, FundName, Serie string
					TAC, TACPrevious         float64
				}
			}
			must(t, json.Unmarshal(get(t, handler,
				"/api/reports/tac-changes?limit=100&date="+month+"&direction="+direction).Body.Bytes(), &list))
			verb := map[string]string{"up": "rises", "down": "falls"}[direction]
			for _, of := range list.Data {
				want = append(want, fmt.Sprintf("%s, %s: the TAC %s, %.3f%% → %.3f%% https://fondos.example/series/%s?lang=en",
					of.FundName, of.Serie, verb, of.TACPrevious*100, of.TAC*100, of.SerieID))
			}
		}
	}
	of := feedAt(t, handler, "/tac.atom?lang=en")
	var got []string
	for _, e := range of.Entries {
		got = append(got, strings.ReplaceAll(e.Title, "\u00a0", "")+" "+e.Link.Href)
	}
	if len(want) == 0 {
		t.Fatal("the market has no changes of costs")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if of.Entries[0].Updated != "2025-07-01T04:00:00Z" { // when June had ended in Santiago
		t.Errorf("a change of June was updated at %s", of.Entries[0].Updated)
	}
	if published := feedAt(t, handler, "/lotes.atom?lang=en").Updated; of.Updated != published {
		t.Errorf("the feed was updated at %s, and the batch published at %s", of.Updated, published)
	}
}
