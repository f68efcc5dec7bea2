package portfolio

import (
	"context"
	"net/http"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/query/savings"
)

// Path is the path of the operation.
const Path = "/api/portfolio"

type params struct{ operation.BatchParams }

// Operation answers what the movements in the body of a request have become.
func Operation(h *operation.Host) httpapi.Operation {
	return httpapi.NewOperation(http.MethodPost, Path, httpapi.Keyed, nil,
		func(ctx context.Context, c *httpapi.Call, params *params) (httpapi.Answer, error) {
			of, err := readRequest(c.Request, h.Today())
			if err != nil {
				return httpapi.Answer{}, err
			}
			p, err := h.Pin(ctx, c, batch.Complete, params)
			if err != nil {
				return httpapi.Answer{}, err
			}
			c.Header.Set(operation.BatchHeader, p.Batch.ID)
			return httpapi.Answer{Make: func(ctx context.Context) (httpapi.Reply, error) {
				ctx = operation.WithRequestID(ctx)
				var out Reply
				err := c.Wait(ctx, func() error {
					f, err := read(ctx, p, of)
					if err == nil {
						out = replyOf(p, f)
					}
					return h.StillReadable(ctx, c.NamedVersion(), p, err)
				})
				if err != nil {
					return httpapi.Reply{}, err
				}
				return httpapi.JSON(out)
			}}, nil
		})
}

// OfText answers the same for the page on which a reader writes movements as a CSV.
var OfText = operation.Endpoint[textParams, Answered]{
	Path: "/pages/portfolio", ForPages: true, Need: batch.Complete, Parts: []batch.Loader{past.Part},
	Check: func(today model.Date, params *textParams) []httpapi.Violation {
		if wrong := wrongDay(params.AsOf.Date, today); params.AsOf.Given && wrong != "" {
			return operation.WrongParameter("as_of_date", "value_error", wrong)
		}
		return nil
	},
	Find: func(ctx context.Context, r *operation.Request[textParams]) (out Answered, err error) {
		var of asked
		of.movements, out.Wrong = savings.ParseCSV(string(r.Params.CSV))
		if len(out.Wrong) > 0 || len(of.movements) == 0 {
			return out, nil
		}
		if r.Params.AsOf.Given {
			of.asOf = &r.Params.AsOf.Date
		}
		f, err := read(ctx, r.Pinned, of)
		if err != nil {
			return out, err
		}
		out.Reply = new(replyOf(r.Pinned, f))
		return out, nil
	},
}

type textParams struct {
	CSV  csvParam            `query:"csv" required:"true" doc:"Movements, one on each line"`
	AsOf operation.DateParam `query:"as_of_date" empty:"absent" doc:"Day of the valuation; absent: the cutoff"`
}

// csvParam is a text of movements.
type csvParam string

// Read implements httpapi.Value.
func (c *csvParam) Read(text string) *httpapi.Violation {
	*c = csvParam(text)
	return nil
}

// String implements httpapi.Value.
func (c *csvParam) String() string { return string(*c) }

// Schema implements httpapi.Value. The kernel bounds the text, which comes from a form.
func (csvParam) Schema() httpapi.Schema { return httpapi.Schema{"type": "string"} }

// Answered is what a page shows: what is wrong with lines, or else the reply. Both are empty if there are no lines.
type Answered struct {
	Wrong []savings.LineError `json:"wrong"`
	Reply *Reply              `json:"reply"`
}
