package backtest_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"cuota/backtest"
	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// oracleSource is an invented market as a source. What was known about candidates is that of the oracle;
// the histories are made here from the rows.
type oracleSource struct {
	*invented
	known *backtestoracle.Prepared
}

func dateOf(day time.Time) model.Date {
	if day.IsZero() {
		return model.Date{}
	}
	return model.DateOf(day)
}

func (m oracleSource) Batch(context.Context) (backtest.Batch, error) {
	return backtest.Batch{Number: 1, ID: "invented", Cutoff: dateOf(m.known.Cutoff), Fingerprint: "f"}, nil
}

func (m oracleSource) AnsweringDays(_ context.Context, dates []model.Date) (signals []backtest.Signal, err error) {
	for _, d := range dates {
		for _, s := range m.known.Answering([]time.Time{d.Time()}, 0) {
			signals = append(signals, backtest.Signal{Date: d, Day: dateOf(s.Day)})
		}
	}
	return signals, nil
}

func (m oracleSource) Candidates(_ context.Context, signals []backtest.Signal, sight backtest.Sight, _ backtest.Values) (lists []*backtest.Universe, err error) {
	for _, s := range signals {
		var list []backtest.Row
		for _, c := range m.known.Candidates(backtestoracle.Signal{Date: s.Date.Time(), Day: s.Day.Time(), Order: s.Order.Time()}, sight.Then, sight.ClassifiedLater) {
			to := backtest.Row{
				Listed: backtest.Listed{
					Series: c.ID, Fund: uint32(c.Series.Run), RUN: strconv.Itoa(c.Series.Run) + "-" + oracle.CheckDigit(c.Series.Run),
					Serie: c.Series.Name, FundName: c.FundName, Manager: c.Manager, ManagerID: uint32(c.ManagerID), FirstQuote: dateOf(c.FirstQuote), Alive: c.Alive,
				},
				Classified: backtest.Classified{
					Category: c.Category, Family: c.Family, InvestorClass: c.InvestorClass, RatedClass: c.RatedClass, Spheres: c.Spheres,
				},
				Currency: c.Currency, TACKind: c.TACKind, NotKnownThen: c.NotKnownThen, // marksAreTrue looks at the rest of the vintage
				TAC: c.TAC, EquityCLP: c.EquityCLP, Volatility12: c.Volatility12, Volatility36: c.Volatility36, Drawdown36: c.Drawdown36,
			}
			for i, w := range model.Windows {
				to.Returns[i] = c.Returns[w]
			}
			list = append(list, to)
		}
		lists = append(lists, backtest.NewUniverse(list))
	}
	return lists, nil
}

func (m oracleSource) Histories(_ context.Context, series []uint32, from model.Date) (map[uint32]*backtest.History, error) {
	all := map[uint32]*backtest.History{}
	for s, id := range m.known.IDs() {
		if !slices.Contains(series, id) {
			continue
		}
		h := &backtest.History{Factor: map[model.Date]float64{}}
		var before oracle.Row
		for _, row := range m.rows[s] {
			if row.Quota == 0 || row.Day.After(m.known.Cutoff) {
				continue
			}
			payout, adjust := row.Payout, row.Adjust
			if payout == 0 {
				payout = 1
			}
			if adjust == 0 {
				adjust = 1
			}
			broken := payout < 1 || payout > 1.5
			if before.Quota > 0 {
				broken = broken || before.Moneda != row.Moneda || before.Equity == 0 && row.Equity != 0 ||
					adjust != 1 && math.Abs(row.Quota*adjust-before.Quota) > .2*before.Quota
			}
			before = row
			day := dateOf(row.Day)
			if day.DaysSince(from) < -8 {
				continue
			}
			if len(h.Quotas) == 0 {
				h.First = day
			}
			for day.DaysSince(h.First) > len(h.Quotas) {
				h.Quotas = append(h.Quotas, 0)
			}
			h.Quotas = append(h.Quotas, row.Quota)
			if broken {
				h.Breaks = append(h.Breaks, day)
			} else if payout*adjust != 1 {
				h.Factor[day] = payout * adjust
			}
		}
		if len(h.Quotas) > 0 {
			all[id] = h
		}
	}
	return all, nil
}

func (m oracleSource) Held(ctx context.Context, first, last model.Date) (map[uint32]backtest.Held, error) {
	histories, err := m.Histories(ctx, slices.Collect(maps.Values(m.known.IDs())), first.AddDays(-8))
	return heldOf(histories, first, last), err
}

func (m oracleSource) Exchanges(context.Context) (map[uint32][]backtest.Exchange, error) {
	all, ids := map[uint32][]backtest.Exchange{}, m.known.IDs()
	for _, x := range m.invented.Exchanges {
		factor, err := strconv.ParseFloat(x.Factor, 64)
		if err != nil {
			return nil, err
		}
		if m.currencyOf(x.Origin, x.Valuation) != m.currencyOf(x.Destination, x.Effective) {
			continue
		}
		all[ids[x.Origin]] = append(all[ids[x.Origin]], backtest.Exchange{On: dateOf(x.Effective), Into: ids[x.Destination], Factor: factor})
	}
	return all, nil
}

// currencyOf returns the currency of the newest quote of a series up to a day, as the cartola writes
// it.
func (m oracleSource) currencyOf(series oracle.Series, day time.Time) (moneda string) {
	for _, row := range m.rows[series] {
		if row.Quota > 0 && !row.Day.After(day) {
			moneda = row.Moneda
		}
	}
	return moneda
}

func (m oracleSource) Dollar(_ context.Context, first, last model.Date) (values []float64, err error) {
	for day := first; day.Compare(last) <= 0; day = day.AddDays(1) {
		value := 0.0
		for age := 7; age >= 0; age-- {
			if found, there := m.invented.Dollar[day.AddDays(-age).Time()]; there {
				value = found
			}
		}
		values = append(values, value)
	}
	return values, nil
}

func (m oracleSource) UF(_ context.Context, first, last model.Date) (values []float64, err error) {
	for day := first; day.Compare(last) <= 0; day = day.AddDays(1) {
		values = append(values, m.invented.UF[day.Time()])
	}
	return values, nil
}

func (m oracleSource) FamilyIndex(_ context.Context, family, currency string) (points []backtest.Point, err error) {
	for _, p := range m.known.FamilyIndex(family, currency) {
		points = append(points, backtest.Point{Day: dateOf(p.Day), Value: p.Value})
	}
	return points, nil
}

func (m oracleSource) Symbol(_ context.Context, symbol string) (points []backtest.Point, currency string, err error) {
	for day, price := range m.Symbols[symbol].Prices {
		points = append(points, backtest.Point{Day: dateOf(day), Value: price})
	}
	slices.SortFunc(points, func(a, b backtest.Point) int { return a.Day.Compare(b.Day) })
	return points, m.Symbols[symbol].Currency, nil
}
