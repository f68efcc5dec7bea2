package query

import (
	"context"
	"cuota/internal/httpapi"
	"cuota/query/batch"
	"cuota/query/operation"
	"errors"
	"fmt"
	"net/http"
)

// HasSeries reports whether the published batch has a series with this id, decimal or UUID.
// It fails if that can't be told at present.
func (s *Server) HasSeries(ctx context.Context, id string) (bool, error) {
	var asset operation.AssetID
	if asset.Read(id) != nil {
		return false, nil
	}
	_, err := fromCurrent(ctx, s, func(ctx context.Context, p operation.Pinned) (series, error) {
		return findSeries(ctx, p, asset, p.Today)
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
func fromCurrent[T any](ctx context.Context, s *Server, read func(context.Context, operation.Pinned) (T, error)) (found T, err error) {
	ctx = operation.WithRequestID(ctx)
	b, err := s.host.Follower.Pin(ctx, batch.Any, "", nil)
	if err != nil {
		return found, operation.ProblemOf(err)
	}
	p := s.host.PinnedTo(b)
	found, err = read(ctx, p)
	return found, s.host.StillReadable(ctx, "", p, err)
}
