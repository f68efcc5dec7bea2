package market

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// marketRow is one series alive at the cutoff, as market.sql returns it.
type marketRow struct {
	Total    uint64 `ch:"total"`
	Position uint64 `ch:"position"` // in the page, from 1; 0 in a row that carries only the total
	facts.SeriesFacts
	Manager            string     `ch:"manager"`
	FamilyStudies      *string    `ch:"family_studies"`
	ClassificationDate *time.Time `ch:"classification_date"`
	facts.Eligibility
	facts.Rating

	// One item for each window, in the order of model.Windows.
	Returns []*float64   `ch:"returns"`
	Reasons []*string    `ch:"reasons"`
	Starts  []*time.Time `ch:"starts"`
	Ends    []*time.Time `ch:"ends"`

	MonthCurrency *string `ch:"currency_last_closed_month"` // currency of the return of the last closed month
}

// readMarket reads one page of the screener, and how many series match before paging. It
// chooses from the given series, or from all if none is given. It fails if the rows of the
// batch are gone.
func readMarket(ctx context.Context, p operation.Pinned, params *ScreenerParams,
	series []uint32) ([]marketRow, uint64, error) {
	args, err := marketArgs(ctx, p, params, series)
	if err != nil {
		return nil, 0, err
	}
	found, err := operation.Rows[marketRow](ctx, p, "market", args...)
	if err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		// the batch was retired while being read, or while ClickHouse could not be asked for a newer one
		if p.Batch.SeriesCount > 0 {
			return nil, 0, &sql.ReadError{Statement: "market",
				Err: fmt.Errorf("the rows of batch %d were dropped while being read", p.Batch.Number)}
		}
		return nil, 0, nil
	}
	total := found[0].Total
	return slices.DeleteFunc(found, func(row marketRow) bool { return row.Position == 0 }), total, nil
}

// marketArgs returns the arguments of market.sql. What the text of a search finds is read before.
func marketArgs(ctx context.Context, p operation.Pinned, params *ScreenerParams, series []uint32) ([]any, error) {
	search, found := model.NewSearch(params.Text), []uint32(nil)
	if !search.Empty() {
		var err error
		if found, err = foundIDs(ctx, p, search); err != nil {
			return nil, err
		}
	}
	return append(filterArgs(params),
		sql.Arg("searched", !search.Empty()), sql.Arg("found", ListOf(found)), sql.Arg("series", ListOf(series)),
		sql.Arg("sort", string(params.Sort)), sql.Arg("order", params.Order), sql.Arg("limit", params.Limit),
		sql.Arg("offset", params.Offset)), nil
}

// foundIDs returns the ids of the series of the screener that a search finds.
func foundIDs(ctx context.Context, p operation.Pinned, search model.Search) (ids []uint32, err error) {
	named, err := operation.Rows[struct {
		ID      uint32   `ch:"series_id"`
		Aliases []uint32 `ch:"alias_ids"`
		Fund    string   `ch:"fund"`
		RUN     string   `ch:"run"`
		Serie   string   `ch:"serie"`
	}](ctx, p, "market_names")
	index := model.SearchIndex{}
	for _, of := range named {
		index.Add(of.Fund, of.RUN, of.Serie, idTexts(of.ID, of.Aliases)...)
	}
	index.Find(search, func(i int, _ model.Likeness) { ids = append(ids, named[i].ID) })
	return ids, err
}

// ListOf returns a slice that is never nil, because ClickHouse can't bind nil as a list.
func ListOf(ids []uint32) []uint32 { return append([]uint32{}, ids...) }

// Attributes is a series in compare and screener. Changes are percent points.
// Returns, TAC and risk are fractions. Equity is in millions of the currency.
type Attributes struct {
	AGF                 string            `json:"agf"`
	FundName            string            `json:"fundName"`
	FundID              string            `json:"fundId"`
	RUN                 string            `json:"run"`
	Category            *string           `json:"category"`
	FundFamily          *string           `json:"fundFamily"`
	FundFamilyDisplay   *string           `json:"fundFamilyDisplay"`
	FundFamilyStudies   *string           `json:"fundFamilyStudies"`
	Serie               string            `json:"serie"`
	SerieID             string            `json:"serieId"`
	Continuity          *facts.Continuity `json:"seriesContinuity"`
	Currency            *string           `json:"currency"`
	TAC                 *float64          `json:"tac"`
	InvestorClass       *string           `json:"investorClass"`
	ClassificationClass *string           `json:"classificationInvestorClass"`
	ClassificationDate  *model.Date       `json:"classificationDate"`
	Price               *operation.Amount `json:"price"`
	facts.ChangesAndRisk
	TACAsOf   *model.Date            `json:"tac_as_of_date"`
	PriceAsOf *model.Date            `json:"price_as_of_date"`
	Spheres   facts.Spheres          `json:"cmf_spheres"`
	Returns   facts.ReturnAttributes `json:"returns"`
}

