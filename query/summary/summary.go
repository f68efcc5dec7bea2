package summary

import (
	"context"
	"time"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// topMovers is how many series each list of rises and falls has (RULES 7).
const topMovers = 10

// flowShare is the share of the series whose contributions must be known for the flows of a
// day or a month to count as known. It is the share that makes a day complete (RULES 1).
const flowShare = 0.98

// OfDay sums up one day of the market: its families, and the greatest rises and
// falls without outliers (RULES 7). For a past date it covers the series that are alive
// today, with what was known then.
var OfDay = operation.Endpoint[summaryParams, operation.Kept[*Summary]]{
	Path: "/api/market-summary", OfPeriod: OfPeriod.Path,
	Table: func(ctx context.Context, r *operation.Request[summaryParams]) (operation.Table, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.Date)
		date := operation.FirstDay // has no rows
		if day.Date != nil {
			date = *day.Date
		}
		return summaryTable(date, date), err
	},
	Find: func(ctx context.Context, r *operation.Request[summaryParams]) (operation.Kept[*Summary], error) {
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			return pastSummary(ctx, r.Pinned, r.Params.Date.Date)
		}
		found, err := summaryAt(ctx, r.Pinned, r.Params.Date)
		if err != nil {
			return operation.Kept[*Summary]{}, err
		}
		return operation.Keep(found)
	},
	Known: func(r *operation.Request[summaryParams]) (operation.Kept[*Summary], bool, error) {
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			kept, there := pastSummaries.Known(r.Cache, r.Batch, r.Params.Date.Date)
			return kept, there, nil
		}
		summaries, _ := summaryPart.Of(r.Batch)
		kept, there := summaries[""]
		return kept, there, nil
	},
	Parts: []batch.Loader{summaryPart, past.Part},
}

type summaryParams struct {
	past.MarketDayParams
	operation.KnownAtParams
	operation.FormatParams
}

// summaryPart holds the summary of the cutoff, the only one, under the empty key.
var summaryPart = operation.Preload("summary",
	func(ctx context.Context, p operation.Pinned) (map[string]*Summary, error) {
		out, err := summaryOfDay(ctx, p, past.CutoffOf(p.Batch))
		return map[string]*Summary{"": out}, err
	})

// Summary is the market on a day. Changes are percent points and amounts are millions, as
// meta.units says.
type Summary struct {
	Meta           Meta     `json:"meta"`
	Families       []Family `json:"families"` // by equity in pesos
	GainersDaily   []Mover  `json:"topGainersDaily"`
	LosersDaily    []Mover  `json:"topLosersDaily"`
	GainersMonthly []Mover  `json:"topGainersMonthly"`
	LosersMonthly  []Mover  `json:"topLosersMonthly"`
}

// Meta says which day is summed up, and how much of the market is known of it.
type Meta struct {
	Date             *model.Date    `json:"date"` // nil if no day has data for the requested date
	Complete         bool           `json:"complete"`
	PreviousDate     *model.Date    `json:"previousDate"`
	Methodology      string         `json:"methodology"`
	Universe         string         `json:"universe"`
	SurvivorshipBias bool           `json:"survivorship_bias"` // series that closed since the date are missing
	Flows            FlowStates     `json:"flows"`
	Classification   Classification `json:"classification"`
	// series left out of patrimonyClp because no rate to pesos is known
	Unconverted uint64            `json:"unconverted_series"`
	TopN        int               `json:"topN"`
	Units       map[string]string `json:"units"`
}

// FlowStates says whether the net contributions of the day and of the month
// before it are known. Their universe is all series quoted on the day.
type FlowStates struct {
	Universe string `json:"universe"`
	Daily    string `json:"daily"`
	Monthly  string `json:"monthly"`
}

// Classification says how much of the market has a family. Before the regulator's
// first report, the first report is used. Later is true if that was done for any series of
// a family in the reply.
type Classification struct {
	Available    bool        `json:"available"`
	ReportDate   *model.Date `json:"reportDate"`
	Classified   uint64      `json:"classifiedSeries"`
	Unclassified uint64      `json:"unclassifiedSeries"`
	Coverage     *float64    `json:"coverageByPatrimonyClp"` // fraction
	Later        bool        `json:"classified_later"`
}

// Family is a family on the day. Its changes are those of the currency in which it
// has most equity.
type Family struct {
	Family        string                `json:"family"`
	Name          string                `json:"name"`
	DisplayGroup  *string               `json:"displayGroup"`
	IndexCurrency string                `json:"indexCurrency"`
	DailyChange   *float64              `json:"dailyChange"`
	MonthlyChange *float64              `json:"monthlyChange"`
	PatrimonyClp  *float64              `json:"patrimonyClp"`
	SeriesCount   uint64                `json:"seriesCount"`
	FundCount     uint64                `json:"fundCount"`
	Coverage      ChangeCoverage        `json:"coverage"` // of the changes, in the currency of these
	ByCurrency    map[string]InCurrency `json:"byCurrency"`
}

