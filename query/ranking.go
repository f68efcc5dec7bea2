package query

import (
	"context"
	"net/http"

	"cuota/model"
)

// rankingOperation ranks the managers on one day by the equity or the shareholders of their
// series (RULES 8).
func (s *Server) rankingOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/agf_stats/ranking", access: keyed, reads: anyBatch,
		params: []param{metric(), day("date")},
		answer: s.ranking, hot: s.rankingFromMemory,
	}
}

// metric declares the quantity by which managers are compared.
func metric() param { return words("metric", metrics...) }

var metrics = []string{"patrimony", "shareholders"}

// Units of the manager statistics. A person may hold several series, and then counts in
// each.
const (
	patrimonyUnit    = "CLP"
	shareholdersUnit = "participants, summed over series"
)

// ranking lists the managers of a day by rank.
type ranking struct {
	Data []resource  `json:"data"`
	Meta rankingMeta `json:"meta"`
}

// rankingMeta says which day is ranked. Date is nil, and the list is empty, if no day has
// data for the requested date.
type rankingMeta struct {
	Date        *model.Date       `json:"date"`
	Complete    bool              `json:"complete"`
	Metric      string            `json:"metric"`
	Unconverted uint64            `json:"unconverted_series"` // series left out of total_patrimony because no rate to pesos is known
	Units       map[string]string `json:"units"`
}

func (s *Server) ranking(ctx context.Context, c *call) (reply, error) {
	day, err := s.answeringDay(ctx, c)
	if err != nil {
		return reply{}, err
	}
	ranked, err := s.rank(ctx, c.batch, day, c.text("metric"))
	if err != nil {
		return reply{}, err
	}
	return ok(ranked[c.text("metric")])
}

// rankingFromMemory is ranking at the cutoff. It returns false for another day.
func (s *Server) rankingFromMemory(c *call, shot *snapshot, _ *rendering) (reply, bool) {
	if !c.atCutoff() {
		return reply{}, false
	}
	return readyReply(shot.ready.rankings, c.text("metric"))
}

// rank gives the rankings of a day by each of the metrics. They are empty if there is no
// day.
func (s *Server) rank(ctx context.Context, b *batch, day answer, metrics ...string) (map[string]*ranking, error) {
	ranked := map[string]*ranking{}
	for _, metric := range metrics {
		ranked[metric] = &ranking{[]resource{}, rankingMeta{Date: day.date, Complete: day.complete, Metric: metric,
			Units: map[string]string{"total_patrimony": patrimonyUnit, "total_shareholders": shareholdersUnit}}}
	}
	if day.date == nil {
		return ranked, nil
	}
	type manager struct {
		Metric       string   `ch:"metric"`
		ID           uint32   `ch:"manager_id"`
		Name         string   `ch:"name"`
		Patrimony    *float64 `ch:"total_patrimony"`
		Shareholders uint64   `ch:"total_shareholders"`
		Funds        uint64   `ch:"fund_count"`
		Rank         uint64   `ch:"rank"`
		Unconverted  uint64   `ch:"unconverted_series"`
	}
	managers, err := rows[manager](ctx, s.reader, "agf_ranking",
		arg("batch", b.Number), arg("date", day.date.String()), arg("metrics", metrics))
	if err != nil {
		return nil, err
	}
	for _, m := range managers {
		of := ranked[m.Metric]
		of.Meta.Unconverted += m.Unconverted
		of.Data = append(of.Data, resource{idText(m.ID), "agf_ranking", struct {
			Administrator string   `json:"administrator"`
			Patrimony     *float64 `json:"total_patrimony"`
			Shareholders  uint64   `json:"total_shareholders"`
			Funds         uint64   `json:"fund_count"`
			Rank          uint64   `json:"rank"`
		}{m.Name, m.Patrimony, m.Shareholders, m.Funds, m.Rank}})
	}
	return ranked, nil
}
