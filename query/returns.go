package query

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// returns gives the returns of a series over eight windows (RULES 1). Price returns in
// accounting currency without as_of_date are those that the batch has computed at its cutoff.
// With it, they are those that the batch has stored for the day, if it has. All others are
// computed for the request, from the quotes, rates and events of the batch.
var returns = operation.Endpoint[returnsParams]{
	Path:  "/api/real_assets/{asset_id}/returns",
	Check: checkReturns, Answer: answerReturns, FromMemory: returnsFromMemory, Parts: []batch.Loader{marketPart, pastPart},
}

type returnsParams struct {
	operation.AssetParams
	AsOf      operation.DateParam `query:"as_of_date" doc:"End of the windows, YYYY-MM-DD, from 1976-01-01 to today in Santiago; absent: the cutoff of the batch"`
	Valuation string              `query:"valuation" enum:"accounting,clp,real_uf" default:"first" doc:"accounting: in the currency of the series. clp: dollars become pesos at the dólar observado. real_uf: in pesos, deflated by UF. An operator enables clp and real_uf; where they are not, 503 valuation_not_enabled."`
	Basis     string              `query:"return_basis" enum:"price,total" default:"first" doc:"price: of the quota value. total: with the verified factors and exchanges of windows that have a factor for every day; not for a series of an investment fund, of which no verified factors are known (422). An operator enables total; where it is not, 503 valuation_not_enabled."`
	operation.BatchParams
	operation.KnownAtParams
}

func checkReturns(today model.Date, params *returnsParams) []httpapi.Violation {
	wrong := operation.CheckAsOf(today, params.AsOf)
	if params.Asset.IsUUID() && params.Basis == "total" {
		wrong = append(wrong, httpapi.Violation{Loc: []string{"query", "return_basis"}, Type: "unverified_factors", Input: "total",
			Msg: "Must be price for a series of an investment fund: no verified factors are known of it"})
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
	operation.BatchFacts
}

// returnsOf returns the attributes for returns of the batch at its cutoff.
func returnsOf(p operation.Pinned, run, serie string, currency *string, periods returnPeriods) returnAttributes {
	b := p.Batch
	return returnAttributes{
		RUN: run, Serie: serie, Currency: currency, AsOf: operation.DateOf(b.AsOf), Periods: periods,
		ToleranceDays: b.ToleranceDays, Unit: "decimal", ReturnBasis: "price", Source: "own", QuotaSource: "CMF",
		MethodVersion: b.MethodVersion, Adjustments: []string{}, EventVerification: "unavailable",
		CalculationMode: "snapshot", BatchFacts: operation.FactsOf(p),
	}
}

func answerReturns(ctx context.Context, r *operation.Request[returnsParams]) (httpapi.Reply, error) {
	valuation, basis := r.Params.Valuation, r.Params.Basis
	if err := enabled(r.Returns, valuation, basis); err != nil {
		return httpapi.Reply{}, err
	}
	if r.Params.AsOf.Given && r.Params.inMemory() {
		reply, there, err := pastReturns(ctx, r)
		if there || err != nil {
			return reply, err
		}
	}
	asOf, direct := operation.LastDayOfAll, r.Params.AsOf.Given
	switch {
	case direct:
		asOf = r.Params.AsOf.Date
	case r.Batch.AsOf != nil:
		asOf = model.DateOf(*r.Batch.AsOf)
	}
	known, rated, err := findRated(ctx, r, asOf, direct)
	if err != nil {
		return httpapi.Reply{}, err
	}
	var attributes any
	switch {
	case basis == "total":
		attributes, err = totalReturns(ctx, r, known, asOf, rated)
	case valuation != "accounting":
		attributes, err = adjustedReturns(ctx, r, known, asOf, rated)
	default:
		attributes, err = priceReturns(ctx, r, known, asOf, rated)
	}
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.JSON(returnsItem(known, attributes))
}

// pastReturns returns the reply of returns at a past date from the windows that the batch has stored for the day. It returns false
// for a series that is unknown, and for a day on which no series was quoted.
func pastReturns(ctx context.Context, r *operation.Request[returnsParams]) (httpapi.Reply, bool, error) {
	past, err := pastOf(ctx, r.Pinned)
	if err != nil {
		return httpapi.Reply{}, false, err
	}
	id := currentID(r.Pinned, r.Params.Asset)
	if _, known := past.series[id]; !known {
		return httpapi.Reply{}, false, nil
	}
	day, err := windowsFor(ctx, r.Pinned, past, id, r.Params.AsOf.Date)
	if err != nil {
		return httpapi.Reply{}, false, err
	}
	return pastReply(r, past, day)
}

// findRated returns the series of a request with its currency at a date, and the rating that is in force then, or at the
// cutoff if the returns are those of the batch. What is not in memory is read at the same time.
func findRated(ctx context.Context, r *operation.Request[returnsParams], asOf model.Date, direct bool) (known series, rated spheres, err error) {
	rate := func(ctx context.Context, of series) (spheres, error) {
		switch {
		case direct:
			return spheresAt(ctx, r.Pinned, of, asOf)
		case r.Batch.AsOf != nil:
			return spheresAt(ctx, r.Pinned, of, operation.LastDayOfAll)
		}
		return withoutCutoff(r.Batch), nil
	}
	named, inMemory, err := namedInMemory(r.Pinned, r.Params.Asset)
	if err != nil {
		return known, rated, err
	}
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		if held := heldPageOf(r.Pinned, r.Params.Asset); held != nil && !direct && r.Batch.AsOf != nil {
			known, known.Currency = named, held.row.Currency
			return nil
		}
		known, err = findSeries(ctx, r.Pinned, r.Params.Asset, asOf)
		known, err = orInstrument(ctx, r.Pinned, r.Params.Asset, known, err)
		if err == nil && !inMemory {
			rated, err = rate(ctx, known)
		}
		return err
	})
	if inMemory {
		reading.Go(func() (err error) {
			rated, err = rate(ctx, named)
			return err
		})
	}
	err = reading.Wait()
	return known, rated, err
}

