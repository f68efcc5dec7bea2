package query

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"cuota/model"
)

// series is what a series is called, and its accounting currency at a date.
type series struct {
	ID       uint32  `ch:"series_id"` // what its rows stand under
	RUN      uint32  `ch:"run"`
	Serie    string  `ch:"serie"`    // its name at the cutoff
	Currency *string `ch:"currency"` // PESOS or DOLAR of its last quote by then; nil for any other, or without a quote

	asked assetID // the id that found it, which replies repeat: its own, or that of a name it had
	names *names
}

// public is the id that the series has in the reply to whoever asked for it.
func (s series) public() string { return s.asked.String() }

// quotaSource says what the quotes of the series are: quota values, or book values
// of an investment fund (RULES 11).
func (s series) quotaSource() string {
	if s.asked.isUUID() {
		return bookValues
	}
	return "CMF"
}

// run is the RUN with its check digit.
func (s series) run() string { return model.RUN(s.RUN).String() }

// findSeries gives the series that the path names, if the batch knows it. Every id
// that a renamed series ever had finds it (RULES 1).
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

// HasSeries tells whether the published batch knows a series by this id,
// decimal or UUID. An error means that nobody can tell right now.
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
