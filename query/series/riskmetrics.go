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

// explainedFigures are the risk figures that have receipts, by their names in RiskFigures.
var explainedFigures = map[string]struct {
	months int
	annual bool
	of     func(facts.Risk) *float64
}{
	"volatility_monthly_12m":    {12, false, func(of facts.Risk) *float64 { return of.VolatilityMonthly12 }},
	"volatility_monthly_36m":    {36, false, func(of facts.Risk) *float64 { return of.VolatilityMonthly36 }},
	"volatility_annualized_12m": {12, true, func(of facts.Risk) *float64 { return of.VolatilityAnnual12 }},
	"volatility_annualized_36m": {36, true, func(of facts.Risk) *float64 { return of.VolatilityAnnual36 }},
	"max_drawdown_36m":          {36, false, func(of facts.Risk) *float64 { return of.MaxDrawdown36 }},
	riskScore: {36, false, func(of facts.Risk) *float64 {
		return operation.Mapped(of.RiskScore, func(score uint8) float64 { return float64(score) })
	}},
}

const (
	ruleOfRisk      = "volatility-drawdown-downside-and-value-at-risk"
	ruleOfMonthEnds = "For each month end the newest quote on or before it stands, at most 7 days old. "
)

var (
	ruleOfVolatility = receipt.Rule{ID: ruleOfRisk, SQL: "sql/projections/60_risk_month.sql",
		Text: ruleOfMonthEnds + "A month has multiplied the money by the " +
			"quotient of the quotes of its end and of the end before, times the factors that the cartola states on its days. The " +
			"volatility is the sample standard deviation of 12 or 36 months, and a year's is this times the root of 12. It needs " +
			"every month, without a break."}
	ruleOfDrawdown = receipt.Rule{ID: ruleOfRisk, SQL: "sql/projections/60_risk_month.sql",
		Text: ruleOfMonthEnds + "Between the first and the last of 37 month ends, the greatest fall goes from a highest quote " +
			"to the lowest one after it. It is the lowest divided by the highest, times the factors that the cartola states on the " +
			"days between, less 1, or 0 if no quote is below an earlier one. It needs every month, without a break."}
)

// ruleOfScores is that of the risk score.
var ruleOfScores = receipt.Rule{ID: "score-and-level", SQL: "sql/projections/60_risk_month.sql",
	Text: "The series of mutual funds of the month that have the volatility and the greatest fall of 36 months are ranked by " +
		"both. The rank of a value is how many series have a smaller one, and half of how many have the same, the series itself " +
		"among them, divided by the number of series; a fall counts by its depth. The score is 100 times the mean of both ranks, " +
		"rounded, a half up. " + ruleOfMonthEnds + "Volatility and fall follow from these quotes and the factors that the cartola states."}

// riskScore is the name of the risk score in RiskFigures.
const riskScore = "risk_score"

