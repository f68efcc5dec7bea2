package funds

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// AllSeries lists every series that ever was, by name of the fund and series. As a table it has all
// rows at once, in JSON pages of them.
var AllSeries = operation.Endpoint[allSeriesParams, allSeriesList]{
	Path: "/api/series",
	Find: findAllSeries, Table: allSeriesTable, Parts: []batch.Loader{searchPart},
}

type allSeriesParams struct {
	Manager *int64     `query:"provider_id" min:"0" max:"4294967295" doc:"Id of a manager"`
	RUN     givenRUN   `query:"run" example:"9809-4" doc:"RUN of a fund, with or without check digit: 8011-K or 8011"`
	Text    string     `query:"q" max:"200" doc:"What to find, as q of the screener"`
	Vehicle scopeParam `query:"vehicle" default:"first" doc:"Only series of funds of this vehicle"`
	Status  string     `query:"status" enum:"all,current,closed,unknown" default:"first" doc:"Only series of this status; all: any"`
	Limit   int64      `query:"limit" min:"1" max:"1000" default:"100" example:"1" doc:"Rows of the page. In a format other than json, absent means all rows."`
	Offset  int64      `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip, after filtering"`
	operation.BatchParams
	operation.FormatParams
}

// givenRUN is a RUN that may be absent.
type givenRUN struct {
	operation.RUNParam
	given bool
}

// Read implements httpapi.Value.
func (r *givenRUN) Read(text string) *httpapi.Violation {
	r.given = true
	return r.RUNParam.Read(text)
}

// args returns the arguments of all_series.sql.
func (p *allSeriesParams) args(ctx context.Context, of operation.Pinned, limit int64) ([]any, error) {
	run, found, search := "", []uint32{}, model.NewSearch(p.Text)
	if p.RUN.given {
		run = p.RUN.String()
	}
	if !search.Empty() {
		series, err := SearchedIn(ctx, of, p.Text)
		if err != nil {
			return nil, err
		}
		for _, one := range series {
			found = append(found, one.SeriesID)
		}
	}
	return []any{
		sql.Arg("provider_id", operation.Nullable(p.Manager)), sql.Arg("run", run),
		sql.Arg("vehicle", string(p.Vehicle)), sql.Arg("status", p.Status),
		sql.Arg("searched", !search.Empty()), sql.Arg("found", found), sql.Arg("limit", limit),
		sql.Arg("offset", p.Offset),
	}, nil
}

func allSeriesTable(ctx context.Context, r *operation.Request[allSeriesParams]) (operation.Table, error) {
	args, err := r.Params.args(ctx, r.Pinned, operation.GivenLimit(r.Call, r.Params.Limit))
	return operation.Table{Statement: "rows_series", Args: args}, err
}

// seriesEver is a series in the list of all that ever were.
type seriesEver struct {
	SeriesID      string      `json:"series_id"`
	AliasIDs      []string    `json:"alias_ids"` // the current one first
	FundID        string      `json:"fund_id"`
	ProviderID    *string     `json:"provider_id"`
	RUN           string      `json:"run"`
	Serie         string      `json:"serie"`
	FundName      string      `json:"fund_name"`
	Administrator *string     `json:"administrator"`
	Vehicle       string      `json:"vehicle"`
	LastCategory  *string     `json:"last_category"`
	LastFamily    *string     `json:"last_family"`
	Currency      *string     `json:"currency"`
	FirstDate     *model.Date `json:"first_date"`
	LastDate      *model.Date `json:"last_date"`
	Status        string      `json:"status"` // current, closed or unknown
}

type allSeriesList = httpapi.List[httpapi.Resource[seriesEver], allSeriesMeta]

type allSeriesMeta struct {
	Paging
	BatchID string      `json:"batch_id"`
	AsOf    *model.Date `json:"as_of_date"` // the cutoff; nil if there is none
}

func findAllSeries(ctx context.Context, r *operation.Request[allSeriesParams]) (list allSeriesList, err error) {
	type listed struct {
		Total    uint64     `ch:"total"`
		Asset    string     `ch:"asset_id"`
		AliasIDs []string   `ch:"alias_ids"`
		SeriesID uint32     `ch:"series_id"`
		FundID   uint32     `ch:"fund_id"`
		Manager  *uint32    `ch:"manager_id"`
		RUN      string     `ch:"run"`
		Serie    string     `ch:"serie"`
		Fund     string     `ch:"fund"`
		Named    *string    `ch:"manager"`
		Vehicle  string     `ch:"vehicle"`
		Category *string    `ch:"last_category"`
		Family   *string    `ch:"last_family"`
		Currency *string    `ch:"currency"`
		First    *time.Time `ch:"first_date"`
		Last     *time.Time `ch:"last_date"`
		Status   string     `ch:"status"`
	}
	args, err := r.Params.args(ctx, r.Pinned, r.Params.Limit)
	if err != nil {
		return list, err
	}
	found, err := operation.Rows[listed](ctx, r.Pinned, "all_series", args...)
	if err != nil {
		return list, err
	}
	data, meta := []httpapi.Resource[seriesEver]{},
		allSeriesMeta{Paging{0, r.Params.Limit, r.Params.Offset}, r.Batch.ID, operation.DateOf(r.Batch.AsOf)}
	for _, row := range found {
		meta.Total = row.Total
		if row.RUN == "" { // an empty page has one row, which carries the total
			continue
		}
		data = append(data, httpapi.NewResource(row.Asset, "series", seriesEver{
			SeriesID: operation.IDText(row.SeriesID), AliasIDs: row.AliasIDs, FundID: operation.IDText(row.FundID),
			ProviderID: operation.Mapped(row.Manager, operation.IDText),
			RUN:        row.RUN, Serie: row.Serie, FundName: row.Fund, Administrator: row.Named, Vehicle: row.Vehicle,
			LastCategory: row.Category, LastFamily: row.Family, Currency: row.Currency,
			FirstDate: operation.DateOf(row.First), LastDate: operation.DateOf(row.Last), Status: row.Status,
		}))
	}
	return allSeriesList{Data: data, Meta: meta,
		Listing: httpapi.Listing{Total: meta.Total,
			Next: r.Call.NextPage(r.Params.Offset, len(data), meta.Total, r.Batch.ID)}}, nil
}
