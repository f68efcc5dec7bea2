package backtest

import "cuota/model"

// Strategy says what is selected, when, and how it is traded. It is read from TOML or JSON with
// the same names. The zero value of a field means its default; see Complete.
type Strategy struct {
	Name string `toml:"name" json:"name" validate:"required,max=100"`

	// When (section 1).
	From model.Date `toml:"from" json:"from" validate:"required"`
	To   model.Date `toml:"to" json:"to" validate:"required"`
	// default monthly
	Rebalance string `toml:"rebalance" json:"rebalance" validate:"oneof=monthly quarterly dates"`
	// ascending; only with rebalance = "dates"
	Dates []model.Date `toml:"dates" json:"dates,omitempty" validate:"max=4000"`
	// days; default 1
	EntryLag *int `toml:"entry_lag" json:"entry_lag" validate:"min=0,max=60"`
	// days; default 1
	ExitLag *int `toml:"exit_lag" json:"exit_lag" validate:"min=0,max=60"`
	// default 10 (RULES 11)
	RedemptionDays *int `toml:"redemption_days" json:"redemption_days" validate:"min=0,max=179"`

	// Out of what (sections 2 and 3).
	Known string `toml:"known" json:"known" validate:"oneof=then revised"` // default then
	// only with known = "revised"
	ClassifiedLater bool   `toml:"classified_later" json:"classified_later"`
	Universe        string `toml:"universe" json:"universe" validate:"oneof=then current"` // default then
	Currency        string `toml:"currency" json:"currency" validate:"oneof=PESOS DOLAR"`  // default PESOS
	// series in another currency too
	Convert    bool   `toml:"convert" json:"convert"`
	MinAgeDays int    `toml:"min_age_days" json:"min_age_days" validate:"min=0,max=40000"` // since the first quote
	Filter     Filter `toml:"filter" json:"filter"`

	// What is selected (section 3).
	OnePerFund *bool  `toml:"one_per_fund" json:"one_per_fund"`     // default true
	Sort       string `toml:"sort" json:"sort" validate:"required"` // one of Sorts
	// default desc; asc for tac, id and volatilities
	Order    string  `toml:"order" json:"order" validate:"oneof=asc desc"`
	Top      int     `toml:"top" json:"top,omitempty" validate:"min=0,max=5000"` // either this or Quantile
	Quantile float64 `toml:"quantile" json:"quantile,omitempty" validate:"min=0,max=1"`
	Within   string  `toml:"within" json:"within,omitempty" validate:"omitempty,oneof=family manager"`
	Weights  string  `toml:"weights" json:"weights" validate:"oneof=equal equity inverse_volatility"` // default equal

	// How it is held (sections 4 to 6).
	FollowExchanges bool  `toml:"follow_exchanges" json:"follow_exchanges"`
	Costs           Costs `toml:"costs" json:"costs"`
	// family:NAME:CURRENCY, uf, symbol:SYMBOL or rate:R
	Benchmark string `toml:"benchmark" json:"benchmark,omitempty" validate:"max=300"`
	// uf, symbol:SYMBOL or rate:R
	RiskFree string `toml:"risk_free" json:"risk_free,omitempty" validate:"max=300"`
}

// Filter leaves out series. Its texts compare as the filters of the screener with the same
// names do; an empty text and a nil number leave out nothing.
type Filter struct {
	Text          string   `toml:"q" json:"q,omitempty" validate:"max=200"`
	Family        string   `toml:"fund_family" json:"fund_family,omitempty" validate:"max=200"`
	InvestorClass string   `toml:"investor_class" json:"investor_class,omitempty" validate:"max=100"`
	Currency      string   `toml:"currency" json:"currency,omitempty" validate:"omitempty,oneof=PESOS DOLAR"`
	Category      string   `toml:"category" json:"category,omitempty" validate:"max=100"`
	Manager       string   `toml:"administrator" json:"administrator,omitempty" validate:"max=200"`
	SpheresMin    *int     `toml:"cmf_spheres_min" json:"cmf_spheres_min,omitempty" validate:"omitempty,min=1,max=5"`
	SpheresMax    *int     `toml:"cmf_spheres_max" json:"cmf_spheres_max,omitempty" validate:"omitempty,min=1,max=5"`
	RatedFamily   string   `toml:"cmf_family" json:"cmf_family,omitempty" validate:"max=200"`
	RatedClass    string   `toml:"cmf_investor_type" json:"cmf_investor_type,omitempty" validate:"max=200"`
	TACKind       string   `toml:"tac_kind" json:"tac_kind,omitempty" validate:"omitempty,oneof=synthetic stated computed"`
	TACMax        *float64 `toml:"tac_max" json:"tac_max,omitempty"`                           // fraction
	EquityMin     *float64 `toml:"equity_clp_min" json:"equity_clp_min,omitempty"`             // full pesos
	VolatilityMax *float64 `toml:"volatility_12m_max" json:"volatility_12m_max,omitempty"`     // fraction, per year
	DrawdownMin   *float64 `toml:"max_drawdown_36m_min" json:"max_drawdown_36m_min,omitempty"` // fraction, 0 or less
}

// Costs are fractions of the traded amount (section 5).
type Costs struct {
	Buy  float64 `toml:"buy" json:"buy" validate:"min=0,max=0.25"`
	Sell float64 `toml:"sell" json:"sell" validate:"min=0,max=0.25"`
}
