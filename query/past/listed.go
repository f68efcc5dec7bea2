package past

import (
	"context"
	"unsafe"

	"cuota/query/facts"
	"cuota/query/operation"
)

// ListedSeries is what lists of the market show of a series alive at the cutoff, whatever the date.
type ListedSeries struct {
	SeriesID uint32 `ch:"series_id"`
	FundID   uint32 `ch:"fund_id"`
	RUN      string `ch:"run"`
	Serie    string `ch:"serie"`
	facts.Renamed
	Fund       string `ch:"fund"`
	Manager    string `ch:"manager"` // empty if it is not known
	Vehicle    string `ch:"vehicle"`
	InAllFunds bool   `ch:"in_all_funds"`
	Article107 string `ch:"article107"`
}

// readListed reads the series of a batch that are alive at its cutoff, in the order of all-funds.
func readListed(ctx context.Context, p operation.Pinned) ([]ListedSeries, int, error) {
	found, err := operation.Rows[ListedSeries](ctx, p, "listed_series")
	return found, len(found) * 2 * int(unsafe.Sizeof(ListedSeries{})), err // half of it is texts
}

// Facts are the names and ids of a series, as lists of the market show them.
func (of *ListedSeries) Facts() facts.SeriesFacts {
	return facts.SeriesFacts{SeriesID: of.SeriesID, FundID: of.FundID, RUN: of.RUN, Serie: of.Serie, Fund: of.Fund,
		Renamed: of.Renamed}
}
