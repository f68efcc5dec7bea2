package query_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"cuota/internal/httpapi"
	"cuota/query"
)

// counted is a meter whose counts a test can read.
type counted struct {
	mu    sync.Mutex
	asked map[string]int // how often a function was requested for each combination
	taken map[string]int // how often each function was called
	looks map[string]int
}

func newCounted() *counted {
	return &counted{asked: map[string]int{}, taken: map[string]int{}, looks: map[string]int{}}
}

func (c *counted) add(to map[string]int, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to[name]++
}

func (c *counted) Request(route, class, source string) func(float64) {
	name := route + " " + class + " " + source
	c.add(c.asked, name)
	return func(seconds float64) {
		if seconds < 0 {
			panic("a request took less than no time")
		}
		c.add(c.taken, name)
	}
}

func (c *counted) Refused(class string) { c.add(c.taken, "refused "+class) }

func (c *counted) Lookup(outcome string) func() { return func() { c.add(c.looks, outcome) } }

func TestRequestsAreMeasuredByPatternAndNotByPath(t *testing.T) {
	t.Parallel()
	meter := newCounted()
	r := rigOver(t, littleMarket(t).conn, query.Config{HTTP: httpapi.Config{Burst: unlimited.HTTP.Burst, Meter: meter}})
	for range 3 {
		wantStatus(t, r.get(t, "/api/real_assets/201/days"), http.StatusOK)
	}
	wantStatus(t, r.get(t, "/api/screener"), http.StatusOK)
	wantStatus(t, r.get(t, "/api/real_assets/201/returns"), http.StatusOK)
	wantStatus(t, r.get(t, "/api/real_assets/999/days"), http.StatusNotFound)
	for i := range 5 {
		wantStatus(t, r.get(t, fmt.Sprintf("/scan-%d.php", i)), http.StatusNotFound)
	}
	want := map[string]int{
		"/api/real_assets/{asset_id}/days 2xx clickhouse":  1,
		"/api/real_assets/{asset_id}/days 2xx cache":       2,
		"/api/real_assets/{asset_id}/days 4xx none":        1,
		"/api/screener 2xx snapshot":                       1,
		"/api/real_assets/{asset_id}/returns 2xx snapshot": 1,
		"unmatched 4xx none":                               5,
	}
	for name, times := range want {
		if meter.taken[name] != times || meter.asked[name] != 1 {
			t.Errorf("%s was measured %d times and asked for %d times, want %d and once", name, meter.taken[name],
				meter.asked[name], times)
		}
	}
	if len(meter.taken) != len(want) {
		t.Errorf("measured are %v", meter.taken)
	}
	if meter.looks["hit"] != 2 || meter.looks["miss"] != 2 {
		t.Errorf("looks into the cache: %v, want two hits and the misses of two series", meter.looks)
	}
}
