package query_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/internal/account"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/sql"
)

const demoStrategy = `{"name": "cheapest", "from": "2023-06-30", "to": "2025-06-30", "rebalance": "quarterly", "sort": "tac", "top": 2, "benchmark": "uf", "one_per_fund": false}`

func (r *rig) backtest(t testing.TB, key, strategy string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/api/backtests", strings.NewReader(strategy))
	request.Header.Set("X-Api-Key", key)
	request.Header.Set("Content-Type", "application/json")
	got := r.do(t, request)
	ours.Conforms(t, request, got.status, got.header, got.body)
	return got
}

func TestABacktestOfTheAPIIsThatOfTheCommand(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	market := demotest.New(t)
	market.IngestDemo(t)
	market.Build(t)
	r := newRig(t, market.Options, unlimited)
	key := r.issue(t, account.Free, account.OwnQuota(25))
	got := r.backtest(t, key, demoStrategy)
	wantStatus(t, got, http.StatusOK)
	if left := got.header.Get("X-RateLimit-Remaining"); left != "15" {
		t.Errorf("%s requests are left of 25, want 15", left)
	}
	strategy, err := backtest.ParseJSON(strings.NewReader(demoStrategy))
	must(t, err)
	source := history.NewSource(sql.NewReader(connect(t, market.Options), "test", time.Minute, false, nil), 1)
	want, err := backtest.Run(t.Context(), source, strategy)
	must(t, err)
	stated, err := json.Marshal(want)
	must(t, err)
	if answered, err := json.Marshal(decode[backtest.Result](t, got)); err != nil ||
		string(answered) != string(stated) {
		t.Errorf("the command and the API differ (%v):\n%.2000s\n%.2000s", err, stated, answered)
	}
	if len(want.Curve) == 0 || len(want.Rebalancings) != 9 || len(want.Rebalancings[8].Selected) != 2 {
		t.Errorf("%d days and %d rebalancings: nothing was put to the test", len(want.Curve), len(want.Rebalancings))
	}
	theExampleOfBacktests(t, r, key)
	refused := r.backtest(t, key, demoStrategy)
	wantCode(t, refused, http.StatusTooManyRequests, "quota_exhausted")
	if detail := string(refused.failure(t).Detail); !strings.Contains(detail,
		"counts as 10 requests, and the key has 5 left") {
		t.Errorf("the detail is %q", detail)
	}
}

// theExampleOfBacktests runs the example of the document.
func theExampleOfBacktests(t *testing.T, r *rig, key string) {
	t.Helper()
	found := ours.Operations(t, func(tag string) bool { return tag == "Backtests" })
	if len(found) != 1 {
		t.Fatalf("the document has %d operations of backtests", len(found))
	}
	got := r.backtest(t, key, string(found[0].Body))
	wantStatus(t, got, http.StatusOK)
	ours.IsExample(t, found[0], "", got.body)
}

func TestAWrongBacktestIsRefusedByTheNameOfItsField(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	key := r.issue(t, account.Institutional)
	for change, want := range map[string]string{
		`"sort": "tac">"sort": "luck"`:                   "body.sort",
		`"top": 2>"top": "two"`:                          "body.top",
		`"2023-06-30">"2033-06-30"`:                      "body.to",
		`"top": 2>"top": 2, "filter": {"tac_kind": "x"}`: "body.filter.tac_kind",
		`{"name">{"luck": 1, "name"`:                     "body",
	} {
		from, to, _ := strings.Cut(change, ">")
		got := r.backtest(t, key, strings.Replace(demoStrategy, from, to, 1))
		wantStatus(t, got, http.StatusUnprocessableEntity)
		if found := got.violations(t); len(found) != 1 || found[0] != want+":value_error" {
			t.Errorf("%s: %v, want %s", change, found, want)
		}
	}
	request := httptest.NewRequest(http.MethodPost, "/api/backtests", strings.NewReader(demoStrategy))
	request.Header.Set("X-Api-Key", key)
	request.Header.Set("Content-Type", "text/plain")
	if got := r.do(t, request); got.status != http.StatusUnprocessableEntity ||
		!slices.Contains(got.violations(t), "header.Content-Type:value_error") {
		t.Errorf("a body of another type: %d %s", got.status, got.body)
	}
}
