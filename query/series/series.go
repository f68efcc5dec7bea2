package series

import (
	"context"
	"errors"
	"net/http"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/funds"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"
)

// Series identifies a series, and has its accounting currency at a date.
type Series struct {
	ID    uint32 `ch:"series_id"` // under which its rows are stored
	RUN   uint32 `ch:"run"`
	Serie string `ch:"serie"` // its name at the cutoff
	// PESOS or DOLAR, from its last quote up to the date; nil for any other currency or without a quote
	Currency *string `ch:"currency"`

	asked operation.AssetID // the id in the request, which replies repeat: that of the series or of one of its names
	names *batch.Names
}

// public is the id that replies show, which is the one in the request.
func (s Series) public() string { return s.asked.String() }

// quotaSource names the kind of the series' quotes: CMF for quota values, or BookValues for
// an investment fund (RULES 11).
func (s Series) quotaSource() string {
	if s.asked.IsUUID() {
		return funds.BookValues
	}
	return "CMF"
}

// run returns the RUN with its check digit.
func (s Series) run() string { return model.RUN(s.RUN).String() }

// Find reads the series with this id, and its currency at a date. Every id that a
// renamed series ever had finds it (RULES 1). It fails with 404 if the batch does not know
// the series.
func Find(ctx context.Context, p operation.Pinned, asset operation.AssetID, at model.Date) (Series, error) {
	renamed := p.Batch.Renamed(asset.Series)
	statement, id := "series", sql.Arg("series_id", asset.Series)
	switch {
	case asset.IsUUID():
		renamed = nil
		statement, id = "fi_series", sql.Arg("instrument_id", asset.UUID.UUID.String())
	case renamed != nil:
		id = sql.Arg("series_id", renamed.SeriesID)
	}
	found, err := operation.Rows[Series](ctx, p, statement, id, sql.Arg("as_of", at.String()))
	switch {
	case err != nil:
		return Series{}, err
	case len(found) == 0:
		return Series{}, operation.UnknownSeries()
	}
	known := found[0]
	known.asked, known.names = asset, renamed
	if renamed != nil {
		known.Serie = renamed.CutoffSerie
	} else {
		known.names = onlyName(known)
	}
	return known, nil
}

// findAsset is findNamed for replies that are empty where nothing is known: an instrument without values is found by
// its id too, as a series without rows.
func findAsset(ctx context.Context, p operation.Pinned, asset operation.AssetID) (Series, error) {
	known, err := findNamed(ctx, p, asset)
	return orInstrument(ctx, p, asset, known, err)
}

// orInstrument returns the instrument of an id that finds no series. Its number is 0, under which nothing is stored.
func orInstrument(ctx context.Context, p operation.Pinned, asset operation.AssetID, known Series,
	err error) (Series, error) {
	unknown := (*httpapi.Problem)(nil)
	if !asset.IsUUID() || !errors.As(err, &unknown) || unknown.Status != http.StatusNotFound {
		return known, err
	}
	instrument, missing := funds.FindInstrument(ctx, p, operation.InstrumentID{UUID: asset.UUID.UUID})
	if errors.As(missing, &unknown) && unknown.Status == http.StatusNotFound {
		return known, err
	}
	known = Series{RUN: uint32(instrument.FundRUN()), asked: asset}
	known.names = onlyName(known)
	return known, missing
}

// findNamed is Find without the currency. A series that is in memory is not looked up.
func findNamed(ctx context.Context, p operation.Pinned, asset operation.AssetID) (Series, error) {
	known, there, err := namedInMemory(p, asset)
	if there || err != nil {
		return known, err
	}
	return Find(ctx, p, asset, operation.LastDayOfAll)
}

// namedInMemory is findNamed of a series that is in memory: most series of mutual funds, or, if
// there is no room for their profiles, those that are alive and never had another name. It
// returns false for any other one.
func namedInMemory(p operation.Pinned, asset operation.AssetID) (known Series, there bool, err error) {
	if kept := keptProfileOf(p, asset); kept != nil {
		return kept.series(p, asset), true, nil
	}
	kept, there := market.Part.Of(p.Batch)
	if !there || asset.IsUUID() || p.Batch.Renamed(asset.Series) != nil {
		return Series{}, false, nil
	}
	position, alive := kept.Positions[asset.Series]
	if !alive {
		return Series{}, false, nil
	}
	row := kept.Rows[position]
	run, err := model.ParseRUN(row.RUN)
	known = Series{ID: asset.Series, RUN: uint32(run), Serie: row.Serie, asked: asset}
	known.names = onlyName(known)
	return known, err == nil, err
}

// onlyName returns the name of a series that never had another one.
func onlyName(of Series) *batch.Names {
	return &batch.Names{SeriesID: of.ID, LabelIDs: []uint32{of.ID}, Names: []string{of.Serie}, CutoffSerie: of.Serie,
		ValidFrom: []string{operation.FirstDay.String()}, ValidUntil: []string{operation.LastDayOfAll.String()}}
}