// attributeNames are the names of Attributes in the JSON.
var attributeNames = operation.AttributesOf(Attributes{Continuity: new(facts.Continuity),
	Returns: facts.ReturnAttributes{Periods: make(facts.ReturnPeriods, len(model.Windows))}})

// Resource is a series as an item of compare and screener.
type Resource = httpapi.Resource[Attributes]

// marketResource shows a series at the cutoff.
func marketResource(p operation.Pinned, row marketRow) Resource {
	periods := row.periods(func(window int) (start, end *model.Date) {
		return facts.TargetsOf(p.Batch, model.Windows[window])
	})
	return row.resource(facts.SpheresOf(row.Rating, p.Batch),
		facts.ReturnsOf(p, row.RUN, row.Serie, row.Currency, periods))
}

// resource shows a series with its rating and its returns.
func (row marketRow) resource(rated facts.Spheres, returns facts.ReturnAttributes) Resource {
	return httpapi.NewResource(operation.IDText(row.SeriesID), "fund_comparison", Attributes{
		AGF: row.Manager, FundName: row.Fund, FundID: operation.IDText(row.FundID), RUN: row.RUN,
		Category: row.Category, FundFamily: row.Family, FundFamilyDisplay: row.FamilyDisplay,
		FundFamilyStudies: row.FamilyStudies,
		Serie:             row.Serie, SerieID: operation.IDText(row.SeriesID), Continuity: row.Continuity(),
		Currency:      row.Currency,
		TAC:           row.TAC,
		InvestorClass: row.ClassTAC, ClassificationClass: row.Class,
		ClassificationDate: operation.DateOf(row.ClassificationDate),
		Price:              operation.AmountOf(row.Price), ChangesAndRisk: row.ChangesAndRisk(),
		TACAsOf: operation.DateOf(row.TACDate), PriceAsOf: operation.DateOf(&row.PriceDate),
		Spheres: rated, Returns: returns,
	})
}

// tacKind is the row's member of meta.tac_kinds.
func (row marketRow) tacKind() operation.TACKind {
	return operation.TACKindOf(operation.IDText(row.SeriesID), row.TACKind)
}

// periods returns the windows of the row. targets returns the target dates of a window, by its
// index in model.Windows.
func (row marketRow) periods(targets func(window int) (start, end *model.Date)) facts.ReturnPeriods {
	periods := make(facts.ReturnPeriods, len(model.Windows))
	for i, window := range model.Windows {
		periods[i] = facts.ReturnPeriod{
			Value: row.Returns[i], Status: facts.Availability(row.Reasons[i]), Reason: row.Reasons[i],
			EffectiveStart: operation.DateOf(row.Starts[i]), EffectiveEnd: operation.DateOf(row.Ends[i]),
		}
		if row.Reasons[i] == nil {
			periods[i].Currency = row.currencyOf(window)
		}
		periods[i].TargetStart, periods[i].TargetEnd = targets(i)
	}
	return periods
}

// currencyOf returns the currency of a window's return, which is that at the end of the
// window. For the last closed month it may be a currency that the series no longer has.
func (row marketRow) currencyOf(window string) *string {
	if window == "last_closed_month" {
		return row.MonthCurrency
	}
	return row.Currency
}

// Meta is the part of meta about the batch, for lists of series.
type Meta struct {
	AsOf          *model.Date `json:"as_of_date"`
	ToleranceDays uint8       `json:"tolerance_days"`
	SeriesCount   uint32      `json:"series_count"` // of the whole batch, before filters
	MethodVersion string      `json:"method_version"`
	Unit          string      `json:"unit"`
	ReturnBasis   string      `json:"return_basis"`
	operation.BatchFacts
}

func marketMetaOf(p operation.Pinned) Meta {
	return Meta{
		AsOf: operation.DateOf(p.Batch.AsOf), ToleranceDays: p.Batch.ToleranceDays, SeriesCount: p.Batch.SeriesCount,
		MethodVersion: p.Batch.MethodVersion, Unit: "decimal", ReturnBasis: "price", BatchFacts: operation.FactsOf(p),
	}
}
