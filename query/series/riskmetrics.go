package series

import (
	"context"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/market"
	"cuota/query/operation"
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
