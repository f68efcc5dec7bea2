package series

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"cuota/model"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/sql"
)

// The rules of the receipts.
var (
	ruleOfPrices = receipt.Rule{ID: "which-value-of-several-counts", SQL: "sql/views/36_batch_revision.sql",
		Text: "Of all lines about a series and a day, those under the name that was valid on the day count first; of these the " +
			"one whose file was published last, of equal moments the greater hash, then the later line."}
	ruleOfReturns = receipt.Rule{ID: "windows-and-the-quotes-that-stand-for-their-dates",
		SQL: "sql/views/50_batch_price_return.sql",
		Text: "For each end of the window the newest quote on or before its date stands, at most 7 days old. The return is " +
			"the quote at the end divided by that at the start, less 1; over N years it is the N-th root of the quotient, less 1."}
)

// PriceReceipt is the receipt of the quota of a series on a day, by default that of the cutoff.
func PriceReceipt(ctx context.Context, p operation.Pinned, asset operation.AssetID,
	date operation.DateParam) (receipt.Receipt, error) {
	known, err := findAsset(ctx, p, asset)
	if err != nil {
		return receipt.Receipt{}, err
	}
	on := explainedDate(p, date)
	made := receipt.Receipt{Subject: subjectOf(known, "price", on), Rule: ruleOfPrices}
	quoted, err := operation.Rows[QuotedDay](ctx, p, "days", append(tableArgs(asset), sql.Arg("series_id", known.ID),
		sql.Arg("from_date", on.String()), sql.Arg("to_date", on.String()), sql.Arg("limit", int64(1)))...)
	if err != nil {
		return receipt.Receipt{}, err
	}
	inputs, err := quotesOn(ctx, p, known, endOfWindow{"quote", nil, &on})
	if err != nil {
		return receipt.Receipt{}, err
	}
	made.Inputs, made.Unit = inputs, inputs[0].Unit
	switch {
	case len(quoted) > 0:
		if err = made.SetValue(quoted[0].Quota.InexactFloat64(), receipt.In(0)); err == nil {
			made.Value = new(quoted[0].Quota.String()) // all of its digits
		}
	case len(inputs[0].Lines) > 0:
		made.Reason = new("invalid_quote")
	default:
		made.Reason = new("missing_quote")
	}
	return made, err
}

// ReturnReceipt is the receipt of the price return of a series over a window, in its accounting currency, at a date, by
// default the cutoff.
func ReturnReceipt(ctx context.Context, p operation.Pinned, asset operation.AssetID, date operation.DateParam,
	window string) (receipt.Receipt, error) {
	on := explainedDate(p, date)
	known, err := Find(ctx, p, asset, on)
	if known, err = orInstrument(ctx, p, asset, known, err); err != nil {
		return receipt.Receipt{}, err
	}
	periods, err := readPeriods(ctx, p, known, on, date.Given)
	if err != nil {
		return receipt.Receipt{}, err
	}
	made := receipt.Receipt{Subject: subjectOf(known, "return", on), Rule: ruleOfReturns, Unit: "fraction"}
	made.Subject.Window = &window
	by := receipt.Quotient(receipt.In(0), receipt.In(1))
	if years, annual := strings.CutSuffix(window, "y_ann"); annual {
		made.Unit = "fraction per year"
		n, err := strconv.Atoi(years)
		if err != nil {
			return receipt.Receipt{}, err
		}
		by = receipt.Power(by, receipt.Quotient(receipt.Number(1), receipt.Number(n)))
	}
	of := periods.Of(window)
	made.Inputs, err = quotesOn(ctx, p, known, endOfWindow{"end", of.TargetEnd, of.EffectiveEnd},
		endOfWindow{"start", of.TargetStart, of.EffectiveStart})
	if err != nil {
		return receipt.Receipt{}, err
	}
	if of.Value == nil {
		made.Reason = of.Reason
		return made, nil
	}
	err = made.SetValue(*of.Value, receipt.Sum(by, receipt.Number(-1)))
	return made, err
}

// explainedDate is the date of a receipt: by default the cutoff.
func explainedDate(p operation.Pinned, date operation.DateParam) model.Date {
	if !date.Given && p.Batch.AsOf != nil {
		return model.DateOf(*p.Batch.AsOf)
	}
	return operation.Storable(date.Or(operation.LastDayOfAll))
}

func subjectOf(known Series, field string, on model.Date) receipt.Subject {
	of := receipt.Subject{Series: known.public(), RUN: known.run(), Field: field, Date: on}
	for i, serie := range known.names.Names {
		name := receipt.Name{Serie: serie}
		if from, err := model.ParseDate(known.names.ValidFrom[i]); err == nil && from != operation.FirstDay {
			name.From = &from
		}
		if until, err := model.ParseDate(known.names.ValidUntil[i]); err == nil && until != operation.LastDayOfAll {
			name.Until = &until
		}
		of.Names = append(of.Names, name)
	}
	return of
}

// endOfWindow is a day for which a quote is looked for, and the day of the quote that stands for it. Both are nil if
// they are not known.
type endOfWindow struct {
	name        string
	target, day *model.Date
}

// quotesOn returns inputs with the quotes on some days, and every line that states one of them.
func quotesOn(ctx context.Context, p operation.Pinned, of Series, ends ...endOfWindow) ([]receipt.Input, error) {
	var days []string
	for _, end := range ends {
		if end.day != nil {
			days = append(days, end.day.String())
		}
	}
	lines, err := readLines(ctx, p, "lines_of_days", sql.Arg("series_id", of.ID), sql.Arg("days", days))
	if err != nil {
		return nil, err
	}
	inputs := make([]receipt.Input, len(ends))
	for i, end := range ends {
		input := receipt.Input{Name: end.name, Target: end.target, Date: end.day, Unit: "currency per quota",
			Lines: []receipt.Line{}}
		for _, line := range lines {
			if end.day == nil || line.Date != *end.day {
				continue
			}
			value := operation.Mapped(line.Price, func(n json.Number) string { return n.String() })
			input.Lines = append(input.Lines, receipt.Line{Dataset: line.Dataset, File: line.File, SHA256: line.SHA256,
				Line: line.Line, Serie: line.Serie, Value: value, Void: line.Void, Counts: line.Counts,
				Published: line.Published, Seen: line.Seen})
			if line.Counts && !line.Void {
				input.Value = value
			}
			if line.Counts && line.Currency != nil {
				input.Unit = *line.Currency + " per quota"
			}
		}
		inputs[i] = input
	}
	return inputs, nil
}
