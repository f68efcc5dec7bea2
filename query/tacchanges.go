package query

import (
	"context"
	"net/http"
	"time"

	"cuota/model"

	"github.com/shopspring/decimal"
)

// tacChangesOperation lists the series whose cost rate rose or fell most between a closed
// month and the month before, at most one for each fund (RULES 2).
func (s *Server) tacChangesOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/reports/tac-changes", access: keyed, reads: anyBatch,
		params: []param{day("date"), words("direction", "up", "down"), integer("limit", 1, 100, int64(15)), filter("category", 100)},
		answer: s.tacChanges,
	}
}

// tacChange is a series whose cost rate changed. Rates and their difference are
// fractions.
type tacChange struct {
	FundID        string   `json:"fundId"`
	FundName      string   `json:"fundName"`
	AGF           string   `json:"agf"`
	RUN           string   `json:"run"`
	Serie         string   `json:"serie"`
	SerieID       string   `json:"serieId"`
	Category      *string  `json:"category"`
	InvestorClass *string  `json:"investorClass"`
	Patrimony     *amount  `json:"patrimony"` // millions of the currency, at the month end
	TAC           float64  `json:"tac"`
	Previous      float64  `json:"tacPrevious"`
	Delta         float64  `json:"tacDelta"`
	DeltaPercent  *float64 `json:"tacDeltaPct"` // percent of the previous rate; null if that is 0
}

// tacChangesMeta names the two months. They are null if no rate is known at all.
type tacChangesMeta struct {
	Date             *model.Date `json:"date"` // month ends
	PreviousDate     *model.Date `json:"previousDate"`
	CurrentMonthKey  *string     `json:"currentMonthKey"` // YYYYMM
	PreviousMonthKey *string     `json:"previousMonthKey"`
	Direction        string      `json:"direction"`
	Limit            int64       `json:"limit"`
	TACKinds         tacKinds    `json:"tac_kinds"`
}

func (s *Server) tacChanges(ctx context.Context, c *call) (reply, error) {
	month, known, err := s.monthOfCosts(ctx, c)
	if err != nil {
		return reply{}, err
	}
	data, meta := []tacChange{}, tacChangesMeta{Direction: c.text("direction"), Limit: c.integer("limit")}
	if known {
		previous := endOfMonth(month, -1)
		meta.Date, meta.PreviousDate = &month, &previous
		meta.CurrentMonthKey, meta.PreviousMonthKey = monthKey(month), monthKey(previous)
		if data, meta.TACKinds, err = s.changesIn(ctx, c, month); err != nil {
			return reply{}, err
		}
	}
	return okList(data, meta)
}

// monthOfCosts gives the last day of the requested month, by default of the latest month
// with a cost rate, and whether there is such a month. It fails with 422 if the month is
// not closed. A month is closed when its last day is on or before the cutoff, or on or
// before the latest month for which a file states a rate: a file that states a month proves
// that the month is over.
func (s *Server) monthOfCosts(ctx context.Context, c *call) (month model.Date, known bool, err error) {
	type latestRow struct {
		Month *time.Time `ch:"month"`
	}
	found, err := rows[latestRow](ctx, s.reader, "tac_latest_month", arg("batch", c.batch.Number))
	if err != nil {
		return model.Date{}, false, err
	}
	latest := dateOf(found[0].Month) // the statement always gives one row
	asked, given := c.date("date")
	if !given {
		return value(latest), latest != nil, nil
	}
	month = endOfMonth(asked, 0)
	closed := func(until *model.Date) bool { return until != nil && month.Compare(*until) <= 0 }
	if !closed(dateOf(c.batch.AsOf)) && !closed(latest) {
		return model.Date{}, false, invalid{{Loc: []string{"query", "date"}, Type: "month_open", Input: asked.String(),
			Msg: "Must be a day in a closed month: one that is over in the published data"}}
	}
	return month, true, nil
}

func (s *Server) changesIn(ctx context.Context, c *call, month model.Date) ([]tacChange, tacKinds, error) {
	type change struct {
		FundID        uint32           `ch:"fund_id"`
		Fund          string           `ch:"fund"`
		Manager       string           `ch:"manager"`
		RUN           string           `ch:"run"`
		Serie         string           `ch:"serie"`
		SeriesID      uint32           `ch:"series_id"`
		Category      *string          `ch:"category"`
		InvestorClass *string          `ch:"investor_class"`
		Patrimony     *decimal.Decimal `ch:"patrimony"`
		TAC           float64          `ch:"tac"`
		Previous      float64          `ch:"tac_previous"`
		Kind          string           `ch:"tac_kind"`
		Delta         float64          `ch:"tac_delta"`
		DeltaPercent  *float64         `ch:"tac_delta_percent"`
	}
	found, err := rows[change](ctx, s.reader, "tac_changes",
		arg("batch", c.batch.Number), arg("month", storable(month).String()),
		arg("direction", c.text("direction")), arg("category", c.text("category")), arg("limit", c.integer("limit")))
	if err != nil {
		return nil, nil, err
	}
	data, kinds := make([]tacChange, len(found)), make(tacKinds, len(found))
	for i, row := range found {
		kinds[i] = tacKindOf(idText(row.SeriesID), &row.Kind)
		data[i] = tacChange{
			FundID: idText(row.FundID), FundName: row.Fund, AGF: row.Manager, RUN: row.RUN,
			Serie: row.Serie, SerieID: idText(row.SeriesID), Category: row.Category, InvestorClass: row.InvestorClass,
			Patrimony: amountOf(row.Patrimony), TAC: row.TAC, Previous: row.Previous, Delta: row.Delta, DeltaPercent: row.DeltaPercent,
		}
	}
	return data, kinds, nil
}

// endOfMonth gives the last day of the month that lies months after the month of date.
func endOfMonth(date model.Date, months int) model.Date {
	year, month, _ := date.Time().Date()
	return model.NewDate(year, month+time.Month(months)+1, 0)
}

func monthKey(date model.Date) *string {
	key := date.Time().Format("200601")
	return &key
}
