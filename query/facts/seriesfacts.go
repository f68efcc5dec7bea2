package facts

import (
	"time"

	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/query/operation"
)

// SeriesFacts are the columns that market.sql and all_funds.sql have in common: the
// identity of a series, and its values on a date. TAC and risk are fractions, and changes
// are percent points. Price and equity are in the series' currency.
type SeriesFacts struct {
	SeriesID          uint32           `ch:"series_id"`
	FundID            uint32           `ch:"fund_id"`
	RUN               string           `ch:"run"`
	Serie             string           `ch:"serie"`
	Fund              string           `ch:"fund"`
	Category          *string          `ch:"category"`
	FamilyDisplay     *string          `ch:"family_display"`
	Currency          *string          `ch:"currency"`
	ClassTAC          *string          `ch:"class_tac"`
	TAC               *float64         `ch:"tac"`
	TACKind           *string          `ch:"tac_kind"`
	TACDate           *time.Time       `ch:"tac_date"`
	Price             *decimal.Decimal `ch:"price"`
	PriceDate         time.Time        `ch:"price_date"`
	DailyChange       *float64         `ch:"daily_change"`
	MonthlyChange     *float64         `ch:"monthly_change"`
	Equity            *decimal.Decimal `ch:"equity"`
	PreviousEquity    *decimal.Decimal `ch:"previous_equity"`
	MonthEquity       *decimal.Decimal `ch:"month_equity"`
	Shareholders      *uint32          `ch:"shareholders"`
	RiskDate          *time.Time       `ch:"risk_date"`
	RiskMethodVersion *string          `ch:"risk_method_version"`
	Risk
	Renamed
}

// ChangesAndRisk is the part of a series that all lists of the market share, in the units of
// marketAttributes.
type ChangesAndRisk struct {
	DailyChange       *float64          `json:"dailyChange"`
	MonthlyChange     *float64          `json:"monthlyChange"`
	Patrimony         *operation.Amount `json:"patrimony"`
	PreviousPatrimony *operation.Amount `json:"previousPatrimony"`
	MonthlyPatrimony  *operation.Amount `json:"monthlyPatrimony"`
	Shareholders      *uint32           `json:"shareholders"`
	Risk
	RiskAsOf          *model.Date `json:"risk_as_of_date"`
	RiskMethodVersion *string     `json:"risk_method_version"`
}

// ChangesAndRisk returns the part of the row that all lists of the market share.
func (row SeriesFacts) ChangesAndRisk() ChangesAndRisk {
	return ChangesAndRisk{
		row.DailyChange, row.MonthlyChange, operation.MillionsOf(row.Equity), operation.MillionsOf(row.PreviousEquity),
		operation.MillionsOf(row.MonthEquity),
		row.Shareholders, row.Risk, operation.DateOf(row.RiskDate), row.RiskMethodVersion,
	}
}
