package series

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/facts"
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
	ruleOfValuedReturns = receipt.Rule{ID: "returns-in-pesos-and-in-uf", SQL: "sql/views/51_batch_valued_return.sql",
		Text: "The quotes are those of the return in the currency of the series. Dollars become pesos at the dólar observado last " +
			"published on or before the day of the quote, at most 7 days before. In UF, the quotient is divided by that of the UF of " +
			"both days. The return is the quotient less 1; over N years it is the N-th root of the quotient, less 1."}
	ruleOfTotalReturns = receipt.Rule{ID: "total-returns", SQL: "sql/views/52_batch_total_return.sql",
		Text: "The quotient of the quotes is multiplied by the verified factors of the days after the start quote and up to the " +
			"end quote, and by the exchanges in that time. Every calendar day needs exactly one line of factors, which agrees with " +
			"the quote of its day; lines whose factors are 1 change nothing and are not listed. Dollars and UF count as in price " +
			"returns. The return is the result less 1; over N years it is the N-th root of the result, less 1."}
	ruleOfCosts = receipt.Rule{ID: "the-history-and-the-current-rate", SQL: "sql/views/34_tac_as_of.sql",
		Text: "Of the months up to the date the newest synthetic rate counts, if it is less than a year older than the newest " +
			"rate of the series, else the newest real one. Of all lines about a series, a month and a kind, those under the name that was " +
			"valid in the month count first, and of these the one that was published last. The rate is its percentage divided by 100."}
)

// ruleOfComputedCosts is that of cost rates which are computed, because no stated and no synthetic one counts before.
var ruleOfComputedCosts = receipt.Rule{ID: "the-daily-and-the-monthly-computed-rate",
	SQL: "sql/projections/40_series_month.sql",
	Text: "No file states a rate of this month, and no synthetic one of the last year counts, so it is computed from the daily " +
		"costs of the cartola. The costs of a day are its fees and expenses. The bearing equity is (quotas outstanding + redeemed - contributed) times the quota. A daily rate is the costs " +
		"divided by the bearing equity with the costs, or 0 if the equity of the day before was not above 0. The rate is the mean " +
		"of the daily rates of the month, at least 15, times the days of the year."}

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
	inputs, err := quotesOn(ctx, p, known, wantedInput{"quote", nil, &on})
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

// AskedReturn says which return of a series a receipt is of, as the parameters of GET /api/explain do.
type AskedReturn struct {
	Window, Valuation, Basis string
	Date                     operation.DateParam // end of the window; absent: the cutoff
}

// ReturnReceipt is the receipt of a return of a series over a window. It explains what Returns answers.
func ReturnReceipt(ctx context.Context, call *httpapi.Call, p operation.Pinned, asset operation.AssetID,
	asked AskedReturn) (receipt.Receipt, error) {
	params := &returnsParams{AssetParams: operation.AssetParams{Asset: asset}, AsOf: asked.Date,
		Valuation: asked.Valuation, Basis: asked.Basis}
	found, err := findReturns(ctx, &operation.Request[returnsParams]{Call: call, Pinned: p, Params: params})
	if err != nil {
		return receipt.Receipt{}, err
	}
	known, err := findAsset(ctx, p, asset)
	if err != nil {
		return receipt.Receipt{}, err
	}
	made := receipt.Receipt{Subject: subjectOf(known, "return", explainedDate(p, asked.Date)), Rule: ruleOfReturns,
		Unit: "fraction"}
	made.Subject.Window, made.Subject.Valuation, made.Subject.Basis = &asked.Window, &asked.Valuation, &asked.Basis
	returns := found.Data.Attributes
	of := returns.Windows().Of(asked.Window)
	var hops []exchangeHop
	total, reinvested := returns.(TotalReturns)
	if reinvested {
		if hops, err = hopsOf(ctx, p, known, of); err != nil {
			return receipt.Receipt{}, err
		}
	}
	if made.Inputs, err = quotesAtEnds(ctx, p, known, of, hops); err != nil {
		return receipt.Receipt{}, err
	}
	by := receipt.Quotient(receipt.In(0), receipt.In(1))
	switch converted, is := returns.(AdjustedReturns); {
	case is:
		made.Rule = ruleOfValuedReturns
		by, err = addRates(ctx, p, &made, converted.Periods.Of(asked.Window))
	case reinvested:
		made.Rule = ruleOfTotalReturns
		by, err = addReinvested(ctx, p, &made, known, total.Periods.Of(asked.Window), hops)
	}
	if err != nil {
		return receipt.Receipt{}, err
	}
	if years, annual := strings.CutSuffix(asked.Window, "y_ann"); annual {
		made.Unit = "fraction per year"
		n, err := strconv.Atoi(years)
		if err != nil {
			return receipt.Receipt{}, err
		}
		by = receipt.Power(by, receipt.Quotient(receipt.Number(1), receipt.Number(n)))
	}
	if of.Value == nil {
		made.Reason = of.Reason
		return made, nil
	}
	err = made.SetValue(*of.Value, receipt.Sum(by, receipt.Number(-1)))
	return made, err
}

