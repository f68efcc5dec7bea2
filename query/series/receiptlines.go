package series

import (
	"context"
	"encoding/json"
	"strings"
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

// readReceiptLines returns the lines that a statement such as lines_of_rates.sql finds, with their files.
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
	return inputsOn(ctx, p, "lines_of_rates", unitsOfRates[rate], wanted, sql.Arg("code", string(rate)))
}

// inputsOn returns inputs with the values on some days, and every line that a statement finds of these days.
func inputsOn(ctx context.Context, p operation.Pinned, statement, unit string, wanted []wantedInput,
	args ...any) ([]receipt.Input, error) {
	lines, days, err := readReceiptLines(ctx, p, statement, append(args, sql.Arg("days", statedDays(wanted)))...)
	inputs := make([]receipt.Input, len(wanted))
	for i, of := range wanted {
		inputs[i] = receipt.Input{Name: of.name, Target: of.target, Date: of.day, Unit: unit, Lines: []receipt.Line{}}
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

// dailyCostsOf returns what a computed cost rate of a month follows from, with every line that states it, and how: the
// costs of each day that has a rate, then the equity that bore them, then the equity of the days before.
func dailyCostsOf(ctx context.Context, p operation.Pinned, of Series,
	month model.Date) (inputs []receipt.Input, by receipt.Formula, err error) {
	days, err := operation.Rows[struct {
		Date       time.Time `ch:"date"`
		Bears      bool      `ch:"bears"`
		DaysOfYear uint16    `ch:"days_of_year"`
	}](ctx, p, "days_of_cost_rate", sql.Arg("series_id", of.ID), sql.Arg("month", month.String()))
	if err != nil || len(days) == 0 {
		return nil, by, err
	}
	for _, figure := range []struct {
		name, column string
		daysBefore   int
	}{{"costs", "costs", 0}, {"bearing_equity", "bearing", 0}, {"equity_before", "equity", 1}} {
		var wanted []wantedInput
		for _, day := range days {
			on := model.DateOf(day.Date.AddDate(0, 0, -figure.daysBefore))
			wanted = append(wanted, wantedInput{figure.name, nil, &on})
		}
		more, err := inputsOn(ctx, p, "lines_of_costs", "currency of the series", wanted, sql.Arg("series_id", of.ID),
			sql.Arg("figure", figure.column))
		if err != nil {
			return nil, by, err
		}
		inputs = append(inputs, more...)
	}
	var rates []receipt.Formula
	for i, day := range days {
		rate := receipt.Number(0)
		if day.Bears {
			rate = receipt.Quotient(receipt.In(i), receipt.Sum(receipt.In(len(days)+i), receipt.In(i)))
		}
		rates = append(rates, rate)
	}
	return inputs, receipt.Product(receipt.Quotient(receipt.Sum(rates...), receipt.Number(len(days))),
		receipt.Number(int(days[0].DaysOfYear))), nil
}

// monthEndsOf returns inputs with the quotes that stand for the month ends which a figure of risk follows from, and
// every line that states one of them.
func monthEndsOf(ctx context.Context, p operation.Pinned, of Series, month model.Date,
	months int) ([]receipt.Input, error) {
	found, err := operation.Rows[struct {
		Month time.Time  `ch:"month"`
		Quote *time.Time `ch:"quote_date"`
	}](ctx, p, "month_end_quotes", sql.Arg("series_id", of.ID), sql.Arg("month", month.String()),
		sql.Arg("months", int64(months)))
	if err != nil {
		return nil, err
	}
	var wanted []wantedInput
	for _, end := range found {
		wanted = append(wanted, wantedInput{"month_end", new(model.DateOf(end.Month)), operation.DateOf(end.Quote)})
	}
	return quotesOn(ctx, p, of, wanted...)
}

// statedFactor is the name of inputs with factors that the cartola states.
const statedFactor = "stated_factor"

// statedFactorsOf returns inputs with the factors that the cartola states after a day and up to another, and every line
// that states them.
func statedFactorsOf(ctx context.Context, p operation.Pinned, of Series,
	after, until model.Date) ([]receipt.Input, error) {
	found, err := operation.Rows[struct {
		Date time.Time `ch:"date"`
	}](ctx, p, "days_of_stated_factors", sql.Arg("series_id", of.ID), sql.Arg("after", after.String()),
		sql.Arg("until", until.String()))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var wanted []wantedInput
	for _, row := range found {
		wanted = append(wanted, wantedInput{statedFactor, nil, new(model.DateOf(row.Date))})
	}
	return inputsOn(ctx, p, "lines_of_stated_factors", quotasPerQuota, wanted, sql.Arg("series_id", of.ID))
}

// exchangeHop is an exchange on which a total return depends.
type exchangeHop struct {
	event     string
	effective model.Date
	into      *Series // held from effective on; nil if the exchange is not followed
}

// hopsOf returns the exchanges out of a series that count in a window and, where its history stops there, the one that
// is not followed.
func hopsOf(ctx context.Context, p operation.Pinned, of Series, period facts.ReturnPeriod) ([]exchangeHop, error) {
	if period.TargetEnd == nil {
		return nil, nil
	}
	found, err := operation.Rows[struct {
		Event       string    `ch:"event_id"`
		Effective   time.Time `ch:"effective_date"`
		Destination uint32    `ch:"destination_id"`
		Followed    bool      `ch:"followed"`
	}](ctx, p, "exchanges_of_window", sql.Arg("series_id", of.ID), sql.Arg("until", period.TargetEnd.String()),
		sql.Arg("last", lastDayOf(period).String()))
	var hops []exchangeHop
	for _, hop := range found {
		var into *Series
		if hop.Followed {
			known, err := findAsset(ctx, p, operation.AssetID{Series: hop.Destination})
			if err != nil {
				return nil, err
			}
			into = &known
		}
		hops = append(hops, exchangeHop{hop.Event, model.DateOf(hop.Effective), into})
	}
	return hops, err
}

// lastDayOf is the day of the quote at the end of a window, or the end that the window asks for if there is none.
func lastDayOf(period facts.ReturnPeriod) model.Date {
	if period.EffectiveEnd != nil {
		return *period.EffectiveEnd
	}
	return *period.TargetEnd
}

// heldOn returns the series that is held on a day after exchanges; nil: the one from which they begin.
func heldOn(hops []exchangeHop, day *model.Date) (held *Series) {
	for _, hop := range hops {
		if day != nil && hop.effective.Compare(*day) <= 0 && hop.into != nil {
			held = hop.into
		}
	}
	return held
}

// quotasPerQuota is the unit of exchanges and of verified factors: quotas afterwards for one before.
const quotasPerQuota = "quotas per quota"

// exchangeInput returns an input with the factor of an exchange, and every line that states it.
func exchangeInput(ctx context.Context, p operation.Pinned, hop exchangeHop) (receipt.Input, error) {
	input := receipt.Input{Name: "exchange", Date: &hop.effective, Unit: quotasPerQuota, Lines: []receipt.Line{}}
	if hop.into != nil {
		input.Held = new(identityOf(*hop.into))
	}
	lines, _, err := readReceiptLines(ctx, p, "lines_of_exchange", sql.Arg("event_id", hop.event))
	for _, line := range lines {
		addLine(&input, line)
	}
	return input, err
}

// factorDay is a day of which a receipt needs the verified factor of the series that is held on it; nil: that of the
// subject.
type factorDay struct {
	held *Series
	day  model.Date
}

// factorsOn returns inputs with the verified factors of some days in ascending order, and every line that states them.
func factorsOn(ctx context.Context, p operation.Pinned, known Series, wanted []factorDay) ([]receipt.Input, error) {
	var inputs []receipt.Input
	for len(wanted) > 0 {
		of, held := known, wanted[0].held
		if held != nil {
			of = *held
		}
		var days []wantedInput // of the same series
		for len(wanted) > 0 && wanted[0].held == held {
			days, wanted = append(days, wantedInput{"factor", nil, &wanted[0].day}), wanted[1:]
		}
		more, err := inputsOn(ctx, p, "lines_of_factors", quotasPerQuota, days, sql.Arg("series_id", of.ID))
		if err != nil {
			return nil, err
		}
		for i := range more {
			if held != nil {
				more[i].Held = new(identityOf(*held))
			}
		}
		inputs = append(inputs, more...)
	}
	return inputs, nil
}

// obstacleOf returns the first day whose verified factor, or the lack of one, keeps a total return from having a value;
// none if something else does.
func obstacleOf(ctx context.Context, p operation.Pinned, asOf model.Date, of Series,
	period facts.ReturnPeriod) ([]factorDay, error) {
	if period.TargetEnd == nil || period.EffectiveStart == nil || period.Reason == nil {
		return nil, nil
	}
	found, err := operation.Rows[struct {
		Series uint32    `ch:"series_id"`
		Day    time.Time `ch:"day"`
	}](ctx, p, "factor_obstacle", sql.Arg("series_id", of.ID), sql.Arg("as_of", asOf.String()),
		sql.Arg("until", period.TargetEnd.String()), sql.Arg("start", period.EffectiveStart.String()),
		sql.Arg("last", lastDayOf(period).String()), sql.Arg("reason", *period.Reason))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	wanted := factorDay{day: model.DateOf(found[0].Day)}
	if found[0].Series != of.ID {
		known, err := findAsset(ctx, p, operation.AssetID{Series: found[0].Series})
		if err != nil {
			return nil, err
		}
		wanted.held = &known
	}
	return []factorDay{wanted}, nil
}

// Members are the lines of the cartola about series that make up a number of a family, on some days.
type Members struct {
	of    map[uint32]receipt.Identity
	lines map[memberDay][]memberLine
}

type memberDay struct {
	series uint32
	day    model.Date
}

// memberLine is a row of lines_of_members.sql.
type memberLine struct {
	Series    uint32           `ch:"series_id"`
	RUN       uint32           `ch:"run"`
	Newest    string           `ch:"newest"`
	Date      time.Time        `ch:"date"`
	Serie     string           `ch:"serie"`
	Counts    bool             `ch:"counts"`
	Published time.Time        `ch:"published_at"`
	SHA256    string           `ch:"sha256"`
	Line      uint32           `ch:"line"`
	Currency  *string          `ch:"currency"`
	Quota     *decimal.Decimal `ch:"quota"`
	Equity    *decimal.Decimal `ch:"equity"`
	Factor    *decimal.Decimal `ch:"stated_factor"`

	file sourceFile
}

// ReadMembers reads every line about some series from one day to another.
func ReadMembers(ctx context.Context, p operation.Pinned, members []uint32, from, until model.Date) (*Members, error) {
	read := &Members{map[uint32]receipt.Identity{}, map[memberDay][]memberLine{}}
	if len(members) == 0 {
		return read, nil
	}
	found, err := operation.Rows[memberLine](ctx, p, "lines_of_members", sql.Arg("members", members),
		sql.Arg("from", from.String()), sql.Arg("until", until.String()))
	if err != nil {
		return nil, err
	}
	files, err := sourceFilesOf(ctx, p, len(found), func(i int) string { return found[i].SHA256 })
	for _, line := range found {
		line.file = files[line.SHA256]
		at := memberDay{line.Series, model.DateOf(line.Date)}
		read.lines[at] = append(read.lines[at], line)
		if _, known := read.of[line.Series]; !known {
			of := Series{ID: line.Series, RUN: line.RUN, Serie: line.Newest}
			of.asked = operation.AssetID{Series: line.Series}
			if of.names = p.Batch.Renamed(line.Series); of.names == nil {
				of.names = onlyName(of)
			}
			read.of[line.Series] = identityOf(of)
		}
	}
	return read, err
}

// input has what the lines about a series on a day state.
func (m *Members) input(name, unit string, series uint32, on model.Date,
	value func(memberLine) *string) receipt.Input {
	input := receipt.Input{Name: name, Date: &on, Unit: unit, Held: new(m.of[series]), Lines: []receipt.Line{}}
	for _, line := range m.lines[memberDay{series, on}] {
		stated := value(line)
		addLine(&input, receipt.Line{Dataset: string(model.Cartola), File: line.file.Name, SHA256: line.SHA256,
			Line: line.Line, Serie: &line.Serie, Value: stated, Void: stated == nil, Counts: line.Counts,
			Published: line.Published.UTC(), Seen: line.file.Seen})
		if line.Counts && line.Currency != nil {
			input.Unit = strings.Replace(unit, "currency", *line.Currency, 1)
		}
	}
	return input
}

// Quota is an input with the quota of a series on a day.
func (m *Members) Quota(name string, series uint32, on model.Date) receipt.Input {
	return m.input(name, "currency per quota", series, on, func(of memberLine) *string {
		return operation.Mapped(of.Quota, decimal.Decimal.String)
	})
}

// Equity is an input with the equity of a series on a day.
func (m *Members) Equity(series uint32, on model.Date) receipt.Input {
	return m.input("member_equity", "currency", series, on, func(of memberLine) *string {
		return operation.Mapped(of.Equity, decimal.Decimal.String)
	})
}

// Factors are inputs with the factors that the cartola states of a series after a day and up to another, if they are
// not 1, in the order of their days.
func (m *Members) Factors(series uint32, after, until model.Date) (inputs []receipt.Input) {
	for on := after.AddDays(1); on.Compare(until) <= 0; on = on.AddDays(1) {
		input := m.input("member_factor", quotasPerQuota, series, on, func(of memberLine) *string {
			return operation.Mapped(of.Factor, decimal.Decimal.String)
		})
		if input.Value != nil && *input.Value != "1" {
			inputs = append(inputs, input)
		}
	}
	return inputs
}
