package series

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// Returns answers with the returns of a series over eight windows (RULES 1). Price returns in
// accounting currency without as_of_date are those that the batch has computed at its cutoff.
// With it, they are those that the batch has stored for the day, if it has. All others are
// computed for the request, from the quotes, rates and events of the batch.
var Returns = operation.Endpoint[returnsParams, httpapi.Item[AnyReturns]]{
	Path:  "/api/real_assets/{asset_id}/returns",
	Check: checkReturns, Find: findReturns, Known: knownReturns, FromMemory: returnsFromMemory,
	Parts: []batch.Loader{market.Part, past.Part},
}

type returnsParams struct {
	operation.AssetParams
	AsOf      operation.DateParam `query:"as_of_date" doc:"End of the windows, YYYY-MM-DD, from 1976-01-01 to today in Santiago; absent: the cutoff of the batch"`
	Valuation string              `query:"valuation" enum:"accounting,clp,real_uf" default:"first" doc:"accounting: in the currency of the series. clp: dollars become pesos at the dólar observado. real_uf: in pesos, deflated by UF. An operator enables clp and real_uf; where they are not, 503 valuation_not_enabled."`
	Basis     string              `query:"return_basis" enum:"price,total" default:"first" doc:"price: of the quota value. total: with the verified factors and exchanges of windows that have a factor for every day; not for a series of an investment fund, of which no verified factors are known (422). An operator enables total; where it is not, 503 valuation_not_enabled."`
	operation.BatchParams
	operation.KnownAtParams
}

// AnyReturns are the attributes of returns: PriceReturns, AdjustedReturns or TotalReturns.
type AnyReturns interface {
	// End is the day at which the windows end. It is nil in a batch without a cutoff.
	End() *model.Date
	// Windows are the returns without what only one kind of returns has.
	Windows() facts.ReturnPeriods
	// Rating is the regulator's rating that is in force.
	Rating() facts.Spheres
}

// PriceReturns are returns of the quota in the currency of the series.
type PriceReturns struct{ market.RatedReturns }

// End implements AnyReturns.
func (r PriceReturns) End() *model.Date { return r.AsOf }

// Windows implements AnyReturns.
func (r PriceReturns) Windows() facts.ReturnPeriods { return r.Periods }

// Rating implements AnyReturns.
func (r PriceReturns) Rating() facts.Spheres { return r.Spheres }

func checkReturns(today model.Date, params *returnsParams) []httpapi.Violation {
	wrong := operation.CheckAsOf(today, params.AsOf)
	if params.Asset.IsUUID() && params.Basis == "total" {
		wrong = append(wrong, httpapi.Violation{Loc: []string{"query", "return_basis"}, Type: "unverified_factors",
			Input: "total",
			Msg:   "Must be price for a series of an investment fund: no verified factors are known of it"})
	}
	return wrong
}