// InCurrency is the part of a family in one currency. Changes are percent points, and equity is in millions of the
// currency.
type InCurrency struct {
	DailyChange   *float64       `json:"dailyChange"`
	MonthlyChange *float64       `json:"monthlyChange"`
	Patrimony     float64        `json:"patrimony"`
	SeriesCount   uint64         `json:"seriesCount"`
	Coverage      ChangeCoverage `json:"coverage"` // of the changes
}

// Mover is a series in a list of rises or falls.
type Mover struct {
	RUN           string            `json:"run"`
	Serie         string            `json:"serie"`
	SerieID       string            `json:"serieId"`
	FundID        string            `json:"fundId"`
	FundName      string            `json:"fundName"`
	AGF           string            `json:"agf"`
	Category      *string           `json:"category"`
	Family        *string           `json:"family"`
	Currency      string            `json:"currency"`
	Price         *operation.Amount `json:"price"`
	DailyChange   *float64          `json:"dailyChange"`
	MonthlyChange *float64          `json:"monthlyChange"`
	Patrimony     *operation.Amount `json:"patrimony"`
}

// summaryAt returns the summary of the day that answers for a date.
func summaryAt(ctx context.Context, p operation.Pinned, asked operation.DateParam) (*Summary, error) {
	day, err := past.AnsweringDay(ctx, p, asked)
	if err != nil {
		return nil, err
	}
	return summaryOfDay(ctx, p, day)
}

// summaryOfDay returns the summary of a day, and an empty one if there is no day.
func summaryOfDay(ctx context.Context, p operation.Pinned, day past.MarketDay) (*Summary, error) {
	if day.Date == nil {
		return emptySummary(p, day), nil
	}
	summaries, err := summarise(ctx, p, []past.MarketDay{day}, livingSeries)
	return summaries[*day.Date], err
}

// emptySummary is a summary of a day that has only what does not need ClickHouse.
func emptySummary(p operation.Pinned, day past.MarketDay) *Summary {
	return &Summary{
		Meta: Meta{
			Date: day.Date, Complete: day.Complete, Methodology: "summary_v1", Universe: livingSeries.name,
			TopN: topMovers,
			// A batch without a cutoff may still have a day with data.
			SurvivorshipBias: day.Date != nil && p.Batch.AsOf != nil &&
				day.Date.Compare(*operation.DateOf(p.Batch.AsOf)) < 0,
			Flows: FlowStates{Universe: "historical", Daily: "unavailable", Monthly: "unavailable"},
			Units: map[string]string{"dailyChange": "percent points", "monthlyChange": "percent points",
				"patrimony": "millions of the currency", "patrimonyClp": "millions of CLP"},
		},
		Families: []Family{}, GainersDaily: []Mover{}, LosersDaily: []Mover{}, GainersMonthly: []Mover{},
		LosersMonthly: []Mover{},
	}
}

// summaries are summaries by day.
type summaries map[model.Date]*Summary

// on returns the summary of the day of a row, and nil if no summary of that day is being made.
func (s summaries) on(day time.Time) *Summary { return s[model.DateOf(day)] }

// emptySummaries returns an empty summary of each of some days that have data.
func emptySummaries(p operation.Pinned, days []past.MarketDay) summaries {
	out := make(summaries, len(days))
	for _, day := range days {
		out[*day.Date] = emptySummary(p, day)
	}
	return out
}

// periodOf returns the first and the last one of some days, in ascending order, as arguments of a statement.
func periodOf(days []past.MarketDay) []any {
	return []any{sql.Arg("from", days[0].Date.String()), sql.Arg("to", days[len(days)-1].Date.String())}
}

// familyCoverage says how much of the market has a family on a day.
type familyCoverage struct {
	Classified   uint64     `ch:"classified"`
	Unclassified uint64     `ch:"unclassified"`
	Unconverted  uint64     `ch:"unconverted"`
	Coverage     *float64   `ch:"coverage"`
	Previous     *time.Time `ch:"previous_date"`
	Later        bool       `ch:"classified_later"`
}

// tell puts the coverage into a summary. report is the comparator that gives the families.
func (of familyCoverage) tell(out *Summary, report *model.Date) {
	out.Meta.PreviousDate, out.Meta.Unconverted = operation.DateOf(of.Previous), of.Unconverted
	out.Meta.Classification = Classification{
		Available: report != nil, ReportDate: report, Later: of.Later,
		Classified: of.Classified, Unclassified: of.Unclassified, Coverage: of.Coverage,
	}
}

