package facts

// Risk holds the risk figures of a series at a month end, from monthly returns in its
// accounting currency. Volatilities and drawdown are fractions. The score is a rank from 0
// to 100 among all series of that month.
type Risk struct {
	VolatilityMonthly12 *float64 `ch:"volatility_monthly_12m" json:"volatility_monthly_12m"`
	VolatilityMonthly36 *float64 `ch:"volatility_monthly_36m" json:"volatility_monthly_36m"`
	VolatilityAnnual12  *float64 `ch:"volatility_annualized_12m" json:"volatility_annualized_12m"`
	VolatilityAnnual36  *float64 `ch:"volatility_annualized_36m" json:"volatility_annualized_36m"`
	MaxDrawdown36       *float64 `ch:"max_drawdown_36m" json:"max_drawdown_36m"`
	RiskLevel           *string  `ch:"risk_level" json:"risk_level"`
	RiskScore           *uint8   `ch:"risk_score" json:"risk_score"`
}
