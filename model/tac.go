package model

import (
	"strings"

	"github.com/shopspring/decimal"
	"golang.org/x/text/unicode/norm"
)

// TACMonthly is the dataset of the real TAC of each series by month. The file has no RUN.
const TACMonthly Dataset = "tac-monthly"

// MonthlyTAC is one series of the regulator's monthly cost sheet: the real TAC, which
// does not count the costs of the funds that a fund holds (RULES 2). The sheet has no
// RUN; the projector finds the series later, by comparing names reduced with [Words].
//
// The fee columns are texts because funds word them freely ("Hasta 1,19").
type MonthlyTAC struct {
	Source
	// periodo: the month's last day
	Date    Date   `json:"date"`
	Manager string `json:"manager" validate:"required,max=200,words"` // administradora
	// name of the fund, without a footnote mark
	Fund              string `json:"fund" validate:"required,max=200,words"`
	Serie             string `json:"serie" validate:"required,max=40"`
	FundType          string `json:"fund_type" validate:"max=200"`
	Currency          string `json:"currency" ch:"moneda" validate:"max=40"` // as written
	Features          string `json:"features" validate:"max=2000"`
	FixedFee          string `json:"fixed_fee" validate:"max=500"`
	VariableFee       string `json:"variable_fee" validate:"max=500"`
	OperatingExpenses string `json:"operating_expenses" validate:"max=500"`
	// part of the TAC: 1.32 is 1.32 % a year; null: NA
	FixedPercent decimal.NullDecimal `json:"fixed_percent" decimals:"8" validate:"rate"`
	// part of the TAC, percent a year
	VariablePercent decimal.NullDecimal `json:"variable_percent" decimals:"8" validate:"rate"`
	// part of the TAC, percent a year
	ExpensesPercent decimal.NullDecimal `json:"expenses_percent" decimals:"8" validate:"rate"`
	// the TAC, percent a year; 0 is a real value
	TotalPercent   decimal.NullDecimal `json:"total_percent" decimals:"8" validate:"rate"`
	PlacementTerms string              `json:"placement_terms" validate:"max=2000"` // cond_colocacion
	PlacementFee   string              `json:"placement_fee" validate:"max=500"`    // com_colocacion
	DeferredTerms  string              `json:"deferred_terms" validate:"max=2000"`  // cond_diferida
	DeferredFee    string              `json:"deferred_fee" validate:"max=500"`     // com_diferida
}

// Key returns the day, the names reduced to their words, and the series.
func (t MonthlyTAC) Key() string {
	return t.Date.String() + ":" + Words(t.Manager) + ":" + Words(t.Fund) + ":" + t.Serie
}

// Row implements Stored.
func (t MonthlyTAC) Row() any { return monthlyTACRow{t, Words(t.Manager), Words(t.Fund)} }

// monthlyTACRow adds the names by which the series is found.
type monthlyTACRow struct {
	MonthlyTAC
	ManagerWords string `json:"manager_words"`
	FundWords    string `json:"fund_words"`
}

// Words reduces a name to what different sources spell alike: capital letters and
// digits, without accents and without anything else. The SQL function cuota_words does
// the same.
func Words(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, norm.NFD.String(strings.ToUpper(name)))
}
