package query

import (
	"context"
	"strings"
	"unsafe"

	"cuota/query/operation"
)

// listedSeries is what lists of the market show of a series alive at the cutoff, whatever the date.
type listedSeries struct {
	SeriesID uint32 `ch:"series_id"`
	FundID   uint32 `ch:"fund_id"`
	RUN      string `ch:"run"`
	Serie    string `ch:"serie"`
	renamed
	Fund       string `ch:"fund"`
	Manager    string `ch:"manager"` // empty if it is not known
	Vehicle    string `ch:"vehicle"`
	InAllFunds bool   `ch:"in_all_funds"`
	Article107 string `ch:"article107"`
}

// readListed reads the series of a batch that are alive at its cutoff, in the order of all-funds.
func readListed(ctx context.Context, p operation.Pinned) ([]listedSeries, int, error) {
	found, err := operation.Rows[listedSeries](ctx, p, "listed_series")
	return found, len(found) * 2 * int(unsafe.Sizeof(listedSeries{})), err // half of it is texts
}

// facts are the names and ids of a series, as lists of the market show them.
func (of *listedSeries) facts() seriesFacts {
	return seriesFacts{SeriesID: of.SeriesID, FundID: of.FundID, RUN: of.RUN, Serie: of.Serie, Fund: of.Fund, renamed: of.renamed}
}

// pastFunds returns the rows of all_funds.sql for a date with what was known by then, in the same order.
func pastFunds(ctx context.Context, p operation.Pinned, selection fundSelection) ([]listedFund, error) {
	past, err := pastOf(ctx, p)
	if err != nil {
		return nil, err
	}
	standing, err := standingOn(ctx, p, past, operation.Storable(selection.date))
	if err != nil {
		return nil, err
	}
	category, family := strings.ToLower(selection.category), strings.ToLower(selection.family)
	passes := func(value *string, asked string) bool {
		return asked == "" || value != nil && strings.ToLower(*value) == asked
	}
	found := make([]listedFund, 0, len(past.listed))
	for i := range past.listed {
		of := &past.listed[i]
		row, there := standing[of.SeriesID]
		switch {
		case !there, !of.InAllFunds,
			selection.vehicle != "all" && selection.vehicle != of.Vehicle,
			selection.article107 != "" && selection.article107 != of.Article107,
			!passes(row.category, category), !passes(row.family, family):
			continue
		}
		fund := listedFund{seriesFacts: of.facts(), Vehicle: of.Vehicle, Family: row.family, ClassifiedLater: row.classifiedLater, Article107: of.Article107}
		if of.Manager != "" {
			fund.Manager = &of.Manager
		}
		row.put(&fund.seriesFacts)
		past.factsOf(of.SeriesID, *selection.knownBy, selection.date).put(&fund.seriesFacts)
		found = append(found, fund)
	}
	return found, nil
}
