package model

// Vehicles is the dataset of the flags that tell which funds are exchange-traded.
const Vehicles Dataset = "vehicles"

// Vehicle says whether a fund is an exchange-traded fund. The flag is curated and has
// its evidence, because a name proves nothing. For a fund without this event it is
// unknown (RULES 11).
type Vehicle struct {
	Source
	Evidence
	RUN  RUN    `json:"run" validate:"gt=0"`
	ETF  bool   `json:"is_etf"`
	Note string `json:"note" validate:"max=1000"`
}

// Key returns the fund's RUN with its check digit.
func (v Vehicle) Key() string { return v.RUN.String() }
