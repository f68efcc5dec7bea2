package query

import (
	"context"

	"cuota/model"
)

// series is what a series is called, and its accounting currency at a date.
type series struct {
	ID       uint32  `ch:"series_id"` // what its rows stand under
	Asked    uint32  `ch:"asked_id"`  // the id that found it, which replies repeat: its own or that of a name it had
	RUN      uint32  `ch:"run"`
	Serie    string  `ch:"serie"`    // its name at the cutoff
	Currency *string `ch:"currency"` // PESOS or DOLAR of its last quote by then; nil for any other, or without a quote
}

// run is the RUN with its check digit.
func (s series) run() string { return model.RUN(s.RUN).String() }

// findSeries gives the series that the path names, if the batch knows it. Every id
// that a renamed series ever had finds it (RULES 1). All
// ids are of mutual-fund series; a UUID, of which there is none, is unknown.
func (s *Server) findSeries(ctx context.Context, b *batch, asset assetID, at model.Date) (series, error) {
	var found []series
	if !asset.isUUID() {
		var err error
		found, err = rows[series](ctx, s.reader, "series",
			arg("batch", b.Number), arg("series_id", asset.series), arg("as_of", at.String()))
		if err != nil {
			return series{}, err
		}
	}
	if len(found) == 0 {
		return series{}, notFound("There is no series of this id. GET /api/conceptual_assets/{concept_id}/real_assets lists those of a fund.")
	}
	return found[0], nil
}
