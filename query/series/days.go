package series

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// Days answers with the daily quota values of a series in ascending order of dates, from from_date
// to to_date, or that of one date. It leaves out days whose quota could not be read. limit counts days from the
// first one, and the link to the next page begins at the first day that was left over.
// Without a limit, all days are given. With revisions=all it also returns every line that states one of the days of the
// page, and as a table only these lines.
var Days = operation.Endpoint[daysParams, QuotedDays]{
	Path:  "/api/real_assets/{asset_id}/days",
	Check: checkDays,
	Find:  findDays, Table: daysTable,
}

type daysParams struct {
	operation.AssetParams
	From      operation.DateParam `query:"from_date" null:"false" example:"2025-07-17" doc:"First day, inclusive, YYYY-MM-DD; not after to_date"`
	To        operation.DateParam `query:"to_date" doc:"Last day, inclusive, YYYY-MM-DD. An extension of this service."`
	Date      operation.DateParam `query:"date" null:"false" doc:"This day alone, YYYY-MM-DD, in place of from_date and to_date. An extension of this service."`
	Limit     *int64              `query:"limit" min:"1" max:"5000" doc:"The most days of a page, counted from from_date; absent: all days. links.next leads to the rest, and begins at the first day that was not given. An extension of this service."`
	Revisions string              `query:"revisions" enum:"all" doc:"all: also every value that a file stated for these days, with its file, line, publication and when it was seen first; as a table only these. An extension of this service."`
	operation.BatchParams
	operation.KnownAtParams
	operation.FormatParams
}

func checkDays(_ model.Date, params *daysParams) []httpapi.Violation {
	if params.Date.Given && (params.From.Given || params.To.Given) {
		return []httpapi.Violation{{Loc: []string{"query", "date"}, Type: "value_error",
			Msg: "Must not be given together with from_date or to_date", Input: params.Date.String()}}
	}
	return operation.CheckRange(params.From, params.To)
}

// most returns the greatest number of days of a reply.
func (p *daysParams) most() int64 {
	if p.Limit != nil {
		return *p.Limit
	}
	return int64(operation.LastDayOfAll.DaysSince(operation.FirstDay)) + 1 // more than any series has
}

// period returns the first and the last day that are asked for.
func (p *daysParams) period() (from, to model.Date) {
	if p.Date.Given {
		return operation.Storable(p.Date.Date), operation.Storable(p.Date.Date)
	}
	return p.From.Or(operation.FirstDay), p.To.Or(operation.LastDayOfAll)
}

// args returns the arguments of days.sql.
func (p *daysParams) args(series uint32, limit int64) []any {
	from, to := p.period()
	return append(tableArgs(p.Asset), sql.Arg("series_id", series), sql.Arg("from_date", from.String()),
		sql.Arg("to_date", to.String()), sql.Arg("limit", limit))
}

// tableArgs names the table that has the days of a series, the table of its builds, and its column
// with the quota.
func tableArgs(asset operation.AssetID) []any {
	if asset.IsUUID() {
		return []any{sql.Arg("days", "fi_day"), sql.Arg("versions", "fi_day_version"), sql.Arg("quota", "book_value")}
	}
	return []any{sql.Arg("days", "series_day"), sql.Arg("versions", "series_day_version"), sql.Arg("quota", "quota")}
}

// daysTable is days as a table.
func daysTable(ctx context.Context, r *operation.Request[daysParams]) (operation.Table, error) {
	series, err := numberOf(ctx, r.Pinned, r.Params.Asset)
	if err == nil && r.Params.Revisions == "all" {
		return revisionTable(ctx, r, series)
	}
	return operation.Table{Statement: "rows_days", Args: r.Params.args(series, r.Params.most()),
		Listing: func(ctx context.Context) (httpapi.Listing, error) {
			days, err := readDays(ctx, r, series)
			if err != nil {
				return httpapi.Listing{}, err
			}
			return daysListing(ctx, r, series, days)
		}}, err
}

// QuotedDays are the days of a page, in ascending order.
type QuotedDays struct {
	Asset     string // the id in the request
	Days      []QuotedDay
	Revisions []Revision // nil unless they were asked for
	Listing   httpapi.Listing
}

