package portfolio

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/model"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/query/savings"
	"cuota/sql"
)

// maxYears limits the time before the valuation of which quotas are read. No series of the market is older.
const maxYears = 40

// named is a series that the reader has named.
type named struct {
	Label      uint32    `ch:"label_id"`
	LabelRUN   uint32    `ch:"label_run"`
	LabelSerie string    `ch:"label_serie"`
	ID         uint32    `ch:"series_id"`
	RUN        string    `ch:"run"`
	Serie      string    `ch:"serie"`
	Fund       string    `ch:"fund"`
	Currency   *string   `ch:"currency"` // of its last quote; nil if it is unknown
	First      time.Time `ch:"first_date"`
}

// cheapest is a row of portfolio_cheapest.sql.
type cheapest struct {
	ID          uint32    `ch:"series_id"`
	Day         time.Time `ch:"day"`
	Currency    string    `ch:"currency"`
	Family      string    `ch:"family"`
	FamilyLater bool      `ch:"family_later"`
	Class       string    `ch:"class"`
	ClassLater  bool      `ch:"class_later"`
	Kind        string    `ch:"tac_kind"`
	Rate        float64   `ch:"rate"`
	BestID      uint32    `ch:"best_id"`
	BestRate    float64   `ch:"best_rate"`
	BestMonth   time.Time `ch:"best_month"`
	BestRUN     string    `ch:"best_run"`
	BestSerie   string    `ch:"best_serie"`
	BestFund    string    `ch:"best_fund"`
	Reason      string    `ch:"reason"`
}

// found is what the batch says about a portfolio.
type found struct {
	savings.Portfolio
	names    map[*savings.Series]named
	compared map[*savings.Series]cheapest
}

// namedSeries is how a reader names a series by its fund: the RUN, and the name of the series after a space, a dash
// or a slash.
var namedSeries = regexp.MustCompile(`^([0-9][0-9.]*(?:-[0-9Kk])?)[ /-]+(.+)$`)

// seriesOf returns the id that a text states, or else the RUN and the name of the series.
func seriesOf(text string) (id uint32, run model.RUN, serie string, ok bool) {
	if id, ok := operation.ParseID(text); ok {
		return id, 0, "", true
	}
	if _, err := model.ParseRUN(text); err == nil && strings.Contains(text, "-") {
		return 0, 0, "", false // a RUN with its check digit, which is no series
	}
	parts := namedSeries.FindStringSubmatch(text)
	if parts == nil {
		return 0, 0, "", false
	}
	run, err := model.ParseRUN(parts[1])
	if err != nil {
		return 0, 0, "", false
	}
	serie, err = model.NormalSerie(parts[2])
	return 0, run, serie, err == nil
}