// quotesAtEnds returns inputs with the quotes at both ends of a window. That at the end is of the series into which the
// quotas were exchanged by then.
func quotesAtEnds(ctx context.Context, p operation.Pinned, known Series, of facts.ReturnPeriod,
	hops []exchangeHop) ([]receipt.Input, error) {
	end, start := wantedInput{"end", of.TargetEnd, of.EffectiveEnd}, wantedInput{"start", of.TargetStart, of.EffectiveStart}
	held := heldOn(hops, of.EffectiveEnd)
	if held == nil {
		return quotesOn(ctx, p, known, end, start)
	}
	inputs, err := quotesOn(ctx, p, *held, end)
	if err != nil {
		return nil, err
	}
	inputs[0].Held = new(identityOf(*held))
	more, err := quotesOn(ctx, p, known, start)
	return append(inputs, more...), err
}

// addReinvested adds to a receipt, which has the quotes at both ends of a window, the rates by which they were
// converted, and the exchanges and distributions that count, or what is wrong with them. It returns by how much the
// money has multiplied.
func addReinvested(ctx context.Context, p operation.Pinned, made *receipt.Receipt, known Series, of TotalPeriod,
	hops []exchangeHop) (multiple receipt.Formula, err error) {
	if multiple, err = addRates(ctx, p, made, of.AdjustedPeriod); err != nil {
		return multiple, err
	}
	first := len(made.Inputs)
	for _, hop := range hops {
		input, err := exchangeInput(ctx, p, hop)
		if err != nil {
			return multiple, err
		}
		made.Inputs = append(made.Inputs, input)
	}
	var days []factorDay
	if of.Value != nil {
		var applied []struct {
			Date model.Date `json:"date"`
		}
		if err := json.Unmarshal(of.Distributions, &applied); err != nil {
			return multiple, fmt.Errorf("the distributions of a total return: %w", err)
		}
		for _, one := range applied {
			days = append(days, factorDay{heldOn(hops, &one.Date), one.Date})
		}
	} else if days, err = obstacleOf(ctx, p, made.Subject.Date, known, of.ReturnPeriod); err != nil {
		return multiple, err
	}
	inputs, err := factorsOn(ctx, p, known, days)
	made.Inputs = append(made.Inputs, inputs...)
	if len(made.Inputs) > first {
		parts := []receipt.Formula{multiple}
		for i := first; i < len(made.Inputs); i++ {
			parts = append(parts, receipt.In(i))
		}
		multiple = receipt.Product(parts...)
	}
	return multiple, err
}

