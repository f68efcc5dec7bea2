package query

import (
	"context"
	"fmt"
	"strings"

	"cuota/sql"
)

// SeriesName identifies a series for a person who chooses one.
type SeriesName struct {
	IDs    []string `ch:"ids"`    // all ids that find the series, decimal or UUID; replies show the first
	Fund   string   `ch:"fund"`   // name of the fund
	RUN    string   `ch:"run"`    // of the fund, with check digit
	Serie  string   `ch:"serie"`  // name of the series at the cutoff
	Closed bool     `ch:"closed"` // the series has ended
}

// FindSeries gives up to most series that a text may mean, the most likely first. The text
// is an id, a RUN or its beginning, or words from the names of the fund and the series. It
// fails if the published batch can't be read.
func (s *Server) FindSeries(ctx context.Context, text string, most int) ([]SeriesName, error) {
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
func (s *Server) NameSeries(ctx context.Context, ids []string) ([]SeriesName, error) {
	found, err := s.seriesNames(ctx, "series_named", sql.Arg("asked", append([]string{}, ids...)))
	if err != nil {
		return nil, fmt.Errorf("name series: %w", err)
	}
	return found, nil
}

func (s *Server) seriesNames(ctx context.Context, statement string, args ...any) ([]SeriesName, error) {
	return fromCurrent(ctx, s, func(ctx context.Context, p pinned) ([]SeriesName, error) {
		return rows[SeriesName](ctx, p, statement, args...)
	})
}
