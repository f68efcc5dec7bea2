package market

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"

	"github.com/google/uuid"
)

// AllFunds answers with every series that is alive at the cutoff in one reply, with its values at a
// date, by default the cutoff.
var AllFunds = operation.Endpoint[allFundsParams, httpapi.List[fundRow, allFundsMeta]]{
	Path: "/api/all-funds", Need: batch.Complete,
	Find: findAllFunds, Table: allFundsTable, FromMemory: allFundsFromMemory,
	Parts: []batch.Loader{allFundsPart, past.Part},
}

type allFundsParams struct {
	Category   string              `query:"category" max:"100" example:"balanced" doc:"Category, case-insensitive"`
	Family     string              `query:"fund_family" max:"200" doc:"Family of the regulator (familia_rar), case-insensitive"`
	Date       operation.DateParam `query:"date" example:"2025-06-30" doc:"Date, YYYY-MM-DD; by default the cutoff, which also stands for later ones. With a date, TAC and families are the newest that were dated by it."`
	Article107 string              `query:"article107_regulation_status" null:"true" enum:"declares_eligible,declares_not_eligible,unknown" doc:"Only funds whose regulation declares this about article 107"`
	Vehicle    vehicleParam        `query:"vehicle" default:"first" doc:"Only this vehicle. investment_fund: redeemable ones that are not exchange-traded."`
	operation.KnownAtParams
	operation.FormatParams
}

// vehicleParam is a kind of fund, or all.
type vehicleParam string

var vehicles = []string{"mutual_fund", "etf", "investment_fund", "all"}

// Choices implements httpapi.Choices.
func (vehicleParam) Choices() []string { return vehicles }

// fundRow is a series in all-funds. Changes are percent points, TAC and risk are fractions,
// and equity is in millions of the currency.
type fundRow struct {
	AGF               *string `json:"agf"`
	FundName          string  `json:"fundName"`
	FundID            string  `json:"fundId"`
	RUN               string  `json:"run"`
	Vehicle           string  `json:"vehicle"`
	Category          *string `json:"category"`
	FundFamily        *string `json:"fundFamily"`
	FundFamilyDisplay *string `json:"fundFamilyDisplay"`
	// the regulator first stated category and family after the date
	ClassifiedLater bool              `json:"classified_later"`
	Serie           string            `json:"serie"`
	SerieID         string            `json:"serieId"`
	Continuity      *facts.Continuity `json:"seriesContinuity"`
	Currency        *string           `json:"currency"`
	TAC             *float64          `json:"tac"`
	TACKind         *string           `json:"-"` // shown in meta
	TACAsOf         *model.Date       `json:"tac_as_of_date"`
	InvestorClass   *string           `json:"investorClass"`
	Price           *operation.Amount `json:"price"`
	PriceAsOf       model.Date        `json:"price_as_of_date"`
	facts.ChangesAndRisk
	Article107 string `json:"article107RegulationStatus"`
}

// allFundsFacts is the part of meta that does not depend on the rows.
type allFundsFacts struct {
	Date     string            `json:"date"`
	Complete bool              `json:"complete"`
	Vehicle  string            `json:"vehicle"`
	Units    map[string]string `json:"units"`
}

type allFundsMeta struct {
	allFundsFacts
	TACKinds operation.TACKinds `json:"tac_kinds"`
}

// selectFunds returns what a request asks for, and the day whose values answer it. The values are
// those of the answering day. Attributes count as they were published by the requested date,
// which may be later (RULES 3).
func selectFunds(ctx context.Context, r *operation.Request[allFundsParams]) (fundSelection, past.MarketDay, error) {
	asked := r.Params.Date
	day, err := past.AnsweringDay(ctx, r.Pinned, asked)
	if err != nil {
		return fundSelection{}, day, err
	}
	date := asked.Date // stays if no day answers; the reply then has no rows
	if day.Date != nil {
		date = *day.Date
	}
	var knownBy *model.Date
	if asked.Given {
		knownBy = new(operation.Storable(asked.Date))
	}
	return fundSelection{date, knownBy, string(r.Params.Vehicle), r.Params.Category, r.Params.Family,
		r.Params.Article107}, day, nil
}

// allFundsTable is all-funds as a table: the same rows in the same order.
func allFundsTable(ctx context.Context, r *operation.Request[allFundsParams]) (operation.Table, error) {
	selection, _, err := selectFunds(ctx, r)
	return operation.Table{Statement: "rows_all_funds", Args: selection.args()}, err
}

func findAllFunds(ctx context.Context,
	r *operation.Request[allFundsParams]) (listed httpapi.List[fundRow, allFundsMeta], err error) {
	selection, day, err := selectFunds(ctx, r)
	if err != nil {
		return listed, err
	}
	data, err := fundRows(ctx, r.Pinned, selection)
	if err != nil {
		return listed, err
	}
	kinds := make(operation.TACKinds, len(data))
	for i, row := range data {
		kinds[i] = row.tacKind()
	}
	return httpapi.ListOf(data, allFundsMeta{allFundsFactsOf(selection.date, day.Complete, selection.vehicle), kinds}),
		nil
}

// tacKind is the row's member of meta.tac_kinds.
func (row fundRow) tacKind() operation.TACKind { return operation.TACKindOf(row.SerieID, row.TACKind) }

