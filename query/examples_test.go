package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"cuota/internal/account"
	"cuota/internal/testkit/openapitest"
	"cuota/model"
)

// sampleFiles provide data that the demo market does not have: portfolios, benchmarks, article 107, values of
// investment funds, and days of several funds of one family. No source has such days, so these are rows of the demo's
// day with other dates and invented quotas.
var sampleFiles = []struct {
	dataset model.Dataset
	name    string
}{
	{model.Cartola, "cartola_moderado_dolar.txt"},
	{model.Holdings, "naci_202506.txt"},
	{model.Holdings, "portfolio_202506.csv"},
	{model.Benchmarks, "benchmarks.csv"},
	{model.Benchmarks, "benchmark_prices.csv"},
	{model.Article107s, "article107.csv"},
	{model.FIValues, "fi_9278_202506.csv"},
	{model.Vehicles, "vehicles.csv"},
}

const sampled = "The demo market has no such data: it is of sample files that were added to it."

// examplesAreAnswers compares each example of the document with the demo market's reply to
// the request in the example. If that reply has no data, it asks the market with the sample
// files.
func examplesAreAnswers(t *testing.T, m fileMarket) {
	key := m.issue(t, account.Free, account.Named("example"))
	ask := func(o openapitest.Operation) answer {
		request := httptest.NewRequest(o.Method, o.Target(), bytes.NewReader(o.Body))
		if o.Body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		request.Header.Set("X-Api-Key", m.key)
		if o.ID == "get_key_info" { // it shows a key without any requests
			request.Header.Set("X-Api-Key", key)
		}
		return m.do(t, request)
	}
	var unanswered []openapitest.Operation
	for _, o := range ours.Operations(t, func(tag string) bool {
		return tag != "Account" && tag != "Bulk" && tag != "Backtests"
	}) {
		switch got := ask(o); {
		case hasNothing(t, got):
			unanswered = append(unanswered, o)
		case o.ID == "get_document":
			wantStatus(t, got, http.StatusOK)
			ours.IsExample(t, o, "Cut to what names the document.", names(t, got))
		default:
			wantStatus(t, got, http.StatusOK)
			ours.IsExample(t, o, "", got.body)
		}
	}
	for _, file := range sampleFiles {
		m.ingest(t, file.dataset, file.name, fixture(t, file.name), 0)
	}
	m.build(t)
	for _, o := range unanswered {
		got := ask(o)
		wantStatus(t, got, http.StatusOK)
		if hasNothing(t, got) {
			t.Errorf("%s has no answer to show in the sample files either: %s", o.Target(), got.body)
		}
		ours.IsExample(t, o, sampled, got.body)
	}
}

// hasNothing reports whether a reply has no data: it is a 404, its list is empty, or nobody
// has assessed the fund.
func hasNothing(t testing.TB, got answer) bool {
	t.Helper()
	if got.status == http.StatusNotFound {
		return true
	}
	var body struct {
		Data   *json.RawMessage
		Status string `json:"article107RegulationStatus"`
	}
	must(t, json.Unmarshal(got.body, &body))
	return body.Data != nil && string(*body.Data) == "[]" || body.Status == "unknown"
}

// names returns the part of a document before its paths.
func names(t testing.TB, got answer) []byte {
	t.Helper()
	var d struct {
		OpenAPI string `json:"openapi"`
		Info    struct {
			Title   string `json:"title"`
			Version string `json:"version"`
		} `json:"info"`
	}
	must(t, json.Unmarshal(got.body, &d))
	return fmt.Appendf(nil, `{"openapi": %q, "info": {"title": %q, "version": %q}}`, d.OpenAPI, d.Info.Title,
		d.Info.Version)
}
