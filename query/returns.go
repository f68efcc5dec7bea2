package query

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"cuota/model"
)

// returnsOperation gives the returns of a series over eight windows (RULES 1). Price
// returns in accounting currency without as_of_date are those that the batch has computed
// at its cutoff. All others are computed for the request, from the quotes, rates and events
// of the batch.
func (s *Server) returnsOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/real_assets/{asset_id}/returns", access: keyed, reads: anyBatch,
		params: []param{
			pathAsset(), day("as_of_date"), words("valuation", "accounting", "clp", "real_uf"),
			words("return_basis", "price", "total"), filter("batch_id", 200),
		},
		check: s.checkReturns, answer: s.returns, hot: s.returnsFromMemory,
	}
}

// firstAsOf is the earliest as_of_date whose longest window still starts inside
// ClickHouse's type Date.
var firstAsOf = model.NewDate(1976, time.January, 1)

func (s *Server) checkReturns(v values) []violation {
	var wrong []violation
	refuse := func(name, input, kind, msg string) {
		wrong = append(wrong, violation{Loc: []string{"query", name}, Type: kind, Msg: msg, Input: input})
	}
	asOf, given := v.date("as_of_date")
	switch {
	case given && asOf.Compare(s.today()) > 0:
		refuse("as_of_date", asOf.String(), "date_future", "Must not be after today in Santiago, "+s.today().String())
	case given && asOf.Compare(firstAsOf) < 0:
		refuse("as_of_date", asOf.String(), "date_too_early", "Must not be before "+firstAsOf.String())
	}
	if v.asset().isUUID() && v.text("return_basis") == "total" {
		refuse("return_basis", "total", "unverified_factors",
			"Must be price for a series of an investment fund: no verified factors are known of it")
	}
	return wrong
}

// returnPeriod is the return over one window.
type returnPeriod struct {
	Value          *float64    `json:"value"` // fraction; per year for 3y_ann and 5y_ann
	Currency       *string     `json:"currency"`
	Status         string      `json:"status"`
	Reason         *string     `json:"reason"`
	TargetStart    *model.Date `json:"target_start_date"`
	TargetEnd      *model.Date `json:"target_end_date"`
	EffectiveStart *model.Date `json:"effective_start_date"`
	EffectiveEnd   *model.Date `json:"effective_end_date"`
}

// periods holds one item for each window, in the order of model.Windows.
type periods[P any] []P

type returnPeriods = periods[returnPeriod]

// MarshalJSON writes an object whose keys are the names of the windows.
func (p periods[P]) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, window := range model.Windows {
		out.WriteString(`,"` + window + `":`)
		encoded, err := json.Marshal(p[i])
		if err != nil {
			return nil, err
		}
		out.Write(encoded)
	}
	out.Bytes()[0] = '{'
	out.WriteByte('}')
	return out.Bytes(), nil
}

// returnAttributes are the returns of a series, with their origin.
type returnAttributes struct {
	RUN               string        `json:"run"`
	Serie             string        `json:"serie"`
	Currency          *string       `json:"currency"` // accounting currency
	RequestedAsOf     *model.Date   `json:"requested_as_of_date"`
	AsOf              *model.Date   `json:"as_of_date"`
	Periods           returnPeriods `json:"periods"`
	ToleranceDays     uint8         `json:"tolerance_days"`
	Unit              string        `json:"unit"`
	ReturnBasis       string        `json:"return_basis"`
	Source            string        `json:"source"`
	QuotaSource       string        `json:"quota_source"`
	MethodVersion     string        `json:"method_version"`
	Adjustments       []string      `json:"adjustments"`
	EventVerification string        `json:"event_verification"`
	CalculationMode   string        `json:"calculation_mode"`
	batchFacts
}

// returnsOf gives the attributes for returns of the batch at its cutoff.
func (s *Server) returnsOf(b *batch, run, serie string, currency *string, periods returnPeriods) returnAttributes {
	return returnAttributes{
		RUN: run, Serie: serie, Currency: currency, AsOf: dateOf(b.AsOf), Periods: periods,
		ToleranceDays: b.ToleranceDays, Unit: "decimal", ReturnBasis: "price", Source: "own", QuotaSource: "CMF",
		MethodVersion: b.MethodVersion, Adjustments: []string{}, EventVerification: "unavailable",
		CalculationMode: "snapshot", batchFacts: s.facts(b),
	}
}

func (s *Server) returns(ctx context.Context, c *call) (reply, error) {
	valuation, basis := c.text("valuation"), c.text("return_basis")
	if err := s.enabled(valuation, basis); err != nil {
		return reply{}, err
	}
	asOf, direct := c.date("as_of_date")
	switch {
	case direct:
	case c.batch.AsOf != nil:
		asOf = model.DateOf(*c.batch.AsOf)
	default:
		asOf = lastDayOfAll
	}
	known, err := s.findSeries(ctx, c.batch, c.asset(), asOf)
	if err != nil {
		return reply{}, err
	}
	var rated spheres
	switch {
	case direct:
		rated, err = s.spheresAt(ctx, c.batch, known, asOf)
	case c.batch.AsOf != nil:
		rated, err = s.spheresAt(ctx, c.batch, known, lastDayOfAll)
	default:
		rated = withoutCutoff(c.batch)
	}
	if err != nil {
		return reply{}, err
	}
	var attributes any
	switch {
	case basis == "total":
		attributes, err = s.totalReturns(ctx, c, known, asOf, rated)
	case valuation != "accounting":
		attributes, err = s.adjustedReturns(ctx, c, known, asOf, rated)
	default:
		attributes, err = s.priceReturns(ctx, c, known, asOf, rated)
	}
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		Data resource `json:"data"`
	}{resource{known.public(), "real_asset_returns", attributes}})
}

