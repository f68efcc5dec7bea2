package client

// Meta says what a list is from.
type Meta struct {
	BatchID  string            `json:"batch_id"`
	AsOfDate string            `json:"as_of_date"`
	Total    int               `json:"total"` // rows of all pages
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	TACKinds map[string]string `json:"tac_kinds"` // by id of the series: synthetic, stated or computed
}

// Window is a return of a series, a fraction, or the reason why there is none.
type Window struct {
	Value *float64 `json:"value"`
	// Currency is that in which the return is; nil without a value.
	Currency *string `json:"currency"`
	Reason   *string `json:"reason"`
	Start    *string `json:"effective_start_date"`
	End      *string `json:"effective_end_date"`
	// The days from and until which the window would count.
	TargetStart string `json:"target_start_date"`
	TargetEnd   string `json:"target_end_date"`
}

// Returns are the windows of a series by name: 1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann and last_closed_month.
type Returns struct {
	Run      string            `json:"run"`
	Serie    string            `json:"serie"`
	Currency string            `json:"currency"`
	AsOfDate *string           `json:"as_of_date"`
	Windows  map[string]Window `json:"periods"`
	BatchID  string            `json:"batch_id"`
}

// Rating is the rating of the regulator, 1 to 5 spheres.
type Rating struct {
	Value    *float64 `json:"value"`
	Reason   *string  `json:"reason"`
	AsOfDate *string  `json:"as_of_date"`
}

// Series is a row of the screener and of a comparison. Only the fields that were asked for are set.
type Series struct {
	ID            string   `json:"-"`
	Run           string   `json:"run"`
	Serie         string   `json:"serie"`
	FundName      string   `json:"fundName"`
	FundID        string   `json:"fundId"`
	Manager       string   `json:"agf"`
	Category      *string  `json:"category"`
	Family        *string  `json:"fundFamily"`
	Currency      *string  `json:"currency"`
	InvestorClass *string  `json:"investorClass"`
	TAC           *float64 `json:"tac"` // fraction a year
	TACDate       *string  `json:"tac_as_of_date"`
	Price         *float64 `json:"price"` // of one quota, in the currency of the series
	PriceDate     *string  `json:"price_as_of_date"`
	Equity        *float64 `json:"patrimony"` // millions of the currency
	Shareholders  *float64 `json:"shareholders"`
	Volatility12m *float64 `json:"volatility_annualized_12m"` // fraction a year
	Volatility36m *float64 `json:"volatility_annualized_36m"`
	Drawdown36m   *float64 `json:"max_drawdown_36m"` // fraction, 0 or less
	RiskLevel     *string  `json:"risk_level"`
	RiskScore     *float64 `json:"risk_score"` // 0 to 100
	RiskDate      *string  `json:"risk_as_of_date"`
	Rating        *Rating  `json:"cmf_spheres"`
	Returns       *Returns `json:"returns"`
}

// Known is a series that ever was, as a search finds it.
type Known struct {
	ID        string  `json:"series_id"`
	FundID    string  `json:"fund_id"`
	Run       string  `json:"run"`
	Serie     string  `json:"serie"`
	FundName  string  `json:"fund_name"`
	Manager   *string `json:"administrator"`
	Vehicle   string  `json:"vehicle"`
	Category  *string `json:"last_category"`
	Family    *string `json:"last_family"`
	Currency  *string `json:"currency"`
	FirstDate *string `json:"first_date"`
	LastDate  *string `json:"last_date"`
	Status    string  `json:"status"` // current, closed or unknown
}

// Fund is a current mutual fund.
type Fund struct {
	ID   string `json:"-"`
	Name string `json:"name"`
	Run  string `json:"run"`
}

// Manager is a manager in the ranking.
type Manager struct {
	ID           string   `json:"-"`
	Name         string   `json:"administrator"`
	Equity       *float64 `json:"total_patrimony"`    // full pesos
	Shareholders *float64 `json:"total_shareholders"` // summed over series
	Funds        int      `json:"fund_count"`
	Rank         int      `json:"rank"`
}

// Period is the return of a series between two days.
type Period struct {
	ID       string   `json:"serieId"`
	Run      string   `json:"run"`
	Serie    string   `json:"serie"`
	FundName string   `json:"fundName"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Currency *string  `json:"currency"`
	Value    *float64 `json:"value"` // fraction
	Reason   *string  `json:"reason"`
	Start    *string  `json:"effective_start"`
	End      *string  `json:"effective_end"`
}

// Family is a peer group of the regulator in the summary of the market.
type Family struct {
	Name      string   `json:"family"`
	EquityCLP *float64 `json:"patrimonyClp"` // millions of pesos
	Series    int      `json:"seriesCount"`
	Funds     int      `json:"fundCount"`
}

// MarketSummary is the market of a day by family.
type MarketSummary struct {
	Date     string
	BatchID  string
	Families []Family
}
