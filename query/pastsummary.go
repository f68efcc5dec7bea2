package query

import (
	"context"
	"sync"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"
)

// pastSummaryBytes limits the memory of pastSummaries. A summary takes about 30 kB, so some
// 2,000 days are kept.
const pastSummaryBytes = 64 << 20

// readAhead is how many days are read at once for a caller who walks from day to day. A day of
// many costs a small part of a day alone, because most of the time goes into the planning of
// the statements.
const readAhead = 31

// pastSummaries keeps the market summaries of past dates, as JSON, by the requested date.
type pastSummaries struct {
	days  dayCache[[]byte]
	ahead *sync.Mutex // one caller reads ahead at a time, so that few statements run
}

// pastSummaryPart keeps past summaries of the current batch in memory. They are read when they
// are requested.
var pastSummaryPart = batch.NewPart("past_summaries", func(context.Context, batch.Source) (pastSummaries, int, error) {
	days, err := newDayCache(pastSummaryBytes, func(body []byte) uint64 { return uint64(cap(body)) })
	return pastSummaries{days, new(sync.Mutex)}, 0, err
})

// summary returns the summary of the day that answers for a date before the cutoff. If the date
// after or before it was requested already, it reads the days that follow in this direction.
func (past pastSummaries) summary(ctx context.Context, p pinned, date model.Date) ([]byte, error) {
	return past.days.get(ctx, p, date, func(ctx context.Context, date model.Date) ([]byte, error) {
		// Whoever does not get the turn reads the day alone, so that nobody waits for others.
		if direction := past.direction(date); direction != 0 && past.ahead.TryLock() {
			defer past.ahead.Unlock()
			if body, known := past.days.known(date); known {
				return body, nil
			}
			if body, err := past.readAhead(ctx, p, date, direction); body != nil || err != nil {
				return body, err
			}
		}
		out, err := summaryAt(ctx, p, dateParam{date, true})
		if err != nil {
			return nil, err
		}
		return httpapi.Encode(out)
	})
}

// direction returns 1 if the day before a date is kept, -1 if the day after it is, and 0 if
// none or both are: then nobody walks.
func (past pastSummaries) direction(date model.Date) (direction int) {
	if _, known := past.days.known(date.AddDays(-1)); known {
		direction++
	}
	if _, known := past.days.known(date.AddDays(1)); known {
		direction--
	}
	return direction
}

// readAhead returns the summary of a date, and keeps those of the days with data that follow it.
// It gives nil if the date has no data.
func (past pastSummaries) readAhead(ctx context.Context, p pinned, date model.Date, direction int) (asked []byte, err error) {
	first, last := date, date.AddDays(direction*(readAhead-1))
	if direction < 0 {
		first, last = last, first
	}
	if before := model.DateOf(*p.batch.AsOf).AddDays(-1); last.Compare(before) > 0 { // the cutoff is answered from the batch
		last = before
	}
	days, err := daysWithData(ctx, p, first, last)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	found, err := summarise(ctx, p, days)
	if err != nil {
		return nil, err
	}
	// Summaries of a batch that was dropped or damaged meanwhile must not be kept.
	if err := p.checkReadable(ctx); err != nil {
		return nil, err
	}
	for day, of := range found {
		body, err := httpapi.Encode(of)
		if err != nil {
			return nil, err
		}
		if day == date {
			asked = body
			continue
		}
		past.days.keep(day, body)
	}
	return asked, nil
}

// daysWithData returns the days of a period that answer for themselves.
func daysWithData(ctx context.Context, p pinned, first, last model.Date) (days []marketDay, err error) {
	found, err := rows[foundDay](ctx, p, "days_with_data", sql.Arg("from", storable(first).String()), sql.Arg("to", storable(last).String()))
	for _, day := range found {
		days = append(days, marketDay{dateOf(&day.Date), day.Complete})
	}
	return days, err
}
