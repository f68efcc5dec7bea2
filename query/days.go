package query

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"cuota/model"

	"github.com/shopspring/decimal"
)

// daysOperation gives the daily quota values of a series in ascending order of
// dates, from from_date on. Days whose quota could not be read are left out.
func (s *Server) daysOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/real_assets/{asset_id}/days", access: keyed, reads: anyBatch,
		params: []param{pathAsset(), day("from_date")},
		answer: s.days,
	}
}

// What ClickHouse's type Date can hold.
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

func (s *Server) days(ctx context.Context, c *call) (reply, error) {
	series, err := s.numberOf(ctx, c.batch, c.asset())
	if err != nil {
		return reply{}, err
	}
	from := firstDay
	if date, given := c.date("from_date"); given {
		from = storable(date)
	}

	// Some ten thousand rows at most: written as they come, so that only the
	// reply itself is held.
	id := c.asset().String()
	body := []byte(`{"data":[`)
	type dayRow struct {
		Date  time.Time       `ch:"date"`
		Quota decimal.Decimal `ch:"quota"`
	}
	first := true
	err = each(ctx, s.reader, "days", func(row *dayRow) {
		if !first {
			body = append(body, ',')
		}
		first = false
		date := row.Date.Format(time.DateOnly)
		body = append(body, `{"id":`...)
		body = strconv.AppendQuote(body, id+"_"+date)
		body = append(body, `,"type":"real_asset_day","attributes":{"date":"`...)
		body = append(body, date...)
		body = append(body, `","price":`...)
		body = append(body, row.Quota.String()...)
		body = append(body, `}}`...)
	}, arg("batch", c.batch.Number), arg("series_id", series), arg("from_date", from.String()))
	if err != nil {
		return reply{}, err
	}
	return ok(append(body, "]}\n"...))
}

// numberOf gives the number that the rows of a series stand under. Looking for it
// costs as much as reading its days, so that a series known from memory is not
// looked for.
func (s *Server) numberOf(ctx context.Context, b *batch, asset assetID) (uint32, error) {
	if b.snapshot != nil && !asset.isUUID() {
		if _, alive := b.snapshot.row(asset.series); alive {
			return asset.series, nil
		}
	}
	known, err := s.findSeries(ctx, b, asset, lastDayOfAll)
	return known.ID, err
}
