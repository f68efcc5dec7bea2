package query

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/internal/account"
	"cuota/internal/httpapi"
	"cuota/query/batch"
	"cuota/query/operation"
)

// backtestsPath runs a strategy over the history of the batch.
const backtestsPath = "/api/backtests"

// backtestCost is the number of requests that one backtest counts as.
const backtestCost = 10

// backtestLimits bound what is answered in the time of a request: ten years by month, and 200
// series on each date.
var backtestLimits = backtest.Limits{Days: 3_660, Signals: 121, Selected: 200}

type backtestParams struct{ operation.BatchParams }

// backtestHistories keeps what backtests have read of one batch. It is bounded, see
// history.NewSource.
type backtestHistories struct {
	mu     sync.Mutex
	batch  uint64
	source *history.Source
}

// of returns the source of a batch, and forgets that of another one.
func (h *backtestHistories) of(p operation.Pinned) *history.Source {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.source == nil || h.batch != p.Batch.Number {
		h.batch, h.source = p.Batch.Number, history.NewSource(p.Reader, p.Batch.Number)
	}
	return h.source
}

// forget drops what was read: a run that failed may have read rows of a damaged table.
func (h *backtestHistories) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.source = nil
}

// backtestsOperation runs the strategy in the body of a request. One backtest runs at a time, because
// each needs the market of all its dates in memory; another one is refused at once, so that
// backtests never take the places of other requests.
func (s *Server) backtestsOperation() httpapi.Operation {
	turn := make(chan struct{}, 1)
	op := httpapi.NewOperation(http.MethodPost, backtestsPath, httpapi.Keyed, nil,
		func(ctx context.Context, c *httpapi.Call, params *backtestParams) (httpapi.Answer, error) {
			strategy, err := readStrategy(c.Request)
			if err != nil {
				return httpapi.Answer{}, err
			}
			if err := c.Charge(ctx, backtestCost); err != nil {
				return httpapi.Answer{}, err
			}
			p, err := s.host.Pin(ctx, c, batch.Complete, params)
			if err != nil {
				return httpapi.Answer{}, err
			}
			return httpapi.Answer{Make: func(ctx context.Context) (reply httpapi.Reply, err error) {
				select {
				case turn <- struct{}{}:
					defer func() { <-turn }()
				default:
					return httpapi.Reply{}, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "overloaded",
						RetryAfter: httpapi.RetrySoon,
						Detail:     "Another backtest is running right now. Try again in a few seconds."}
				}
				ctx, cancel := context.WithTimeout(operation.WithRequestID(ctx), s.config.QueryTimeout)
				defer cancel()
				var out *backtest.Result
				err = c.Wait(ctx, func() error {
					out, err = backtestLimits.Run(ctx, s.histories.of(p), strategy)
					if err != nil {
						return err
					}
					return s.host.StillReadable(ctx, c.NamedVersion(), p, nil)
				})
				if err != nil {
					s.histories.forget()
				}
				if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
					return httpapi.Reply{}, &httpapi.Problem{Status: http.StatusServiceUnavailable,
						Code: "backtest_too_long", RetryAfter: httpapi.RetrySoon, Worked: true, Cause: err,
						Detail: "The backtest did not end in the time of a request. Try again, or ask for a shorter " +
							"period or fewer dates; cuota backtest strategy has no limit in time."}
				}
				if err != nil {
					return httpapi.Reply{}, wrongStrategy(err)
				}
				return httpapi.JSON(out)
			}}, nil
		})
	op.Scope = account.BacktestsScope
	return op
}

// readStrategy reads the strategy in the body of a request.
func readStrategy(r *http.Request) (backtest.Strategy, error) {
	if err := operation.CheckJSON(r); err != nil {
		return backtest.Strategy{}, err
	}
	strategy, err := backtest.ParseJSON(r.Body)
	if err != nil && !errors.As(err, new(*backtest.InvalidStrategy)) { // the connection was cut off
		return backtest.Strategy{},
			httpapi.Invalid{{Loc: []string{"body"}, Type: "value_error", Msg: "Could not be read to its end"}}
	}
	return strategy, wrongStrategy(err)
}

// wrongStrategy returns the 422 for what is wrong with a strategy, and any other error as it is.
func wrongStrategy(err error) error {
	violation := httpapi.Violation{Loc: []string{"body"}}
	wrong, limit := (*backtest.InvalidStrategy)(nil), (*backtest.LimitError)(nil)
	switch {
	case errors.As(err, &wrong):
		violation.Type, violation.Msg = "value_error", "The strategy "+wrong.Problem
		if wrong.Field != "" {
			violation.Loc = append(violation.Loc, strings.Split(wrong.Field, ".")...)
			violation.Msg = strings.ToUpper(wrong.Problem[:1]) + wrong.Problem[1:]
		}
	case errors.As(err, &limit):
		violation.Loc = append(violation.Loc, limit.Field)
		violation.Type, violation.Msg = "limit", strings.ToUpper(limit.Error()[:1])+limit.Error()[1:]
	default:
		return err
	}
	return httpapi.Invalid{violation}
}
