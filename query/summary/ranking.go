package summary

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// Ranking ranks the managers on one day by the equity or the shareholders of their series
// (RULES 8).
var Ranking = operation.Endpoint[rankingParams, operation.Kept[*Managers]]{
	Path: "/api/agf_stats/ranking",
	Check: func(today model.Date, params *rankingParams) []httpapi.Violation {
		wrong := operation.CheckAsOf(today, params.AsOf)
		if params.AsOf.Given && params.Date.Given && params.AsOf.Compare(params.Date.Date) != 0 {
			wrong = append(wrong, httpapi.Violation{Loc: []string{"query", "as_of_date"}, Type: "value_error",
				Msg: "Must not differ from date, which asks for the same", Input: params.AsOf.String()})
		}
		return wrong
	},
	Find: func(ctx context.Context, r *operation.Request[rankingParams]) (kept operation.Kept[*Managers], err error) {
		metric := string(r.Params.Metric)
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.day())
		if err != nil {
			return kept, err
		}
		ranked, err := rank(ctx, r.Pinned, day, metric)
		if err != nil {
			return kept, err
		}
		return operation.Keep(ranked[metric])
	},
	Known: func(r *operation.Request[rankingParams]) (kept operation.Kept[*Managers], there bool, err error) {
		if past.AtCutoff(r.Batch, r.Params.day()) {
			rankings, _ := rankingsPart.Of(r.Batch)
			kept, there = rankings[string(r.Params.Metric)]
		}
		return kept, there, nil
	},
	Table: func(ctx context.Context, r *operation.Request[rankingParams]) (operation.Table, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.day())
		if day.Date == nil {
			day.Date = &operation.FirstDay // has no rows
		}
		if err != nil {
			return operation.Table{}, err
		}
		args, err := rankingArgs(ctx, r.Pinned, *day.Date, string(r.Params.Metric))
		return operation.Table{Statement: "rows_ranking", Args: args}, err
	},
	Parts: []batch.Loader{rankingsPart, past.Part},
}

type rankingParams struct {
	Metric metricParam `query:"metric" default:"first" example:"patrimony" doc:"What to rank by"`
	past.MarketDayParams
	AsOf operation.DateParam `query:"as_of_date" null:"false" doc:"Another name of date, from 1976-01-01 to today in Santiago, as other operations have it. An extension of this service."`
	operation.FormatParams
}

// day returns the requested day.
func (params *rankingParams) day() operation.DateParam {
	if params.AsOf.Given {
		return params.AsOf
	}
	return params.Date
}

// rankingsPart holds the rankings at the cutoff, by metric.
var rankingsPart = operation.Preload("rankings",
	func(ctx context.Context, p operation.Pinned) (map[string]*Managers, error) {
		return rank(ctx, p, past.CutoffOf(p.Batch), metrics...)
	})

// metricParam is the quantity by which managers are compared.
type metricParam string

var metrics = []string{"patrimony", "shareholders"}

// Choices implements httpapi.Choices.
func (metricParam) Choices() []string { return metrics }

// Units of the manager statistics. A person may hold several series, and then counts in
// each.
const (
	patrimonyUnit    = "CLP"
	shareholdersUnit = "participants, summed over series"
)

// Managers lists the managers of a day by rank.
type Managers struct {
	Data []httpapi.Resource[Manager] `json:"data"`
	Meta RankingMeta                 `json:"meta"`
}

// Manager is a manager on a day. Its equity is in pesos; nil: no rate to pesos is known.
type Manager struct {
	Administrator string   `ch:"name" json:"administrator"`
	Patrimony     *float64 `ch:"total_patrimony" json:"total_patrimony"`
	Shareholders  uint64   `ch:"total_shareholders" json:"total_shareholders"`
	Funds         uint64   `ch:"fund_count" json:"fund_count"`
	Rank          uint64   `ch:"rank" json:"rank"`
}

// RankingMeta says which day is ranked. Date is nil, and the list is empty, if no day has
// data for the requested date.
type RankingMeta struct {
	Date     *model.Date `json:"date"`
	Complete bool        `json:"complete"`
	Metric   string      `json:"metric"`
	// series left out of total_patrimony because no rate to pesos is known
	Unconverted uint64            `json:"unconverted_series"`
	Units       map[string]string `json:"units"`
}

// rank returns the rankings of a day by each of the metrics. They are empty if there is no
// day.
func rank(ctx context.Context, p operation.Pinned, day past.MarketDay,
	metrics ...string) (map[string]*Managers, error) {
	ranked := map[string]*Managers{}
	for _, metric := range metrics {
		ranked[metric] = &Managers{[]httpapi.Resource[Manager]{},
			RankingMeta{Date: day.Date, Complete: day.Complete, Metric: metric,
				Units: map[string]string{"total_patrimony": patrimonyUnit, "total_shareholders": shareholdersUnit}}}
	}
	if day.Date == nil {
		return ranked, nil
	}
	type manager struct {
		Metric      string `ch:"metric"`
		ID          uint32 `ch:"manager_id"`
		Unconverted uint64 `ch:"unconverted_series"`
		Manager
	}
	args, err := rankingArgs(ctx, p, *day.Date, metrics...)
	if err != nil {
		return nil, err
	}
	managers, err := operation.Rows[manager](ctx, p, "agf_ranking", args...)
	if err != nil {
		return nil, err
	}
	for _, m := range managers {
		of := ranked[m.Metric]
		of.Meta.Unconverted += m.Unconverted
		of.Data = append(of.Data, httpapi.NewResource(operation.IDText(m.ID), "agf_ranking", m.Manager))
	}
	return ranked, nil
}

// rankingArgs returns the arguments of agf_ranking.sql.
func rankingArgs(ctx context.Context, p operation.Pinned, date model.Date, metrics ...string) ([]any, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	of, dolar := history.Days[date], any(nil)
	if of.Dolar != "" {
		dolar = of.Dolar
	}
	return []any{sql.Arg("date", date.String()), sql.Arg("metrics", metrics), sql.Arg("build", of.MarketBuild),
		sql.Arg("dolar", dolar)}, nil
}