func allFundsFactsOf(date model.Date, complete bool, vehicle string) allFundsFacts {
	return allFundsFacts{date.String(), complete, vehicle, map[string]string{
		"dailyChange": "percent points", "monthlyChange": "percent points", "tac": "fraction",
		"patrimony": "millions of the currency", "previousPatrimony": "millions of the currency",
		"monthlyPatrimony": "millions of the currency",
	}}
}

// fundSelection holds the parameters of all_funds.sql. An empty text does not filter.
type fundSelection struct {
	date                                  model.Date
	knownBy                               *model.Date // nil: what the catalogues say now
	vehicle, category, family, article107 string
}

// args returns the arguments of all_funds.sql.
func (selection fundSelection) args() []any {
	var knownBy any
	if selection.knownBy != nil {
		knownBy = selection.knownBy.String()
	}
	return []any{
		sql.Arg("date", operation.Storable(selection.date).String()), sql.Arg("known_by", knownBy),
		sql.Arg("vehicle", selection.vehicle), sql.Arg("category", selection.category),
		sql.Arg("fund_family", selection.family),
		sql.Arg("article107", selection.article107),
	}
}

// listedFund is a row of all_funds.sql and of all_investment_funds.sql.
type listedFund struct {
	facts.SeriesFacts
	Manager         *string   `ch:"manager"`
	Vehicle         string    `ch:"vehicle"`
	Family          *string   `ch:"family_rar"`
	ClassifiedLater bool      `ch:"classified_later"`
	Article107      string    `ch:"article107"`
	ID              uuid.UUID `ch:"instrument_id"` // for investment funds; uuid.Nil for mutual funds
}

// mutualFunds returns the mutual funds of all-funds, and the ETFs that publish a cartola, in the order of the reply.
func mutualFunds(ctx context.Context, p operation.Pinned, selection fundSelection) ([]listedFund, error) {
	if selection.knownBy != nil {
		return pastFunds(ctx, p, selection)
	}
	return operation.Rows[listedFund](ctx, p, "all_funds", selection.args()...)
}

// fundRows reads the rows of all-funds in the order of the reply.
func fundRows(ctx context.Context, p operation.Pinned, selection fundSelection) ([]fundRow, error) {
	found, err := mutualFunds(ctx, p, selection)
	if err != nil {
		return nil, err
	}
	// Investment funds have neither category nor family.
	if selection.vehicle != "mutual_fund" && selection.category == "" && selection.family == "" {
		more, err := operation.Rows[listedFund](ctx, p, "all_investment_funds", selection.args()...)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
		slices.SortFunc(found, func(a, b listedFund) int {
			return cmp.Or(cmp.Compare(a.Fund, b.Fund), cmp.Compare(a.Serie, b.Serie),
				cmp.Compare(a.SeriesID, b.SeriesID))
		})
	}
	data := make([]fundRow, len(found))
	for i, row := range found {
		data[i] = fundRow{
			AGF: row.Manager, FundName: row.Fund, FundID: operation.IDText(row.FundID), RUN: row.RUN,
			Vehicle:  row.Vehicle,
			Category: row.Category, FundFamily: row.Family, FundFamilyDisplay: row.FamilyDisplay,
			ClassifiedLater: row.ClassifiedLater,
			Serie:           row.Serie, SerieID: operation.AssetID{Series: row.SeriesID,
				UUID: uuid.NullUUID{UUID: row.ID, Valid: row.ID != uuid.Nil}}.String(), Continuity: row.Continuity(),
			Currency: row.Currency,
			TAC:      row.TAC, TACKind: row.TACKind, TACAsOf: operation.DateOf(row.TACDate),
			InvestorClass: row.ClassTAC,
			Price:         operation.AmountOf(row.Price), PriceAsOf: model.DateOf(row.PriceDate),
			ChangesAndRisk: row.ChangesAndRisk(), Article107: row.Article107,
		}
	}
	return data, nil
}

// pastFunds returns the rows of all_funds.sql for a date with what was known by then, in the same order.
func pastFunds(ctx context.Context, p operation.Pinned, selection fundSelection) ([]listedFund, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	standing, err := past.StandingOn(ctx, p, history, operation.Storable(selection.date))
	if err != nil {
		return nil, err
	}
	category, family := strings.ToLower(selection.category), strings.ToLower(selection.family)
	passes := func(value *string, asked string) bool {
		return asked == "" || value != nil && strings.ToLower(*value) == asked
	}
	found := make([]listedFund, 0, len(history.Listed))
	for i := range history.Listed {
		of := &history.Listed[i]
		row, there := standing[of.SeriesID]
		switch {
		case !there, !of.InAllFunds,
			selection.vehicle != "all" && selection.vehicle != of.Vehicle,
			selection.article107 != "" && selection.article107 != of.Article107,
			!passes(row.Category, category), !passes(row.Family, family):
			continue
		}
		fund := listedFund{SeriesFacts: of.Facts(), Vehicle: of.Vehicle, Family: row.Family,
			ClassifiedLater: row.ClassifiedLater, Article107: of.Article107}
		if of.Manager != "" {
			fund.Manager = &of.Manager
		}
		row.Put(&fund.SeriesFacts)
		history.FactsOf(of.SeriesID, *selection.knownBy, selection.date).Put(&fund.SeriesFacts)
		found = append(found, fund)
	}
	return found, nil
}
