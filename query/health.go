package query

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"cuota/internal/health"
	"cuota/model"
)

// healthOperation tells anyone how the service is. It reads only memory, so it answers
// whatever else is down.
func (s *Server) healthOperation() operation {
	return operation{method: http.MethodGet, path: "/health", answer: s.health}
}

// BatchHeader is the response header of /health with the batch_id of the published batch.
// Other replies have the batch_id in meta.
const BatchHeader = "X-Batch-Id"

// The states of the service. Each comment gives the status that belongs to it, and its
// cause.
const (
	stateOK             = "ok"                     // status ok
	stateStarting       = "starting"               // status starting: there is no batch yet
	stateUnreachable    = "clickhouse_unreachable" // status degraded: ClickHouse does not answer
	stateDamaged        = "batch_damaged"          // status degraded: rows of the published batch are missing, so nothing is answered from it
	stateSnapshotUnread = "batch_unreadable"       // status degraded: the published batch can't be read into memory
	stateBuildFailed    = "build_failed"           // status degraded: the last attempt to build a batch failed
)

// state gives the most serious state that applies, and its status.
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

// Part reports on the server itself. It is not alive if it has not looked for a newer batch
// for longestRound, and not ready before its first look and while the last one failed.
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

// parts are the parts of the process that the server needs in order to answer, beginning
// with itself.
func (s *Server) parts() []health.Part {
	parts := []health.Part{s.Part()}
	if s.config.Parts != nil {
		parts = append(parts, s.config.Parts()...)
	}
	return parts
}

// liveOperation tells a supervisor whether to restart the process.
func (s *Server) liveOperation() operation {
	return s.probe("/livez", "not_alive", "Start the process anew. These parts hang or have ended: ", health.Alive)
}

// readyOperation tells a load balancer whether to send requests here. A missing first
// batch, or a build that fails, is no reason to send them elsewhere.
func (s *Server) readyOperation() operation {
	return s.probe("/readyz", "not_ready", "These parts do not work right now: ", health.Ready)
}

// probe answers with the names of the failing parts. The reasons are only on the admin
// address, because they may name hosts.
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
