package past

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// costInForce is a cost rate from the day on which it came into force until the next one.
type costInForce struct {
	from, Month model.Date
	Rate        float64
	Kind, Class *string // Class is nil if none came with the rate; texts are shared
}

// riskAt holds the risk figures of a series at a month end. Floats are NaN where they are not known.
type riskAt struct {
	month                       model.Date
	hasScore                    bool
	score                       uint8
	monthly12, monthly36        float64
	annual12, annual36, drawn36 float64
	level, method               *string // shared
}

// readCosts reads the cost rates of each series as they came into force.
func readCosts(ctx context.Context, p operation.Pinned) (map[uint32][]costInForce, int, error) {
	words := words{}
	return readHistory(ctx, p, "cost_history", dayOfCost, func(line *rowbinary.Reader) costInForce {
		cost := costInForce{from: line.Date(), Month: line.Date(), Rate: line.Float64(),
			Kind: words.optional(line.Text())}
		if !line.Null() {
			cost.Class = words.optional(line.Text())
		}
		return cost
	})
}

// readRisks reads the risk figures of each series at each month end.
func readRisks(ctx context.Context, p operation.Pinned) (map[uint32][]riskAt, int, error) {
	words := words{}
	return readHistory(ctx, p, "risk_history", dayOfRisk, func(line *rowbinary.Reader) riskAt {
		of := riskAt{
			month: line.Date(), monthly12: line.Float64(), monthly36: line.Float64(), annual12: line.Float64(),
			annual36: line.Float64(),
			drawn36:  line.Float64(), level: words.optional(line.Text()),
		}
		if of.hasScore = !line.Null(); of.hasScore {
			of.score = line.Uint8()
		}
		of.method = words.optional(line.Text())
		return of
	})
}

// dayOfCost is the day from which a cost rate is in force.
func dayOfCost(of *costInForce) model.Date { return of.from }

// dayOfRisk is the month end of risk figures.
func dayOfRisk(of *riskAt) model.Date { return of.month }

// readHistory reads a statement that returns one text of the format RowBinary for each series, whose
// items ascend by day.
func readHistory[T any](ctx context.Context, p operation.Pinned, statement string,
	day func(*T) model.Date, read func(*rowbinary.Reader) T) (map[uint32][]T, int, error) {
	type packed struct {
		SeriesID uint32 `ch:"series_id"`
		Lines    string `ch:"lines"`
	}
	found, err := operation.Rows[packed](ctx, p, statement)
	if err != nil {
		return nil, 0, err
	}
	histories, bytes := make(map[uint32][]T, len(found)), 0
	for _, series := range found {
		line := rowbinary.NewReader(series.Lines)
		var list []T
		for line.More() {
			list = append(list, read(line))
		}
		if !slices.IsSortedFunc(list, func(a, b T) int { return day(&a).Compare(day(&b)) }) {
			line.Fail(fmt.Errorf("the items of series %d do not ascend by day", series.SeriesID))
		}
		if line.Err() != nil {
			return nil, 0, &sql.ReadError{Statement: statement, Err: line.Err()}
		}
		histories[series.SeriesID] = slices.Clip(list)
		bytes += len(list) * int(unsafe.Sizeof(*new(T)))
	}
	return histories, bytes, nil
}

// newestBy returns the last item of a history whose day is on or before a date; nil if there is none.
func newestBy[T any](list []T, date model.Date, day func(*T) model.Date) *T {
	n, _ := slices.BinarySearchFunc(list, date.AddDays(1), func(item T, end model.Date) int {
		return day(&item).Compare(end)
	})
	if n == 0 {
		return nil
	}
	return &list[n-1]
}

// CostBy returns the cost rate of a series that is in force on a date.
func CostBy(list []costInForce, date model.Date) *costInForce {
	return newestBy(list, date, dayOfCost)
}

// riskBy returns the newest risk figures of a series on or before a date.
func riskBy(list []riskAt, date model.Date) *riskAt {
	return newestBy(list, date, dayOfRisk)
}

// datedFacts are what the histories say of a series on a date.
type datedFacts struct {
	cost *costInForce // nil if there is none
	risk *riskAt      // nil if there are none
}

// FactsOf returns the cost rate of a series that is in force on one date, and its newest risk figures on or before
// another.
func (of *Past) FactsOf(series uint32, costsOn, risksOn model.Date) datedFacts {
	return datedFacts{CostBy(of.Costs[series], costsOn), riskBy(of.risks[series], risksOn)}
}

// Put puts the cost rate and the risk figures into the facts of a series.
func (of datedFacts) Put(into *facts.SeriesFacts) {
	of.cost.put(into)
	of.risk.put(into)
}

// put puts the cost rate into the facts of a series. There may be none.
func (of *costInForce) put(into *facts.SeriesFacts) {
	if of != nil {
		into.TAC, into.TACKind, into.TACDate, into.ClassTAC = &of.Rate, of.Kind, new(of.Month.Time()), of.Class
	}
}

// put puts the risk figures into the facts of a series. There may be none.
func (of *riskAt) put(into *facts.SeriesFacts) {
	if of == nil {
		return
	}
	into.Risk = facts.Risk{
		VolatilityMonthly12: KnownFloat(&of.monthly12), VolatilityMonthly36: KnownFloat(&of.monthly36),
		VolatilityAnnual12: KnownFloat(&of.annual12), VolatilityAnnual36: KnownFloat(&of.annual36),
		MaxDrawdown36: KnownFloat(&of.drawn36), RiskLevel: of.level,
	}
	if of.hasScore {
		into.RiskScore = &of.score
	}
	into.RiskDate, into.RiskMethodVersion = new(of.month.Time()), of.method
}

// KnownFloat returns nil for NaN.
func KnownFloat(value *float64) *float64 {
	if math.IsNaN(*value) {
		return nil
	}
	return value
}
