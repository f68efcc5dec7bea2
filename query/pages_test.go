package query_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"cuota/internal/httpapi"
	"cuota/query"
	"cuota/sql"
)

// foundBy returns what a page gets from an operation, as JSON.
func foundBy(t *testing.T, page *query.PageBatch, path string, texts url.Values) ([]byte, error) {
	t.Helper()
	found, err := page.Ask(t.Context(), path, texts)
	if err != nil {
		return nil, err
	}
	reply, err := httpapi.ReplyOf(found)
	if err != nil || reply.Write == nil {
		return reply.Body, err
	}
	var body bytes.Buffer
	err = reply.Write(&body)
	return body.Bytes(), err
}

// askPage returns what a page gets from an operation.
func askPage[T any](t *testing.T, r *rig, path string, texts url.Values) (reply T) {
	t.Helper()
	body, err := foundBy(t, r.PageBatch(), path, texts)
	must(t, err)
	must(t, json.Unmarshal(body, &reply))
	return reply
}

func TestChoicesOfTheScreenerAreTheValuesOfItsRowsAndSelectThem(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	choices := askPage[[]struct {
		Parameter, Value string
		Series           int
	}](t, r, "/pages/screener_choices", nil)

	offered := map[string]map[string]bool{}
	for _, c := range choices {
		if offered[c.Parameter] == nil {
			offered[c.Parameter] = map[string]bool{}
		}
		offered[c.Parameter][c.Value] = true
		if got := decode[screen](t,
			r.get(t, "/api/screener?"+url.Values{c.Parameter: {c.Value}}.Encode())); got.Meta.Total != c.Series {
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
			"category": of["category"], "currency": of["currency"], "fund_family": of["fundFamily"],
			"cmf_family":     of["fundFamily"],
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

func TestAPageChecksOnceAfterItsReadsThatItsBatchIsStillThere(t *testing.T) {
	t.Parallel()
	var checks atomic.Int64
	options := published(t)
	r := rigOver(t, watched{connect(t, options), func(statement string) {
		// batch_readable.sql
		if strings.Contains(statement, "FROM batch_damage") && strings.Contains(statement, "AS kept") {
			checks.Add(1)
		}
	}}, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	page := r.PageBatch()
	checks.Store(0)
	if err := page.Check(t.Context(), nil); err != nil || checks.Load() != 0 {
		t.Errorf("a page that has read nothing checks %d times: %v", checks.Load(), err)
	}
	for range 3 {
		if _, err := page.Ask(t.Context(), "/api/benchmarks", nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := checks.Load(); n != 0 {
		t.Errorf("%d checks before the page is complete", n)
	}
	if err := page.Check(t.Context(), nil); err != nil || checks.Load() != 1 {
		t.Errorf("%d checks at the end: %v", checks.Load(), err)
	}
	if err := page.Check(t.Context(), httpapi.NotFound("nothing")); err == nil ||
		err.Error() != httpapi.NotFound("nothing").Error() {
		t.Errorf("an error of the page becomes %v", err)
	}
}

func TestAPageOfABatchThatIsBeingRetiredIsRefused(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	page := r.PageBatch()
	must(t, r.beginToRetire(t))
	_, err := page.Ask(t.Context(), "/api/benchmarks", nil)
	for _, err := range []error{err, httpapi.NotFound("rows are missing already")} {
		if !errors.As(page.Check(t.Context(), err), new(*sql.ReadError)) {
			t.Errorf("%v becomes %v", err, page.Check(t.Context(), err))
		}
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
	if _, err := r.PageBatch().Ask(t.Context(), "/api/screener",
		url.Values{"batch_id": {"20200101-1-000000000000"}}); err == nil {
		t.Error("a batch that nobody knows is answered")
	}
}
