package query

import (
	"context"
	"fmt"

	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/sql"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"
)

// summariseDay gives the summary of one day as summarise does, but with statements that read one
// table each and get from memory what else they need. It must not be used for a day with long steps.
func summariseDay(ctx context.Context, p pinned, day marketDay, days *history, market *market) (*summary, error) {
	date := *day.date
	out := emptySummary(p, day)
	standing, standingBuilds := days.marketBuilds(date.AddDays(-7), date)
	month, monthBuilds := days.marketBuilds(date.AddDays(-38), date) // a month has at most 31 days
	dated, dolar := sql.Arg("date", date.String()), sql.Arg("dolar", days.dolarOn(date))
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() error {
		families, currencies, openings, err := days.openings(date)
		if err != nil {
			return err
		}
		type row struct {
			summarisedFamily
			familyCoverage
			Shown bool `ch:"shown"`
		}
		found, err := rows[row](ctx, p, "summary_families_of_day", dated, dolar,
			sql.Arg("days", standing), sql.Arg("builds", standingBuilds),
			sql.Arg("families", families), sql.Arg("currencies", currencies), sql.Arg("openings", openings))
		if err != nil {
			return err
		}
		var shown []summarisedFamily
		for _, of := range found {
			if of.Shown {
				shown = append(shown, of.summarisedFamily)
			}
		}
		summaries{date: out}.addFamilies(shown)
		var coverage familyCoverage // zero if no row counts
		if len(found) > 0 {
			coverage = found[0].familyCoverage
		}
		coverage.tell(out, days.report(date))
		return nil
	})
	reading.Go(func() error {
		type moved struct {
			List          string           `ch:"list"`
			SeriesID      uint32           `ch:"series_id"`
			Category      *string          `ch:"category"`
			Family        *string          `ch:"family_rar"`
			Currency      string           `ch:"currency"`
			Price         *decimal.Decimal `ch:"price"`
			DailyChange   *float64         `ch:"daily"`
			MonthlyChange *float64         `ch:"monthly"`
			Equity        *decimal.Decimal `ch:"equity"`
		}
		found, err := rows[moved](ctx, p, "summary_movers_of_day", dated, dolar,
			sql.Arg("build", days.days[date].marketBuild), sql.Arg("top", topMovers))
		for _, m := range found {
			position, there := market.positions[m.SeriesID]
			if !there {
				return &sql.ReadError{Statement: "summary_movers_of_day", Err: fmt.Errorf("series %d is not in the market of the batch", m.SeriesID)}
			}
			of := &market.rows[position]
			list := out.list(m.List)
			*list = append(*list, mover{
				RUN: of.RUN, Serie: of.Serie, SerieID: idText(m.SeriesID), FundID: idText(of.FundID), FundName: of.Fund, AGF: of.Manager,
				Category: m.Category, Family: m.Family, Currency: m.Currency, Price: amountOf(m.Price),
				DailyChange: m.DailyChange, MonthlyChange: m.MonthlyChange, Patrimony: millionsOf(m.Equity),
			})
		}
		return err
	})
	reading.Go(func() error {
		found, err := rows[knownFlows](ctx, p, "summary_flows_of_day", dated, sql.Arg("days", month), sql.Arg("builds", monthBuilds))
		for _, of := range found {
			of.tell(out)
		}
		return err
	})
	return out, reading.Wait()
}

// openings gives the family, the currency and the day from which the change counts of each index of a day.
func (of *history) openings(date model.Date) (families, currencies, days []string, err error) {
	families, currencies, days = []string{}, []string{}, []string{}
	line := rowbinary.NewReader(of.days[date].openings)
	for line.More() {
		families, currencies, days = append(families, line.Text()), append(currencies, line.Text()), append(days, line.Date().String())
	}
	if line.Err() != nil {
		err = &sql.ReadError{Statement: "days_of_batch", Err: line.Err()}
	}
	return families, currencies, days, err
}
