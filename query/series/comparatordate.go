package series

import (
	"context"
	"time"

	"cuota/model"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// comparatorInMemory returns the day of the comparator that is in force at a date, from what is in memory of a
// series. It returns false if nothing is.
func comparatorInMemory(p operation.Pinned, series uint32, asOf model.Date) (model.Date, bool) {
	history, there := past.Known(p)
	if !there {
		return operation.FirstDay, false
	}
	line, named := history.LineAt(series, asOf)
	if !named {
		return operation.FirstDay, false
	}
	return operation.Value(operation.DateOf(line.Date)), true // the first day before the first comparator
}

// comparatorBy returns the day of the comparator that is in force at a date, and the first day, of which no file has
// rows, if there is none.
func comparatorBy(ctx context.Context, p operation.Pinned, asOf model.Date) (model.Date, error) {
	type newest struct {
		Date time.Time `ch:"newest"`
	}
	found, err := operation.Rows[newest](ctx, p, "comparator_date", sql.Arg("as_of", asOf.String()))
	if err != nil {
		return operation.FirstDay, err
	}
	return model.DateOf(found[0].Date), nil // the statement always returns one row
}
