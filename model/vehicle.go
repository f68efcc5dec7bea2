package model

// Vehicle says whether a fund is an exchange-traded fund. It is a curated flag
// with its evidence, for a name alone proves nothing; a fund without one is
// unknown (RULES 11).
type Vehicle struct {
	Source
	Evidence
	RUN  RUN    `json:"run" validate:"gt=0"`
	ETF  bool   `json:"is_etf"`
	Note string `json:"note" validate:"max=1000"`
}

// Key is the fund.
func (v Vehicle) Key() string { return v.RUN.String() }
