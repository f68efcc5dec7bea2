package model

import "github.com/shopspring/decimal"

// InvestmentValue is one series of an investment fund on one day, as the
// regulator publishes it. Book value, economic value and market price are
// different things and never stand in for each other (RULES 11). Nothing here
// is held to be positive: a quote that can't be used must be seen as one.
type InvestmentValue struct {
	Source
	RUN           RUN                 `json:"run" validate:"gt=0"`
	Serie         string              `json:"serie" validate:"required,max=40"`
	Date          Date                `json:"date"`
	Currency      string              `json:"currency" validate:"oneof=$$ PROM EUR CLP USD PESOS DOLAR"` // as written
	BookValue     decimal.Decimal     `json:"book_value" validate:"units"`                               // valor libro, per quota
	EconomicValue decimal.NullDecimal `json:"economic_value" validate:"units"`                           // valor económico, per quota; often blank
	Equity        decimal.NullDecimal `json:"equity" validate:"charge"`                                  // patrimonio neto
	TotalAssets   decimal.NullDecimal `json:"total_assets" validate:"charge"`                            // activo total
	Contributors  *uint32             `json:"contributors"`                                              // aportantes
	Institutional *uint32             `json:"institutional"`                                             // of these
	Agency        string              `json:"agency" validate:"max=100"`                                 // agencia
}

// Key is the fund, the series and the day.
func (v InvestmentValue) Key() string { return QuotaKey(v.RUN, v.Serie, v.Date) }