// read finds everything that a portfolio is computed from.
func read(ctx context.Context, p operation.Pinned, of asked) (*found, error) {
	f := &found{Portfolio: savings.Portfolio{Movements: of.movements, Series: map[string]*savings.Series{}},
		names: map[*savings.Series]named{}, compared: map[*savings.Series]cheapest{}}
	if f.AsOf = model.DateOf(*p.Batch.AsOf); of.asOf != nil {
		f.AsOf = *of.asOf
	}
	if err := f.readNames(ctx, p); err != nil {
		return nil, err
	}
	f.From = operation.Storable(f.begins())
	var ids []uint32
	for series := range f.names {
		ids = append(ids, series.ID)
	}
	if len(ids) == 0 {
		return f, nil
	}
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	slices.Sort(ids)
	histories, err := f.readHistories(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	costs, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	for series := range f.names {
		series.History = histories[series.ID]
		series.Cost = func(day int) (float64, string) {
			if in := past.CostBy(costs.Costs[series.ID], f.From.AddDays(day)); in != nil {
				return in.Rate, operation.Value(in.Kind)
			}
			return 0, ""
		}
	}
	return f, f.readComparisons(ctx, p)
}

// begins returns the first day that is read: that of the first movement of a known series, but not long before that
// series was first quoted. A movement may wait for its quota (savings.WaitDays). So a date before the first quote does
// not add days to the read.
func (f *found) begins() model.Date {
	first := f.AsOf
	for _, m := range f.Movements {
		of := f.Series[m.Series]
		if of == nil {
			continue
		}
		day := m.Date
		if quoted := model.DateOf(f.names[of].First).AddDays(-savings.WaitDays); day.Compare(quoted) < 0 {
			day = quoted
		}
		if day.Compare(first) < 0 {
			first = day
		}
	}
	if oldest := f.AsOf.AddDays(-366 * maxYears); first.Compare(oldest) < 0 {
		return oldest
	}
	return first
}

// maxDays bounds the days that are read of all series together, because each is kept in memory for the request, and as
// many of the series that they are compared with.
const maxDays = 400_000

// TooManyDays is the type of the violation of a portfolio of more days than are read.
const TooManyDays = "too_many_days"

// checkSize fails with Invalid if more days would be read than fit.
func (f *found) checkSize() error {
	days := f.AsOf.DaysSince(f.From) + 1
	if days*len(f.names) <= maxDays {
		return nil
	}
	return operation.WrongBody(TooManyDays, fmt.Sprintf("Must have at most %d days of series: %d series from %s to %s "+
		"have %d. Compute older series apart from newer ones", maxDays, len(f.names), f.From, f.AsOf, days*len(f.names)))
}

// readNames finds the series that the reader has named.
func (f *found) readNames(ctx context.Context, p operation.Pinned) error {
	ids, runs, series := []uint32{}, []uint32{}, []string{}
	for _, m := range f.Movements {
		switch id, run, serie, ok := seriesOf(m.Series); {
		case ok && run == 0:
			ids = append(ids, id)
		case ok:
			runs, series = append(runs, uint32(run)), append(series, serie)
		}
	}
	rows, err := operation.Rows[named](ctx, p, "portfolio_series", sql.Arg("ids", ids), sql.Arg("runs", runs),
		sql.Arg("names", series))
	if err != nil {
		return err
	}
	byID := map[uint32]*savings.Series{}
	for _, m := range f.Movements {
		id, run, serie, ok := seriesOf(m.Series)
		at := slices.IndexFunc(rows, func(row named) bool {
			return ok && (run == 0 && row.Label == id ||
				run != 0 && row.LabelRUN == uint32(run) && row.LabelSerie == serie)
		})
		if at < 0 {
			continue
		}
		of := byID[rows[at].ID]
		if of == nil {
			of = &savings.Series{ID: rows[at].ID}
			byID[of.ID], f.names[of] = of, rows[at]
		}
		f.Series[m.Series] = of
	}
	return nil
}

// readHistories reads how series stand on each day. Every series of the list has a history.
func (f *found) readHistories(ctx context.Context, p operation.Pinned,
	ids []uint32) (map[uint32]*savings.History, error) {
	type row struct {
		ID      uint32     `ch:"series_id"`
		Closed  *time.Time `ch:"closed_on"`
		Ages    []int32    `ch:"ages"`
		Quotas  []float64  `ch:"quotas"`
		Pesos   []float64  `ch:"pesos"`
		UFs     []float64  `ch:"ufs"`
		Reasons []string   `ch:"reasons"`
		Rates   []string   `ch:"rates"`
		UF      float64    `ch:"end_uf"`
		Dollars []bool     `ch:"dollars"`
		Dolar   float64    `ch:"end_dolar"`
		NoDolar string     `ch:"end_rate_reason"`
	}
	type broken struct {
		ID     uint32    `ch:"series_id"`
		Day    time.Time `ch:"date"`
		Reason string    `ch:"reason"`
	}
	args := []any{sql.Arg("series", ids), sql.Arg("from", f.From.String()), sql.Arg("to", f.AsOf.String())}
	var rows []row
	var breaks []broken
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		rows, err = operation.Rows[row](ctx, p, "portfolio_days", args...)
		return err
	})
	reading.Go(func() (err error) {
		breaks, err = operation.Rows[broken](ctx, p, "portfolio_breaks", args...)
		return err
	})
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	days := f.AsOf.DaysSince(f.From) + 1
	out := map[uint32]*savings.History{}
	for _, id := range ids {
		out[id] = savings.NewHistory(days, "missing_end_quote")
	}
	for _, of := range rows {
		if len(of.Ages) != days {
			return nil, &sql.ReadError{Statement: "portfolio_days", Err: errWrongLength}
		}
		out[of.ID] = &savings.History{Ages: wide(of.Ages), Quotas: of.Quotas, Pesos: of.Pesos, UFs: of.UFs,
			Dollars: of.Dollars, Reasons: of.Reasons, RateReasons: of.Rates, Closed: operation.DateOf(of.Closed),
			End: savings.EndRates{UF: of.UF, Dolar: of.Dolar, Reason: of.NoDolar}}
	}
	for _, of := range breaks {
		h, day := out[of.ID], model.DateOf(of.Day).DaysSince(f.From)
		if of.Reason == "distribution" {
			h.DistributionDays = append(h.DistributionDays, day)
		} else {
			h.Breaks = append(h.Breaks, savings.Break{Day: day, Reason: of.Reason})
		}
	}
	return out, nil
}

