package market

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
)

// ScreensPath is the path of Screens.
const ScreensPath = "/api/screens"

// Limits of a request of many screens.
const (
	maxScreens      = 200
	maxPastScreens  = 12       // different past dates; the market of each may have to be read
	maxScreensBytes = 16 << 20 // of all answers together
	screenBytes     = 4 << 10  // room for an answer; more is made where it is needed
)

// screensParams are the parameters of the whole request.
type screensParams struct {
	Format string `query:"format" enum:"json,ndjson" null:"true" doc:"json: one object with all answers. ndjson: one answer on each line, as GET /api/screener gives it. Absent: the one that the Accept header prefers, else json."`
	operation.BatchParams
}

// Screens answers up to 200 requests of the screener at once, in their order and from one batch. Each answer is that of
// GET /api/screener. Ten answers count as one request.
func Screens(h *operation.Host) httpapi.Operation {
	screens := screensIn(h)
	return httpapi.NewOperation(http.MethodPost, ScreensPath, httpapi.Keyed, nil,
		func(ctx context.Context, c *httpapi.Call, params *screensParams) (httpapi.Answer, error) {
			parts, err := readScreens(c, screens)
			if err != nil {
				return httpapi.Answer{}, err
			}
			if err := c.Charge(ctx, operation.CostOf(len(parts))); err != nil {
				return httpapi.Answer{}, err
			}
			p, err := h.Pin(ctx, c, batch.Complete, params)
			if err != nil {
				return httpapi.Answer{}, err
			}
			c.Header.Set(operation.BatchHeader, p.Batch.ID)
			p = p.Logged()
			for i := range parts {
				parts[i].Pinned = p
			}
			lines := params.Format == "ndjson" || params.Format == "" && c.Preferred([]string{ndjson}) == ndjson
			return httpapi.Answer{Make: func(ctx context.Context) (httpapi.Reply, error) {
				ctx = operation.WithRequestID(ctx)
				body, err := screensBody(ctx, parts, lines)
				err = h.StillReadable(ctx, c.NamedVersion(), p, err)
				if lines && err == nil {
					c.Header.Set("Content-Type", ndjson)
				}
				return httpapi.Reply{Body: body}, err
			}}, nil
		})
}

// screensIn reads the screens of a request. Which batch and which format is said for all of them.
func screensIn(h *operation.Host) httpapi.Objects[ScreenerParams] {
	return httpapi.ObjectsOf(Screener.Path, func(params *ScreenerParams) []httpapi.Violation {
		return checkScreener(h.Today(), params)
	}, httpapi.VersionParameter, "format")
}

// ScreenSchema describes one screen in the body of a request.
func ScreenSchema() httpapi.Schema { return screensIn(nil).Schema() }

const ndjson = "application/x-ndjson"

// readScreens reads the screens in the body of a request. It fails with Invalid, which lists everything that is wrong.
func readScreens(c *httpapi.Call,
	screens httpapi.Objects[ScreenerParams]) ([]operation.Request[ScreenerParams], error) {
	var body struct {
		Screens []json.RawMessage `json:"screens"`
	}
	if err := operation.ReadBody(c.Request, &body); err != nil {
		return nil, err
	}
	if len(body.Screens) == 0 || len(body.Screens) > maxScreens {
		return nil, operation.WrongBody("value_error", fmt.Sprintf("Must be a list of 1 to %d screens", maxScreens),
			"screens")
	}
	var wrong httpapi.Invalid
	parts := make([]operation.Request[ScreenerParams], len(body.Screens))
	dates := map[model.Date]bool{}
	for i, text := range body.Screens {
		call, params, violations := screens.Read(c, text, "body", "screens", strconv.Itoa(i))
		wrong = append(wrong, violations...)
		if len(wrong) >= operation.MaxViolations {
			return nil, wrong[:operation.MaxViolations]
		}
		parts[i] = operation.Request[ScreenerParams]{Call: call, Params: params}
		if len(wrong) == 0 && params.AsOf.Given {
			dates[params.AsOf.Date] = true
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	if len(dates) > maxPastScreens {
		return nil, operation.WrongBody("too_long",
			fmt.Sprintf("Must name at most %d different as_of_date, and names %d", maxPastScreens, len(dates)), "screens")
	}
	return parts, nil
}

// screensBody answers all screens.
func screensBody(ctx context.Context, parts []operation.Request[ScreenerParams], lines bool) (body []byte, err error) {
	body = make([]byte, 0, screenBytes*len(parts))
	if !lines {
		body = append(body, `{"data":[`...)
	}
	for i := range parts {
		if i > 0 && !lines {
			body = append(body, ',')
		}
		if body, err = appendAnswer(ctx, body, &parts[i]); err != nil {
			return nil, err
		}
		if !lines {
			body = body[:len(body)-1] // the line feed
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(body) > maxScreensBytes:
			return nil, operation.WrongBody("too_long", fmt.Sprintf("The answers up to this one have more than %d MiB: ask for "+
				"fewer rows by limit, for chosen attributes by fields, or for fewer screens", maxScreensBytes>>20),
				"screens", strconv.Itoa(i))
		}
	}
	if lines {
		return body, nil
	}
	answered := parts[0].Batch
	meta, err := httpapi.EncodePart(operation.ManyMeta{BatchID: answered.ID, AsOf: operation.DateOf(answered.AsOf),
		Answers: len(parts), CountedRequests: operation.CostOf(len(parts))})
	body = append(append(body, `],"meta":`...), meta...)
	return append(body, "}\n"...), err
}

// appendAnswer appends the answer to one screen, which ends with a line feed.
func appendAnswer(ctx context.Context, body []byte, r *operation.Request[ScreenerParams]) ([]byte, error) {
	if !r.Params.AsOf.Given {
		market, rendering, err := Rendered(r.Pinned)
		if err != nil {
			return nil, err
		}
		if market != nil {
			body, _, err = appendScreen(body, r, market, rendering)
			return body, err
		}
	}
	page, err := Screener.Part(ctx, r)
	if err != nil {
		return nil, err
	}
	text, err := httpapi.TextOf(page.Reply())
	return append(body, text...), err
}
