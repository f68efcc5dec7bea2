package series

import (
	"context"
	"math"
	"strconv"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// RateLevels answers with the UF and the dollar of each day, and what a fixed rate makes of 1, for lines beside
// those of series in a chart.
var RateLevels = operation.Endpoint[rateLevelsParams, Listed[RateLevel]]{
	Path: "/pages/rates", ForPages: true,
	Check: func(_ model.Date, params *rateLevelsParams) []httpapi.Violation {
		return operation.CheckRange(params.From, params.To)
	},
	Find: findRateLevels,
}

type rateLevelsParams struct {
	From operation.DateParam `query:"from_date" required:"true" example:"2025-01-01" doc:"First day, inclusive"`
	To   operation.DateParam `query:"to_date" required:"true" example:"2025-07-20" doc:"Last day, inclusive"`
	Rate percentParam        `query:"rate" doc:"A fixed rate, percent a year"`

	Currency string `query:"currency" enum:"PESOS,DOLAR" default:"PESOS" doc:"Of the UF and of the dollar"`
}

// percentParam is a rate in percent a year. It is absent if given is false.
type percentParam struct {
	percent float64
	given   bool
}

// The bounds of a rate a year, in percent.
const (
	lowestRate  = -99
	highestRate = 1000
)

// Read implements httpapi.Value.
func (p *percentParam) Read(text string) *httpapi.Violation {
	percent, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(percent) || percent < lowestRate || percent > highestRate {
		return &httpapi.Violation{Type: "float_parsing", Msg: "Must be a number from -99 to 1000"}
	}
	*p = percentParam{percent, true}
	return nil
}

// String implements httpapi.Value.
func (p *percentParam) String() string { return strconv.FormatFloat(p.percent, 'g', -1, 64) }

// Schema implements httpapi.Value.
func (percentParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "number", "minimum": lowestRate, "maximum": highestRate}
}

// RateLevel is the rates of a day. A value that is not known is nil, and so is Fixed if no rate is asked for.
type RateLevel struct {
	Date   model.Date `json:"date"`
	UF     *float64   `json:"uf"`     // for one UF, in the asked currency
	Dollar *float64   `json:"dollar"` // for one dollar, in the asked currency
	Fixed  *float64   `json:"fixed"`  // what 1 of the first day has become
}

func findRateLevels(ctx context.Context, r *operation.Request[rateLevelsParams]) (listed Listed[RateLevel], err error) {
	var rate *float64
	if r.Params.Rate.given {
		rate = &r.Params.Rate.percent
	}
	found, err := operation.Rows[struct {
		Day    time.Time `ch:"date"`
		UF     *float64  `ch:"uf"`
		Dollar *float64  `ch:"dollar"`
		Fixed  *float64  `ch:"fixed"`
	}](ctx, r.Pinned, "rate_levels", sql.Arg("from_date", r.Params.From.Or(operation.FirstDay).String()),
		sql.Arg("to_date", r.Params.To.Or(operation.LastDayOfAll).String()), sql.Arg("rate", operation.Nullable(rate)),
		sql.Arg("currency", r.Params.Currency))
	listed.Data = make([]RateLevel, len(found))
	for i, of := range found {
		listed.Data[i] = RateLevel{model.DateOf(of.Day), of.UF, of.Dollar, of.Fixed}
	}
	return listed, err
}