var errWrongLength = errors.New("a row does not have one item for each day")

func wide(list []int32) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}

// readComparisons finds the index of the family of each series, and the cheapest series of its group, on the day of
// the first purchase.
func (f *found) readComparisons(ctx context.Context, p operation.Pinned) error {
	first := map[*savings.Series]int{}
	for _, e := range f.Execute() {
		if at, there := first[e.Of]; e.Reason == "" && (!there || e.Day < at) {
			first[e.Of] = e.Day
		}
	}
	if len(first) == 0 {
		return nil
	}
	var ids []uint32
	var days []string
	for of, day := range first {
		ids, days = append(ids, of.ID), append(days, f.From.AddDays(day).String())
	}
	several, err := operation.Rows[struct {
		Month time.Time `ch:"month"`
	}](ctx, p, "backtest_cost_months")
	if err != nil {
		return err
	}
	months, from := []string{}, "stored_rates"
	for _, row := range several {
		months, from = append(months, model.DateOf(row.Month).String()), "all_rates"
	}
	rows, err := operation.Rows[cheapest](ctx, p, "portfolio_cheapest", sql.Arg("series", ids), sql.Arg("days", days),
		sql.Arg("several", months), sql.Arg("rates", from))
	if err != nil {
		return err
	}
	var best []uint32
	families, currencies := []string{}, []string{}
	for _, row := range rows {
		if row.BestID != 0 && !slices.Contains(best, row.BestID) {
			best = append(best, row.BestID)
		}
		families, currencies = append(families, row.Family), append(currencies, row.Currency)
	}
	var histories map[uint32]*savings.History
	var indices map[[2]string]*savings.History
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		if len(best) > 0 {
			histories, err = f.readHistories(ctx, p, best)
		}
		return err
	})
	reading.Go(func() (err error) {
		indices, err = f.readIndices(ctx, p, families, currencies)
		return err
	})
	if err := reading.Wait(); err != nil {
		return err
	}
	for of := range first {
		of.NoFamily, of.NoCheapest = noFamily, noFamily
		at := slices.IndexFunc(rows, func(row cheapest) bool { return row.ID == of.ID })
		if at < 0 {
			continue
		}
		row := rows[at]
		f.compared[of] = row
		if row.Family != "" {
			of.Family, of.NoFamily = indices[[2]string{row.Family, row.Currency}], noIndex
		}
		of.Cheapest, of.NoCheapest = histories[row.BestID], row.Reason
		if row.BestID == 0 && row.Reason == "" {
			of.NoCheapest = noOther
		}
	}
	return nil
}

// Reasons of comparisons.
const (
	noFamily = "no_family"
	noIndex  = "no_index"
	indexGap = "index_gap"
	noOther  = "no_open_series"
)

// readIndices reads the indices of families in currencies.
func (f *found) readIndices(ctx context.Context, p operation.Pinned,
	families, currencies []string) (map[[2]string]*savings.History, error) {
	rows, err := operation.Rows[struct {
		Family   string      `ch:"family"`
		Currency string      `ch:"currency"`
		Ages     []int32     `ch:"ages"`
		Levels   []float64   `ch:"levels"`
		Starts   []time.Time `ch:"starts"`
	}](ctx, p, "portfolio_indices", sql.Arg("families", families), sql.Arg("currencies", currencies),
		sql.Arg("from", f.From.String()), sql.Arg("to", f.AsOf.String()),
		sql.Arg("cutoff", model.DateOf(*p.Batch.AsOf).String()))
	out := map[[2]string]*savings.History{}
	for _, row := range rows {
		h := savings.NewHistory(f.AsOf.DaysSince(f.From)+1, noIndex)
		if len(row.Ages) != len(h.Ages) {
			return nil, &sql.ReadError{Statement: "portfolio_indices", Err: errWrongLength}
		}
		h.Ages, h.Quotas = wide(row.Ages), row.Levels
		for i, age := range h.Ages {
			if age >= 0 {
				h.Reasons[i] = ""
			}
		}
		for _, day := range row.Starts {
			h.Breaks = append(h.Breaks, savings.Break{Day: model.DateOf(day).DaysSince(f.From), Reason: indexGap})
		}
		out[[2]string{row.Family, row.Currency}] = h
	}
	return out, err
}