// RiskReceipt is the receipt of a volatility, the greatest fall or the risk score of a series at its newest month end
// up to a date, by default the newest of all. field is its name in RiskFigures. The list of the peers of a score has no
// addresses.
func RiskReceipt(ctx context.Context, p operation.Pinned, asset operation.AssetID, field string,
	date operation.DateParam) (receipt.Receipt, error) {
	known, err := findAsset(ctx, p, asset)
	if err != nil {
		return receipt.Receipt{}, err
	}
	made := receipt.Receipt{Subject: subjectOf(known, field, explainedDate(p, date)), Rule: ruleOfVolatility, Unit: "fraction",
		Inputs: []receipt.Input{}}
	switch field {
	case "max_drawdown_36m":
		made.Rule = ruleOfDrawdown
	case riskScore:
		made.Rule, made.Unit = ruleOfScores, "points of 100"
	}
	found, err := riskSnapshots(ctx, p, date.Or(operation.LastDayOfAll), false, known.ID)
	if err != nil || len(found) == 0 || found[0].Month == nil {
		made.Reason = new("no_risk_snapshot")
		return made, err
	}
	figure, month := explainedFigures[field], model.DateOf(*found[0].Month)
	if !date.Given {
		made.Subject.Date = month
	}
	if made.Inputs, err = monthEndsOf(ctx, p, known, month, figure.months); err != nil {
		return made, err
	}
	value := figure.of(found[0].Risk)
	if value == nil || field == riskScore && found[0].scoreCoverage() == nil {
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
	var by receipt.Formula
	switch {
	case field == riskScore:
		by, err = addScore(ctx, p, &made, known, *found[0].scoreCoverage(), month)
	case field == "max_drawdown_36m":
		by, err = addFall(ctx, p, &made, known, *first.Date, *last.Date)
	default:
		by = receipt.Deviation(monthlyGrowths(made.Inputs, 0, figure.months)...)
	}
	if figure.annual {
		root := receipt.Quotient(receipt.Number(1), receipt.Number(2))
		by = receipt.Product(by, receipt.Power(receipt.Number(12), root))
	}
	if err != nil {
		return made, err
	}
	err = made.SetValue(*value, by)
	return made, err
}

// addScore adds to a receipt, which has the month ends of 36 months and the factors between, the quotes of the greatest
// fall and the series that are ranked, and returns the score.
func addScore(ctx context.Context, p operation.Pinned, made *receipt.Receipt, known Series, of facts.Coverage,
	month model.Date) (score receipt.Formula, err error) {
	ends := len(made.Inputs)
	fall, err := addFall(ctx, p, made, known, *made.Inputs[0].Date, *made.Inputs[36].Date)
	if err != nil {
		return score, err
	}
	volatility := receipt.Deviation(monthlyGrowths(made.Inputs, len(made.Inputs)-ends, 36)...)
	found, err := operation.Rows[struct {
		Series     uint32  `ch:"series_id"`
		RUN        string  `ch:"run"`
		Serie      string  `ch:"serie"`
		Volatility float64 `ch:"volatility"`
		Fall       float64 `ch:"fall"`
	}](ctx, p, "ranked_risk", sql.Arg("month", month.String()))
	list := make([]receipt.Peer, len(found))
	for i, row := range found {
		list[i] = receipt.Peer{Series: operation.IDText(row.Series), RUN: row.RUN, Serie: row.Serie,
			Values: []string{receipt.Decimal(row.Volatility), receipt.Decimal(row.Fall)}}
	}
	made.Peers = &receipt.Peers{Own: operation.IDText(known.ID), LeftOut: []receipt.LeftOut{},
		Fields: []string{"volatility_monthly_36m", "max_drawdown_36m"}}
	if out := int(of.OfSeries - of.Series); out > 0 {
		made.Peers.LeftOut = append(made.Peers.LeftOut, receipt.LeftOut{Reason: "missing_monthly_return", Series: out})
	}
	made.Peers.SetList(list)
	n := receipt.Number(len(list))
	// Of n series, those with a deeper fall than one and those with a shallower one are n together.
	ranks := receipt.Sum(receipt.MidRank("volatility_monthly_36m", volatility), n,
		receipt.Product(receipt.Number(-1), receipt.MidRank("max_drawdown_36m", fall)))
	return receipt.Rounded(receipt.Quotient(receipt.Product(receipt.Number(50), ranks), n)), err
}

// monthlyGrowths says by how much each month has multiplied the money, of inputs that are month ends from the first on,
// one more than months, and then the factors between them.
func monthlyGrowths(inputs []receipt.Input, first, months int) (growths []receipt.Formula) {
	for i := first + 1; i <= first+months; i++ {
		growths = append(growths, receipt.Quotient(grown(inputs, i, inputs[i-1].Date), receipt.In(i-1)))
	}
	return growths
}

// grown is the quote of an input times the factors that the cartola states after a day and up to that of the quote.
func grown(inputs []receipt.Input, quote int, after *model.Date) receipt.Formula {
	parts, until := []receipt.Formula{receipt.In(quote)}, inputs[quote].Date
	for i := range inputs {
		on := inputs[i].Date
		if inputs[i].Name == statedFactor && after != nil && until != nil &&
			on.Compare(*after) > 0 && on.Compare(*until) <= 0 {
			parts = append(parts, receipt.In(i))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return receipt.Product(parts...)
}

// addFall puts the highest and the lowest quote of the greatest fall before the other inputs of a receipt, which are
// month ends and the factors between, and returns how deep it is. A series that never fell has no such quotes.
func addFall(ctx context.Context, p operation.Pinned, made *receipt.Receipt, known Series,
	after, until model.Date) (by receipt.Formula, err error) {
	found, err := operation.Rows[struct {
		Peak   time.Time `ch:"peak_on"`
		Lowest time.Time `ch:"lowest_on"`
	}](ctx, p, "drawdown_days", sql.Arg("series_id", known.ID), sql.Arg("after", after.String()),
		sql.Arg("until", until.String()))
	if err != nil || len(found) == 0 {
		return receipt.Number(0), err
	}
	peak, lowest := model.DateOf(found[0].Peak), model.DateOf(found[0].Lowest)
	ends, err := quotesOn(ctx, p, known, wantedInput{"peak", nil, &peak}, wantedInput{"trough", nil, &lowest})
	made.Inputs = append(ends, made.Inputs...)
	return receipt.Sum(receipt.Quotient(grown(made.Inputs, 1, &peak), receipt.In(0)), receipt.Number(-1)), err
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
