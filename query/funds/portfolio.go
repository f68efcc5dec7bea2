package funds

import (
	"context"
	"strconv"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// PortfolioSummary answers with what a fund held at the close of a month, summed by type of
// instrument (RULES 9), in the national and the foreign portfolio.
var PortfolioSummary = operation.Endpoint[portfolioSummaryParams, Portfolio[HeldType]]{
	Path: "/api/funds/{run}/cartera/resumen",
	Find: findPortfolioSummary, Parts: []batch.Loader{portfolioMonthsPart},
}

type portfolioSummaryParams struct {
	operation.FundParams
	portfolioMonthParams
}

// PortfolioHoldings answers with the single positions of that portfolio, the largest first.
var PortfolioHoldings = operation.Endpoint[portfolioHoldingsParams, Portfolio[Holding]]{
	Path: "/api/funds/{run}/cartera/holdings",
	Find: findPortfolioHoldings, Table: holdingsTable,
}

type portfolioHoldingsParams struct {
	operation.FundParams
	portfolioMonthParams
	Market string `query:"market" enum:"N,E,all" default:"all" example:"all" doc:"N national, E foreign, all both"`
	operation.FormatParams
}

type portfolioMonthParams struct {
	Month operation.MonthParam `query:"month" null:"false" example:"2025-06" doc:"Month, YYYY-MM; by default the latest up to today of which the fund has a portfolio"`
}

// Portfolio is a reply about one portfolio. A is Holding or HeldType.
type Portfolio[A any] = httpapi.List[Entry[A], PortfolioMeta]

// PortfolioMeta says which portfolio the reply shows. Month is nil, and Data is empty, if
// no portfolio is known for the requested month. If the request names no month, this means
// that none is known for any month up to today.
type PortfolioMeta struct {
	RUN        string         `json:"run"`                     // without check digit, in this reply only
	Instrument string         `json:"instrument_id,omitempty"` // only if the caller asked by instrument
	Month      *string        `json:"month"`                   // YYYY-MM
	Units      portfolioUnits `json:"units"`
}

type portfolioUnits struct {
	Valuation string `json:"valorizacion"`
	Percent   string `json:"pct_activo_fondo"`
}

// portfolioOf returns what a reply says of the requested portfolio, and the last day of its month.
// The day is nil if there is no such portfolio.
func portfolioOf(ctx context.Context, p operation.Pinned, run model.RUN,
	asked operation.MonthParam) (PortfolioMeta, *model.Date, error) {
	meta := PortfolioMeta{
		RUN:   strconv.FormatUint(uint64(run), 10),
		Units: portfolioUnits{"thousands of the fund's currency", "percent of the fund's assets"},
	}
	from, to := operation.FirstDay, p.Today
	if asked.Given {
		from = operation.Storable(asked.LastDay())
		to = from
	}
	months, err := portfolioMonths(ctx, p, run)
	if err != nil {
		return meta, nil, err
	}
	for _, month := range months {
		if month.Compare(from) >= 0 && month.Compare(to) <= 0 {
			meta.Month = new(month.Time().Format("2006-01"))
			return meta, &month, nil
		}
	}
	return meta, nil, nil
}

// portfolioMonthsPart keeps in memory for which months each fund has a portfolio, the newest first.
var portfolioMonthsPart = batch.NewOptionalPart("portfolio_months",
	func(ctx context.Context, s batch.Source) (map[model.RUN][]model.Date, int, error) {
		months, err := readPortfolioMonths(ctx, operation.PinnedBy(s), true)
		size := 0
		for _, of := range months {
			size += (len(of) + 8) * int(unsafe.Sizeof(model.Date{}))
		}
		return months, size, err
	})

// portfolioMonths returns the last days of the months for which a fund has a portfolio, the newest
// first.
func portfolioMonths(ctx context.Context, p operation.Pinned, run model.RUN) ([]model.Date, error) {
	if held, there := portfolioMonthsPart.Of(p.Batch); there {
		return held[run], nil
	}
	months, err := readPortfolioMonths(ctx, p, false, uint32(run))
	return months[run], err
}

func readPortfolioMonths(ctx context.Context, p operation.Pinned, all bool,
	funds ...uint32) (map[model.RUN][]model.Date, error) {
	type fund struct {
		RUN    uint32      `ch:"run"`
		Months []time.Time `ch:"months"`
	}
	found, err := operation.Rows[fund](ctx, p, "portfolio_months", sql.Arg("funds", funds), sql.Arg("all_funds", all))
	months := make(map[model.RUN][]model.Date, len(found))
	for _, of := range found {
		for _, month := range of.Months {
			months[model.RUN(of.RUN)] = append(months[model.RUN(of.RUN)], model.DateOf(month))
		}
	}
	return months, err
}

// HeldType sums what a fund holds of one type of instrument.
type HeldType struct {
	Instrument string            `json:"tipo_instrumento"` // code that the source uses
	Holdings   uint64            `json:"num_holdings"`
	National   operation.Amount  `json:"valorizacion_nacional"` // thousands of the fund's currency
	Foreign    operation.Amount  `json:"valorizacion_extranjera"`
	Percent    *operation.Amount `json:"pct_activo_fondo"` // percent of the fund's assets
}

func findPortfolioSummary(ctx context.Context,
	r *operation.Request[portfolioSummaryParams]) (Portfolio[HeldType], error) {
	return summaryOf(ctx, r.Pinned, r.Params.RUN.RUN, r.Params.Month, "all")
}

// summaryOf returns the summary of a fund's portfolio in one market or in both.
func summaryOf(ctx context.Context, p operation.Pinned, run model.RUN, asked operation.MonthParam,
	kept string) (Portfolio[HeldType], error) {
	data := []Entry[HeldType]{}
	meta, month, err := portfolioOf(ctx, p, run, asked)
	if err != nil || month == nil {
		return httpapi.ListOf(data, meta), err
	}
	type group struct {
		Instrument string           `ch:"instrument"`
		Holdings   uint64           `ch:"holdings"`
		National   decimal.Decimal  `ch:"national"`
		Foreign    decimal.Decimal  `ch:"foreign"`
		Percent    *decimal.Decimal `ch:"percent_of_assets"`
	}
	groups, err := operation.Rows[group](ctx, p, "portfolio_summary", sql.Arg("run", uint32(run)),
		sql.Arg("month", month.String()), sql.Arg("market", kept))
	for _, g := range groups {
		data = append(data, Entry[HeldType]{"cartera_resumen", HeldType{
			g.Instrument, g.Holdings, operation.Amount{Decimal: g.National}, operation.Amount{Decimal: g.Foreign},
			operation.AmountOf(g.Percent),
		}})
	}
	return httpapi.ListOf(data, meta), err
}

// Holding is one position. Most national issuers are named only by their RUT.
type Holding struct {
	Market     string            `json:"market"` // nacional or extranjera
	Nemo       *string           `json:"nemotecnico"`
	Issuer     *string           `json:"emisor"`
	IssuerRUT  *string           `json:"rut_emisor"`
	Country    *string           `json:"pais"`
	Instrument string            `json:"tipo_instrumento"` // code that the source uses
	Valuation  *operation.Amount `json:"valorizacion"`     // thousands of the fund's currency
	Percent    *operation.Amount `json:"pct_activo_fondo"` // percent of the fund's assets
}

// holdingsTable is the portfolio as a table. It has no rows if there is no such portfolio.
func holdingsTable(ctx context.Context, r *operation.Request[portfolioHoldingsParams]) (operation.Table, error) {
	_, month, err := portfolioOf(ctx, r.Pinned, r.Params.RUN.RUN, r.Params.Month)
	if month == nil {
		month = &operation.FirstDay // no portfolio is as old
	}
	return operation.Table{Statement: "rows_holdings",
		Args: []any{sql.Arg("run", uint32(r.Params.RUN.RUN)), sql.Arg("month", month.String()),
			sql.Arg("market", r.Params.Market)}}, err
}

func findPortfolioHoldings(ctx context.Context,
	r *operation.Request[portfolioHoldingsParams]) (Portfolio[Holding], error) {
	return holdingsOf(ctx, r.Pinned, r.Params.RUN.RUN, r.Params.Month, r.Params.Market)
}

// holdingsOf returns the positions of a fund's portfolio.
func holdingsOf(ctx context.Context, p operation.Pinned, run model.RUN, asked operation.MonthParam,
	kept string) (Portfolio[Holding], error) {
	data := []Entry[Holding]{}
	meta, month, err := portfolioOf(ctx, p, run, asked)
	if err != nil || month == nil {
		return httpapi.ListOf(data, meta), err
	}
	type holding struct {
		Market     string           `ch:"market"`
		Nemo       *string          `ch:"nemotecnico"`
		Issuer     *string          `ch:"issuer"`
		IssuerRUT  uint32           `ch:"issuer_rut"`
		Country    *string          `ch:"country"`
		Instrument string           `ch:"instrument"`
		Valuation  *decimal.Decimal `ch:"valuation_thousands"`
		Percent    *decimal.Decimal `ch:"percent"`
	}
	held, err := operation.Rows[holding](ctx, p, "portfolio_holdings", sql.Arg("run", uint32(run)),
		sql.Arg("month", month.String()), sql.Arg("market", kept))
	for _, h := range held {
		attributes := Holding{
			Market: "nacional", Nemo: h.Nemo, Issuer: h.Issuer, Country: h.Country, Instrument: h.Instrument,
			Valuation: operation.AmountOf(h.Valuation), Percent: operation.AmountOf(h.Percent),
		}
		if h.Market == "E" {
			attributes.Market = "extranjera"
		}
		if h.IssuerRUT != 0 {
			attributes.IssuerRUT = new(model.RUT(h.IssuerRUT).String())
		}
		data = append(data, Entry[Holding]{"holding", attributes})
	}
	return httpapi.ListOf(data, meta), err
}