// tellFlows says whether the flows of the day are known.
func (out *Summary) tellFlows(of facts.KnownFlows) {
	if of.Series == 0 {
		return
	}
	enough := float64(of.Series) * flowShare
	if float64(of.Daily) >= enough {
		out.Meta.Flows.Daily = "ok"
	}
	if float64(of.Monthly) >= enough {
		out.Meta.Flows.Monthly = "ok"
	}
}

// summarisedFamily is a family in one currency on a day.
type summarisedFamily struct {
	Date         time.Time `ch:"date"`
	Family       string    `ch:"family_rar"`
	Currency     string    `ch:"currency"`
	DisplayGroup *string   `ch:"family_display"`
	PatrimonyClp *float64  `ch:"family_patrimony_clp"`
	FamilySeries uint64    `ch:"family_series"`
	FamilyFunds  uint64    `ch:"family_funds"`

	DailyChange   *float64 `ch:"daily_change"`
	DailySeries   uint64   `ch:"daily_series"`
	DailyShare    *float64 `ch:"daily_share"`
	MonthlyChange *float64 `ch:"monthly_change"`
	MonthlySeries uint64   `ch:"monthly_series"`
	MonthlyShare  *float64 `ch:"monthly_share"`
	Patrimony     float64  `ch:"patrimony"`
	Series        uint64   `ch:"series"`
}

// inCurrency returns the part of the reply.
func (f *summarisedFamily) inCurrency() InCurrency {
	return InCurrency{
		DailyChange: f.DailyChange, MonthlyChange: f.MonthlyChange, Patrimony: f.Patrimony, SeriesCount: f.Series,
		Coverage: ChangeCoverage{
			Daily:   coverageOf(f.DailyChange, f.DailySeries, f.Series, f.DailyShare),
			Monthly: coverageOf(f.MonthlyChange, f.MonthlySeries, f.Series, f.MonthlyShare),
		},
	}
}

// addFamilies adds families in the order of a summary.
func (s summaries) addFamilies(found []summarisedFamily) {
	for i, f := range found {
		out := s.on(f.Date)
		if out == nil {
			continue
		}
		in := f.inCurrency()
		// the first row of a family has its index currency
		if i == 0 || f.Family != found[i-1].Family || !f.Date.Equal(found[i-1].Date) {
			out.Families = append(out.Families, Family{
				Family: f.Family, Name: f.Family, DisplayGroup: f.DisplayGroup,
				IndexCurrency: f.Currency, DailyChange: f.DailyChange, MonthlyChange: f.MonthlyChange,
				PatrimonyClp: f.PatrimonyClp, SeriesCount: f.FamilySeries, FundCount: f.FamilyFunds,
				Coverage:   in.Coverage,
				ByCurrency: map[string]InCurrency{},
			})
		}
		out.Families[len(out.Families)-1].ByCurrency[f.Currency] = in
	}
}

// movedSeries is a series in a list of rises or falls, without its names.
type movedSeries struct {
	Date          time.Time        `ch:"date"`
	List          string           `ch:"list"`
	SeriesID      uint32           `ch:"series_id"`
	Category      *string          `ch:"category"`
	Family        *string          `ch:"family_rar"`
	Currency      string           `ch:"currency"`
	Price         *decimal.Decimal `ch:"price"`
	DailyChange   *float64         `ch:"daily_change"`
	MonthlyChange *float64         `ch:"monthly_change"`
	Equity        *decimal.Decimal `ch:"equity"`
}

// addTo puts the series at the end of its list in a summary.
func (m movedSeries) addTo(out *Summary, of *past.ListedSeries) {
	list := out.list(m.List)
	*list = append(*list, Mover{
		RUN: of.RUN, Serie: of.Serie, SerieID: operation.IDText(m.SeriesID), FundID: operation.IDText(of.FundID),
		FundName: of.Fund, AGF: of.Manager,
		Category: m.Category, Family: m.Family, Currency: m.Currency, Price: operation.AmountOf(m.Price),
		DailyChange: m.DailyChange, MonthlyChange: m.MonthlyChange, Patrimony: operation.MillionsOf(m.Equity),
	})
}

// list returns a list of rises or falls by the name that statements give it.
func (of *Summary) list(name string) *[]Mover {
	return map[string]*[]Mover{
		"gainers_daily": &of.GainersDaily, "losers_daily": &of.LosersDaily,
		"gainers_monthly": &of.GainersMonthly, "losers_monthly": &of.LosersMonthly,
	}[name]
}
