package dryrun

// rule says which rows of a table of facts are about one thing, so that the newest of them counts.
type rule struct {
	key []string // columns, at most four
	// value is the column whose change a correction shows, if it changes.
	value string
}

// rules has the tables that are compared, in which the newest row with a key counts. The others have rules of their
// own: a portfolio is replaced as a whole, and so are the verified factors of a day. An exchange has revisions of its
// own, the end of a series adds to others, and no statement reads risk-free rates.
var rules = map[string]rule{
	"fact_quota":            {[]string{"run", "serie", "date"}, "quota"},
	"fact_investment_value": {[]string{"run", "serie", "date"}, "book_value"},
	"fact_indicator":        {[]string{"code", "date"}, "value"},
	"fact_tac":              {[]string{"run", "serie", "date", "kind"}, "percent"},
	"fact_monthly_tac":      {[]string{"manager_words", "fund_words", "serie", "date"}, "total_percent"},
	"fact_official_return":  {[]string{"run", "serie", "date"}, "nominal_1y"},
	"fact_aafm_daily":       {[]string{"run", "serie", "date"}, "quota"},
	"fact_discontinuity":    {[]string{"run", "serie", "date"}, ""},
	"fact_rename":           {[]string{"run", "previous_serie"}, ""},
	"fact_fund":             {[]string{"run"}, ""},
	"fact_investment_fund":  {[]string{"run"}, ""},
	"fact_article107":       {[]string{"run"}, ""},
	"fact_vehicle":          {[]string{"run"}, ""},
	"fact_benchmark":        {[]string{"family_rar", "symbol"}, ""},
	"fact_benchmark_price":  {[]string{"symbol", "date"}, "close"},
}

// keyColumn returns a column of the key by its number, from 0. The last one is repeated.
func (r rule) keyColumn(n int) string { return r.key[min(n, len(r.key)-1)] }
