package series

import (
	"context"

	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// spheresAt returns the rating in force on a date, which is that of the newest file dated on
// or before it.
func spheresAt(ctx context.Context, p operation.Pinned, known Series, at model.Date) (facts.Spheres, error) {
	if history, there := past.Known(p); there && !known.asked.IsUUID() {
		if line, there := history.LineAt(known.ID, at); there {
			return facts.SpheresOf(line.Rating, p.Batch), nil
		}
	}
	found, err := operation.Rows[facts.Rating](ctx, p, "spheres", sql.Arg("run", known.RUN),
		sql.Arg("names", known.names.Names),
		sql.Arg("valid_from", known.names.ValidFrom), sql.Arg("valid_until", known.names.ValidUntil),
		sql.Arg("as_of", at.String()))
	if err != nil {
		return facts.Spheres{}, err
	}
	return facts.SpheresOf(found[0], p.Batch), nil // the statement always returns one row
}
