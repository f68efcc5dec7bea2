package query

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"cuota/model"
)

// series identifies a series, and gives its accounting currency at a date.
type series struct {
	ID       uint32  `ch:"series_id"` // under which its rows are stored
	RUN      uint32  `ch:"run"`
	Serie    string  `ch:"serie"`    // its name at the cutoff
	Currency *string `ch:"currency"` // PESOS or DOLAR, from its last quote up to the date; nil for any other currency or without a quote

	asked assetID // the id in the request, which replies repeat: that of the series or of one of its names
	names *names
}

// public is the id that replies show, which is the one in the request.
func (s series) public() string { return s.asked.String() }

// quotaSource names the kind of the series' quotes: CMF for quota values, or bookValues for
// an investment fund (RULES 11).
func (s series) quotaSource() string {
	if s.asked.isUUID() {
		return bookValues
	}
	return "CMF"
}

// run gives the RUN with its check digit.
func (s series) run() string { return model.RUN(s.RUN).String() }

// findSeries reads the series with this id, and its currency at a date. Every id that a
// renamed series ever had finds it (RULES 1). It fails with 404 if the batch does not know
// the series.
func (s *Server) findSeries(ctx context.Context, b *batch, asset assetID, at model.Date) (series, error) {
	renamed := b.renamed[asset.series]
	var statement string
	var id any
	switch {
	case asset.isUUID():
		renamed = nil
		statement, id = "fi_series", arg("instrument_id", asset.uuid.UUID.String())
	case renamed != nil:
		statement, id = "series", arg("series_id", renamed.SeriesID)
	default:
		statement, id = "series", arg("series_id", asset.series)
	}
	found, err := rows[series](ctx, s.reader, statement, arg("batch", b.Number), id, arg("as_of", at.String()))
	switch {
	case err != nil:
		return series{}, err
	case len(found) == 0:
		return series{}, notFound("There is no series of this id. GET /api/conceptual_assets/{concept_id}/real_assets lists those of a fund, GET /api/fi/instruments those of investment funds.")
	}
	known := found[0]
	known.asked, known.names = asset, renamed
	if renamed != nil {
		known.Serie = renamed.CutoffSerie
	} else {
		known.names = &names{SeriesID: known.ID, LabelIDs: []uint32{known.ID}, Names: []string{known.Serie}, CutoffSerie: known.Serie,
			ValidFrom: []string{firstDay.String()}, ValidUntil: []string{lastDayOfAll.String()}}
	}
	return known, nil
}

// HasSeries tells whether the published batch has a series with this id, decimal or UUID.
// It fails if that can't be told at present.
func (s *Server) HasSeries(ctx context.Context, id string) (bool, error) {
	asset, wrong := readAsset(id)
	if wrong != nil {
		return false, nil
	}
	op := operation{reads: anyBatch}
	batch, err := s.pin(ctx, &op, "")
	if err != nil {
		return false, fmt.Errorf("look for a series: %w", err)
	}
	_, err = s.findSeries(ctx, batch, asset, s.today())
	if p := (*problem)(nil); errors.As(err, &p) && p.status == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a series: %w", err)
	}
	return true, nil
}
