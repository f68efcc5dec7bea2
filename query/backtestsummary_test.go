package query_test

import (
	"fmt"
	"testing"
	"time"

	"cuota/backtest/summarytable"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
)

// The tables of cuota backtest summary with the universe of today must have what market-summary
// answers for each date, in other units.
func TestBacktestSummariesOfTodaysSeriesAreThoseOfMarketSummary(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for name, of := range map[string]struct {
		options *clickhouse.Options
		asked   summarytable.Request
	}{
		"demo": {demotest.Published(t), summarytable.Request{From: model.NewDate(2025, time.January, 1),
			To: model.NewDate(2025, time.December, 31), Step: summarytable.Monthly, CurrentOnly: true}},
		"invented": {publishedInvention(t), summarytable.Request{From: model.NewDate(2025, time.April, 1),
			To: model.NewDate(2025, time.July, 31), Step: summarytable.Weekly, CurrentOnly: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, of.options, unlimited)
			batch, reader, err := summarytable.Choose(t.Context(), r.conn, nil)
			must(t, err)
			days, err := summarytable.Days(t.Context(), reader, batch, of.asked)
			must(t, err)
			families, movers := map[string]string{}, map[string][]string{}
			must(t, summarytable.Read(t.Context(), reader, batch, summarytable.Request{CurrentOnly: true}, days,
				func(part summarytable.Part) error {
					for _, f := range part.Families {
						key := fmt.Sprint(f.Date.Format(time.DateOnly), f.Family, f.Currency)
						families[key] = fmt.Sprint(percent(f.DailyReturn), percent(f.MonthReturn), points(&f.Equity),
							f.Series)
					}
					for _, m := range part.Movers {
						key := m.Date.Format(time.DateOnly) + m.List
						movers[key] = append(movers[key],
							fmt.Sprint(m.RUN, m.Serie, percent(m.DailyReturn), percent(m.MonthReturn)))
					}
					return nil
				}))
			wantFamilies, wantMovers := map[string]string{}, map[string][]string{}
			for _, day := range days {
				got := decode[marketSummary](t, r.get(t, "/api/market-summary?date="+day.Asked.Format(time.DateOnly)))
				date := day.Date.Format(time.DateOnly)
				if *got.Meta.Date != date || got.Meta.Complete != day.Complete {
					t.Errorf("%+v: %+v", day, got.Meta.dayAnswered)
				}
				for _, f := range got.Families {
					for currency, in := range f.ByCurrency {
						wantFamilies[date+f.Family+currency] = fmt.Sprint(points(in.DailyChange),
							points(in.MonthlyChange), points(new(1e6**in.Patrimony)), in.SeriesCount)
					}
				}
				for list, rows := range map[string][]moved{
					"gainers_daily": got.GainersDaily, "losers_daily": got.LosersDaily,
					"gainers_monthly": got.GainersMonthly, "losers_monthly": got.LosersMonthly,
				} {
					for _, m := range rows {
						wantMovers[date+list] = append(wantMovers[date+list],
							fmt.Sprint(m.RUN, m.Serie, points(m.DailyChange), points(m.MonthlyChange)))
					}
				}
			}
			if diff := cmp.Diff(wantFamilies, families) + cmp.Diff(wantMovers, movers); diff != "" {
				t.Errorf("-market-summary +backtest summary:\n%s", diff)
			}
			if len(days) < 6 || len(families) < 12 || len(movers) < 6 {
				t.Errorf("%d days, %d families and %d lists were compared", len(days), len(families), len(movers))
			}
		})
	}
}

// points shows a number with twelve digits, and percent a fraction as points shows percent points.
func points(x *float64) string {
	if x == nil {
		return " none "
	}
	return fmt.Sprintf(" %.12g ", *x)
}

func percent(fraction *float64) string {
	if fraction == nil {
		return points(nil)
	}
	return points(new(100 * *fraction))
}
