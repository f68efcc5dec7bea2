package main

import (
	"context"

	"cuota/internal/account/web"
	"cuota/query"
)

// lateSeries lets the account area look up series in the API server, which is made after
// the account area. It keeps the two packages from importing each other.
type lateSeries struct{ *query.Server }

func (s *lateSeries) FindSeries(ctx context.Context, text string, most int) ([]web.SeriesName, error) {
	found, err := s.Server.FindSeries(ctx, text, most)
	return namesForArea(found), err
}

func (s *lateSeries) NameSeries(ctx context.Context, ids []string) ([]web.SeriesName, error) {
	found, err := s.Server.NameSeries(ctx, ids)
	return namesForArea(found), err
}

func namesForArea(found []query.SeriesName) []web.SeriesName {
	list := make([]web.SeriesName, len(found))
	for i, name := range found {
		list[i] = web.SeriesName(name)
	}
	return list
}
