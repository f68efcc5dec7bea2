package series

import (
	"context"
	"encoding/json"
	"time"

	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// wantedInput is a value that a receipt needs: of which day one was looked for, and the day of the value that stands
// for it. Both are nil if they are not known.
type wantedInput struct {
	name        string
	target, day *model.Date
}

// statedDays returns the days of which there is a value.
func statedDays(wanted []wantedInput) []string {
	days := []string{}
	for _, of := range wanted {
		if of.day != nil {
			days = append(days, of.day.String())
		}
	}
	return days
}

// readReceiptLines returns the lines that lines_of_rates.sql or lines_of_cost_rate.sql finds, with their files.
func readReceiptLines(ctx context.Context, p operation.Pinned, statement string,
	args ...any) (lines []receipt.Line, days []model.Date, err error) {
	found, err := operation.Rows[struct {
		Date      time.Time        `ch:"date"`
		Dataset   string           `ch:"dataset"`
		Serie     *string          `ch:"serie"`
		Value     *decimal.Decimal `ch:"value"`
		Counts    bool             `ch:"counts"`
		Published time.Time        `ch:"published_at"`
		SHA256    string           `ch:"sha256"`
		Line      uint32           `ch:"line"`
	}](ctx, p, statement, args...)
	if err != nil {
		return nil, nil, err
	}
	files, err := sourceFilesOf(ctx, p, len(found), func(i int) string { return found[i].SHA256 })
	for _, line := range found {
		of := files[line.SHA256]
		days = append(days, model.DateOf(line.Date))
		lines = append(lines, receipt.Line{Dataset: line.Dataset, File: of.Name, SHA256: line.SHA256, Line: line.Line,
			Serie: line.Serie, Value: operation.Mapped(line.Value, decimal.Decimal.String), Void: line.Value == nil,
			Counts: line.Counts, Published: line.Published.UTC(), Seen: facts.UTC(of.Seen)})
	}
	return lines, days, err
}

// addLine adds a line to an input. The value of the line that counts is that of the input, if it is not void.
func addLine(input *receipt.Input, line receipt.Line) {
	input.Lines = append(input.Lines, line)
	if line.Counts && !line.Void {
		input.Value = line.Value
	}
}

// quotesOn returns inputs with the quotes on some days, and every line that states one of them.
func quotesOn(ctx context.Context, p operation.Pinned, of Series, wanted ...wantedInput) ([]receipt.Input, error) {
	var lines []Revision
	if days := statedDays(wanted); len(days) > 0 {
		var err error
		if lines, err = readLines(ctx, p, "lines_of_days", sql.Arg("series_id", of.ID), sql.Arg("days", days)); err != nil {
			return nil, err
		}
	}
	inputs := make([]receipt.Input, len(wanted))
	for i, end := range wanted {
		input := receipt.Input{Name: end.name, Target: end.target, Date: end.day, Unit: "currency per quota",
			Lines: []receipt.Line{}}
		for _, line := range lines {
			if end.day == nil || line.Date != *end.day {
				continue
			}
			value := operation.Mapped(line.Price, func(n json.Number) string { return n.String() })
			addLine(&input, receipt.Line{Dataset: line.Dataset, File: line.File, SHA256: line.SHA256, Line: line.Line,
				Serie: &line.Serie, Value: value, Void: line.Void, Counts: line.Counts, Published: line.Published,
				Seen: line.Seen})
			if line.Counts && line.Currency != nil {
				input.Unit = *line.Currency + " per quota"
			}
		}
		inputs[i] = input
	}
	return inputs, nil
}

var unitsOfRates = map[model.Dataset]string{model.UF: "PESOS per UF", model.Dolar: "PESOS per DOLAR"}

// ratesOn returns inputs with the UF or the dólar observado on some days, and every line that states one of them.
func ratesOn(ctx context.Context, p operation.Pinned, rate model.Dataset,
	wanted ...wantedInput) ([]receipt.Input, error) {
	lines, days, err := readReceiptLines(ctx, p, "lines_of_rates", sql.Arg("code", string(rate)),
		sql.Arg("days", statedDays(wanted)))
	inputs := make([]receipt.Input, len(wanted))
	for i, of := range wanted {
		inputs[i] = receipt.Input{Name: of.name, Target: of.target, Date: of.day, Unit: unitsOfRates[rate],
			Lines: []receipt.Line{}}
		for at, line := range lines {
			if of.day != nil && days[at] == *of.day {
				addLine(&inputs[i], line)
			}
		}
	}
	return inputs, err
}

// costRateOf returns an input with the cost rate of a month, and every line that states it.
func costRateOf(ctx context.Context, p operation.Pinned, of Series, month model.Date,
	kind string) (receipt.Input, error) {
	input := receipt.Input{Name: "rate", Date: &month, Unit: "percent per year", Lines: []receipt.Line{}}
	lines, _, err := readReceiptLines(ctx, p, "lines_of_cost_rate", sql.Arg("series_id", of.ID),
		sql.Arg("month", month.String()), sql.Arg("kind", kind))
	for _, line := range lines {
		addLine(&input, line)
	}
	return input, err
}
