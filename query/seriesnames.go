package query

import (
	"context"
	"fmt"
	"strings"

	"cuota/model"
	"cuota/sql"
)

// FindSeries gives up to most series that a text may mean, the most likely first. The text
// is an id, a RUN or its beginning, or words from the names of the fund and the series. It
// fails if the published batch can't be read.
func (s *Server) FindSeries(ctx context.Context, text string, most int) ([]model.SeriesName, error) {
	id := ""
	if asset := (assetID{}); asset.Read(strings.TrimSpace(text)) == nil {
		id = asset.String()
	}
	found, err := s.seriesNames(ctx, "series_found", sql.Arg("q", text), sql.Arg("id", id), sql.Arg("limit", most))
	if err != nil {
		return nil, fmt.Errorf("find series: %w", err)
	}
	return found, nil
}

// NameSeries gives the series with these ids, each once. Ids that the published batch does
// not know are left out. It fails if the published batch can't be read.
func (s *Server) NameSeries(ctx context.Context, ids []string) ([]model.SeriesName, error) {
	found, err := s.seriesNames(ctx, "series_named", sql.Arg("asked", append([]string{}, ids...)))
	if err != nil {
		return nil, fmt.Errorf("name series: %w", err)
	}
	return found, nil
}

func (s *Server) seriesNames(ctx context.Context, statement string, args ...any) ([]model.SeriesName, error) {
	return fromCurrent(ctx, s, func(ctx context.Context, p pinned) ([]model.SeriesName, error) {
		return rows[model.SeriesName](ctx, p, statement, args...)
	})
}