// addRates adds to a receipt, which has the quotes at both ends of a window, the rates by which they were converted, if
// they were. It returns by how much the money has multiplied.
func addRates(ctx context.Context, p operation.Pinned, made *receipt.Receipt,
	of AdjustedPeriod) (multiple receipt.Formula, err error) {
	end, start := receipt.In(0), receipt.In(1)
	multiple = receipt.Quotient(end, start)
	if *made.Subject.Valuation == "accounting" || of.Inputs.End == nil || of.Inputs.Start == nil ||
		of.Inputs.End.Currency != of.Inputs.Start.Currency {
		return multiple, nil
	}
	add := func(rate model.Dataset, name string,
		ofEnd, ofStart *IndicatorInput) (atEnd, atStart receipt.Formula, err error) {
		day := func(of *IndicatorInput) *model.Date {
			if of == nil {
				return nil
			}
			return of.Date
		}
		rates, err := ratesOn(ctx, p, rate, wantedInput{"end_" + name, of.Inputs.End.Date, day(ofEnd)},
			wantedInput{"start_" + name, of.Inputs.Start.Date, day(ofStart)})
		made.Inputs = append(made.Inputs, rates...)
		return receipt.In(len(made.Inputs) - 2), receipt.In(len(made.Inputs) - 1), err
	}
	if of.Inputs.End.Currency == "DOLAR" {
		dolarAtEnd, dolarAtStart, err := add(model.Dolar, "fx", of.Inputs.End.FX, of.Inputs.Start.FX)
		if err != nil {
			return multiple, err
		}
		multiple = receipt.Quotient(receipt.Product(end, dolarAtEnd), receipt.Product(start, dolarAtStart))
	}
	if *made.Subject.Valuation == "real_uf" {
		ufAtEnd, ufAtStart, err := add(model.UF, "uf", of.Inputs.End.UF, of.Inputs.Start.UF)
		if err != nil {
			return multiple, err
		}
		multiple = receipt.Quotient(multiple, receipt.Quotient(ufAtEnd, ufAtStart))
	}
	return multiple, nil
}

// CostReceipt is the receipt of the annual cost rate of a series that is in force at a date, by default the
// newest.
func CostReceipt(ctx context.Context, call *httpapi.Call, p operation.Pinned, asset operation.AssetID,
	date operation.DateParam) (receipt.Receipt, error) {
	params := &operation.DatedAssetParams{AssetParams: operation.AssetParams{Asset: asset}, AsOf: date}
	found, err := findExpenseRatio(ctx,
		&operation.Request[operation.DatedAssetParams]{Call: call, Pinned: p, Params: params})
	if err != nil {
		return receipt.Receipt{}, err
	}
	known, err := findAsset(ctx, p, asset)
	if err != nil {
		return receipt.Receipt{}, err
	}
	made := receipt.Receipt{Subject: subjectOf(known, "tac", explainedDate(p, date)), Rule: ruleOfCosts,
		Unit: "fraction per year", Inputs: []receipt.Input{}}
	current := found.Data.Attributes
	if current.TAC == nil || current.AsOf == nil || current.Kind == nil {
		made.Reason = new("no_cost_rate")
		return made, nil
	}
	made.Subject.Kind = current.Kind
	if !date.Given { // the newest rate counts, also if its month is after the cutoff
		made.Subject.Date = *current.AsOf
	}
	var by receipt.Formula
	if *current.Kind == "computed" {
		made.Rule = ruleOfComputedCosts
		made.Inputs, by, err = dailyCostsOf(ctx, p, known, *current.AsOf)
	} else {
		var rate receipt.Input
		kind := map[string]string{"synthetic": "synthetic", "stated": "real"}[*current.Kind]
		rate, err = costRateOf(ctx, p, known, *current.AsOf, kind)
		made.Inputs, by = append(made.Inputs, rate), receipt.Quotient(receipt.In(0), receipt.Number(100))
	}
	if err != nil {
		return made, err
	}
	err = made.SetValue(*current.TAC, by)
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
	return receipt.Subject{Identity: identityOf(known), Field: field, Date: on}
}

func identityOf(known Series) receipt.Identity {
	of := receipt.Identity{Series: known.public(), RUN: known.run()}
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
