package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cuota/model"
)

// marketRow is one series alive at the cutoff, as market.sql returns it.
type marketRow struct {
	Total    uint64 `ch:"total"`
	Position uint64 `ch:"position"` // in the page, from 1; 0 in a row that carries only the total
	seriesFacts
	Manager            string     `ch:"manager"`
	FamilyStudies      *string    `ch:"family_studies"`
	ClassificationDate *time.Time `ch:"classification_date"`
	rating

	// One item for each window, in the order of model.Windows.
	Returns []*float64   `ch:"returns"`
	Reasons []*string    `ch:"reasons"`
	Starts  []*time.Time `ch:"starts"`
	Ends    []*time.Time `ch:"ends"`

	MonthCurrency *string `ch:"currency_last_closed_month"` // currency of the return of the last closed month
}

// marketPage reads one page of the screener, and how many series match before paging. It
// fails if the rows of the batch are gone.
func (s *Server) marketPage(ctx context.Context, b *batch, selection marketSelection) ([]marketRow, uint64, error) {
	found, err := rows[marketRow](ctx, s.reader, "market", selection.args(b)...)
	if err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		if b.SeriesCount > 0 { // the batch was retired while being read, or while ClickHouse could not be asked for a newer one
			return nil, 0, &readError{"market", fmt.Errorf("the rows of batch %d are gone", b.Number)}
		}
		return nil, 0, nil
	}
	total := found[0].Total
	return slices.DeleteFunc(found, func(row marketRow) bool { return row.Position == 0 }), total, nil
}

// marketSelection holds the parameters of market.sql. A zero value does not filter.
type marketSelection struct {
	series                                                 []uint32
	text, family, class, currency, category, administrator string
	ratedFamily, ratedClass, tacKind                       string
	spheresMin, spheresMax                                 any // int64 or nil
	sort, order                                            string
	limit, offset                                          int64
}

func (m marketSelection) args(b *batch) []any {
	if m.series == nil {
		m.series = []uint32{}
	}
	return []any{
		arg("batch", b.Number), arg("series", m.series),
		arg("q", m.text), arg("fund_family", m.family), arg("investor_class", m.class), arg("currency", m.currency),
		arg("category", m.category), arg("administrator", m.administrator),
		arg("cmf_family", m.ratedFamily), arg("cmf_investor_type", m.ratedClass), arg("tac_kind", m.tacKind),
		arg("cmf_spheres_min", m.spheresMin), arg("cmf_spheres_max", m.spheresMax),
		arg("sort", m.sort), arg("order", m.order), arg("limit", m.limit), arg("offset", m.offset),
	}
}

// marketAttributes is a series in compare and screener. Changes are percent points.
// Returns, TAC and risk are fractions. Equity is in millions of the currency.
type marketAttributes struct {
	AGF                 string      `json:"agf"`
	FundName            string      `json:"fundName"`
	FundID              string      `json:"fundId"`
	RUN                 string      `json:"run"`
	Category            *string     `json:"category"`
	FundFamily          *string     `json:"fundFamily"`
	FundFamilyDisplay   *string     `json:"fundFamilyDisplay"`
	FundFamilyStudies   *string     `json:"fundFamilyStudies"`
	Serie               string      `json:"serie"`
	SerieID             string      `json:"serieId"`
	Continuity          *continuity `json:"seriesContinuity"`
	Currency            *string     `json:"currency"`
	TAC                 *float64    `json:"tac"`
	InvestorClass       *string     `json:"investorClass"`
	ClassificationClass *string     `json:"classificationInvestorClass"`
	ClassificationDate  *model.Date `json:"classificationDate"`
	Price               *amount     `json:"price"`
	DailyChange         *float64    `json:"dailyChange"`
	MonthlyChange       *float64    `json:"monthlyChange"`
	Patrimony           *amount     `json:"patrimony"`
	PreviousPatrimony   *amount     `json:"previousPatrimony"`
	MonthlyPatrimony    *amount     `json:"monthlyPatrimony"`
	Shareholders        *uint32     `json:"shareholders"`
	risk
	RiskAsOf          *model.Date      `json:"risk_as_of_date"`
	RiskMethodVersion *string          `json:"risk_method_version"`
	TACAsOf           *model.Date      `json:"tac_as_of_date"`
	PriceAsOf         *model.Date      `json:"price_as_of_date"`
	Spheres           spheres          `json:"cmf_spheres"`
	Returns           returnAttributes `json:"returns"`
}

