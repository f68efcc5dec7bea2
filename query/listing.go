package query

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"cuota/model"
)

// listing is all-funds of the cutoff in memory: every row, encoded, in the order
// of the reply, and what rows are filtered by, in the forms that all_funds.sql
// compares.
type listing struct {
	rows                [][]byte
	tacKinds            tacKinds // one per row
	every               rowSet
	vehicle, article107 rowsByText        // exact
	category, family    rowsByText        // lower case
	meta                map[string][]byte // by the parameter vehicle, as far as the rows shown do not matter, without its closing brace
	bytes               int
}

// loadListing reads the rows of all vehicles, known as all_funds.sql knows them
// where no date is asked for.
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

// matching lists the rows that pass the filters of a call.
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

// allFundsFromMemory is allFunds without a date, which also says by when what is
// told must have been known, put together of rows that are encoded already.
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
