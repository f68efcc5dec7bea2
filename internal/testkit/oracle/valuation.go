package oracle

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/big"
	"os"
	"time"
)

// Rate is a rate with which a quote was converted.
type Rate struct {
	Date  string
	Value string // decimal without an exponent (RULES 1)
}

// Endpoint is the quote at one end of a window with its rates. A rate is nil if none was found
// or none is needed.
type Endpoint struct {
	Date     string // empty if there is no quote
	Quota    float64
	Currency string
	FX, UF   *Rate
}

// Adjusted is a return in pesos or UF, with the quotes and rates from which it was computed.
type Adjusted struct {
	Period
	Start, End Endpoint
}

// Dolar adds the dólar observado of a day, in pesos for one dollar.
func (m *Market) Dolar(day time.Time, value string) { m.dolar[midnight(day)] = rat(value) }

// UF adds the UF of a day, in pesos.
func (m *Market) UF(day time.Time, value string) { m.uf[midnight(day)] = rat(value) }

// LoadRates reads the two indicator files, which have a header and then lines of day and value.
// It fails if a line is not valid.
func (m *Market) LoadRates(dolar, uf string) error {
	for path, into := range map[string]map[time.Time]*big.Rat{dolar: m.dolar, uf: m.uf} {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("load rates: %w", err)
		}
		lines, err := csv.NewReader(file).ReadAll()
		if err := file.Close(); err != nil {
			return fmt.Errorf("load rates %s: %w", path, err)
		}
		if err != nil {
			return fmt.Errorf("load rates %s: %w", path, err)
		}
		for i, line := range lines[1:] {
			day, err := time.Parse(time.DateOnly, line[0])
			value, ok := new(big.Rat).SetString(line[1])
			if err != nil || !ok {
				return fmt.Errorf("load rates %s, line %d: %v", path, i+2, line)
			}
			into[day] = value
		}
	}
	return nil
}

// AdjustedPeriod is [Market.Period] in another valuation: clp converts dollars to pesos, and
// real_uf also divides by the change of the UF.
func (m *Market) AdjustedPeriod(run int, serie string, asOf time.Time, window, valuation string) Adjusted {
	p := m.Period(run, serie, asOf, window)
	if asOf.IsZero() {
		return Adjusted{Period: p}
	}
	start, end, years := targets(midnight(asOf), window)
	return m.adjusted(p, Series{run, SerieName(serie)}, start, end, years, valuation)
}

// AdjustedBetween is [Market.Between] in another valuation.
func (m *Market) AdjustedBetween(run int, serie string, start, end time.Time, valuation string) Adjusted {
	return m.adjusted(m.Between(run, serie, start, end), Series{run, SerieName(serie)},
		midnight(start), midnight(end), 1, valuation)
}

// adjusted values a period whose quotes stand on two days.
func (m *Market) adjusted(p Period, of Series, start, end time.Time, years int, valuation string) Adjusted {
	a, quotes := Adjusted{Period: p}, m.quotes[of]
	if s := newest(quotes, start); s >= 0 {
		a.Start = m.endpoint(quotes[s], valuation)
	}
	if e := newest(quotes, end); e >= 0 {
		a.End = m.endpoint(quotes[e], valuation)
	}
	if a.Reason == "" {
		a.Reason = rateReason(a.Start, a.End, valuation)
	}
	a.finish(a.End.Quota/a.Start.Quota, years, valuation)
	return a
}

// finish computes the return from a multiple in the currency of the series. It does nothing if
// there is already a reason.
func (a *Adjusted) finish(multiple float64, years int, valuation string) {
	a.Value, a.Currency, a.Status = nil, "", "unavailable"
	if a.Reason != "" {
		return
	}
	if a.Start.FX != nil && a.End.FX != nil {
		multiple *= quotient(a.End.FX, a.Start.FX)
	}
	if valuation == "real_uf" {
		multiple /= quotient(a.End.UF, a.Start.UF)
	}
	value := multiple - 1
	if years > 1 {
		value = math.Pow(multiple, 1/float64(years)) - 1
	}
	if !finite(value) {
		a.Reason = "non_finite_return"
		return
	}
	a.Value, a.Status = &value, "available"
	switch valuation {
	case "accounting":
		a.Currency = a.End.Currency
	case "clp":
		a.Currency = "PESOS"
	default:
		a.Currency = "UF"
	}
}

// endpoint finds the rates that a quote needs in a valuation.
func (m *Market) endpoint(q quote, valuation string) Endpoint {
	e := Endpoint{Date: iso(q.day), Quota: q.quota, Currency: q.currency()}
	if valuation != "accounting" && e.Currency == "DOLAR" {
		var newest time.Time
		for day := range m.dolar {
			if !day.After(q.day) && day.After(newest) {
				newest = day
			}
		}
		if value := m.dolar[newest]; value != nil {
			e.FX = &Rate{iso(newest), decimalText(value, 6)}
		}
	}
	if value := m.uf[q.day]; value != nil && valuation == "real_uf" {
		e.UF = &Rate{iso(q.day), decimalText(value, 6)}
	}
	return e
}

// rateReason returns the first reason, in the order of RULES 1, why the rates of two valid quotes
// of one currency are not sufficient, or "".
func rateReason(start, end Endpoint, valuation string) string {
	if valuation != "accounting" && end.Currency == "DOLAR" {
		switch {
		case end.FX == nil:
			return "missing_end_fx"
		case start.FX == nil:
			return "missing_start_fx"
		case rat(end.FX.Value).Sign() <= 0:
			return "invalid_end_fx"
		case rat(start.FX.Value).Sign() <= 0:
			return "invalid_start_fx"
		case daysBetween(end.FX.Date, end.Date) > toleranceDays:
			return "stale_end_fx"
		case daysBetween(start.FX.Date, start.Date) > toleranceDays:
			return "stale_start_fx"
		}
	}
	if valuation == "real_uf" {
		switch {
		case end.UF == nil:
			return "missing_end_uf"
		case start.UF == nil:
			return "missing_start_uf"
		case rat(end.UF.Value).Sign() <= 0:
			return "invalid_end_uf"
		case rat(start.UF.Value).Sign() <= 0:
			return "invalid_start_uf"
		}
	}
	return ""
}

func daysBetween(from, to string) int {
	f, err := time.Parse(time.DateOnly, from)
	if err != nil {
		panic("oracle: " + err.Error())
	}
	t, err := time.Parse(time.DateOnly, to)
	if err != nil {
		panic("oracle: " + err.Error())
	}
	return daysApart(f, t)
}

// rat parses a decimal. It panics if the text is not one, which is a fault of the test.
func rat(text string) *big.Rat {
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("oracle: not a decimal: " + text)
	}
	return value
}

// quotient divides two rates exactly and rounds only once.
func quotient(end, start *Rate) float64 {
	q, _ := new(big.Rat).Quo(rat(end.Value), rat(start.Value)).Float64()
	return q
}
