package backtesttest

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

// Source is a market as a source of backtests. What was known about candidates is that of the oracle;
// the histories are made here from the rows.
type Source struct {
	*Market
	Known *backtestoracle.Prepared // of Market
}

func dateOf(day time.Time) model.Date {
	if day.IsZero() {
		return model.Date{}
	}
	return model.DateOf(day)
}

func (m Source) Batch(context.Context) (backtest.Batch, error) {
	return backtest.Batch{Number: 1, ID: "invented", Cutoff: dateOf(m.Known.Cutoff), Fingerprint: "f"}, nil
}

func (m Source) AnsweringDays(_ context.Context, dates []model.Date) (signals []backtest.Signal, err error) {
	for _, d := range dates {
		for _, s := range m.Known.Answering([]time.Time{d.Time()}, 0) {
			signals = append(signals, backtest.Signal{Date: d, Day: dateOf(s.Day)})
		}
	}
	return signals, nil
}

func (m Source) Candidates(_ context.Context, signals []backtest.Signal, sight backtest.Sight,
	_ backtest.Values) (lists []*backtest.Universe, err error) {
	for _, s := range signals {
		var list []backtest.Candidate
		for _, c := range m.Known.Candidates(backtestoracle.Signal{Date: s.Date.Time(), Day: s.Day.Time(),
			Order: s.Order.Time()}, sight.Then, sight.ClassifiedLater) {
			to := backtest.Candidate{
				Listed: backtest.Listed{
					Series: c.ID, Fund: uint32(c.Series.Run),
					RUN:   strconv.Itoa(c.Series.Run) + "-" + oracle.CheckDigit(c.Series.Run),
					Serie: c.Series.Name, FundName: c.FundName, Manager: c.Manager, ManagerID: uint32(c.ManagerID),
					FirstQuote: dateOf(c.FirstQuote), Alive: c.Alive,
				},
				Classified: backtest.Classified{
					Category: c.Category, Family: c.Family, InvestorClass: c.InvestorClass, RatedClass: c.RatedClass,
					Spheres: c.Spheres,
				},
				// tests of package history look at the rest of the vintage
				Currency: c.Currency, TACKind: c.TACKind, NotKnownThen: c.NotKnownThen,
				TAC: c.TAC, EquityCLP: c.EquityCLP, Volatility12: c.Volatility12, Volatility36: c.Volatility36,
				Drawdown36: c.Drawdown36,
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

func (m Source) Histories(_ context.Context, series []uint32, from model.Date) (map[uint32]*backtest.History, error) {
	all := map[uint32]*backtest.History{}
	for s, id := range m.Known.IDs() {
		if !slices.Contains(series, id) {
			continue
		}
		h := &backtest.History{Factor: map[model.Date]float64{}}
		var before oracle.Row
		for _, row := range m.Rows[s] {
			if row.Quota == 0 || row.Day.After(m.Known.Cutoff) {
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

func (m Source) Held(ctx context.Context, first, last model.Date) (map[uint32]backtest.Held, error) {
	histories, err := m.Histories(ctx, slices.Collect(maps.Values(m.Known.IDs())), first.AddDays(-8))
	return HeldOf(histories, first, last), err
}

func (m Source) Exchanges(context.Context) (map[uint32][]backtest.Exchange, error) {
	all, ids := map[uint32][]backtest.Exchange{}, m.Known.IDs()
	for _, x := range m.Market.Exchanges {
		factor, err := strconv.ParseFloat(x.Factor, 64)
		if err != nil {
			return nil, err
		}
		if m.currencyOf(x.Origin, x.Valuation) != m.currencyOf(x.Destination, x.Effective) {
			continue
		}
		all[ids[x.Origin]] = append(all[ids[x.Origin]],
			backtest.Exchange{On: dateOf(x.Effective), Into: ids[x.Destination], Factor: factor})
	}
	return all, nil
}

// currencyOf returns the currency of the newest quote of a series up to a day, as the cartola writes
// it.
func (m Source) currencyOf(series oracle.Series, day time.Time) (moneda string) {
	for _, row := range m.Rows[series] {
		if row.Quota > 0 && !row.Day.After(day) {
			moneda = row.Moneda
		}
	}
	return moneda
}

func (m Source) Dollar(_ context.Context, first, last model.Date) (values []float64, err error) {
	for day := first; day.Compare(last) <= 0; day = day.AddDays(1) {
		value := 0.0
		for age := 7; age >= 0; age-- {
			if found, there := m.Market.Dollar[day.AddDays(-age).Time()]; there {
				value = found
			}
		}
		values = append(values, value)
	}
	return values, nil
}

func (m Source) UF(_ context.Context, first, last model.Date) (values []float64, err error) {
	for day := first; day.Compare(last) <= 0; day = day.AddDays(1) {
		values = append(values, m.Market.UF[day.Time()])
	}
	return values, nil
}

func (m Source) FamilyIndex(_ context.Context, family, currency string) (points []backtest.Point, err error) {
	for _, p := range m.Known.FamilyIndex(family, currency) {
		points = append(points, backtest.Point{Day: dateOf(p.Day), Value: p.Value})
	}
	return points, nil
}

func (m Source) Symbol(_ context.Context, symbol string) (points []backtest.Point, currency string, err error) {
	for day, price := range m.Symbols[symbol].Prices {
		points = append(points, backtest.Point{Day: dateOf(day), Value: price})
	}
	slices.SortFunc(points, func(a, b backtest.Point) int { return a.Day.Compare(b.Day) })
	return points, m.Symbols[symbol].Currency, nil
}
