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
			words("vehicle", vehicles...),
		},
		answer: s.allFunds, hot: s.allFundsFromMemory,
	}
}

// vehicles are what all-funds may be asked for.
var vehicles = []string{"mutual_fund", "etf", "investment_fund", "all"}

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
	TACKind           *string     `json:"-"` // in meta
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

// allFundsFacts say which date the rows are of, whatever rows are shown.
type allFundsFacts struct {
	Date     string            `json:"date"`
	Complete bool              `json:"complete"`
	Vehicle  string            `json:"vehicle"`
	Units    map[string]string `json:"units"`
}

type allFundsMeta struct {
	allFundsFacts
	TACKinds tacKinds `json:"tac_kinds"`
}

func (s *Server) allFunds(ctx context.Context, c *call) (reply, error) {
	// Nothing is known of days after the cutoff; but what was published by the
	// day that is asked for counts (RULES 3).
	day, err := s.answeringDay(ctx, c)
	if err != nil {
		return reply{}, err
	}
	asked, given := c.date("date")
	date := asked // without rows, where no day answers
	if day.date != nil {
		date = *day.date
	}
	var knownBy any
	if given {
		knownBy = storable(asked).String()
	}
	data, err := s.fundRows(ctx, c.batch, fundSelection{date, knownBy, c.text("vehicle"), c.text("category"), c.text("fund_family"),
		c.text("article107_regulation_status")})
	if err != nil {
		return reply{}, err
	}
	kinds := make(tacKinds, len(data))
	for i, row := range data {
		kinds[i] = row.tacKind()
	}
	return okList(data, allFundsMeta{allFundsFactsOf(date, day.complete, c.text("vehicle")), kinds})
}

// tacKind is the row's member of meta.tac_kinds.
func (row fundRow) tacKind() []byte { return tacKindOf(row.SerieID, row.TACKind) }

func allFundsFactsOf(date model.Date, complete bool, vehicle string) allFundsFacts {
	return allFundsFacts{date.String(), complete, vehicle, map[string]string{
		"dailyChange": "percent points", "monthlyChange": "percent points", "tac": "fraction",
		"patrimony": "millions of the currency", "previousPatrimony": "millions of the currency", "monthlyPatrimony": "millions of the currency",
	}}
}

// fundSelection is what all_funds.sql selects by. Empty texts filter nothing.
type fundSelection struct {
	date                                  model.Date
	knownBy                               any // a date, or nil
	vehicle, category, family, article107 string
}

// fundRows gives the rows of all-funds in their order.
func (s *Server) fundRows(ctx context.Context, b *batch, selection fundSelection) ([]fundRow, error) {
	type listed struct {
		seriesFacts
		Manager         *string   `ch:"manager"`
		Vehicle         string    `ch:"vehicle"`
		Family          *string   `ch:"family_rar"`
		ClassifiedLater bool      `ch:"classified_later"`
		Article107      string    `ch:"article107"`
		ID              uuid.UUID `ch:"instrument_id"` // of investment funds; uuid.Nil for mutual funds
	}
	args := []any{
		arg("batch", b.Number), arg("date", storable(selection.date).String()), arg("known_by", selection.knownBy),
		arg("vehicle", selection.vehicle), arg("category", selection.category), arg("fund_family", selection.family),
		arg("article107", selection.article107),
	}
	found, err := rows[listed](ctx, s.reader, "all_funds", args...)
	if err != nil {
		return nil, err
	}
	// Investment funds have neither category nor family.
	if selection.vehicle != "mutual_fund" && selection.category == "" && selection.family == "" {
		more, err := rows[listed](ctx, s.reader, "all_investment_funds", args...)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
		slices.SortFunc(found, func(a, b listed) int {
			return cmp.Or(cmp.Compare(a.Fund, b.Fund), cmp.Compare(a.Serie, b.Serie), cmp.Compare(a.SeriesID, b.SeriesID))
		})
	}
	data := make([]fundRow, len(found))
	for i, row := range found {
		data[i] = fundRow{
			AGF: row.Manager, FundName: row.Fund, FundID: idText(row.FundID), RUN: row.RUN, Vehicle: row.Vehicle,
			Category: row.Category, FundFamily: row.Family, FundFamilyDisplay: row.FamilyDisplay, ClassifiedLater: row.ClassifiedLater,
			Serie: row.Serie, SerieID: assetID{row.SeriesID, uuid.NullUUID{UUID: row.ID, Valid: row.ID != uuid.Nil}}.String(), Continuity: row.continuity(), Currency: row.Currency,
			TAC: row.TAC, TACKind: row.TACKind, TACAsOf: dateOf(row.TACDate), InvestorClass: row.ClassTAC,
			Price: amountOf(row.Price), PriceAsOf: model.DateOf(row.PriceDate), DailyChange: row.DailyChange, MonthlyChange: row.MonthlyChange,
			Patrimony: millionsOf(row.Equity), PreviousPatrimony: millionsOf(row.PreviousEquity), MonthlyPatrimony: millionsOf(row.MonthEquity),
			Shareholders: row.Shareholders, risk: row.risk, RiskAsOf: dateOf(row.RiskDate), RiskMethodVersion: row.RiskMethodVersion,
			Article107: row.Article107,
		}
	}
	return data, nil
}
