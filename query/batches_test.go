package query_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBatchesAreListedWithWhetherTheyCanBeRead(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	insert(t, r.conn, "publication",
		row{"batch": 0, "batch_id": "retired", "published_at": "2026-07-30 10:00:00.000", "as_of_date": nil})
	list := func(target string) (lines []string) {
		for _, of := range decode[items](t, r.get(t, target)).Data {
			a := of.Attributes
			lines = append(lines, fmt.Sprintf("%s %s %t %v %t %v", of.ID, of.Type, a["batch_id"] == of.ID, a["as_of_date"],
				a["superseded_at"] == nil, a["readable"]))
		}
		return lines
	}
	retired := "retired batch true <nil> false false"
	if diff := cmp.Diff([]string{batchID(1) + " batch true 2026-07-31 true true", retired}, list("/api/batches")); diff != "" {
		t.Error(diff)
	}
	first := decode[pageOf](t, r.get(t, "/api/batches?limit=1"))
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	if diff := cmp.Diff([]string{batchID(2) + " batch true 2026-07-31 true true",
		batchID(1) + " batch true 2026-07-31 false true", retired}, list("/api/batches")); diff != "" {
		t.Error(diff)
	}
	// The second page is of the list of the first, in which batch 2 was not.
	if diff := cmp.Diff([]string{"retired"}, decode[pageOf](t, r.get(t, first.Links.Next)).ids()); diff != "" {
		t.Error(diff)
	}
	insert(t, r.conn, "batch_damage", row{"batch": 1, "found_at": "2026-08-01 10:00:00.000", "table": "quota", "reason": "gone"})
	if got := list("/api/batches")[1]; got != batchID(1)+" batch true 2026-07-31 false false" {
		t.Errorf("a damaged batch, without another publication: %s", got)
	}
	got := r.get(t, "/api/batches?limit=2")
	if total := got.header.Get("X-Total-Count"); total != "3" || got.header.Get("Link") == "" {
		t.Errorf("the headers say %s batches in all, next page %q", total, got.header.Get("Link"))
	}
	wantStatus(t, r.get(t, "/api/batches?limit=0"), http.StatusUnprocessableEntity)
}
