package query

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"

	"cuota/backtest"
	"cuota/internal/httpapi"
	"cuota/query/batch"
)

// backtestsPath runs a strategy over the history of the batch.
const backtestsPath = "/api/backtests"

// backtestCost is as how many requests a backtest counts.
const backtestCost = 10

// backtestLimits bound what is answered in the time of a request: ten years by month, and 200
// series on each date.
var backtestLimits = backtest.Limits{Days: 3_660, Signals: 121, Selected: 200}

type backtestParams struct{ batchParams }

// backtestsOperation runs the strategy in the body of a request. Backtests run one after the
// other, because each holds the market of all its dates in memory.
func (s *Server) backtestsOperation() httpapi.Operation {
	turn := make(chan struct{}, 1)
	op := httpapi.NewOperation(http.MethodPost, backtestsPath, httpapi.Keyed, nil, func(ctx context.Context, c *httpapi.Call, params *backtestParams) (httpapi.Answer, error) {
		strategy, err := readStrategy(c.Request)
		if err != nil {
			return httpapi.Answer{}, err
		}
		p, err := s.pin(ctx, c, batch.Complete, params)
		if err != nil {
			return httpapi.Answer{}, err
		}
		return httpapi.Answer{Make: func(ctx context.Context) (reply httpapi.Reply, err error) {
			ctx, cancel := context.WithTimeout(withRequestID(ctx), s.config.QueryTimeout)
			defer cancel()
			err = c.Wait(ctx, func() error {
				select {
				case turn <- struct{}{}:
					defer func() { <-turn }()
				case <-ctx.Done():
					return ctx.Err()
				}
				out, err := backtestLimits.Run(ctx, backtest.NewDatabase(p.reader, p.batch.Number), strategy)
				if err != nil {
					return err
				}
				reply, err = httpapi.JSON(out)
				return err
			})
			if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return httpapi.Reply{}, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "backtest_too_long", RetryAfter: httpapi.RetrySoon, Cause: err,
					Detail: "The backtest did not end in the time of a request. Try again, or ask for a shorter period or fewer dates; cuota backtest strategy has no limit in time."}
			}
			return reply, s.stillReadable(ctx, c.NamedVersion(), p, wrongStrategy(err))
		}}, nil
	})
	op.Requests = backtestCost
	return op
}

// readStrategy reads the strategy in the body of a request.
func readStrategy(r *http.Request) (backtest.Strategy, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return backtest.Strategy{}, httpapi.Invalid{{Loc: []string{"header", "Content-Type"}, Type: "value_error", Msg: "Must be application/json: the body is the JSON of a strategy"}}
	}
	strategy, err := backtest.ParseJSON(r.Body)
	return strategy, wrongStrategy(err)
}

// wrongStrategy gives the 422 for what is wrong with a strategy, and any other error as it is.
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
