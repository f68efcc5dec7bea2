package series

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/sql"
)

// RiskMetrics answers with the newest monthly risk figures of a series, or the newest of a month that
// ended by as_of_date. All are null if there are none (RULES 5).
var RiskMetrics = operation.Endpoint[operation.DatedAssetParams, httpapi.Item[RiskFigures]]{
	Path:  "/api/real_assets/{asset_id}/risk_metrics",
	Check: operation.CheckDatedAsset,
	Find:  findRiskMetrics, Known: knownRiskMetrics, Parts: []batch.Loader{market.Part, riskPart},
}

// RiskFigures are the risk figures of a series at a month end. All are nil for a series without one.
type RiskFigures struct {
	RUN   string      `json:"run"`
	Serie string      `json:"serie"`
	AsOf  *model.Date `json:"as_of_date"`
	facts.Risk
	MethodVersion *string `json:"method_version"`
	FurtherRisk
	ScoreCoverage *facts.Coverage `json:"risk_score_coverage"` // nil without a score
}

// FurtherRisk holds risk figures that only this endpoint shows. They are fractions, except
// beta. Beta and tracking error are relative to the index of the series' family in the
// series' currency.
type FurtherRisk struct {
	Downside36      *float64 `ch:"downside_deviation_36m" json:"downside_deviation_36m"`
	VaR95           *float64 `ch:"var_95_1m" json:"var_95_1m"`
	Beta36          *float64 `ch:"beta_36m" json:"beta_36m"`
	TrackingError36 *float64 `ch:"tracking_error_36m" json:"tracking_error_36m"`
}

// riskSnapshot is a row of risk.sql. All its figures are nil for a series without one.
type riskSnapshot struct {
	SeriesID uint32     `ch:"series_id"`
	Month    *time.Time `ch:"month"`
	facts.Risk
	MethodVersion *string `ch:"method_version"`
	FurtherRisk
	ScoreSeries   *uint32  `ch:"risk_score_series"` // with ScoreOfSeries nil without a score
	ScoreOfSeries *uint32  `ch:"risk_score_of_series"`
	ScoreShare    *float64 `ch:"risk_score_share"`
}

// scoreCoverage says among how many series the score is a rank.
func (of riskSnapshot) scoreCoverage() *facts.Coverage {
	if of.ScoreSeries == nil || of.ScoreOfSeries == nil {
		return nil
	}
	return &facts.Coverage{Series: uint64(*of.ScoreSeries), OfSeries: uint64(*of.ScoreOfSeries),
		EquityShare: of.ScoreShare}
}

// volatilities are the risk figures that have receipts, by their names in RiskFigures.
var volatilities = map[string]struct {
	months int
	annual bool
	of     func(facts.Risk) *float64
}{
	"volatility_monthly_12m":    {12, false, func(of facts.Risk) *float64 { return of.VolatilityMonthly12 }},
	"volatility_monthly_36m":    {36, false, func(of facts.Risk) *float64 { return of.VolatilityMonthly36 }},
	"volatility_annualized_12m": {12, true, func(of facts.Risk) *float64 { return of.VolatilityAnnual12 }},
	"volatility_annualized_36m": {36, true, func(of facts.Risk) *float64 { return of.VolatilityAnnual36 }},
}

var ruleOfVolatility = receipt.Rule{ID: "volatility-drawdown-downside-and-value-at-risk",
	SQL: "sql/projections/60_risk_month.sql",
	Text: "For each month end the newest quote on or before it stands, at most 7 days old. A month has multiplied the money by the " +
		"quotient of the quotes of its end and of the end before, times the factors that the cartola states on its days. The " +
		"volatility is the sample standard deviation of 12 or 36 months, and a year's is this times the root of 12. It needs every month, " +
		"without a break."}

