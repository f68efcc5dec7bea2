package query

import (
	"context"
	"strings"
	"unsafe"

	"cuota/query/batch"

	"golang.org/x/sync/errgroup"
)

// listedSeries is what all-funds shows of a series whatever the date.
type listedSeries struct {
	SeriesID uint32 `ch:"series_id"`
	FundID   uint32 `ch:"fund_id"`
	RUN      string `ch:"run"`
	Serie    string `ch:"serie"`
	renamed
	Fund       string  `ch:"fund"`
	Manager    *string `ch:"manager"`
	Vehicle    string  `ch:"vehicle"`
	Article107 string  `ch:"article107"`
}

// listedPart keeps the series of all-funds in memory, in the order of its reply, without
// investment funds.
var listedPart = batch.NewOptionalPart("listed", func(ctx context.Context, s batch.Source) ([]listedSeries, int, error) {
	found, err := rows[listedSeries](ctx, pinnedBy(s), "listed_series")
	return found, len(found) * 2 * int(unsafe.Sizeof(listedSeries{})), err // half of it is texts
})

// mutualFundsFromMemory returns the rows of all_funds.sql for a date, in the same order, from the row
// that counts for each series on the date and from the histories in memory. It returns false if one
// of these is not in memory, or if no date was requested.
func mutualFundsFromMemory(ctx context.Context, p pinned, selection fundSelection) ([]listedFund, bool, error) {
	listed, hasListed := listedPart.Of(p.batch)
	kept, hasDays := pastRowsPart.Of(p.batch)
	days, hasHistory := historyOf(p.batch)
	costs, hasCosts := costHistoryPart.Of(p.batch)
	risks, hasRisks := riskHistoryPart.Of(p.batch)
	if !hasListed || !hasDays || !hasHistory || !hasCosts || !hasRisks || selection.knownBy == nil {
		return nil, false, nil
	}
	var standing map[uint32]standingRow
	var dated []datedFacts
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		standing, err = standingOn(ctx, p, storable(selection.date), days, kept)
		return err
	})
	reading.Go(func() error { // beside the statement, which takes longer
		dated = datedFactsOf(len(listed), func(i int) uint32 { return listed[i].SeriesID }, costs, *selection.knownBy, risks, selection.date)
		return nil
	})
	if err := reading.Wait(); err != nil {
		return nil, false, err
	}
	category, family := strings.ToLower(selection.category), strings.ToLower(selection.family)
	passes := func(value *string, asked string) bool {
		return asked == "" || value != nil && strings.ToLower(*value) == asked
	}
	found := make([]listedFund, 0, len(listed))
	for i := range listed {
		of := &listed[i]
		row, there := standing[of.SeriesID]
		switch {
		case !there,
			selection.vehicle != "all" && selection.vehicle != of.Vehicle,
			selection.article107 != "" && selection.article107 != of.Article107,
			!passes(row.category, category), !passes(row.family, family):
			continue
		}
		fund := listedFund{
			seriesFacts: seriesFacts{SeriesID: of.SeriesID, FundID: of.FundID, RUN: of.RUN, Serie: of.Serie, Fund: of.Fund, renamed: of.renamed},
			Manager:     of.Manager, Vehicle: of.Vehicle, Family: row.family, ClassifiedLater: row.classifiedLater, Article107: of.Article107,
		}
		row.put(&fund.seriesFacts)
		dated[i].put(&fund.seriesFacts)
		found = append(found, fund)
	}
	return found, true, nil
}
