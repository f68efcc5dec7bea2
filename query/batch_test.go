package query_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/query"
	"cuota/query/series"

	"github.com/google/go-cmp/cmp"
)

func TestBeforeTheFirstBatchCallersAreAskedToComeAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Schema(t), unlimited)
	for _, target := range exampleTargets(t) {
		got := r.get(t, target)
		wantCode(t, got, http.StatusServiceUnavailable, "no_batch")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%v", got.header)
		}
	}
	health := decode[map[string]any](t, r.get(t, "/health"))
	if diff := cmp.Diff(map[string]any{"status": "starting", "state": "starting", "last_scraped_date": nil,
		"total_records": 0.0}, health); diff != "" {
		t.Error(diff)
	}
}

func TestABatchWithoutACutoffServesWhatNeedsNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Schema(t), query.Config{HTTP: unlimited.HTTP, Returns: series.ReturnKinds})
	r.facts(t)
	insert(t, r.conn, "batch", row{"batch": 1, "batch_id": "none-1", "calculation_date": "2026-08-06",
		"calculated_at":     "2026-08-06 12:00:00.000",
		"input_fingerprint": sha('f'), "method_version": "price_return_v1", "tolerance_days": 7,
		"last_quota_date": "2026-08-05"})
	must(t, r.Refresh(t.Context()))

	for _, target := range []string{"/api/screener", "/api/compare?series=201", "/api/all-funds"} {
		got := r.get(t, target)
		wantCode(t, got, http.StatusServiceUnavailable, "no_complete_cutoff")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%v", got.header)
		}
	}
	for query, currency := range map[string]string{"": "PESOS", "?valuation=real_uf": "UF",
		"?return_basis=total": "PESOS"} {
		a := decode[returnsBody](t, r.get(t, "/api/real_assets/201/returns"+query)).Data.Attributes
		if a.AsOf != nil || a.AgeDays != nil || a.LagDays != nil || *a.Spheres.Reason != "no_complete_cutoff" ||
			*a.Currency != currency || len(a.Periods) != 8 {
			t.Errorf("%s: %+v", query, a)
		}
		for window, got := range a.Periods {
			if *got.Reason != "no_complete_cutoff" || got.TargetEnd != nil {
				t.Errorf("%s %s: %+v", query, window, got)
			}
		}
	}
	dated := decode[returnsBody](t, r.get(t, "/api/real_assets/201/returns?as_of_date=2026-06-30")).Data.Attributes
	if dated.Periods["ytd"].Value == nil || *dated.Spheres.Value != 4 {
		t.Errorf("%+v", dated)
	}
	if got := decode[items](t, r.get(t, "/api/real_assets/201/days")); len(got.Data) != 3 {
		t.Errorf("%v", got.ids())
	}
	if got := decode[items](t, r.get(t, "/api/asset_providers")); len(got.Data) != 0 {
		t.Errorf("%v", got.ids())
	}
	for _, target := range []string{"/api/agf_stats/ranking", "/api/market-summary",
		"/api/agf_stats/ranking?date=2026-07-31"} {
		if got := decode[dayView](t, r.get(t, target)); got.Meta.Date != nil || len(got.Data) > 0 ||
			len(got.Families) > 0 {
			t.Errorf("%s: %+v", target, got)
		}
	}
	if got := decode[familyIndex](t, r.get(t, "/api/families/renta%20nandu/index")); got.Meta.Available ||
		len(got.Data) > 0 {
		t.Errorf("%+v", got)
	}
}

func TestANamedBatchAnswersAsLongAsItIsKept(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	first := r.get(t, "/api/screener")
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))

	answersFrom := func(query string) (string, string) {
		page := decode[screen](t, r.get(t, "/api/screener?"+query))
		return page.Meta.BatchID, page.Data[0].Attributes["fundName"].(string)
	}
	for query, want := range map[string]int{
		"": 2, "batch_id=": 2, "batch_id=" + batchID(1): 1, "batch_id=" + batchID(2): 2,
	} {
		if id, name := answersFrom(query); id != batchID(want) || name != fmt.Sprintf("FONDO MUTUO ACCIÓN %d", want) {
			t.Errorf("%s: %s with %s, want batch %d", query, id, name, want)
		}
	}
	if again := r.get(t, "/api/screener?batch_id="+batchID(1)); string(again.body) != string(first.body) {
		t.Errorf("not as it did:\n%s\n%s", first.body, again.body)
	}
	for _, target := range []string{"/api/compare?series=201&batch_id=", "/api/real_assets/201/returns?batch_id=",
		"/api/real_assets/201/returns?as_of_date=2026-07-31&batch_id="} {
		for number := 1; number <= 2; number++ {
			if got := r.get(t, target+batchID(number)); got.status != http.StatusOK ||
				strings.Count(string(got.body), `"batch_id":"`+batchID(number)+`"`) < 2 {
				t.Errorf("%s%s: %s", target, batchID(number), got.body)
			}
		}
	}
}