// VolatilityReceipt is the receipt of a volatility of a series at its newest month end up to a date, by default the
// newest of all. field is its name in RiskFigures.
func VolatilityReceipt(ctx context.Context, p operation.Pinned, asset operation.AssetID, field string,
	date operation.DateParam) (receipt.Receipt, error) {
	known, err := findAsset(ctx, p, asset)
	if err != nil {
		return receipt.Receipt{}, err
	}
	made := receipt.Receipt{Subject: subjectOf(known, field, explainedDate(p, date)), Rule: ruleOfVolatility, Unit: "fraction",
		Inputs: []receipt.Input{}}
	found, err := riskSnapshots(ctx, p, date.Or(operation.LastDayOfAll), false, known.ID)
	if err != nil || len(found) == 0 || found[0].Month == nil {
		made.Reason = new("no_risk_snapshot")
		return made, err
	}
	figure, month := volatilities[field], model.DateOf(*found[0].Month)
	if !date.Given {
		made.Subject.Date = month
	}
	if made.Inputs, err = monthEndsOf(ctx, p, known, month, figure.months); err != nil {
		return made, err
	}
	value := figure.of(found[0].Risk)
	if value == nil {
		made.Reason = new("missing_monthly_return")
		return made, nil
	}
	first, last := made.Inputs[0], made.Inputs[figure.months]
	if first.Date == nil || last.Date == nil {
		return made, fmt.Errorf("%s of series %d at %s has a value without quotes", field, known.ID, month)
	}
	factors, err := statedFactorsOf(ctx, p, known, *first.Date, *last.Date)
	if err != nil {
		return made, err
	}
	made.Inputs = append(made.Inputs, factors...)
	var growths []receipt.Formula
	for i, at := 1, figure.months+1; i <= figure.months; i++ {
		grown := []receipt.Formula{receipt.In(i)}
		end := made.Inputs[i].Date
		for ; at < len(made.Inputs) && end != nil && made.Inputs[at].Date.Compare(*end) <= 0; at++ {
			grown = append(grown, receipt.In(at))
		}
		by := grown[0]
		if len(grown) > 1 {
			by = receipt.Product(grown...)
		}
		growths = append(growths, receipt.Quotient(by, receipt.In(i-1)))
	}
	by := receipt.Deviation(growths...)
	if figure.annual {
		root := receipt.Quotient(receipt.Number(1), receipt.Number(2))
		by = receipt.Product(by, receipt.Power(receipt.Number(12), root))
	}
	err = made.SetValue(*value, by)
	return made, err
}

// riskPart keeps the newest snapshot of each series of the current batch in memory.
var riskPart = batch.NewOptionalPart("risk",
	func(ctx context.Context, s batch.Source) (map[uint32]riskSnapshot, int, error) {
		found, err := riskSnapshots(ctx, operation.PinnedBy(s), operation.LastDayOfAll, true)
		if err != nil {
			return nil, 0, err
		}
		newest := make(map[uint32]riskSnapshot, len(found))
		for _, snapshot := range found {
			newest[snapshot.SeriesID] = snapshot
		}
		return newest, len(found) * 2 * int(unsafe.Sizeof(riskSnapshot{})), nil // about half of it is behind pointers
	})

func riskSnapshots(ctx context.Context, p operation.Pinned, asOf model.Date, all bool,
	series ...uint32) ([]riskSnapshot, error) {
	return operation.Rows[riskSnapshot](ctx, p, "risk", sql.Arg("as_of", asOf.String()), sql.Arg("series", series),
		sql.Arg("all_series", all))
}

func findRiskMetrics(ctx context.Context,
	r *operation.Request[operation.DatedAssetParams]) (item httpapi.Item[RiskFigures], err error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return item, err
	}
	found, err := riskSnapshots(ctx, r.Pinned, r.Params.AsOf.Or(operation.LastDayOfAll), false, known.ID)
	var newest riskSnapshot
	if len(found) > 0 {
		newest = found[0]
	}
	return riskItem(known, newest), err
}

// knownRiskMetrics answers at the cutoff.
func knownRiskMetrics(
	r *operation.Request[operation.DatedAssetParams],
) (item httpapi.Item[RiskFigures], there bool, err error) {
	if r.Params.AsOf.Given {
		return item, false, nil
	}
	known, there, err := namedInMemory(r.Pinned, r.Params.Asset)
	snapshots, loaded := riskPart.Of(r.Batch)
	if !there || !loaded || err != nil {
		return item, false, err
	}
	return riskItem(known, snapshots[known.ID]), true, nil
}

func riskItem(of Series, newest riskSnapshot) httpapi.Item[RiskFigures] {
	return httpapi.Item[RiskFigures]{Data: httpapi.NewResource(of.public(), "risk_metrics", RiskFigures{
		of.run(), of.Serie, operation.DateOf(newest.Month), newest.Risk, newest.MethodVersion, newest.FurtherRisk,
		newest.scoreCoverage(),
	})}
}
