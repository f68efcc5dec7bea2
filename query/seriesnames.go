package query

import (
	"context"
	"fmt"
	"strings"
)

// SeriesName is what the published batch calls a series, for whoever chooses one.
type SeriesName struct {
	IDs    []string `ch:"ids"`    // all that find it, decimal or UUID; it is shown under the first
	Fund   string   `ch:"fund"`   // name of the fund
	RUN    string   `ch:"run"`    // of the fund, with check digit
	Serie  string   `ch:"serie"`  // name of the series at the cutoff
	Closed bool     `ch:"closed"` // it is over
}

// FindSeries gives the series that a text may mean, the likeliest first and at most
// so many: an id, a RUN or the beginning of one, or words of the name of a fund and a
// series. An error means that nobody can tell right now.
func (s *Server) FindSeries(ctx context.Context, text string, most int) ([]SeriesName, error) {
	id := ""
	if asset, wrong := readAsset(strings.TrimSpace(text)); wrong == nil {
		id = asset.String()
	}
	found, err := s.seriesNames(ctx, "series_found", arg("q", text), arg("id", id), arg("limit", most))
	if err != nil {
		return nil, fmt.Errorf("find series: %w", err)
	}
	return found, nil
}

// NameSeries gives the names of the series that these ids find, each once. An id
// that the published batch does not know has none.
func (s *Server) NameSeries(ctx context.Context, ids []string) ([]SeriesName, error) {
	found, err := s.seriesNames(ctx, "series_named", arg("asked", append([]string{}, ids...)))
	if err != nil {
		return nil, fmt.Errorf("name series: %w", err)
	}
	return found, nil
}

func (s *Server) seriesNames(ctx context.Context, statement string, args ...any) ([]SeriesName, error) {
	b, err := s.pin(ctx, &operation{reads: anyBatch}, "")
	if err != nil {
		return nil, err
	}
	return rows[SeriesName](ctx, s.reader, statement, append(args, arg("batch", b.Number))...)
}
