package summary

import (
	"context"
	"time"

	"cuota/model"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/query/series"
	"cuota/sql"
)

// AskedIndex says which number of the index of a family a receipt is of, as the parameters of GET /api/explain do.
type AskedIndex struct {
	Family   string
	Currency operation.CurrencyParam // absent: the one in which the family holds most equity
	Change   bool                    // the change since the point before, else the level
	Date     operation.DateParam     // absent: the newest point
}

const ruleOfIndex = "Each point of the index is the one before, times the mean of what its series have multiplied the money by, weighted by " +
	"their equity on the day of the point before. This is the quota divided by that of this day, times the factors that the cartola " +
	"states on the days since. A series counts if it was in the family at every quote since, had equity, and its change is no outlier " +
	"and no spike. It takes three series of two funds with half of the equity. The change is the mean less 1, in percentage points. "

// indexPoint is a row of index_point.sql.
type indexPoint struct {
	Date        time.Time  `ch:"date"`
	Value       float64    `ch:"value"`
	Change      *float64   `ch:"change"`
	Previous    *time.Time `ch:"previous_date"`
	DateBefore  *time.Time `ch:"date_before"`
	LevelBefore *float64   `ch:"level_before"`
}

// IndexReceipt is the receipt of a point of the index of a family, or of its change since the point before. It explains
// what FamilyIndex answers.
func IndexReceipt(ctx context.Context, p operation.Pinned, asked AskedIndex) (receipt.Receipt, error) {
	meta := IndexMeta{Family: asked.Family}
	if asked.Currency != "" {
		meta.Currency = new(string(asked.Currency))
	}
	made := receipt.Receipt{Unit: "index points", Inputs: []receipt.Input{}, Rule: receipt.Rule{ID: "the-index-of-a-family",
		SQL: "sql/projections/55_index_day.sql", Text: ruleOfIndex + "The first point is 100. After more than seven days without " +
			"a point the level carries on, without a change."}}
	made.Subject = receipt.Subject{Identity: receipt.Identity{Names: []receipt.Name{}}, Field: "index"}
	if asked.Change {
		made.Subject.Field, made.Unit = "index_change", "percent points"
	}
	until := asked.Date.Or(operation.LastDayOfAll)
	if p.Batch.AsOf != nil {
		if err := findFamily(ctx, p, &meta); err != nil {
			return made, err
		}
		if cutoff := model.DateOf(*p.Batch.AsOf); !asked.Date.Given {
			until = cutoff
		}
	}
	made.Subject.Family, made.Subject.Currency = &meta.Family, meta.Currency
	made.Subject.Date = operation.Storable(until)
	made.Reason = new("no_index_point")
	if meta.Currency == nil || p.Batch.AsOf == nil || until.Compare(model.DateOf(*p.Batch.AsOf)) > 0 {
		return made, nil
	}
	index := []any{sql.Arg("family", meta.Family), sql.Arg("currency", *meta.Currency)}
	found, err := operation.Rows[indexPoint](ctx, p, "index_point", append(index, sql.Arg("until", until.String()))...)
	if err != nil || len(found) == 0 || asked.Date.Given && model.DateOf(found[0].Date) != asked.Date.Date {
		return made, err
	}
	point := found[0]
	made.Subject.Date = model.DateOf(point.Date)
	if asked.Change && point.Change == nil {
		made.Reason = new("no_index_change")
		return made, nil
	}
	made.Reason = nil
	grown := receipt.Number(1)
	if point.DateBefore != nil && !asked.Change {
		made.Inputs = append(made.Inputs, levelInput(*point.DateBefore, *point.LevelBefore))
	}
	if point.Previous != nil {
		if grown, err = addMembers(ctx, p, &made, index, model.DateOf(*point.Previous)); err != nil {
			return made, err
		}
	}
	switch {
	case asked.Change:
		by := receipt.Product(receipt.Sum(grown, receipt.Number(-1)), receipt.Number(100))
		return made, made.SetValue(*point.Change, by)
	case point.DateBefore == nil:
		return made, made.SetValue(point.Value, receipt.Number(100))
	case point.Previous == nil:
		return made, made.SetValue(point.Value, receipt.In(0))
	}
	return made, made.SetValue(point.Value, receipt.Product(receipt.In(0), grown))
}

// levelInput is the point before, which has a receipt of its own.
func levelInput(on time.Time, level float64) receipt.Input {
	return receipt.Input{Name: "level_before", Date: new(model.DateOf(on)), Value: new(receipt.Decimal(level)),
		Unit: "index points", Lines: []receipt.Line{}}
}

// addMembers adds to a receipt the quotas of the series of a step at its end, then those at its start, their equity at
// the start, and the factors between. It returns by how much the step has multiplied the index.
func addMembers(ctx context.Context, p operation.Pinned, made *receipt.Receipt, index []any,
	previous model.Date) (grown receipt.Formula, err error) {
	on := made.Subject.Date
	found, err := operation.Rows[struct {
		Series uint32 `ch:"series_id"`
	}](ctx, p, "index_members", append(index, sql.Arg("previous", previous.String()), sql.Arg("date", on.String()))...)
	if err != nil {
		return grown, err
	}
	var members []uint32
	for _, row := range found {
		members = append(members, row.Series)
	}
	lines, err := series.ReadMembers(ctx, p, members, previous, on)
	if err != nil {
		return grown, err
	}
	first, count := len(made.Inputs), len(members)
	for _, id := range members {
		made.Inputs = append(made.Inputs, lines.Quota("member_end", id, on))
	}
	for _, id := range members {
		made.Inputs = append(made.Inputs, lines.Quota("member_start", id, previous))
	}
	for _, id := range members {
		made.Inputs = append(made.Inputs, lines.Equity(id, previous))
	}
	var weighed, weights []receipt.Formula
	for i, id := range members {
		end, start, equity := receipt.In(first+i), receipt.In(first+count+i), receipt.In(first+2*count+i)
		parts := []receipt.Formula{equity, receipt.Quotient(end, start)}
		for _, factor := range lines.Factors(id, previous, on) {
			made.Inputs = append(made.Inputs, factor)
			parts = append(parts, receipt.In(len(made.Inputs)-1))
		}
		weighed, weights = append(weighed, receipt.Product(parts...)), append(weights, equity)
	}
	return receipt.Quotient(receipt.Sum(weighed...), receipt.Sum(weights...)), nil
}
