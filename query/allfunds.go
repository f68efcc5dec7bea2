package query

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"cuota/model"

	"github.com/google/uuid"
)

// allFundsOperation gives, in one reply, every series alive at the cutoff as it
// was at a date, by default the cutoff.
func (s *Server) allFundsOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/all-funds", access: keyed, reads: completeBatch,
		params: []param{
			filter("category", 100), filter("fund_family", 200), day("date"),
			choice("article107_regulation_status", "declares_eligible", "declares_not_eligible", "unknown"),
			words("vehicle", "mutual_fund", "etf", "investment_fund", "all"),
		},
		answer: s.allFunds,
	}
}

// fundRow is a series in all-funds. Changes are percent points, TAC and risk
// fractions, equity is in millions of the currency.
type fundRow struct {
	AGF               *string     `json:"agf"`
	FundName          string      `json:"fundName"`
	FundID            string      `json:"fundId"`
	RUN               string      `json:"run"`
	Vehicle           string      `json:"vehicle"`
	Category          *string     `json:"category"`
	FundFamily        *string     `json:"fundFamily"`
	FundFamilyDisplay *string     `json:"fundFamilyDisplay"`
	ClassifiedLater   bool        `json:"classified_later"` // category and family were told after the date only
	Serie             string      `json:"serie"`
	SerieID           string      `json:"serieId"`
	Continuity        *continuity `json:"seriesContinuity"`
	Currency          *string     `json:"currency"`
	TAC               *float64    `json:"tac"`
	TACAsOf           *model.Date `json:"tac_as_of_date"`
	InvestorClass     *string     `json:"investorClass"`
	Price             *amount     `json:"price"`
	PriceAsOf         model.Date  `json:"price_as_of_date"`
	DailyChange       *float64    `json:"dailyChange"`
	MonthlyChange     *float64    `json:"monthlyChange"`
	Patrimony         *amount     `json:"patrimony"`
	PreviousPatrimony *amount     `json:"previousPatrimony"`
	MonthlyPatrimony  *amount     `json:"monthlyPatrimony"`
	Shareholders      *uint32     `json:"shareholders"`
	risk
	RiskAsOf          *model.Date `json:"risk_as_of_date"`
	RiskMethodVersion *string     `json:"risk_method_version"`
	Article107        string      `json:"article107RegulationStatus"`
}

// allFundsMeta says which date the rows are of.
type allFundsMeta struct {
	Date    string            `json:"date"`
	Vehicle string            `json:"vehicle"`
	Units   map[string]string `json:"units"`
}

func (s *Server) allFunds(ctx context.Context, c *call) (reply, error) {
	// Nothing is known of days after the cutoff; but what was published by the
	// day that is asked for counts (RULES 3).
	date := model.DateOf(*c.batch.AsOf)
	var knownBy any
	if asked, given := c.date("date"); given {
		knownBy = storable(asked).String()
		if asked.Compare(date) < 0 {
			date = asked
		}
	}
	type listed struct {
		seriesFacts
		Manager         *string   `ch:"manager"`
		Vehicle         string    `ch:"vehicle"`
		Family          *string   `ch:"family_rar"`
		ClassifiedLater bool      `ch:"classified_later"`
		Class           *string   `ch:"investor_class"`
		Article107      string    `ch:"article107"`
		ID              uuid.UUID `ch:"instrument_id"` // of investment funds alone
	}
	args := []any{
		arg("batch", c.batch.Number), arg("date", storable(date).String()), arg("known_by", knownBy), arg("vehicle", c.text("vehicle")),
		arg("category", c.text("category")), arg("fund_family", c.text("fund_family")), arg("article107", c.text("article107_regulation_status")),
	}
	found, err := rows[listed](ctx, s.reader, "all_funds", args...)
	if err != nil {
		return reply{}, err
	}
	// Investment funds have neither category nor family.
	if c.text("vehicle") != "mutual_fund" && c.text("category") == "" && c.text("fund_family") == "" {
		more, err := rows[listed](ctx, s.reader, "all_investment_funds", args...)
		if err != nil {
			return reply{}, err
		}
		found = append(found, more...)
		slices.SortFunc(found, func(a, b listed) int {
			return cmp.Or(cmp.Compare(a.Fund, b.Fund), cmp.Compare(a.Serie, b.Serie), cmp.Compare(a.SeriesID, b.SeriesID))
		})
	}
	if err := s.stillKept(ctx, c.batch); err != nil {
		return reply{}, err
	}
	data := make([]fundRow, len(found))
	for i, row := range found {
		data[i] = fundRow{
			AGF: row.Manager, FundName: row.Fund, FundID: idText(row.FundID), RUN: row.RUN, Vehicle: row.Vehicle,
			Category: row.Category, FundFamily: row.Family, FundFamilyDisplay: row.FamilyDisplay, ClassifiedLater: row.ClassifiedLater,
			Serie: row.Serie, SerieID: assetID{row.SeriesID, row.ID}.String(), Continuity: row.continuity(), Currency: row.Currency,
			TAC: row.TAC, TACAsOf: dateOf(row.TACDate), InvestorClass: row.Class,
			Price: amountOf(row.Price), PriceAsOf: model.DateOf(row.PriceDate), DailyChange: row.DailyChange, MonthlyChange: row.MonthlyChange,
			Patrimony: millionsOf(row.Equity), PreviousPatrimony: millionsOf(row.PreviousEquity), MonthlyPatrimony: millionsOf(row.MonthEquity),
			Shareholders: row.Shareholders, risk: row.risk, RiskAsOf: dateOf(row.RiskDate), RiskMethodVersion: row.RiskMethodVersion,
			Article107: row.Article107,
		}
	}
	return ok(struct {
		Data []fundRow    `json:"data"`
		Meta allFundsMeta `json:"meta"`
	}{data, allFundsMeta{date.String(), c.text("vehicle"), map[string]string{
		"dailyChange": "percent points", "monthlyChange": "percent points", "tac": "fraction",
		"patrimony": "millions of the currency", "previousPatrimony": "millions of the currency", "monthlyPatrimony": "millions of the currency",
	}}})
}