func returnsItem(of series, attributes any) httpapi.Item {
	return httpapi.Item{Data: httpapi.NewResource(of.public(), "real_asset_returns", attributes)}
}

// ratedReturns are price returns in accounting currency, with the regulator's rating.
type ratedReturns struct {
	returnAttributes
	Spheres spheres `json:"cmf_spheres"`
}

// priceReturns returns returns in accounting currency: those of the batch, or those at the
// requested date.
func priceReturns(ctx context.Context, r *operation.Request[returnsParams], known series, asOf model.Date, rated spheres) (any, error) {
	direct := r.Params.AsOf.Given
	periods, err := readPeriods(ctx, r.Pinned, known, asOf, direct)
	if err != nil {
		return nil, err
	}
	if direct {
		return directReturns(r.Pinned, known, asOf, periods, rated), nil
	}
	attributes := ratedReturns{returnsOf(r.Pinned, known.run(), known.Serie, known.Currency, periods), rated}
	attributes.QuotaSource = known.quotaSource()
	return attributes, nil
}

// directReturns returns the attributes for returns at a requested date.
func directReturns(p operation.Pinned, of series, asOf model.Date, periods returnPeriods, rated spheres) ratedReturns {
	attributes := ratedReturns{returnsOf(p, of.run(), of.Serie, of.Currency, periods), rated}
	attributes.QuotaSource = of.quotaSource()
	attributes.endAt(asOf, asOf)
	return attributes
}

// endAt says that the returns end at a requested date, or at the day that answers for it, and
// not at the cutoff.
func (a *returnAttributes) endAt(requested, day model.Date) {
	a.RequestedAsOf, a.AsOf, a.CalculationMode = &requested, &day, "direct"
	a.SnapshotLagDays, a.RefreshRequired = nil, false // they do not come from the returns of the batch
}

