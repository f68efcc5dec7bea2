package history

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"cuota/backtest"
	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/sql"
)

// readHistory is a history as it was read.
type readHistory struct {
	from   model.Date // day of quotas[0]
	quotas []float64  // 0 on a day without a quote
	steps
}

// historyBytes is the memory of a history besides its quotes, roughly.
const historyBytes = 512

// quotasBytes limits the quotes that one statement returns. It is half of sql.MaxResultBytes.
const quotasBytes = sql.MaxResultBytes / 2

// Histories implements [backtest.Source].
func (src *Source) Histories(ctx context.Context, series []uint32,
	from model.Date) (map[uint32]*backtest.History, error) {
	from = from.AddDays(-8)
	if from.Compare(firstStorable) < 0 {
		from = firstStorable
	}
	src.readingHistories.Lock()
	defer src.readingHistories.Unlock()
	histories := make(map[uint32]*backtest.History, len(series))
	var missing []uint32
	for _, id := range series {
		if read, there := src.histories.Known(id); there && read.from.Compare(from) <= 0 {
			histories[id] = read.since(from)
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return histories, nil
	}
	batch, err := src.describe(ctx)
	if err != nil {
		return nil, err
	}
	days := max(batch.Cutoff.DaysSince(from), 0) + 1
	slices.Sort(missing)
	missing = slices.Compact(missing)
	ahead, err := src.readAhead(ctx, missing, from, days)
	if err != nil {
		return nil, err
	}
	for group := range slices.Chunk(append(missing, ahead...), max(1, quotasBytes/8/days)) {
		read, err := src.readHistories(ctx, group, from, batch.Cutoff)
		if err != nil {
			return nil, err
		}
		for id, h := range read {
			src.histories.Keep(id, h)
			if _, asked := slices.BinarySearch(missing, id); asked {
				histories[id] = h.since(from)
			}
		}
	}
	src.historiesRead += len(missing) + len(ahead)
	return histories, nil
}

// readAhead returns series that are read together with the missing ones: so many that as many are read as have been
// read before. So a single run reads only what it needs, and many runs need few statements for nearly all series. It
// returns none if they do not fit into memory.
func (src *Source) readAhead(ctx context.Context, missing []uint32, from model.Date, days int) ([]uint32, error) {
	more := src.historiesRead - len(missing)
	if more <= 0 || 2*src.historiesRead*8*days > keptHistories {
		return nil, nil
	}
	roster, err := src.roster(ctx)
	if err != nil {
		return nil, err
	}
	var ahead []uint32
	for _, of := range roster.Series() {
		if len(ahead) == more {
			break
		}
		if _, asked := slices.BinarySearch(missing, of.Series); asked {
			continue
		}
		if read, there := src.histories.Known(of.Series); !there || read.from.Compare(from) > 0 {
			ahead = append(ahead, of.Series)
		}
	}
	return ahead, nil
}

// readHistories reads the quotes of series from a day to the cutoff. A series without a quote has an empty
// history.
func (src *Source) readHistories(ctx context.Context, series []uint32,
	from, cutoff model.Date) (map[uint32]readHistory, error) {
	type quotas struct {
		Series uint32 `ch:"series_id"`
		Quotas string `ch:"quotas"`
	}
	var quoted []quotas
	var happened map[uint32]steps
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		quoted, err = rows[quotas](ctx, src, "backtest_quotas", sql.Arg("series", series),
			sql.Arg("from", from.String()), sql.Arg("cutoff", cutoff.String()))
		return err
	})
	reads.Go(func() (err error) {
		happened, err = src.steps(ctx)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	read := make(map[uint32]readHistory, len(series))
	for _, id := range series {
		read[id] = readHistory{from: from, steps: happened[id]}
	}
	for _, q := range quoted {
		text := rowbinary.NewReader(q.Quotas)
		h := read[q.Series]
		h.quotas = text.Floats()
		if text.Err() != nil {
			return nil, &sql.ReadError{Statement: "backtest_quotas", Err: text.Err()}
		}
		read[q.Series] = h
	}
	return read, nil
}

// since returns the history from the first quote on or after a day.
func (h readHistory) since(day model.Date) *backtest.History {
	skip := min(max(day.DaysSince(h.from), 0), len(h.quotas))
	for skip < len(h.quotas) && h.quotas[skip] == 0 {
		skip++
	}
	first := h.from.AddDays(skip)
	cut, at := slices.BinarySearchFunc(h.breaks, first, model.Date.Compare)
	if at { // nothing of the series is held before its first quote
		cut++
	}
	return &backtest.History{First: first, Quotas: h.quotas[skip:], Factor: h.factor, Breaks: h.breaks[cut:]}
}
