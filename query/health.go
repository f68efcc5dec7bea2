package query

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"cuota/internal/health"
	"cuota/model"
)

// healthOperation tells how the service is, to anyone. It reads what is at
// hand, so that it answers whatever else is down.
func (s *Server) healthOperation() operation {
	return operation{method: http.MethodGet, path: "/health", answer: s.health}
}

// BatchHeader names the batch that the server answers from. It is on replies about
// the health alone: others have it in meta.batch_id.
const BatchHeader = "X-Batch-Id"

// The states of the service, and what status says in each.
const (
	stateOK             = "ok"                     // status ok
	stateStarting       = "starting"               // status starting: before a first batch
	stateUnreachable    = "clickhouse_unreachable" // status degraded: ClickHouse does not answer
	stateDamaged        = "batch_damaged"          // status degraded: rows of the published batch are missing, and it is not answered from
	stateSnapshotUnread = "batch_unreadable"       // status degraded: the published batch can't be read into memory
	stateBuildFailed    = "build_failed"           // status degraded: the last attempt to build a batch failed
)

// state gives the most serious thing that is wrong.
func (s *Server) state(published bool) (status, state string) {
	switch {
	case s.follower.failing.Load():
		return "degraded", stateUnreachable
	case s.follower.damaged():
		return "degraded", stateDamaged
	case s.follower.unloaded.Load():
		return "degraded", stateSnapshotUnread
	case s.builds.failing.Load():
		return "degraded", stateBuildFailed
	case !published:
		return "starting", stateStarting
	}
	return "ok", stateOK
}

func (s *Server) health(_ context.Context, c *call) (reply, error) {
	body := struct {
		Status          string      `json:"status"`
		State           string      `json:"state"`             // why the status is what it is
		LastScrapedDate *model.Date `json:"last_scraped_date"` // latest date with a quota value
		TotalRecords    uint64      `json:"total_records"`     // facts of all datasets in the batch
	}{}
	body.Status, body.State = s.state(c.batch != nil)
	if c.batch != nil {
		c.header.Set(BatchHeader, c.batch.ID)
		body.LastScrapedDate, body.TotalRecords = dateOf(c.batch.LastQuota), c.batch.TotalRecords
	}
	return ok(body)
}

// damaged tells whether rows of the published batch are missing.
func (f *follower) damaged() bool {
	b := f.current.Load()
	return b != nil && b.Damaged
}

// Part tells how the server itself is: it hangs when it has not looked for a newer
// batch for long, and can't answer while the last look failed.
func (s *Server) Part() health.Part {
	return health.Part{Name: "api", Alive: s.follower.beat.Alive, Ready: func() error {
		switch {
		case !s.follower.looked.Load():
			return errors.New("it has not looked for a batch yet")
		case s.follower.failing.Load():
			return errors.New("ClickHouse does not answer; replies come from memory as far as they can")
		}
		return nil
	}}
}

// parts are those that answering depends on.
func (s *Server) parts() []health.Part {
	parts := []health.Part{s.Part()}
	if s.config.Parts != nil {
		parts = append(parts, s.config.Parts()...)
	}
	return parts
}

// liveOperation tells whatever supervises the process whether to start it anew.
func (s *Server) liveOperation() operation {
	return s.probe("/livez", "not_alive", "Start the process anew. These parts hang or have ended: ", health.Alive)
}

// readyOperation tells whatever distributes requests whether to send any here. That there
// is no batch yet, or that no newer one can be built, is no reason to send them elsewhere.
func (s *Server) readyOperation() operation {
	return s.probe("/readyz", "not_ready", "These parts do not work right now: ", health.Ready)
}

// probe answers with the names of the parts at fault. The reasons are for the admin
// address: they may name hosts.
func (s *Server) probe(path, code, detail string, ask func([]health.Part) []health.Fault) operation {
	return operation{method: http.MethodGet, path: path, answer: func(context.Context, *call) (reply, error) {
		var names []string
		for _, fault := range ask(s.parts()) {
			names = append(names, fault.Part)
		}
		if len(names) > 0 {
			return reply{}, &problem{status: http.StatusServiceUnavailable, code: code, retryAfter: retrySoon,
				detail: detail + strings.Join(names, ", ") + "."}
		}
		return ok(map[string]string{"status": "ok"})
	}}
}
