package market

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
)

// allFundsIndex is all-funds at the cutoff, in memory: every row encoded, in the order of the
// reply, and the values by which rows are filtered, in the forms that all_funds.sql compares.
type allFundsIndex struct {
	rows                [][]byte
	tacKinds            [][]byte // encoded, one per row
	every               rowSet
	vehicle, article107 rowsByText // exact text
	category, family    rowsByText // lower case
	// by the value of the parameter vehicle: the part that does not depend on the rows, without its closing brace
	meta map[string][]byte
}

// allFundsPart keeps the rows of all vehicles in memory, with the attributes that
// all_funds.sql returns if no date is requested.
var allFundsPart = batch.NewPart("all_funds",
	func(ctx context.Context, s batch.Source) (all *allFundsIndex, bytes int, err error) {
		date := model.DateOf(*s.Batch.AsOf)
		found, err := fundRows(ctx, operation.PinnedBy(s), fundSelection{date: date, vehicle: "all"})
		if err != nil {
			return nil, 0, err
		}
		all = &allFundsIndex{
			rows: make([][]byte, len(found)), tacKinds: make([][]byte, len(found)), every: newRowSet(len(found)),
			meta:       map[string][]byte{},
			vehicle:    rowsByTextOf(found, func(row *fundRow) *string { return &row.Vehicle }),
			article107: rowsByTextOf(found, func(row *fundRow) *string { return &row.Article107 }),
			category:   rowsByTextOf(found, func(row *fundRow) *string { return lower(row.Category) }),
			family:     rowsByTextOf(found, func(row *fundRow) *string { return lower(row.FundFamily) }),
		}
		for i, row := range found {
			if all.rows[i], err = httpapi.EncodePart(row); err != nil {
				return nil, 0, fmt.Errorf("encode series %s of all-funds: %w", row.SerieID, err)
			}
			all.tacKinds[i] = row.tacKind().Encoded()
			all.every.add(i)
			bytes += len(all.rows[i]) + len(all.tacKinds[i])
		}
		for _, vehicle := range vehicles {
			meta, err := httpapi.EncodePart(allFundsFactsOf(date, true, vehicle))
			if err != nil {
				return nil, 0, fmt.Errorf("encode the meta of all-funds: %w", err)
			}
			all.meta[vehicle] = meta[:len(meta)-1]
			bytes += len(all.meta[vehicle])
		}
		return all, bytes, nil
	})

// matching returns the rows that pass the filters of a request.
func (all *allFundsIndex) matching(params *allFundsParams) rowSet {
	matching := slices.Clone(all.every)
	equal := func(rows rowsByText, text string) {
		if text != "" {
			matching.keep(rows[text])
		}
	}
	if params.Vehicle != "all" {
		equal(all.vehicle, string(params.Vehicle))
	}
	equal(all.article107, params.Article107)
	equal(all.category, strings.ToLower(params.Category))
	equal(all.family, strings.ToLower(params.Family))
	return matching
}

// allFundsFromMemory is allFunds from rows that are encoded already. It returns false if a
// date is requested, because the date also decides which published attributes count.
func allFundsFromMemory(r *operation.Request[allFundsParams]) (httpapi.Reply, bool, error) {
	all, there := allFundsPart.Of(r.Batch)
	if !there || r.Params.Date.Given {
		return httpapi.Reply{}, false, nil
	}
	matching := all.matching(r.Params)
	size, total := 0, uint64(0)
	for row, text := range all.rows {
		if matching.contains(int32(row)) {
			size += len(text) + 1 + len(all.tacKinds[row]) + 1
			total++
		}
	}
	reply := httpapi.Assembled(func(body []byte) []byte {
		body = slices.Grow(body, size+1<<10)
		body = append(body, `{"data":[`...)
		for row, text := range all.rows {
			if matching.contains(int32(row)) {
				body = append(append(body, text...), ',')
			}
		}
		if size > 0 {
			body = body[:len(body)-1]
		}
		body = append(body, `],"meta":`...)
		body = append(body, all.meta[string(r.Params.Vehicle)]...)
		body = append(body, `,"tac_kinds":{`...)
		for row, member := range all.tacKinds {
			if matching.contains(int32(row)) {
				body = operation.AppendTACKind(body, member)
			}
		}
		return append(operation.EndTACKinds(body), "}}\n"...)
	})
	reply.Listing = &httpapi.Listing{Total: total}
	return reply, true, nil
}
