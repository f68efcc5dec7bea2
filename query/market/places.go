package market

import (
	"context"
	"slices"

	"cuota/model"
	"cuota/query/operation"
)

// AskedPlace says in which order of the screener a series has a place.
type AskedPlace struct {
	Series uint32 // any id that the series ever had
	Family string // among the series of this family, ignoring case; "": of all
	Window string // whose return sorts, the greatest first
	Date   operation.DateParam
}

// Places is the order of the screener by a return in the currency of a series, from the greatest to the smallest.
type Places struct {
	Day      model.Date // that answers for the date
	Own      uint32     // id of the series in the screener
	Place    int        // of the series, from 1; 0: it has none
	Reason   string     // why it has none
	Currency *string    // of the series
	Family   *string    // that was asked for, as the screener spells it
	Ranked   []Placed   // the series with a return, in their order
	LeftOut  map[string]int
}

// Placed is a series with a place.
type Placed struct {
	Series     uint32
	RUN, Serie string
	Return     float64
}

// PlacesOf finds the place of a series in the screener.
func PlacesOf(ctx context.Context, p operation.Pinned, asked AskedPlace) (Places, error) {
	if p.Batch.AsOf == nil {
		return Places{Reason: "no_complete_cutoff"}, nil
	}
	of := ScreenerParams{Sort: "id", Order: "asc", AsOfParams: operation.AsOfParams{AsOf: asked.Date}}
	all, err := matchingSeries(ctx, p, of)
	if err != nil {
		return Places{}, err
	}
	found := Places{Day: model.DateOf(*p.Batch.AsOf), Own: asked.Series, LeftOut: map[string]int{}}
	if all.history != nil {
		found.Day = all.history.day
	}
	isOwn := func(row *marketRow) bool {
		return row.SeriesID == asked.Series || slices.Contains(row.AliasIDs, asked.Series)
	}
	at := slices.IndexFunc(all.rows, isOwn)
	if at < 0 {
		found.Reason = "not_in_screener"
		return found, nil
	}
	own := all.rows[at]
	found.Own, found.Currency = own.SeriesID, own.Currency
	if own.Currency == nil {
		found.Reason = "unknown_currency"
		return found, nil
	}
	of.Family, of.Currency = asked.Family, operation.CurrencyParam(*own.Currency)
	of.Sort, of.Order = sortParam(asked.Window), "desc"
	sorted, err := matchingSeries(ctx, p, of)
	if err != nil {
		return found, err
	}
	found.Reason = "other_family"
	window := slices.Index(model.Windows, asked.Window)
	for _, row := range sorted.rows {
		reason := ""
		switch {
		case row.Returns[window] == nil:
			reason = operation.Value(row.Reasons[window])
		case operation.Value(row.currencyOf(asked.Window)) != *own.Currency: // of the last closed month
			reason = "currency_change"
		default:
			found.Ranked = append(found.Ranked, Placed{row.SeriesID, row.RUN, row.Serie, *row.Returns[window]})
		}
		if reason != "" {
			found.LeftOut[reason]++
		}
		if !isOwn(row) {
			continue
		}
		if found.Reason = reason; reason == "" {
			found.Place = len(found.Ranked)
		}
		if asked.Family != "" {
			found.Family = row.Family
		}
	}
	return found, nil
}
