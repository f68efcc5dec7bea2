package query_test

import (
	"net/http"
	"strings"
	"testing"

	"cuota/internal/testkit/statementtest"
)

func TestEveryStatementHasItsNameAndTheIDOfItsRequest(t *testing.T) {
	t.Parallel()
	market := littleMarket(t)
	recorder := &statementtest.Recorder{Conn: market.conn}
	r := rigOver(t, recorder, unlimited)
	loaded, err := recorder.Heard()
	must(t, err)

	request := r.request(http.MethodGet, "/api/real_assets/201/days")
	request.Header.Set("X-Request-Id", "of-a-caller")
	if got := r.do(t, request); got.status != http.StatusOK || got.header.Get("X-Request-Id") != "of-a-caller" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	all, err := recorder.Heard()
	must(t, err)
	asked := all[len(loaded):]
	if len(loaded) < 5 || len(asked) < 2 {
		t.Fatalf("%d statements read the batch, and %d answered a request: the recorder is broken", len(loaded),
			len(asked))
	}
	days := false
	for _, one := range all {
		name, named := strings.CutPrefix(one.Comment, "query/")
		if !named || name == "" || name == "unnamed" {
			t.Errorf("a statement is called %q: %.60s", one.Comment, one.Text)
		}
	}
	for _, one := range asked {
		days = days || one.Comment == "query/days"
		if !strings.HasPrefix(one.ID, "of-a-caller-") {
			t.Errorf("%s of the request has the id %q", one.Comment, one.ID)
		}
	}
	if !days {
		t.Errorf("no statement is called query/days: %v", asked)
	}
	for _, one := range loaded {
		if one.ID == "" || strings.Contains(one.ID, "of-a-caller") {
			t.Errorf("%s of no request has the id %q", one.Comment, one.ID)
		}
	}
}

// lookingUp is an area that looks for a series in each request.
type lookingUp struct{ rig *rig }

func (lookingUp) Paths() []string { return []string{"/lookup"} }

func (a *lookingUp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if there, err := a.rig.HasSeries(r.Context(), "201"); !there || err != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func TestTheStatementsOfTheAreaHaveTheIDOfTheirRequestToo(t *testing.T) {
	t.Parallel()
	market := littleMarket(t)
	recorder := &statementtest.Recorder{Conn: market.conn}
	area := &lookingUp{}
	config := unlimited
	config.HTTP.Area = area
	area.rig = rigOver(t, recorder, config)
	before, err := recorder.Heard()
	must(t, err)
	request := area.rig.request(http.MethodGet, "/lookup")
	request.Header.Set("X-Request-Id", "of-a-person")
	if got := serve(area.rig.Handler(), request); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	all, err := recorder.Heard()
	must(t, err)
	if len(all) == len(before) {
		t.Fatal("no statement was run")
	}
	for _, one := range all[len(before):] {
		if !strings.HasPrefix(one.ID, "of-a-person-") {
			t.Errorf("%s has the id %q", one.Comment, one.ID)
		}
	}
}
