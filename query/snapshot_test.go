package query_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// fromMemoryAndSQL returns two servers over one market, and the statements that the first one
// has run since. The second has no room for a snapshot.
func fromMemoryAndSQL(t *testing.T, options *clickhouse.Options) (memory, plain *rig, statements *atomic.Int64) {
	t.Helper()
	statements = &atomic.Int64{}
	memory = rigOver(t, watched{connect(t, options), func(string) { statements.Add(1) }}, unlimited)
	statements.Store(0)
	return memory, newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1}), statements
}

// source returns the source of a reply, from Server-Timing.
func (got answer) source() string {
	source, _, _ := strings.Cut(got.header.Get("Server-Timing"), ";")
	return source
}

// sameReply sends a request to both servers, without the checks of get.
func sameReply(t *testing.T, memory, plain *rig, target string) {
	t.Helper()
	sameReplyOf(t, memory, plain, target, http.StatusOK)
}

func sameReplyOf(t *testing.T, memory, plain *rig, target string, status int) {
	t.Helper()
	ask := func(r *rig) answer {
		request := r.request(http.MethodGet, target)
		request.Header.Set("X-Request-Id", "the-same")
		return serve(r.Handler(), request)
	}
	a, b := ask(memory), ask(plain)
	if a.status != status || b.status != status {
		t.Errorf("%s: status %d from memory, %d from SQL: %.300s", target, a.status, b.status, b.body)
		return
	}
	if status == http.StatusOK && (a.source() != "snapshot" || b.source() == "snapshot") {
		t.Errorf("%s: made of %s, and of %s", target, a.source(), b.source())
	}
	if !bytes.Equal(a.body, b.body) {
		at := 0
		for at < min(len(a.body), len(b.body)) && a.body[at] == b.body[at] {
			at++
		}
		around := func(body []byte) []byte { return body[max(0, at-150):min(len(body), at+150)] }
		t.Errorf("%s: memory has\n%s\nSQL has\n%s", target, around(a.body), around(b.body))
	}
}

// held lists what the replies of a batch can be asked for.
type held struct {
	managers, funds             []uint32
	categories, families, dates []string // dates are the cutoff and later ones
}

func (r *rig) held(t *testing.T) (h held) {
	t.Helper()
	must(t, r.conn.QueryRow(t.Context(), `SELECT
		(SELECT groupArray(manager_id) FROM current_manager), (SELECT groupArray(fund_id) FROM current_fund),
		(SELECT groupUniqArray(assumeNotNull(category)) FROM current_screener WHERE category IS NOT NULL),
		(SELECT groupUniqArray(assumeNotNull(family_rar)) FROM current_screener WHERE family_rar IS NOT NULL),
		(SELECT [toString(assumeNotNull(max(as_of_date))), toString(assumeNotNull(max(as_of_date)) + 1), '2149-06-06', '9999-12-31'] FROM batch)`,
	).Scan(&h.managers, &h.funds, &h.categories, &h.families, &h.dates))
	// Sorted, so that the same random numbers give the same requests. One value matches
	// nothing.
	slices.Sort(h.managers)
	slices.Sort(h.funds)
	slices.Sort(h.categories)
	slices.Sort(h.families)
	h.categories, h.families = append(h.categories, "none"), append(h.families, "none")
	return h
}

// preloadedRequest draws a request about the catalogues, or about the market at the cutoff.
func preloadedRequest(random *rand.Rand, h held) string {
	one := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	v := url.Values{}
	maybe := func(name string, choices ...string) {
		if random.IntN(2) == 0 {
			v.Set(name, one(choices...))
		}
	}
	path := one("providers", "funds", "series", "ranking", "summary", "changes", "all", "all", "all")
	switch path {
	case "providers":
		maybe("scope", "all", "mutual_fund", "etf", "investment_fund")
		path = "/api/asset_providers"
	case "funds":
		path = fmt.Sprintf("/api/asset_providers/%d/conceptual_assets", h.managers[random.IntN(len(h.managers))])
	case "series":
		path = fmt.Sprintf("/api/conceptual_assets/%d/real_assets", h.funds[random.IntN(len(h.funds))])
	case "ranking":
		maybe("metric", "patrimony", "shareholders")
		maybe("date", h.dates...)
		path = "/api/agf_stats/ranking"
	case "summary":
		maybe("date", h.dates...)
		path = "/api/market-summary"
	case "changes":
		maybe("direction", "up", "down")
		maybe("limit", "1", "15", "100")
		path = "/api/reports/tac-changes"
	case "all":
		category, family := one(h.categories...), one(h.families...)
		maybe("vehicle", "mutual_fund", "etf", "investment_fund", "all")
		maybe("article107_regulation_status", "declares_eligible", "declares_not_eligible", "unknown")
		if random.IntN(2) == 0 {
			maybe("category", category, strings.ToUpper(category), "")
			maybe("fund_family", family, strings.ToLower(family), strings.ToUpper(family))
		}
		path = "/api/all-funds"
	}
	return path + "?" + v.Encode()
}