func (s *Server) marketResource(b *batch, row marketRow) resource {
	return resource{idText(row.SeriesID), "fund_comparison", marketAttributes{
		AGF: row.Manager, FundName: row.Fund, FundID: idText(row.FundID), RUN: row.RUN,
		Category: row.Category, FundFamily: row.Family, FundFamilyDisplay: row.FamilyDisplay, FundFamilyStudies: row.FamilyStudies,
		Serie: row.Serie, SerieID: idText(row.SeriesID), Continuity: row.continuity(), Currency: row.Currency, TAC: row.TAC,
		InvestorClass: row.ClassTAC, ClassificationClass: row.Class, ClassificationDate: dateOf(row.ClassificationDate),
		Price: amountOf(row.Price), DailyChange: row.DailyChange, MonthlyChange: row.MonthlyChange,
		Patrimony: millionsOf(row.Equity), PreviousPatrimony: millionsOf(row.PreviousEquity), MonthlyPatrimony: millionsOf(row.MonthEquity),
		Shareholders: row.Shareholders,
		risk:         row.risk, RiskAsOf: dateOf(row.RiskDate), RiskMethodVersion: row.RiskMethodVersion,
		TACAsOf: dateOf(row.TACDate), PriceAsOf: dateOf(&row.PriceDate),
		Spheres: spheresOf(row.rating, b),
		Returns: s.returnsOf(b, row.RUN, row.Serie, row.Currency, row.periods(b)),
	}}
}

// tacKind is the row's member of meta.tac_kinds.
func (row marketRow) tacKind() []byte { return tacKindOf(idText(row.SeriesID), row.TACKind) }

func (row marketRow) periods(b *batch) returnPeriods {
	periods := make(returnPeriods, len(model.Windows))
	for i, window := range model.Windows {
		periods[i] = returnPeriod{
			Value: row.Returns[i], Status: availability(row.Reasons[i]), Reason: row.Reasons[i],
			EffectiveStart: dateOf(row.Starts[i]), EffectiveEnd: dateOf(row.Ends[i]),
		}
		if row.Reasons[i] == nil {
			periods[i].Currency = row.currencyOf(window)
		}
		periods[i].TargetStart, periods[i].TargetEnd = b.targets(window)
	}
	return periods
}

// currencyOf gives the currency of a window's return, which is that at the end of the
// window. For the last closed month it may be a currency that the series no longer has.
func (row marketRow) currencyOf(window string) *string {
	if window == "last_closed_month" {
		return row.MonthCurrency
	}
	return row.Currency
}

// marketMeta is the part of meta about the batch, for lists of series.
type marketMeta struct {
	AsOf          *model.Date `json:"as_of_date"`
	ToleranceDays uint8       `json:"tolerance_days"`
	SeriesCount   uint32      `json:"series_count"` // of the whole batch, before filters
	MethodVersion string      `json:"method_version"`
	Unit          string      `json:"unit"`
	ReturnBasis   string      `json:"return_basis"`
	batchFacts
}

func (s *Server) marketMeta(b *batch) marketMeta {
	return marketMeta{
		AsOf: dateOf(b.AsOf), ToleranceDays: b.ToleranceDays, SeriesCount: b.SeriesCount,
		MethodVersion: b.MethodVersion, Unit: "decimal", ReturnBasis: "price", batchFacts: s.facts(b),
	}
}
