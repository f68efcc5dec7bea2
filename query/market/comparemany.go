package market

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/query/batch"
	"cuota/query/operation"
)

// CompareMany compares up to 500 series, whose ids are in the body of the request. The reply is that of Compare. Ten
// series count as one request.
func CompareMany(h *operation.Host) httpapi.Operation {
	bodies := comparedIn(h)
	return httpapi.NewOperation(http.MethodPost, Compare.Path, httpapi.Keyed, nil,
		func(ctx context.Context, c *httpapi.Call, params *struct{ operation.BatchParams }) (httpapi.Answer, error) {
			r, err := readCompareMany(c, bodies)
			if err != nil {
				return httpapi.Answer{}, err
			}
			if err := c.Charge(ctx, operation.CostOf(len(r.Params.Series))); err != nil {
				return httpapi.Answer{}, err
			}
			p, err := h.Pin(ctx, c, batch.Complete, params)
			if err != nil {
				return httpapi.Answer{}, err
			}
			r.Pinned = p.Logged()
			c.Header.Set(operation.BatchHeader, r.Batch.ID)
			operation.NameContent(c.Header, r.Params)
			return httpapi.Answer{Make: func(ctx context.Context) (httpapi.Reply, error) {
				if reply, there, err := compareFromMemory(r); there || err != nil {
					return reply, err
				}
				ctx = operation.WithRequestID(ctx)
				found, err := Compare.Part(ctx, r)
				if err = h.StillReadable(ctx, c.NamedVersion(), r.Pinned, err); err != nil {
					return httpapi.Reply{}, err
				}
				body, err := httpapi.TextOf(found.Reply())
				return httpapi.Reply{Body: body, Listing: &found.Listing}, err
			}}, nil
		})
}

// comparedIn reads the body of a request.
func comparedIn(h *operation.Host) httpapi.Objects[comparedManyParams] {
	return httpapi.ObjectsOf(Compare.Path, func(params *comparedManyParams) []httpapi.Violation {
		return append(operation.CheckAsOf(h.Today(), params.AsOf), params.Fields.Check(attributeNames)...)
	})
}

// CompareSchema describes the body of a request.
func CompareSchema() httpapi.Schema { return comparedIn(nil).Schema() }

// comparedManyParams is the body of a request.
type comparedManyParams struct {
	Series []string `query:"series" max:"10" most:"500" doc:"One to 500 decimal ids of series"`
	operation.AsOfParams
	operation.FieldsParams
}

// readCompareMany reads the body of a request.
func readCompareMany(c *httpapi.Call,
	bodies httpapi.Objects[comparedManyParams]) (*operation.Request[compareParams], error) {
	var text json.RawMessage
	if err := operation.ReadBody(c.Request, &text); err != nil {
		return nil, err
	}
	call, body, wrong := bodies.Read(c, text, "body")
	if len(wrong) > 0 {
		return nil, wrong[:min(len(wrong), operation.MaxViolations)]
	}
	params := &compareParams{AsOfParams: body.AsOfParams, FieldsParams: body.FieldsParams}
	for i, text := range body.Series {
		id, isID := operation.ParseID(text)
		switch {
		case !isID:
			return nil, operation.WrongBody("int_parsing", "Must be a whole number from 0 to 4294967295", "series",
				strconv.Itoa(i))
		case slices.Contains(params.Series, id):
			return nil, operation.WrongBody("duplicate", fmt.Sprintf("Must not name the series %d twice", id), "series")
		}
		params.Series = append(params.Series, id)
	}
	return &operation.Request[compareParams]{Call: call, Params: params}, nil
}