func findReturns(ctx context.Context, r *operation.Request[returnsParams]) (item httpapi.Item[AnyReturns], err error) {
	valuation, basis := r.Params.Valuation, r.Params.Basis
	if err := Enabled(r.Returns, valuation, basis); err != nil {
		return item, err
	}
	if r.Params.AsOf.Given && r.Params.inMemory() {
		stored, there, err := pastReturns(ctx, r)
		if there || err != nil {
			return stored, err
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
		return item, err
	}
	var attributes AnyReturns
	switch {
	case basis == "total":
		attributes, err = totalReturns(ctx, r, known, asOf, rated)
	case valuation != "accounting":
		attributes, err = adjustedReturns(ctx, r, known, asOf, rated)
	default:
		attributes, err = priceReturns(ctx, r, known, asOf, rated)
	}
	return returnsItem(known, attributes), err
}

// pastReturns returns the returns at a past date from the windows that the batch has stored for the day, or those
// between the quotes that stand. It returns false for a series that was never quoted, and for a day on which no
// series was.
func pastReturns(ctx context.Context,
	r *operation.Request[returnsParams]) (item httpapi.Item[AnyReturns], there bool, err error) {
	history, err := past.Of(ctx, r.Pinned)
	if err != nil {
		return item, false, err
	}
	id := past.CurrentID(r.Pinned, r.Params.Asset)
	if _, known := history.Series[id]; !known {
		return item, false, nil
	}
	day, err := past.WindowsFor(ctx, r.Pinned, history, id, r.Params.AsOf.Date)
	if err != nil {
		return item, false, err
	}
	item, there = returnsOn(r.Pinned, history, r.Params.Asset, day, r.Params.AsOf.Date)
	return item, there, nil
}

// findRated returns the series of a request with its currency at a date, and the rating that is in force then, or at
// the cutoff if the returns are those of the batch. What is not in memory is read at the same time.
func findRated(ctx context.Context, r *operation.Request[returnsParams], asOf model.Date,
	direct bool) (known Series, rated facts.Spheres, err error) {
	rate := func(ctx context.Context, of Series) (facts.Spheres, error) {
		switch {
		case direct:
			return spheresAt(ctx, r.Pinned, of, asOf)
		case r.Batch.AsOf != nil:
			return spheresAt(ctx, r.Pinned, of, operation.LastDayOfAll)
		}
		return facts.WithoutCutoff(r.Batch), nil
	}
	named, inMemory, err := namedInMemory(r.Pinned, r.Params.Asset)
	if err != nil {
		return known, rated, err
	}
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		if kept := keptProfileOf(r.Pinned, r.Params.Asset); kept != nil && !direct && r.Batch.AsOf != nil {
			known, known.Currency = named, kept.row.Currency
			return nil
		}
		known, err = Find(ctx, r.Pinned, r.Params.Asset, asOf)
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

func returnsItem(of Series, attributes AnyReturns) httpapi.Item[AnyReturns] {
	return httpapi.Item[AnyReturns]{Data: httpapi.NewResource(of.public(), "real_asset_returns", attributes)}
}

// priceReturns returns returns in accounting currency: those of the batch, or those at the
// requested date.
func priceReturns(ctx context.Context, r *operation.Request[returnsParams], known Series, asOf model.Date,
	rated facts.Spheres) (AnyReturns, error) {
	direct := r.Params.AsOf.Given
	periods, err := readPeriods(ctx, r.Pinned, known, asOf, direct)
	if err != nil {
		return nil, err
	}
	if direct {
		return directReturns(r.Pinned, known, asOf, periods, rated), nil
	}
	return pricedAt(r.Pinned, known, periods, rated), nil
}

// pricedAt returns the attributes for returns at the cutoff.
func pricedAt(p operation.Pinned, of Series, periods facts.ReturnPeriods, rated facts.Spheres) PriceReturns {
	attributes := PriceReturns{market.RatedReturns{ReturnAttributes: facts.ReturnsOf(p, of.run(), of.Serie, of.Currency,
		periods), Spheres: rated}}
	attributes.QuotaSource = of.quotaSource()
	return attributes
}

// directReturns returns the attributes for returns at a requested date.
func directReturns(p operation.Pinned, of Series, asOf model.Date, periods facts.ReturnPeriods,
	rated facts.Spheres) PriceReturns {
	attributes := pricedAt(p, of, periods, rated)
	attributes.EndAt(asOf, asOf)
	return attributes
}

// inMemory reports whether returns of this kind can be kept in memory.
func (params *returnsParams) inMemory() bool {
	return params.Valuation == "accounting" && params.Basis == "price" && !params.Asset.IsUUID()
}

// knownReturns is returns from the market, or from a past day that was read before. It
// returns false for another valuation or basis, and a series that is not alive at the cutoff.
func knownReturns(r *operation.Request[returnsParams]) (item httpapi.Item[AnyReturns], there bool, err error) {
	if !r.Params.inMemory() {
		return item, false, nil
	}
	if r.Params.AsOf.Given {
		history, there := past.Known(r.Pinned)
		if !there {
			return item, false, nil
		}
		day, there := past.KnownWindows(r.Pinned, past.CurrentID(r.Pinned, r.Params.Asset), r.Params.AsOf.Date)
		if !there {
			return item, false, nil
		}
		item, there = returnsOn(r.Pinned, history, r.Params.Asset, day, r.Params.AsOf.Date)
		return item, there, nil
	}
	kept, rendering, err := market.Rendered(r.Pinned)
	if kept == nil || err != nil {
		return item, false, err
	}
	row, there := kept.Positions[r.Params.Asset.Series]
	if there {
		item = returnsItem(Series{asked: r.Params.Asset}, PriceReturns{rendering.ReturnsOf(row)})
	}
	return item, there, nil
}

// returnsFromMemory is returns from the market, which has their JSON.
func returnsFromMemory(r *operation.Request[returnsParams]) (httpapi.Reply, bool, error) {
	if !r.Params.inMemory() || r.Params.AsOf.Given {
		return httpapi.Reply{}, false, nil
	}
	kept, rendering, err := market.Rendered(r.Pinned)
	if kept == nil || err != nil {
		return httpapi.Reply{}, false, err
	}
	row, there := kept.Positions[r.Params.Asset.Series]
	if !there {
		return httpapi.Reply{}, false, nil
	}
	return httpapi.Reply{Body: rendering.Returns[row]}, true, nil
}

// readPeriods reads the windows of a series: those of the batch, or those at a date if direct.
func readPeriods(ctx context.Context, p operation.Pinned, known Series, asOf model.Date,
	direct bool) (facts.ReturnPeriods, error) {
	statement, args := "returns", []any{sql.Arg("series_id", known.ID)}
	if direct {
		statement, args = "returns_as_of", append(args, sql.Arg("as_of", asOf.String()))
	}
	found, err := operation.Rows[windowRow](ctx, p, statement, args...)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]facts.ReturnPeriod, len(found))
	for _, row := range found {
		byName[row.Window] = row.period()
	}
	periods := facts.Unquoted(p.Batch)
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

func (row windowRow) period() facts.ReturnPeriod {
	return facts.ReturnPeriod{
		Value: row.Value, Currency: row.Currency, Status: facts.Availability(row.Reason), Reason: row.Reason,
		TargetStart: operation.DateOf(&row.TargetStart), TargetEnd: operation.DateOf(&row.TargetEnd),
		EffectiveStart: operation.DateOf(row.EffectiveStart), EffectiveEnd: operation.DateOf(row.EffectiveEnd),
	}
}

// returnsOn returns the returns of a series at a date. It returns false if the day has no row of
// the series.
func returnsOn(p operation.Pinned, history *past.Past, asset operation.AssetID, day *past.Day,
	asOf model.Date) (item httpapi.Item[AnyReturns], there bool) {
	renamed, id := p.Batch.Renamed(asset.Series), past.CurrentID(p, asset)
	registered, there := history.Series[id]
	if !there {
		return item, false
	}
	windows, there := day.Of(id)
	if !there {
		return item, false
	}
	line, there := history.LineAt(id, asOf)
	if !there {
		return item, false
	}
	one := Series{ID: id, RUN: registered.RUN, Serie: registered.Serie, Currency: windows.StatedCurrency, asked: asset}
	if renamed != nil {
		one.Serie = renamed.CutoffSerie
	}
	return returnsItem(one, directReturns(p, one, asOf, day.Periods(windows), facts.SpheresOf(line.Rating, p.Batch))),
		true
}