// QuotedDay is the quota value of a series on a day, in the currency of the series.
type QuotedDay struct {
	Date  time.Time       `ch:"date"`
	Quota decimal.Decimal `ch:"quota"`
}

// readDays returns the days of a page and, if there is a next page, its first day.
func readDays(ctx context.Context, r *operation.Request[daysParams], series uint32) ([]QuotedDay, error) {
	return operation.Rows[QuotedDay](ctx, r.Pinned, "days", r.Params.args(series, r.Params.most()+1)...)
}

// pageEnd returns the last day of the page with these days, which readDays has returned, and the link to the next page,
// if there is one. A page ends before the first day of the next one, so that each line that states a day is on one
// page.
func pageEnd(r *operation.Request[daysParams], days []QuotedDay) (last model.Date, next string) {
	limit := r.Params.most()
	if int64(len(days)) <= limit {
		_, last = r.Params.period()
		return last, ""
	}
	first := model.DateOf(days[limit].Date)
	return first.AddDays(-1), r.Call.LinkTo("from_date", first.String(), r.Batch.ID)
}

// daysListing returns what the headers state of days that readDays has returned. The days of all
// pages are those from from_date on.
func daysListing(ctx context.Context, r *operation.Request[daysParams], series uint32,
	days []QuotedDay) (httpapi.Listing, error) {
	_, next := pageEnd(r, days)
	if next == "" {
		return httpapi.Listing{Total: uint64(len(days))}, nil
	}
	total, err := operation.CountPages(ctx, r.Pinned, "days", r.Params.args(series, r.Params.most()))
	return httpapi.Listing{Total: total, Next: next}, err
}

func findDays(ctx context.Context, r *operation.Request[daysParams]) (QuotedDays, error) {
	series, err := numberOf(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return QuotedDays{}, err
	}
	days, err := readDays(ctx, r, series)
	if err != nil {
		return QuotedDays{}, err
	}
	found := QuotedDays{Asset: r.Params.Asset.String(), Days: days[:min(int64(len(days)), r.Params.most())]}
	if r.Params.Revisions == "all" {
		from, _ := r.Params.period()
		last, _ := pageEnd(r, days)
		if found.Revisions, err = readRevisions(ctx, r.Pinned, series, from, last); err != nil {
			return QuotedDays{}, err
		}
	}
	found.Listing, err = daysListing(ctx, r, series, days)
	return found, err
}

// Reply makes the reply of the days. A series has thousands, so their JSON is written without encoding/json.
func (q QuotedDays) Reply() httpapi.Reply {
	return httpapi.Reply{Listing: &q.Listing, Write: func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 16<<10)
		_, _ = out.WriteString(`{"data":[`) // Flush returns the error of an earlier write
		var line []byte
		for i, day := range q.Days {
			line = line[:0]
			if i > 0 {
				line = append(line, ',')
			}
			date := day.Date.Format(time.DateOnly)
			line = append(line, `{"id":`...)
			line = strconv.AppendQuote(line, q.Asset+"_"+date)
			line = append(line, `,"type":"real_asset_day","attributes":{"date":"`...)
			line = append(line, date...)
			line = append(line, `","price":`...)
			line = append(line, day.Quota.String()...)
			line = append(line, `}}`...)
			_, _ = out.Write(line)
		}
		_, _ = out.WriteString("]")
		if q.Revisions != nil {
			revisions, err := json.Marshal(q.Revisions)
			if err != nil {
				return err
			}
			_, _ = out.WriteString(`,"revisions":` + string(revisions))
		}
		if q.Listing.Next != "" {
			_, _ = out.WriteString(`,"links":{"next":` + strconv.Quote(q.Listing.Next) + "}")
		}
		_, _ = out.WriteString("}\n")
		return out.Flush()
	}}
}

// numberOf returns the series_id under which the rows of a series are stored. Looking it up
// in ClickHouse costs as much as reading the days, so a series that is in the snapshot is
// not looked up. It fails with 404 if the batch does not know the series.
func numberOf(ctx context.Context, p operation.Pinned, asset operation.AssetID) (uint32, error) {
	known, err := findAsset(ctx, p, asset)
	return known.ID, err
}
