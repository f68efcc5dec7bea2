package query_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"testing"
)

// askPage gives what a page gets from an operation.
func askPage[T any](t *testing.T, r *rig, path string, texts url.Values) (reply T) {
	t.Helper()
	body, err := r.PageBatch().Ask(t.Context(), path, texts)
	must(t, err)
	must(t, json.Unmarshal(body, &reply))
	return reply
}

func TestChoicesOfTheScreenerAreTheValuesOfItsRowsAndSelectThem(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	choices := askPage[struct {
		Data []struct {
			Parameter, Value string
			Series           int
		}
	}](t, r, "/pages/screener_choices", nil)

	offered := map[string]map[string]bool{}
	for _, c := range choices.Data {
		if offered[c.Parameter] == nil {
			offered[c.Parameter] = map[string]bool{}
		}
		offered[c.Parameter][c.Value] = true
		if got := decode[screen](t, r.get(t, "/api/screener?"+url.Values{c.Parameter: {c.Value}}.Encode())); got.Meta.Total != c.Series {
			t.Errorf("%s=%s selects %d series, %d are told", c.Parameter, c.Value, got.Meta.Total, c.Series)
		}
	}

	// Every value of a row is offered, and no other.
	there := map[string]map[string]bool{}
	for _, row := range decode[items](t, r.get(t, "/api/screener?limit=200")).Data {
		of := row.Attributes
		class := of["classificationInvestorClass"]
		if class == nil {
			class = of["investorClass"]
		}
		for parameter, value := range map[string]any{
			"category": of["category"], "currency": of["currency"], "fund_family": of["fundFamily"], "cmf_family": of["fundFamily"],
			"investor_class": class, "cmf_investor_type": of["classificationInvestorClass"], "administrator": of["agf"],
		} {
			if text, is := value.(string); is {
				if there[parameter] == nil {
					there[parameter] = map[string]bool{}
				}
				there[parameter][text] = true
			}
		}
	}
	if len(there) == 0 {
		t.Fatal("no row has a value")
	}
	for parameter := range offered {
		if !maps.Equal(offered[parameter], there[parameter]) {
			t.Errorf("%s: offered are %v, rows have %v", parameter, offered[parameter], there[parameter])
		}
	}
	if len(offered) != len(there) {
		t.Errorf("choices of %d parameters, rows have values of %d", len(offered), len(there))
	}
}

func TestAPageMayShowAnOlderBatchThatItNames(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	older := r.PageBatch()
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	if newest := r.PageBatch().ID(); newest == older.ID() {
		t.Fatal("the second batch is not published")
	}
	for _, named := range []string{"", older.ID(), r.PageBatch().ID()} {
		want := named
		if named == "" {
			want = r.PageBatch().ID()
		}
		if got := askPage[screen](t, r, "/api/screener", url.Values{"batch_id": {named}}); got.Meta.BatchID != want {
			t.Errorf("batch_id=%s is answered from %s", named, got.Meta.BatchID)
		}
	}
	if _, err := r.PageBatch().Ask(t.Context(), "/api/screener", url.Values{"batch_id": {"20200101-1-000000000000"}}); err == nil {
		t.Error("a batch that nobody knows is answered")
	}
}
