package summary

import (
	"context"
	"sync"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
)

// readAhead is how many days are read at once for a caller who walks from day to day. A day of
// many costs a small part of a day alone, because most of the time goes into the planning of
// the statements.
const readAhead = 31

// pastSummaries are the market summaries of past dates, by the requested date.
var pastSummaries = batch.NewCached("summary", operation.Kept[*Summary].Bytes)

// summariesAhead lets one caller read ahead at a time, so that few statements run.
var summariesAhead sync.Mutex

// pastSummary returns the summary of the day that answers for a date before the cutoff. If the date
// after or before it was requested already, it reads the days that follow in this direction.
func pastSummary(ctx context.Context, p operation.Pinned, date model.Date) (operation.Kept[*Summary], error) {
	return past.Dated(ctx, p, pastSummaries, date, func(ctx context.Context) (operation.Kept[*Summary], error) {
		// Whoever does not get the turn reads the day alone, so that nobody waits for others.
		if direction := walking(p, date); direction != 0 && summariesAhead.TryLock() {
			defer summariesAhead.Unlock()
			if kept, known := pastSummaries.Known(p.Cache, p.Batch, date); known {
				return kept, nil
			}
			if kept, err := summariesFrom(ctx, p, date, direction); kept.Found != nil || err != nil {
				return kept, err
			}
		}
		out, err := summaryAt(ctx, p, operation.DateParam{Date: date, Given: true})
		if err != nil {
			return operation.Kept[*Summary]{}, err
		}
		return operation.Keep(out)
	})
}

// walking returns 1 if the summary of the day before a date is kept, -1 if that of the day after it is, and 0 if
// none or both are: then nobody walks.
func walking(p operation.Pinned, date model.Date) (direction int) {
	if _, known := pastSummaries.Known(p.Cache, p.Batch, date.AddDays(-1)); known {
		direction++
	}
	if _, known := pastSummaries.Known(p.Cache, p.Batch, date.AddDays(1)); known {
		direction--
	}
	return direction
}

// summariesFrom returns the summary of a date, and keeps those of the days with data that follow it.
// It returns none if the date has no data.
func summariesFrom(ctx context.Context, p operation.Pinned, date model.Date,
	direction int) (asked operation.Kept[*Summary], err error) {
	first, last := date, date.AddDays(direction*(readAhead-1))
	if direction < 0 {
		first, last = last, first
	}
	// the cutoff is answered from the batch
	if cutoff := operation.DateOf(p.Batch.AsOf); cutoff != nil && last.Compare(*cutoff) >= 0 {
		last = cutoff.AddDays(-1)
	}
	history, err := past.Of(ctx, p)
	if err != nil {
		return asked, err
	}
	days := history.WithData(first, last)
	if len(days) == 0 {
		return asked, nil
	}
	found, err := summarise(ctx, p, days, livingSeries)
	if err != nil {
		return asked, err
	}
	// Summaries of a batch that was dropped or damaged meanwhile must not be kept.
	if err := p.CheckReadable(ctx); err != nil {
		return asked, err
	}
	for day, of := range found {
		kept, err := operation.Keep(of)
		if err != nil {
			return asked, err
		}
		if day == date {
			asked = kept
			continue
		}
		pastSummaries.Keep(p.Cache, p.Batch, day, kept)
	}
	return asked, nil
}
