package query

import (
	"errors"
	"net/http"
	"strings"

	"cuota/internal/health"
	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/market"
	"cuota/query/operation"
)

// healthOperation says how the service is. It reads only memory, so it answers
// whatever else is down.
func (s *Server) healthOperation() httpapi.Operation {
	return operation.ServiceOperation("/health", httpapi.Open, s.health)
}

// States of the service besides ok and starting, the most serious first. docs/operations.md says
// what to do in each.
var degradedStates = []string{"accounts_unreachable", "clickhouse_unreachable", "copy_behind", "batch_damaged",
	"batch_unreadable", "build_failed"}

// States lists every state that /health may answer with.
func States() []string { return append([]string{"ok", "starting"}, degradedStates...) }

// stateOf returns the status of the service and its most serious cause. accounts is why the account
// store does not answer; nil if it does.
func stateOf(of batch.State, accounts error) (status, state string) {
	switch {
	case accounts != nil: // no key can be checked, so nearly all requests are refused
		return "degraded", "accounts_unreachable"
	case of.Failing: // ClickHouse does not answer
		return "degraded", "clickhouse_unreachable"
	case of.Behind: // other copies may answer from a newer batch, so nothing is answered
		return "degraded", "copy_behind"
	case of.Damaged: // rows of the published batch are missing, so nothing is answered from it
		return "degraded", "batch_damaged"
	case of.Unread: // the published batch, or a part of it, can't be read into memory
		return "degraded", "batch_unreadable"
	case of.NotBuilt: // the last attempt to build a batch failed
		return "degraded", "build_failed"
	case !of.Published: // there is no batch yet
		return "starting", "starting"
	}
	return "ok", "ok"
}

func (s *Server) health(c *httpapi.Call) (httpapi.Reply, error) {
	body := struct {
		Status          string      `json:"status"`
		State           string      `json:"state"`             // why the status is what it is
		LastScrapedDate *model.Date `json:"last_scraped_date"` // latest date with a quota value
		TotalRecords    uint64      `json:"total_records"`     // facts of all datasets in the batch
	}{}
	body.Status, body.State = stateOf(s.host.Follower.State(), s.accountsTrouble())
	if b := s.host.Follower.Current(); b != nil {
		c.Header.Set(operation.BatchHeader, b.ID)
		body.LastScrapedDate, body.TotalRecords = operation.DateOf(b.LastQuota), b.TotalRecords
	}
	return httpapi.JSON(body)
}

// State returns the state that /health answers with.
func (s *Server) State() string {
	_, state := stateOf(s.host.Follower.State(), s.accountsTrouble())
	return state
}

func (s *Server) accountsTrouble() error {
	if s.config.Accounts == nil {
		return nil
	}
	return s.config.Accounts()
}

// Part reports on the server itself. It is not alive if it has not looked for a newer batch
// for ten minutes. It is not ready before its first look, while ClickHouse does not answer and
// no batch is in memory, and while another server may answer from a newer batch. With a batch in memory it is degraded
// if ClickHouse does not answer: most requests are answered.
func (s *Server) Part() health.Part {
	return health.Part{
		Name: "api", Alive: s.host.Follower.Alive,
		Ready: func() error {
			switch of := s.host.Follower.State(); {
			case !of.Looked:
				return errors.New("it has not read the published batch yet")
			case of.Failing && !s.inMemory():
				return errors.New("ClickHouse does not answer, and no batch is in memory")
			}
			return s.host.Follower.MayAnswer()
		},
		Degraded: func() error {
			if s.host.Follower.State().Failing && s.inMemory() {
				return errors.New("ClickHouse does not answer; only replies in memory are served")
			}
			return nil
		},
	}
}

// inMemory reports whether the rows of the published batch are in memory, so that the hot
// requests need no ClickHouse.
func (s *Server) inMemory() bool {
	b := s.host.Follower.Current()
	if b == nil || b.Damaged {
		return false
	}
	_, there := market.Part.Of(b)
	return there
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

// liveOperation reports to a supervisor whether to restart the process.
func (s *Server) liveOperation() httpapi.Operation {
	return s.probe("/livez", "not_alive", "Start the process anew. These parts hang or have ended: ", health.Alive)
}

// readyOperation reports to a load balancer whether to send requests here. A missing first
// batch, or a build that fails, is no reason to send them elsewhere. Nor is a ClickHouse that does
// not answer while a batch is in memory: the status is degraded then.
func (s *Server) readyOperation() httpapi.Operation {
	return s.probe("/readyz", "not_ready", "These parts do not work right now: ", health.Ready)
}

// probe answers with the names of the failing parts. The reasons are only on the admin
// address, because they may name hosts.
func (s *Server) probe(path, code, detail string, ask func([]health.Part) []health.Fault) httpapi.Operation {
	return operation.ServiceOperation(path, httpapi.Open, func(*httpapi.Call) (httpapi.Reply, error) {
		var names []string
		for _, fault := range ask(s.parts()) {
			names = append(names, fault.Part)
		}
		if len(names) > 0 {
			return httpapi.Reply{}, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: code,
				RetryAfter: httpapi.RetrySoon,
				Detail:     detail + strings.Join(names, ", ") + "."}
		}
		status := health.OK
		if len(health.Degraded(s.parts())) > 0 {
			status = health.DegradedStatus
		}
		return httpapi.JSON(map[string]string{"status": status})
	})
}
