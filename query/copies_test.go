package query_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/demo"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/query"
)

// turning are two copies, each with a query server, under one clock.
type turning struct {
	copies  []*demotest.Market
	servers []*rig
}

// at sets all clocks to a time after demotest.Clock, at which every copy has heard all that is in the log.
func (s *turning) at(t *testing.T, after time.Duration) {
	t.Helper()
	for i, m := range s.copies {
		m.SetClock(demotest.Clock.Add(after))
		s.servers[i].setClock(demotest.Clock.Add(after))
		m.Settle(t)
		must(t, m.Projector().CaughtUp(t.Context(), demotest.Clock.Add(after)))
	}
}

// follow has a copy build what the other one has built.
func (s *turning) follow(t *testing.T, follower int) {
	t.Helper()
	newest := func(m *demotest.Market) (id string) {
		t.Helper()
		must(t, m.Conn.QueryRow(t.Context(), "SELECT argMax(batch_id, batch) FROM batch").Scan(&id))
		return id
	}
	m := s.copies[follower]
	must(t, m.Projector().Start(t.Context()))
	waittest.Until(t, "the copy has built what the other one has built", func() bool {
		return newest(m) == newest(s.copies[1-follower])
	})
	must(t, m.Projector().Stop(t.Context()))
}

// look has all servers look for newer batches.
func (s *turning) look(t *testing.T) {
	t.Helper()
	for _, r := range s.servers {
		must(t, r.Refresh(t.Context()))
	}
}

// firstSeries returns the id of a series that the screener lists.
func (r *rig) firstSeries(t *testing.T) string {
	t.Helper()
	got := r.get(t, "/api/screener?limit=1")
	wantStatus(t, got, http.StatusOK)
	return decode[struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}](t, got).Data[0].ID
}

// served returns the batch that a server answers from.
func (s *turning) served(t *testing.T, server int) string {
	t.Helper()
	got := s.servers[server].get(t, "/api/screener?limit=1")
	wantStatus(t, got, http.StatusOK)
	return decode[struct {
		Meta struct {
			BatchID string `json:"batch_id"`
		} `json:"meta"`
	}](t, got).Meta.BatchID
}

func TestServersOfAllCopiesTurnAtOneMoment(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	s := &turning{copies: demotest.Copies(t, 30*time.Second, "a", "b")}
	for _, m := range s.copies {
		s.servers = append(s.servers, newRig(t, m.Options, query.Config{}))
	}
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	sources, err := demo.Sources()
	must(t, err)
	var months []demo.Source
	for _, source := range sources {
		if source.Dataset == model.Cartola {
			months = append(months, source)
		}
	}
	ingest := func(month demo.Source) {
		t.Helper()
		s.copies[0].Ingest(t, month.Dataset, filepath.Join(dir, month.Path), month.Published)
	}
	a, b := 0, 1
	ingest(months[0])
	s.at(t, 0)
	s.copies[a].Build(t)
	s.follow(t, b)
	s.at(t, 29*time.Second)
	s.look(t)
	for _, r := range s.servers {
		wantCode(t, r.get(t, "/api/screener"), http.StatusServiceUnavailable, "no_batch")
	}
	s.at(t, 31*time.Second)
	s.look(t)
	first := s.served(t, a)
	if other := s.served(t, b); other != first {
		t.Fatalf("one server answers from %s, the other from %s", first, other)
	}

	// Only one copy has built the next batch when its moment comes, at 62 s.
	s.at(t, 32*time.Second)
	ingest(months[1])
	s.at(t, 32*time.Second)
	s.copies[a].Build(t)
	s.at(t, 61*time.Second)
	s.look(t)
	for server := range s.servers {
		if got := s.served(t, server); got != first {
			t.Errorf("before the moment, server %d answers from %s", server, got)
		}
	}
	// A server that starts now gives the same answers, with the windows of the batch that it answers from.
	id := s.servers[a].firstSeries(t)
	late := newRig(t, s.copies[a].Options, query.Config{})
	late.setClock(demotest.Clock.Add(61 * time.Second))
	must(t, late.Refresh(t.Context()))
	must(t, late.Refresh(t.Context())) // it prepares the next batch
	for _, target := range []string{"/api/screener?limit=5", "/api/real_assets/" + id + "/returns"} {
		want, got := s.servers[a].get(t, target), late.get(t, target)
		wantStatus(t, got, http.StatusOK)
		if diff := cmp.Diff(string(want.body), string(got.body)); diff != "" {
			t.Errorf("%s (-earlier server, +late one):\n%s", target, diff)
		}
	}
	s.at(t, 63*time.Second) // and nobody looks
	second := s.served(t, a)
	if second == first {
		t.Error("the server that has read the batch still answers from the one before")
	}
	wantCode(t, s.servers[b].get(t, "/api/screener"), http.StatusServiceUnavailable, "copy_behind")
	s.servers[b].wantHealth(t, "degraded", "copy_behind")
	s.follow(t, b)
	s.look(t)
	if got := s.served(t, b); got != second {
		t.Errorf("once it has the batch, it answers from %s, the other from %s", got, second)
	}

	// A server whose copy hears nothing of others answers for 18 s.
	for _, r := range s.servers {
		r.setClock(demotest.Clock.Add(63*time.Second + 18*time.Second + time.Millisecond))
	}
	s.look(t)
	for _, r := range s.servers {
		wantCode(t, r.get(t, "/api/screener"), http.StatusServiceUnavailable, "copy_behind")
	}
	s.at(t, 90*time.Second)
	s.look(t)
	if got := s.served(t, b); got != second {
		t.Errorf("once its copy hears of the others again, it answers from %s", got)
	}
}
