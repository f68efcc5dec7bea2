package query_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
)

// optionalParts are the parts of a batch without which the rest stays in memory.
var optionalParts = []string{"article107", "benchmarks", "closed", "content", "costs", "evolution", "family_index",
	"fund_profiles", "instruments", "manager_changes", "official_returns", "past", "portfolio_months", "rejections", "risk", "search",
	"series_official_returns", "series_profiles", "source_files", "tac_changes"}

func TestPartsWithoutRoomAreAnsweredFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	memory, plain, _ := fromMemoryAndSQL(t, options)
	sizes := loaded(t, memory)
	room := sizes["bytes"]
	for _, name := range optionalParts {
		room -= sizes[name+"_bytes"]
	}
	if room <= 0 || room == sizes["bytes"] {
		t.Fatalf("without its optional parts, the batch takes %v of %v bytes", room, sizes["bytes"])
	}
	small := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: int(room)})
	sameReply(t, small, plain, "/api/screener?limit=5")
	id := plain.screenerRows(t, 1)[0].ID
	for _, path := range []string{"risk_metrics", "expense_ratio/history"} {
		target := fmt.Sprintf("/api/real_assets/%d/%s", id, path)
		sameReply(t, memory, plain, target)
		got := serve(small.Handler(), small.request(http.MethodGet, target))
		if got.status != http.StatusOK || got.source() == "snapshot" {
			t.Errorf("%s: status %d, made of %s", target, got.status, got.source())
		}
	}
	// What past dates are put together from is an optional part. Without it, it is read when a past date is requested.
	for _, target := range []string{
		"/api/market-summary?date=2024-02-29", "/api/all-funds?vehicle=all&date=2024-02-29",
		"/api/screener?limit=200&as_of_date=2024-02-29",
		fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=2025-07-18", id),
	} {
		for range 2 { // the second time from a day that is kept
			got, want := serve(small.Handler(), sameRequest(small, target)),
				serve(plain.Handler(), sameRequest(plain, target))
			if got.status != http.StatusOK || string(got.body) != string(want.body) {
				t.Errorf("%s: status %d\nwithout optional parts: %s\nfrom SQL:               %s", target, got.status,
					got.body, want.body)
			}
		}
	}
}

// loaded reads from the log what the parts of the batch take in memory.
func loaded(t *testing.T, r *rig) map[string]float64 {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(r.logged.String()))
	for lines.Scan() {
		var line map[string]any
		if json.Unmarshal(lines.Bytes(), &line) != nil || line["message"] != "the published batch is in memory" {
			continue
		}
		sizes := map[string]float64{}
		for name, value := range line {
			if number, is := value.(float64); is {
				sizes[name] = number
			}
		}
		return sizes
	}
	t.Fatal("the log does not say what the batch takes in memory")
	return nil
}
