package query

import (
	"context"
	"net/http"

	"cuota/model"
)

// rankingOperation ranks the managers on a day by the equity or the shareholders
// of their series (RULES 8).
func (s *Server) rankingOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/agf_stats/ranking", access: keyed, reads: anyBatch,
		params: []param{metric(), day("date")},
		answer: s.ranking,
	}
}

// metric declares what managers are measured by.
func metric() param { return words("metric", "patrimony", "shareholders") }

// Units of the manager statistics. Shareholders of two series may be the same
// person.
const (
	patrimonyUnit    = "CLP"
	shareholdersUnit = "participants, summed over series"
)

// rankingMeta says of a ranking which day it is of. Date is nil, and there is
// nothing to rank, where no day on or before the one asked for is complete.
type rankingMeta struct {
	Date        *model.Date       `json:"date"`
	Metric      string            `json:"metric"`
	Unconverted uint64            `json:"unconverted_series"` // left out of total_patrimony: no rate to pesos
	Units       map[string]string `json:"units"`
}

func (s *Server) ranking(ctx context.Context, c *call) (reply, error) {
	type manager struct {
		ID           uint32   `ch:"manager_id"`
		Name         string   `ch:"name"`
		Patrimony    *float64 `ch:"total_patrimony"`
		Shareholders uint64   `ch:"total_shareholders"`
		Funds        uint64   `ch:"fund_count"`
		Rank         uint64   `ch:"rank"`
		Unconverted  uint64   `ch:"unconverted_series"`
	}
	date, err := s.completeDate(ctx, c)
	if err != nil {
		return reply{}, err
	}
	var managers []manager
	if date != nil {
		if managers, err = rows[manager](ctx, s.reader, "agf_ranking",
			arg("batch", c.batch.Number), arg("date", date.String()), arg("metric", c.text("metric"))); err != nil {
			return reply{}, err
		}
	}
	if err := s.stillKept(ctx, c.batch); err != nil {
		return reply{}, err
	}

	meta := rankingMeta{Date: date, Metric: c.text("metric"),
		Units: map[string]string{"total_patrimony": patrimonyUnit, "total_shareholders": shareholdersUnit}}
	data := make([]resource, len(managers))
	for i, m := range managers {
		meta.Unconverted += m.Unconverted
		data[i] = resource{idText(m.ID), "agf_ranking", struct {
			Administrator string   `json:"administrator"`
			Patrimony     *float64 `json:"total_patrimony"`
			Shareholders  uint64   `json:"total_shareholders"`
			Funds         uint64   `json:"fund_count"`
			Rank          uint64   `json:"rank"`
		}{m.Name, m.Patrimony, m.Shareholders, m.Funds, m.Rank}}
	}
	return ok(struct {
		Data []resource  `json:"data"`
		Meta rankingMeta `json:"meta"`
	}{data, meta})
}
