package area_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"cuota/model"
)

// market gives the series that exist: one of a mutual fund, which had another id before; a
// closed one of an ETF whose name is an attack; one that is known by its id only; and those of
// a fund with more series than a page shows.
type market struct{ gone, silent atomic.Bool }

const (
	fundSeries   = "1161378270"
	formerSeries = "1161378271" // the former id of fundSeries
	etfSeries    = "6ba7b810-9dad-51d1-80b4-00c04fd430c8"
	youngSeries  = "4242"
	manySeries   = 60
)

var errMarketGone = errors.New("the market is gone")

func (m *market) names() []model.SeriesName {
	list := []model.SeriesName{
		{IDs: []string{fundSeries, formerSeries}, Fund: "FONDO MUTUO ÑANDÚ RENTA", RUN: "9809-4", Serie: "B",
			Change: new(0.0035), ChangeOn: new(time.Date(2025, 7, 20, 0, 0, 0, 0, time.UTC))},
		{IDs: []string{etfSeries}, Fund: `ETF <script>alert("x")</script> & CO`, RUN: "9278-9", Serie: "ÚNICA",
			Closed: true},
	}
	for i := range manySeries {
		list = append(list, model.SeriesName{IDs: []string{fmt.Sprint(7000 + i)}, Fund: "MUCHAS SERIES", RUN: "8011-K",
			Serie: fmt.Sprint("S", i)})
	}
	return list
}

func (m *market) among(is func(model.SeriesName) bool) ([]model.SeriesName, error) {
	if m.gone.Load() {
		return nil, errMarketGone
	}
	return slices.DeleteFunc(m.names(), func(n model.SeriesName) bool { return !is(n) }), nil
}

func (m *market) HasSeries(_ context.Context, id string) (bool, error) {
	named, err := m.NameSeries(context.Background(), []string{id})
	return len(named) > 0 || id == youngSeries, err
}

// TakesScreen knows four parameters.
func (m *market) TakesScreen(_ context.Context, query string) (bool, error) {
	if m.gone.Load() {
		return false, errMarketGone
	}
	texts, err := url.ParseQuery(query)
	for name := range texts {
		if !slices.Contains([]string{"q", "category", "currency", "columnas"}, name) {
			return false, nil
		}
	}
	return err == nil, nil
}

func (m *market) FindSeries(_ context.Context, text string, most int) ([]model.SeriesName, error) {
	found, err := m.among(func(n model.SeriesName) bool {
		return slices.Contains(n.IDs, text) || strings.EqualFold(n.RUN, text) ||
			strings.Contains(n.Fund, strings.ToUpper(text))
	})
	return found[:min(most, len(found))], err
}

func (m *market) NameSeries(ctx context.Context, ids []string) ([]model.SeriesName, error) {
	if m.silent.Load() { // wait until the caller gives up
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return m.among(func(n model.SeriesName) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(n.IDs, id) })
	})
}
