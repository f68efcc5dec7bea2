package series

import (
	"context"
	"math"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/query/operation"
	"cuota/sql"
)

// CostDifference answers with what an amount comes to under two cost rates, at an assumed return before costs. It is
// arithmetic, and reads nothing of a series.
var CostDifference = operation.Endpoint[costDifferenceParams, CostYears]{
	Path: "/pages/cost-difference", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[costDifferenceParams]) (out CostYears, err error) {
		p := r.Params
		out.Years, err = operation.Rows[CostYear](ctx, r.Pinned, "cost_difference",
			sql.Arg("amount", float64(p.Amount)), sql.Arg("years", uint16(p.Years)),
			sql.Arg("gross", float64(p.Gross)), sql.Arg("first", float64(p.First)),
			sql.Arg("second", float64(p.Second)))
		return out, err
	},
}

type costDifferenceParams struct {
	Amount int64        `query:"amount" min:"1" max:"1000000000000" default:"1000000" doc:"What is there at the start"`
	Years  int64        `query:"years" min:"1" max:"50" default:"20" doc:"Number of years"`
	Gross  fractionText `query:"gross" required:"true" doc:"Return of each year before costs, a fraction from -0.5 to 1"`
	First  fractionText `query:"first" required:"true" doc:"Annual cost rate, a fraction"`
	Second fractionText `query:"second" required:"true" doc:"The other annual cost rate, a fraction"`
}

// fractionText is a fraction from -0.5 to 1 with a decimal point.
type fractionText float64

// Read implements httpapi.Value.
func (f *fractionText) Read(text string) *httpapi.Violation {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || value < -0.5 || value > 1 {
		return &httpapi.Violation{Type: "float_parsing", Msg: "Must be a fraction from -0.5 to 1 with a decimal point"}
	}
	*f = fractionText(value)
	return nil
}

// String implements httpapi.Value.
func (f *fractionText) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

// Schema implements httpapi.Value.
func (fractionText) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "number", "minimum": -0.5, "maximum": 1}
}

// CostYears are the years of a difference in cost, in order.
type CostYears struct {
	Years []CostYear `json:"years"`
}

// CostYear is what the amount has come to after some years. Difference is Second less First.
type CostYear struct {
	Year       uint16  `ch:"year" json:"year"`
	First      float64 `ch:"first_value" json:"first"`
	Second     float64 `ch:"second_value" json:"second"`
	Difference float64 `ch:"difference" json:"difference"`
}
