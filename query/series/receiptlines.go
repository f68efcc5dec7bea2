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
			input.Lines = append(input.Lines, receipt.Line{Dataset: line.Dataset, File: line.File, SHA256: line.SHA256,
				Line: line.Line, Serie: &line.Serie, Value: value, Void: line.Void, Counts: line.Counts,
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

var unitsOfRates = map[model.Dataset]string{model.UF: "PESOS per UF", model.Dolar: "PESOS per DOLAR"}

// ratesOn returns inputs with the UF or the dólar observado on some days, and every line that states one of them.
func ratesOn(ctx context.Context, p operation.Pinned, rate model.Dataset,
	wanted ...wantedInput) ([]receipt.Input, error) {
	days := statedDays(wanted)
	lines, err := operation.Rows[struct {
		Date      time.Time       `ch:"date"`
		Value     decimal.Decimal `ch:"value"`
		Counts    bool            `ch:"counts"`
		Published time.Time       `ch:"published_at"`
		SHA256    string          `ch:"sha256"`
		Line      uint32          `ch:"line"`
	}](ctx, p, "lines_of_rates", sql.Arg("code", string(rate)), sql.Arg("days", days))
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(lines))
	for i := range lines {
		hashes[i] = lines[i].SHA256
	}
	files, err := sourceFilesOf(ctx, p, hashes)
	if err != nil {
		return nil, err
	}
	inputs := make([]receipt.Input, len(wanted))
	for i, of := range wanted {
		input := receipt.Input{Name: of.name, Target: of.target, Date: of.day, Unit: unitsOfRates[rate],
			Lines: []receipt.Line{}}
		for _, line := range lines {
			if of.day == nil || model.DateOf(line.Date) != *of.day {
				continue
			}
			value, file := line.Value.String(), files[line.SHA256]
			input.Lines = append(input.Lines, receipt.Line{Dataset: string(rate), File: file.Name, SHA256: line.SHA256,
				Line: line.Line, Value: &value, Counts: line.Counts, Published: line.Published.UTC(),
				Seen: facts.UTC(file.Seen)})
			if line.Counts {
				input.Value = &value
			}
		}
		inputs[i] = input
	}
	return inputs, nil
}
