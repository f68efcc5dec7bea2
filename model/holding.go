package model

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// Holdings is the dataset of portfolios at the close of a month.
const Holdings Dataset = "holdings"

// Holding is one position of a fund's portfolio at the end of a month (RULES 9). One
// file states all positions of a fund, month and market; a later revision replaces all
// of them together.
type Holding struct {
	Source
	RUN   RUN  `json:"run" validate:"gt=0"`
	Month Date `json:"month"` // last day of the month
	// Market is N national, E foreign, M participation method, B real estate, O options,
	// F futures and forwards.
	Market string `json:"market" validate:"oneof=N E M B O F"`
	// Position numbers the fund's rows of this market in the order of the file, from 1.
	// Two lots of one instrument are two positions.
	Position    uint32              `json:"position" validate:"gte=1"`
	Nemotecnico string              `json:"nemotecnico" validate:"max=100"`
	Issuer      string              `json:"issuer" validate:"max=300"` // empty where the file states only the RUT
	IssuerRUT   RUT                 `json:"issuer_rut,omitempty"`      // 0: none
	Country     string              `json:"country" validate:"max=40"` // country of the issuer, two letters
	Instrument  string              `json:"instrument" validate:"max=40"`
	Units       decimal.NullDecimal `json:"units" decimals:"6" validate:"units"`
	// in thousands of the fund's currency
	Valuation decimal.NullDecimal `json:"valuation_thousands" decimals:"4" validate:"charge"`
	// percent of the fund's assets: 29.824 is 29.824 %
	Percent decimal.NullDecimal `json:"percent" decimals:"8" validate:"weight"`
	// currency of settlement, as written; empty where not stated
	Currency string `json:"currency" ch:"moneda" validate:"max=10"`
}

// Key returns the fund, the month, the market and the position.
func (h Holding) Key() string {
	return h.RUN.String() + ":" + h.Month.String() + ":" + h.Market + ":" + strconv.FormatUint(uint64(h.Position), 10)
}