// seriesHistoryRequest draws a request about the costs or the risk of a series.
func seriesHistoryRequest(random *rand.Rand, id uint32) string {
	path := fmt.Sprintf("/api/real_assets/%d/", id)
	switch random.IntN(3) {
	case 0:
		return path + "risk_metrics"
	case 1:
		return path + "expense_ratio/history"
	}
	return path + fmt.Sprintf("expense_ratio/history?from_date=%d%02d%02d", 2020+random.IntN(7), 1+random.IntN(12),
		1+random.IntN(28))
}

// indicesAreTheSame compares the index of every family, with every combination of its parameters.
func indicesAreTheSame(t *testing.T, memory, plain *rig) {
	t.Helper()
	families := plain.held(t).families
	for _, family := range families[:len(families)-1] { // without the one that does not exist
		for _, currency := range []string{"", "PESOS", "DOLAR"} {
			for _, from := range []string{"", "2024-02-29", "2149-06-06"} {
				v := url.Values{"currency": {currency}}
				if from != "" {
					v.Set("from_date", from)
				}
				sameReply(t, memory, plain, "/api/families/"+url.PathEscape(family)+"/index?"+v.Encode())
			}
		}
	}
}

// evolutionsAreTheSame compares the evolution of managers, one by one and together.
func evolutionsAreTheSame(t *testing.T, memory, plain *rig) {
	t.Helper()
	var names []string
	must(t, plain.conn.QueryRow(t.Context(), `SELECT groupUniqArray(name) FROM current_manager
		WHERE rut IN (SELECT cuota_rol(manager_rut) FROM current_manager_day)`).Scan(&names))
	if len(names) < 2 {
		t.Fatalf("only the managers %q", names)
	}
	for _, asked := range [][]string{names, {names[0], names[0]}, {names[0]}, {names[1]}} {
		for _, metric := range []string{"patrimony", "shareholders"} {
			for _, period := range []string{"", "&from_month=2024-12", "&to_month=2025-01",
				"&from_month=2025-02&to_month=2025-02", "&from_month=2099-01", "&to_month=1999-01"} {
				sameReply(t, memory, plain, "/api/agf_stats/evolution?"+
					url.Values{"administrator": asked, "metric": {metric}}.Encode()+period)
			}
		}
	}
}

