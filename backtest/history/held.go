package history

import (
	"context"
	"maps"
	"slices"
	"time"

	"cuota/backtest"
	"cuota/model"
	"cuota/sql"
)

// heldDays identifies the days between which all series are held.
type heldDays struct{ first, last model.Date }

// heldBytes is the memory of a series in what Held reads, roughly.
const heldBytes = 64

// Held implements [backtest.Source].
func (src *Source) Held(ctx context.Context, first, last model.Date) (map[uint32]backtest.Held, error) {
	src.readingHeld.Lock()
	defer src.readingHeld.Unlock()
	key := heldDays{first, last}
	if held, there := src.held.Known(key); there {
		return held, nil
	}
	happened, err := src.steps(ctx)
	if err != nil {
		return nil, err
	}
	ended, until := []uint32{0}, []model.Date{last} // ClickHouse has no transform without pairs
	for _, id := range slices.Sorted(maps.Keys(happened)) {
		if at, broken := happened[id].brokenWithin(first, last); broken {
			ended, until = append(ended, id), append(until, at.AddDays(-1))
		}
	}
	type row struct {
		Series     uint32    `ch:"series_id"`
		FirstQuote float64   `ch:"first_quote"`
		LastQuote  float64   `ch:"last_quote"`
		LastOn     time.Time `ch:"last_on"`
		Newest     time.Time `ch:"newest"`
	}
	found, err := rows[row](ctx, src, "backtest_held", sql.Arg("from", storable(first)), sql.Arg("to", storable(last)),
		sql.Arg("ended", ended), sql.Arg("until", texts(until)))
	if err != nil {
		return nil, err
	}
	held := make(map[uint32]backtest.Held, len(found))
	for _, f := range found {
		of := backtest.Held{First: f.FirstQuote, Last: f.LastQuote, LastOn: model.DateOf(f.LastOn),
			Newest: model.DateOf(f.Newest)}
		end := last
		if i := slices.Index(ended, f.Series); i > 0 {
			of.Broken, end = true, until[i]
		}
		of.Quotas = happened[f.Series].multiplied(first, end)
		held[f.Series] = of
	}
	src.held.Keep(key, held)
	return held, nil
}

// steps are what happens to a series between quotes (backtest_steps.sql).
type steps struct {
	factor map[model.Date]float64
	breaks []model.Date // ascending
}

// brokenWithin returns the first break after a day and on or before another.
func (s steps) brokenWithin(after, upTo model.Date) (at model.Date, broken bool) {
	for _, at := range s.breaks {
		if at.Compare(after) > 0 && at.Compare(upTo) <= 0 {
			return at, true
		}
	}
	return model.Date{}, false
}

// multiplied returns the quotas that one quota becomes after a day and up to another.
func (s steps) multiplied(after, upTo model.Date) float64 {
	quotas := 1.0
	for _, day := range slices.SortedFunc(maps.Keys(s.factor), model.Date.Compare) { // always the same product
		if day.Compare(after) > 0 && day.Compare(upTo) <= 0 {
			quotas *= s.factor[day]
		}
	}
	return quotas
}

// steps returns the steps of all series. A series without a step is missing.
func (src *Source) steps(ctx context.Context) (map[uint32]steps, error) {
	return src.happened.get(func() (map[uint32]steps, error) { return src.readSteps(ctx) })
}

func (src *Source) readSteps(ctx context.Context) (map[uint32]steps, error) {
	batch, err := src.describe(ctx)
	if err != nil {
		return nil, err
	}
	type step struct {
		Series uint32    `ch:"series_id"`
		Date   time.Time `ch:"date"`
		Broken bool      `ch:"broken"`
		Factor float64   `ch:"factor"`
	}
	found, err := rows[step](ctx, src, "backtest_steps", sql.Arg("steps", batch.source()))
	if err != nil {
		return nil, err
	}
	read := map[uint32]steps{}
	for _, f := range found {
		of, day := read[f.Series], model.DateOf(f.Date)
		if f.Broken {
			of.breaks = append(of.breaks, day)
		} else {
			if of.factor == nil {
				of.factor = map[model.Date]float64{}
			}
			of.factor[day] = f.Factor
		}
		read[f.Series] = of
	}
	return read, nil
}
