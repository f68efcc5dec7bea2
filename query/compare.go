package query

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Limits of the parameter series (the interface contract, section 3): ten ids of up to ten
// digits, with commas between them.
const (
	maxCompared   = 10
	maxSeriesText = 109
)

// compareOperation compares one to ten series, in the requested order. Several ids of one
// renamed series give one row, under its current id, in the place of the first of them.
func (s *Server) compareOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/compare", access: keyed, reads: completeBatch,
		params: []param{seriesIDs("series"), filter("batch_id", 200)},
		answer: s.compare, hot: s.compareFromMemory,
	}
}

// seriesIDs declares unique decimal ids separated by commas (RULES 4).
func seriesIDs(name string) param {
	return param{name: name, in: "query", required: true, read: func(text string) (any, *violation) {
		texts := strings.Split(text, ",")
		switch {
		case text == "":
			return nil, &violation{Type: "string_too_short", Msg: "Must have at least one id"}
		case len(text) > maxSeriesText:
			return nil, &violation{Type: "string_too_long", Msg: fmt.Sprintf("Must have at most %d characters", maxSeriesText)}
		case len(texts) > maxCompared:
			return nil, &violation{Type: "too_long", Msg: fmt.Sprintf("Must have at most %d ids", maxCompared)}
		}
		ids, seen := make([]uint32, len(texts)), map[uint32]bool{}
		for i, part := range texts {
			id, isID := parseID(part)
			if !isID {
				return nil, &violation{Type: "int_parsing", Msg: "Must be whole numbers from 0 to 4294967295, separated by commas"}
			}
			if seen[id] {
				return nil, &violation{Type: "duplicate", Msg: fmt.Sprintf("Must not name the series %d twice", id)}
			}
			ids[i], seen[id] = id, true
		}
		return ids, nil
	}}
}

func (s *Server) compare(ctx context.Context, c *call) (reply, error) {
	ids := c.values["series"].([]uint32)
	found, _, err := s.marketPage(ctx, c.batch, marketSelection{series: ids, sort: "id", order: "asc", limit: maxCompared})
	if err != nil {
		return reply{}, err
	}
	byID := make(map[uint32]marketRow, len(found))
	for _, row := range found {
		byID[row.SeriesID] = row
		for _, alias := range row.AliasIDs {
			byID[alias] = row
		}
	}
	data, compared, unknown := make([]resource, 0, len(ids)), make([]*marketAttributes, 0, len(ids)), []string(nil)
	kinds := make(tacKinds, 0, len(ids))
	shown := make(map[uint32]bool, len(ids))
	for _, id := range ids {
		row, known := byID[id]
		switch {
		case !known:
			unknown = append(unknown, idText(id))
		case !shown[row.SeriesID]:
			shown[row.SeriesID] = true
			item := s.marketResource(c.batch, row)
			attributes := item.Attributes.(marketAttributes)
			data, compared, kinds = append(data, item), append(compared, &attributes), append(kinds, row.tacKind())
		}
	}
	if len(unknown) > 0 {
		return reply{}, notFound("Not among the series that can be compared, those alive at the cutoff: " + strings.Join(unknown, ", ") + ".")
	}
	type meta struct {
		marketMeta
		TACKinds tacKinds `json:"tac_kinds"`
		compareVerdicts
	}
	return ok(struct {
		Data []resource `json:"data"`
		Meta meta       `json:"meta"`
	}{data, meta{s.marketMeta(c.batch), kinds, comparabilities(compared)}})
}

// compareFromMemory is compare from rows that are encoded already. It returns false if an
// id is not in memory.
func (s *Server) compareFromMemory(c *call, shot *snapshot, drawn *rendering) (reply, bool) {
	ids := c.values["series"].([]uint32)
	page, compared := make([]int32, len(ids)), make([]*marketAttributes, len(ids))
	for i, id := range ids {
		row, there := shot.row(id)
		if !there {
			return reply{}, false
		}
		page[i], compared[i] = row, &drawn.attributes[row]
	}
	verdicts, err := encode(comparabilities(compared))
	if err != nil {
		return reply{}, false
	}
	return assembled(func(body []byte) []byte {
		body = drawn.appendItems(body, page)
		body = append(body, ',')
		body = append(body, verdicts[1:len(verdicts)-1]...) // the members of the object and its closing brace
		return append(body, "}\n"...)
	}), true
}