func TestOneRequestReadsOneBatchWhileBatchesArePublished(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	var stop atomic.Bool
	var callers sync.WaitGroup
	seen, problems := make(chan string, 10_000), make(chan string, 16)
	for range 4 {
		callers.Go(func() {
			for !stop.Load() {
				got := serve(r.Handler(), r.request(http.MethodGet, "/api/screener"))
				var page screen
				if err := json.Unmarshal(got.body, &page); err != nil || len(page.Data) != 4 {
					problems <- fmt.Sprintf("%d: %.300s", got.status, got.body)
					return
				}
				number := strings.Split(page.Meta.BatchID, "-")[1]
				for _, item := range page.Data {
					spheres := item.Attributes["cmf_spheres"].(map[string]any)["batch_id"]
					returns := item.Attributes["returns"].(map[string]any)["batch_id"]
					if name := item.Attributes["fundName"]; name != "FONDO MUTUO ACCIÓN "+number ||
						spheres != page.Meta.BatchID || returns != page.Meta.BatchID {
						problems <- fmt.Sprintf("%v, %v and %v in a reply of batch %s", name, spheres, returns,
							page.Meta.BatchID)
						return
					}
				}
				select {
				case seen <- number:
				default:
				}
			}
		})
	}
	for number := 2; number <= 6; number++ {
		r.publish(t, number)
		must(t, r.Refresh(t.Context()))
		waittest.Until(t, "an answer from the new batch", func() bool {
			for { // skips the replies from before the change
				select {
				case got := <-seen:
					if got == fmt.Sprint(number) {
						return true
					}
				default:
					return len(problems) > 0
				}
			}
		})
	}
	stop.Store(true)
	callers.Wait()
	close(problems)
	for problem := range problems {
		t.Error(problem)
	}
}

func TestAServerFollowsWhatIsPublishedAndStops(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Schema(t),
		query.Config{HTTP: httpapi.Config{Listen: "127.0.0.1:0", Burst: unlimited.HTTP.Burst}, Follow: 1_000_000})
	if r.Addr() != "" {
		t.Fatalf("address %s before the start", r.Addr())
	}
	must(t, r.Stop(t.Context())) // Stop before Start does nothing
	must(t, r.Start(t.Context()))
	if err := r.Start(t.Context()); err == nil {
		t.Error("it started twice")
	}
	health := func() map[string]any {
		response, err := http.Get("http://" + r.Addr() + "/health")
		must(t, err)
		defer func() { _ = response.Body.Close() }()
		var body map[string]any
		must(t, json.NewDecoder(response.Body).Decode(&body))
		return body
	}
	if got := health(); got["status"] != "starting" {
		t.Errorf("%v", got)
	}
	for number := 1; number <= 2; number++ {
		r.publish(t, number)
		waittest.Until(t, "the batch is followed", func() bool {
			return health()["total_records"] == float64(1000+number)
		})
	}
	address := r.Addr()
	must(t, r.Stop(t.Context()))
	if _, err := http.Get("http://" + address + "/health"); err == nil {
		t.Error("it still answers")
	}
	must(t, r.Start(t.Context()))
	must(t, r.Stop(t.Context()))
}

func TestAConfigurationThatCanNotServeIsRefused(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]query.Config{
		"listen":          {HTTP: httpapi.Config{Listen: "nowhere"}},
		"base address":    {HTTP: httpapi.Config{BaseURL: "funds.example.org"}},
		"its query":       {HTTP: httpapi.Config{BaseURL: "https://funds.example.org?x=1"}},
		"its credentials": {HTTP: httpapi.Config{BaseURL: "https://a:b@funds.example.org"}},
		"interval":        {Follow: -1},
		"burst":           {HTTP: httpapi.Config{Burst: httpapi.Burst{Size: -1}}},
		"kind of returns": {Returns: []string{"clp", "usd"}},
	} {
		if _, err := query.New(config, nil, nil, discard); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
