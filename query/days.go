package query

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"cuota/model"

	"github.com/shopspring/decimal"
)

// maxDays is the greatest value of limit. Without a limit, all days are given.
const maxDays = 5000

// daysOperation gives the daily quota values of a series in ascending order of dates, from
// from_date to to_date. It leaves out days whose quota could not be read. limit counts days
// from the first one, and the link to the next page begins at the first day that was left
// over.
func (s *Server) daysOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/real_assets/{asset_id}/days", access: keyed, reads: anyBatch,
		params: []param{
			pathAsset(), day("from_date"), day("to_date"), integer("limit", 1, maxDays, nil), filter("batch_id", 200),
		},
		check: firstDayTo, answer: s.days,
	}
}

// The first and the last day of ClickHouse's type Date.
var firstDay, lastDayOfAll = model.NewDate(1970, time.January, 1), model.NewDate(2149, time.June, 6)

// storable gives the day of ClickHouse's type Date that is nearest to a date.
func storable(date model.Date) model.Date {
	switch {
	case date.Compare(firstDay) < 0:
		return firstDay
	case date.Compare(lastDayOfAll) > 0:
		return lastDayOfAll
	}
	return date
}

// days gives the range of days that a call asks for, by default all days.
func (c *call) days() (from, to model.Date) {
	from, to = firstDay, lastDayOfAll
	if date, given := c.date("from_date"); given {
		from = storable(date)
	}
	if date, given := c.date("to_date"); given {
		to = storable(date)
	}
	return from, to
}

func (s *Server) days(ctx context.Context, c *call) (reply, error) {
	series, err := s.numberOf(ctx, c.batch, c.asset())
	if err != nil {
		return reply{}, err
	}
	from, to := c.days()
	limit := int64(daysBetween(firstDay.Time(), lastDayOfAll.Time())) + 1 // more than any series has
	if c.has("limit") {
		limit = c.integer("limit")
	}

	type quoted struct {
		Date  time.Time       `ch:"date"`
		Quota decimal.Decimal `ch:"quota"`
	}
	days, err := rows[quoted](ctx, s.reader, "days",
		arg("batch", c.batch.Number), arg("series_id", series), arg("from_date", from.String()),
		arg("to_date", to.String()), arg("limit", limit+1)) // one more row tells whether there is a next page
	if err != nil {
		return reply{}, err
	}
	next := ""
	if int64(len(days)) > limit {
		next = c.linkTo("from_date", days[limit].Date.Format(time.DateOnly))
		days = days[:limit]
	}
	id := c.asset().String()
	return reply{status: http.StatusOK, write: func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 16<<10)
		_, _ = out.WriteString(`{"data":[`) // Flush returns the error of an earlier write
		var line []byte
		for i, day := range days {
			line = line[:0]
			if i > 0 {
				line = append(line, ',')
			}
			date := day.Date.Format(time.DateOnly)
			line = append(line, `{"id":`...)
			line = strconv.AppendQuote(line, id+"_"+date)
			line = append(line, `,"type":"real_asset_day","attributes":{"date":"`...)
			line = append(line, date...)
			line = append(line, `","price":`...)
			line = append(line, day.Quota.String()...)
			line = append(line, `}}`...)
			_, _ = out.Write(line)
		}
		_, _ = out.WriteString("]")
		if next != "" {
			_, _ = out.WriteString(`,"links":{"next":` + strconv.Quote(next) + "}")
		}
		_, _ = out.WriteString("}\n")
		return out.Flush()
	}}, nil
}

// numberOf gives the series_id under which the rows of a series are stored. Looking it up
// in ClickHouse costs as much as reading the days, so a series that is in the snapshot is
// not looked up. It fails with 404 if the batch does not know the series.
func (s *Server) numberOf(ctx context.Context, b *batch, asset assetID) (uint32, error) {
	if b.snapshot != nil && !asset.isUUID() {
		if _, alive := b.snapshot.row(asset.series); alive {
			return asset.series, nil
		}
	}
	known, err := s.findSeries(ctx, b, asset, lastDayOfAll)
	return known.ID, err
}
