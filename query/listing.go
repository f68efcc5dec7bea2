package query

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"cuota/model"
)

// listing is all-funds at the cutoff, in memory: every row encoded, in the order of the
// reply, and the values by which rows are filtered, in the forms that all_funds.sql
// compares.
type listing struct {
	rows                [][]byte
	tacKinds            tacKinds // one per row
	every               rowSet
	vehicle, article107 rowsByText        // exact text
	category, family    rowsByText        // lower case
	meta                map[string][]byte // by the value of the parameter vehicle: the part that does not depend on the rows, without its closing brace
	bytes               int
}

// loadListing reads the rows of all vehicles, with the attributes that all_funds.sql gives
// if no date is requested.
func (s *Server) loadListing(ctx context.Context, b *batch) (*listing, error) {
	date := model.DateOf(*b.AsOf)
	found, err := s.fundRows(ctx, b, fundSelection{date: date, vehicle: "all"})
	if err != nil {
		return nil, err
	}
	all := &listing{
		rows: make([][]byte, len(found)), tacKinds: make(tacKinds, len(found)), every: newRowSet(len(found)), meta: map[string][]byte{},
		vehicle:    rowsByTextOf(found, func(row fundRow) *string { return &row.Vehicle }),
		article107: rowsByTextOf(found, func(row fundRow) *string { return &row.Article107 }),
		category:   rowsByTextOf(found, func(row fundRow) *string { return lower(row.Category) }),
		family:     rowsByTextOf(found, func(row fundRow) *string { return lower(row.FundFamily) }),
	}
	for i, row := range found {
		if all.rows[i], err = encodeItem(row); err != nil {
			return nil, fmt.Errorf("encode series %s of all-funds: %w", row.SerieID, err)
		}
		all.tacKinds[i] = row.tacKind()
		all.every.add(i)
		all.bytes += len(all.rows[i]) + len(all.tacKinds[i])
	}
	for _, vehicle := range vehicles {
		meta, err := encodeItem(allFundsFactsOf(date, true, vehicle))
		if err != nil {
			return nil, fmt.Errorf("encode the meta of all-funds: %w", err)
		}
		all.meta[vehicle] = bytes.TrimSuffix(meta, []byte("}"))
		all.bytes += len(all.meta[vehicle])
	}
	return all, nil
}

// matching gives the rows that pass the filters of a call.
func (l *listing) matching(c *call) rowSet {
	matching := slices.Clone(l.every)
	equal := func(rows rowsByText, text string) {
		if text != "" {
			matching.keep(rows[text])
		}
	}
	if vehicle := c.text("vehicle"); vehicle != "all" {
		equal(l.vehicle, vehicle)
	}
	equal(l.article107, c.text("article107_regulation_status"))
	equal(l.category, strings.ToLower(c.text("category")))
	equal(l.family, strings.ToLower(c.text("fund_family")))
	return matching
}

// allFundsFromMemory is allFunds from rows that are encoded already. It returns false if a
// date is requested, because the date also decides which published attributes count.
func (s *Server) allFundsFromMemory(c *call, shot *snapshot, _ *rendering) (reply, bool) {
	if c.has("date") {
		return reply{}, false
	}
	all := shot.ready.listing
	matching := all.matching(c)
	size := 0
	for row, text := range all.rows {
		if matching.contains(int32(row)) {
			size += len(text) + 1 + len(all.tacKinds[row]) + 1
		}
	}
	return assembled(func(body []byte) []byte {
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
		body = append(body, all.meta[c.text("vehicle")]...)
		body = append(body, `,"tac_kinds":{`...)
		for row, member := range all.tacKinds {
			if matching.contains(int32(row)) {
				body = appendTACKind(body, member)
			}
		}
		return append(endTACKinds(body), "}}\n"...)
	}), true
}