// ratedReturns are price returns in accounting currency, with the regulator's rating.
type ratedReturns struct {
	returnAttributes
	Spheres spheres `json:"cmf_spheres"`
}

// priceReturns gives returns in accounting currency: those of the batch, or those at the
// requested date.
func (s *Server) priceReturns(ctx context.Context, c *call, known series, asOf model.Date, rated spheres) (any, error) {
	_, direct := c.date("as_of_date")
	periods, err := s.periods(ctx, c.batch, known, asOf, direct)
	if err != nil {
		return nil, err
	}
	attributes := ratedReturns{s.returnsOf(c.batch, known.run(), known.Serie, known.Currency, periods), rated}
	attributes.QuotaSource = known.quotaSource()
	if direct {
		attributes.RequestedAsOf, attributes.AsOf, attributes.CalculationMode = &asOf, &asOf, "direct"
		attributes.SnapshotLagDays, attributes.RefreshRequired = nil, false // it does not come from the returns of the batch
	}
	return attributes, nil
}

// snapshotReturns gives the reply of returns at the cutoff for a series that is in the
// snapshot.
func snapshotReturns(shown marketAttributes) any {
	return struct {
		Data resource `json:"data"`
	}{resource{shown.SerieID, "real_asset_returns", ratedReturns{shown.Returns, shown.Spheres}}}
}

// returnsFromMemory is returns from the snapshot. It returns false for a requested date,
// another valuation or basis, and a series that is not alive at the cutoff.
func (s *Server) returnsFromMemory(c *call, shot *snapshot, drawn *rendering) (reply, bool) {
	if c.has("as_of_date") || c.text("valuation") != "accounting" || c.text("return_basis") != "price" || c.asset().isUUID() {
		return reply{}, false
	}
	row, there := shot.row(c.asset().series)
	if !there {
		return reply{}, false
	}
	return reply{status: http.StatusOK, body: drawn.returns[row]}, true
}

// periods reads the windows of a series: those of the batch, or those at a date if direct.
func (s *Server) periods(ctx context.Context, b *batch, known series, asOf model.Date, direct bool) (returnPeriods, error) {
	statement, args := "returns", []any{arg("batch", b.Number), arg("series_id", known.ID)}
	if direct {
		statement, args = "returns_at", append(args, arg("as_of", asOf.String()))
	}
	found, err := rows[windowRow](ctx, s.reader, statement, args...)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]returnPeriod, len(found))
	for _, row := range found {
		byName[row.Window] = row.period()
	}
	periods := b.unquoted()
	for i, window := range model.Windows {
		if period, there := byName[window]; there {
			periods[i] = period
		}
	}
	return periods, nil
}

// windowRow is the return over one window, as tables and views have it.
type windowRow struct {
	Window         string     `ch:"window"`
	Value          *float64   `ch:"value"`
	Currency       *string    `ch:"currency"`
	Reason         *string    `ch:"reason"`
	TargetStart    time.Time  `ch:"target_start"`
	TargetEnd      time.Time  `ch:"target_end"`
	EffectiveStart *time.Time `ch:"effective_start"`
	EffectiveEnd   *time.Time `ch:"effective_end"`
}

func (row windowRow) period() returnPeriod {
	return returnPeriod{
		Value: row.Value, Currency: row.Currency, Status: availability(row.Reason), Reason: row.Reason,
		TargetStart: dateOf(&row.TargetStart), TargetEnd: dateOf(&row.TargetEnd),
		EffectiveStart: dateOf(row.EffectiveStart), EffectiveEnd: dateOf(row.EffectiveEnd),
	}
}

// unquoted gives the windows of a series without a quote up to the cutoff.
func (b *batch) unquoted() returnPeriods {
	reason := "missing_end_quote"
	if b.AsOf == nil {
		reason = "no_complete_cutoff"
	}
	periods := make(returnPeriods, len(model.Windows))
	for i, window := range model.Windows {
		periods[i] = returnPeriod{Status: availability(&reason), Reason: &reason}
		periods[i].TargetStart, periods[i].TargetEnd = b.targets(window)
	}
	return periods
}

// targets gives the target dates of a window at the cutoff. They are nil without a cutoff.
func (b *batch) targets(window string) (start, end *model.Date) {
	for i, name := range b.Windows {
		if name == window {
			return dateOf(&b.TargetStarts[i]), dateOf(&b.TargetEnds[i])
		}
	}
	return nil, nil
}