// returnsAtCutoff returns the reply of returns at the cutoff for a series of the market.
func returnsAtCutoff(shown marketAttributes) httpapi.Item {
	return httpapi.Item{Data: httpapi.NewResource(shown.SerieID, "real_asset_returns", ratedReturns{shown.Returns, shown.Spheres})}
}

// inMemory reports whether returns of this kind can be kept in memory.
func (params *returnsParams) inMemory() bool {
	return params.Valuation == "accounting" && params.Basis == "price" && !params.Asset.IsUUID()
}

// returnsFromMemory is returns from the market, or from a past day that was read before. It
// returns false for another valuation or basis, and a series that is not alive at the cutoff.
func returnsFromMemory(r *operation.Request[returnsParams]) (httpapi.Reply, bool, error) {
	if !r.Params.inMemory() {
		return httpapi.Reply{}, false, nil
	}
	if r.Params.AsOf.Given {
		past, there := knownPast(r.Pinned)
		if !there {
			return httpapi.Reply{}, false, nil
		}
		day, there := windowsOfDays.Known(r.Cache, r.Batch, r.Params.AsOf.Date)
		if !there {
			return httpapi.Reply{}, false, nil
		}
		return pastReply(r, past, day)
	}
	market, rendering, err := renderedMarket(r.Pinned)
	if market == nil || err != nil {
		return httpapi.Reply{}, false, err
	}
	row, there := market.positions[r.Params.Asset.Series]
	if !there {
		return httpapi.Reply{}, false, nil
	}
	return httpapi.Reply{Body: rendering.returns[row]}, true, nil
}

// pastReply returns the reply of returns at a past date, from the day. It returns false if the
// day does not have it.
func pastReply(r *operation.Request[returnsParams], past *past, day *pastDay) (httpapi.Reply, bool, error) {
	item, there := past.returnsOn(r.Pinned, r.Params.Asset, day, r.Params.AsOf.Date)
	if !there {
		return httpapi.Reply{}, false, nil
	}
	reply, err := httpapi.JSON(item)
	return reply, err == nil, err
}

// readPeriods reads the windows of a series: those of the batch, or those at a date if direct.
func readPeriods(ctx context.Context, p operation.Pinned, known series, asOf model.Date, direct bool) (returnPeriods, error) {
	statement, args := "returns", []any{sql.Arg("series_id", known.ID)}
	if direct {
		statement, args = "returns_as_of", append(args, sql.Arg("as_of", asOf.String()))
	}
	found, err := operation.Rows[windowRow](ctx, p, statement, args...)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]returnPeriod, len(found))
	for _, row := range found {
		byName[row.Window] = row.period()
	}
	periods := unquoted(p.Batch)
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
		TargetStart: operation.DateOf(&row.TargetStart), TargetEnd: operation.DateOf(&row.TargetEnd),
		EffectiveStart: operation.DateOf(row.EffectiveStart), EffectiveEnd: operation.DateOf(row.EffectiveEnd),
	}
}

// unquoted returns the windows of a series without a quote up to the cutoff.
func unquoted(b *batch.Batch) returnPeriods {
	reason := "missing_end_quote"
	if b.AsOf == nil {
		reason = "no_complete_cutoff"
	}
	periods := make(returnPeriods, len(model.Windows))
	for i, window := range model.Windows {
		periods[i] = returnPeriod{Status: availability(&reason), Reason: &reason}
		periods[i].TargetStart, periods[i].TargetEnd = targetsOf(b, window)
	}
	return periods
}

// targetsOf returns the target dates of a window at the cutoff. They are nil without a cutoff.
func targetsOf(b *batch.Batch, window string) (start, end *model.Date) {
	for i, name := range b.Windows {
		if name == window {
			return operation.DateOf(&b.TargetStarts[i]), operation.DateOf(&b.TargetEnds[i])
		}
	}
	return nil, nil
}
