package query

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/funds"
	"cuota/query/operation"
	"cuota/query/series"
	"cuota/sql"
)

// HasSeries reports whether the published batch has a series with this id, decimal or UUID.
// It fails if that can't be told at present.
func (s *Server) HasSeries(ctx context.Context, id string) (bool, error) {
	var asset operation.AssetID
	if asset.Read(id) != nil {
		return false, nil
	}
	_, err := fromCurrent(ctx, s, func(ctx context.Context, p operation.Pinned) (series.Series, error) {
		return series.Find(ctx, p, asset, p.Today)
	})
	if unknown := (*httpapi.Problem)(nil); errors.As(err, &unknown) && unknown.Status == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find a series: %w", err)
	}
	return true, nil
}

// fromCurrent reads from the published batch, for parts of the program beside the API. Like
// an endpoint, it fails if the batch was retired or found damaged meanwhile.
func fromCurrent[T any](ctx context.Context, s *Server,
	read func(context.Context, operation.Pinned) (T, error)) (found T, err error) {
	ctx = operation.WithRequestID(ctx)
	b, err := s.host.Follower.Pin(ctx, batch.Any, "", nil)
	if err != nil {
		return found, operation.ProblemOf(err)
	}
	p := s.host.PinnedTo(b)
	found, err = read(ctx, p)
	return found, s.host.StillReadable(ctx, "", p, err)
}

// FindSeries returns up to most series that a text may mean, of all series that ever were, the most likely first. It
// fails if the published batch can't be read.
func (s *Server) FindSeries(ctx context.Context, text string, most int) ([]model.SeriesName, error) {
	found, err := fromCurrent(ctx, s, func(ctx context.Context, p operation.Pinned) ([]funds.Searched, error) {
		return funds.SearchedIn(ctx, p, text)
	})
	if err != nil {
		return nil, fmt.Errorf("find series: %w", err)
	}
	var names []model.SeriesName
	for _, one := range found[:min(len(found), most)] {
		names = append(names, one.SeriesName)
	}
	return names, nil
}

// NameSeries returns the series with these ids, each once. Ids that the published batch does
// not know are left out. It fails if the published batch can't be read.
func (s *Server) NameSeries(ctx context.Context, ids []string) ([]model.SeriesName, error) {
	found, err := fromCurrent(ctx, s, func(ctx context.Context, p operation.Pinned) ([]model.SeriesName, error) {
		return operation.Rows[model.SeriesName](ctx, p, "series_named", sql.Arg("asked", append([]string{}, ids...)))
	})
	if err != nil {
		return nil, fmt.Errorf("name series: %w", err)
	}
	return found, nil
}