func TestWhatIsAnsweredFromMemoryIsWhatTheSQLGives(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	draw := func(t *testing.T, memory, plain *rig, draws int) {
		all, catalogue := plain.screenerRows(t, 1), plain.held(t)
		const workers = 2
		var wait sync.WaitGroup
		for worker := range workers {
			wait.Go(func() {
				random := rand.New(rand.NewPCG(5, uint64(worker)))
				for range draws / workers {
					if t.Failed() {
						return
					}
					switch random.IntN(10) {
					case 0:
					case 1, 2:
						sameReply(t, memory, plain, preloadedRequest(random, catalogue))
						continue
					default:
						sameReply(t, memory, plain, "/api/screener?"+screenerRequest(random.IntN, all).Encode())
						continue
					}
					var ids []string
					for _, at := range random.Perm(len(all))[:1+random.IntN(min(10, len(all)))] {
						ids = append(ids, strconv.FormatUint(uint64(all[at].ID), 10))
					}
					sameReply(t, memory, plain, "/api/compare?series="+strings.Join(ids, ","))
				}
			})
		}
		wait.Wait()
	}
	t.Run("for hundreds of requests to the demo market", func(t *testing.T) {
		memory, plain, statements := fromMemoryAndSQL(t, demotest.Published(t))
		draw(t, memory, plain, longtest.Times(400))
		random := rand.New(rand.NewPCG(7, 7))
		all := plain.screenerRows(t, 1)
		for range longtest.Times(40) {
			sameReply(t, memory, plain, fmt.Sprintf("/api/real_assets/%d/returns", all[random.IntN(len(all))].ID))
			sameReply(t, memory, plain, seriesHistoryRequest(random, all[random.IntN(len(all))].ID))
		}
		indicesAreTheSame(t, memory, plain)
		evolutionsAreTheSame(t, memory, plain)
		if n := statements.Load(); n != 0 {
			t.Errorf("%d statements reached ClickHouse", n)
		}
	})
	t.Run("and for the edge cases", func(t *testing.T) {
		options := published(t)
		memory, plain, statements := fromMemoryAndSQL(t, options)
		draw(t, memory, plain, longtest.Times(160))
		h := plain.held(t)
		for _, id := range h.managers {
			sameReply(t, memory, plain, fmt.Sprintf("/api/asset_providers/%d/conceptual_assets", id))
		}
		for _, id := range h.funds {
			sameReply(t, memory, plain, fmt.Sprintf("/api/conceptual_assets/%d/real_assets", id))
		}
		if n := statements.Load(); n != 0 {
			t.Errorf("%d statements reached ClickHouse", n)
		}
		for _, unknown := range []string{"/api/asset_providers/7/conceptual_assets",
			"/api/conceptual_assets/7/real_assets"} {
			sameReplyOf(t, memory, plain, unknown, http.StatusNotFound)
		}
	})
}

func TestTheSnapshotIsThatOfTheCurrentBatchOnTheDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r, _ := publishedBy(t)
	must(t, r.Refresh(t.Context()))
	ask := func(query string) (screen, string) {
		got := r.get(t, "/api/screener?limit=1"+query)
		return decode[screen](t, got), got.source()
	}
	age := func(s screen) any { return s.Data[0].Attributes["returns"].(map[string]any)["cutoff_age_days"] }

	first, source := ask("")
	if source != "snapshot" || first.Meta.BatchID != batchID(1) || age(first) != 20.0 {
		t.Errorf("%s %+v", source, first)
	}
	r.setClock(r.clock.Load().AddDate(0, 0, 1))
	if next, source := ask(""); source != "snapshot" || next.Meta.AgeDays != 21 || age(next) != 21.0 {
		t.Errorf("on the next day: %s %+v", source, next)
	}
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	if second, source := ask(""); source != "snapshot" || second.Meta.BatchID != batchID(2) {
		t.Errorf("after the next batch: %s %+v", source, second)
	}
	if older, source := ask("&batch_id=" + batchID(1)); source != "clickhouse" || older.Meta.BatchID != batchID(1) {
		t.Errorf("of the batch before: %s %+v", source, older)
	}
}

func TestAReplyIsReadOnceHoweverManyAskForIt(t *testing.T) {
	t.Parallel()
	options := demotest.Published(t)
	var statements atomic.Int64
	var loaded atomic.Bool // agf_ranking.sql also reads the ranking of the cutoff, with the batch
	entered, release := make(chan struct{}, 1), make(chan struct{})
	r := rigOver(t, watched{connect(t, options), func(statement string) {
		if loaded.Load() && strings.Contains(statement, "AS total_shareholders") {
			statements.Add(1)
			select {
			case entered <- struct{}{}:
			default:
			}
			<-release
		}
	}}, unlimited)
	loaded.Store(true)
	const target = "/api/agf_stats/ranking?metric=shareholders&date=2024-02-29"
	var wait sync.WaitGroup
	answers := make(chan answer, 20)
	ask := func() { answers <- serve(r.Handler(), r.request(http.MethodGet, target)) }
	wait.Go(ask)
	<-entered
	for range cap(answers) - 1 {
		wait.Go(ask)
	}
	close(release)
	wait.Wait()
	close(answers)
	var body []byte
	for got := range answers {
		wantStatus(t, got, http.StatusOK)
		if body == nil {
			body = got.body
		}
		if !bytes.Equal(body, got.body) {
			t.Error("two callers got different replies")
		}
	}
	if n := statements.Load(); n != 1 {
		t.Errorf("the statement ran %d times", n)
	}
	if got := r.get(t, target); got.source() != "cache" {
		t.Errorf("made of %s", got.source())
	}
}
