package model

import "github.com/shopspring/decimal"

// FIValues is the dataset of the daily book values of investment funds.
const FIValues Dataset = "fi-values"

// InvestmentValue is one series of an investment fund on one day, as the regulator
// publishes it. Book value, economic value and market price are different things, and
// none replaces another (RULES 11). Values of zero or less are kept, so that the day can
// be shown as one without a usable quote.
type InvestmentValue struct {
	Source
	RUN      RUN    `json:"run" validate:"gt=0"`
	Serie    string `json:"serie" validate:"required,max=40"`
	Date     Date   `json:"date"`
	Currency string `json:"currency" ch:"moneda" validate:"required,max=40"` // as written
	// valor libro, per quota
	BookValue decimal.Decimal `json:"book_value" decimals:"6" validate:"units"`
	// valor económico, per quota; often blank
	EconomicValue decimal.NullDecimal `json:"economic_value" decimals:"6" validate:"units"`
	Equity        decimal.NullDecimal `json:"equity" decimals:"4" validate:"charge"`           // patrimonio neto
	TotalAssets   decimal.NullDecimal `json:"total_assets" decimals:"4" validate:"charge"`     // activo total
	Contributors  *uint32             `json:"contributors" validate:"omitempty,lte=100000000"` // aportantes
	// how many of the contributors are institutional
	Institutional *uint32 `json:"institutional" validate:"omitempty,lte=100000000"`
	Agency        string  `json:"agency" validate:"max=100"` // agencia
}

// Key returns the fund, the series and the day.
func (v InvestmentValue) Key() string { return QuotaKey(v.RUN, v.Serie, v.Date) }
