package model

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// Holding is one position of a fund's portfolio at the close of a month
// (RULES 9). All positions of one fund, month and market come from one file,
// and a later revision of these replaces the earlier one as a whole.
type Holding struct {
	Source
	RUN   RUN  `json:"run" validate:"gt=0"`
	Month Date `json:"month"` // the month's last day
	// Market is N nacional, E extranjera, M participation method, B real
	// estate, O options or F futures and forwards.
	Market string `json:"market" validate:"oneof=N E M B O F"`
	// Position counts the fund's rows of the market in the order of the file,
	// from 1: two lots of one instrument are two positions.
	Position    uint32              `json:"position" validate:"gte=1"`
	Nemotecnico string              `json:"nemotecnico" validate:"max=100"`
	Issuer      string              `json:"issuer" validate:"max=300"` // empty where the file names it by RUT alone
	IssuerRUT   RUT                 `json:"issuer_rut,omitempty"`      // 0: none
	Country     string              `json:"country" validate:"max=40"` // of the issuer, two letters
	Instrument  string              `json:"instrument" validate:"required,max=40"`
	Units       decimal.NullDecimal `json:"units" validate:"units"`
	Valuation   decimal.NullDecimal `json:"valuation_thousands" validate:"charge"` // thousands of the fund's currency
	Percent     decimal.NullDecimal `json:"percent" validate:"weight"`             // of the fund's assets: 29.824 is 29.824 %
	Currency    string              `json:"currency" validate:"max=10"`            // of settlement, as written; empty where not stated
}

// Key is the fund, the month, the market and the position.
func (h Holding) Key() string {
	return h.RUN.String() + ":" + h.Month.String() + ":" + h.Market + ":" + strconv.FormatUint(uint64(h.Position), 10)
}
