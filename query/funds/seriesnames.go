package funds

import (
	"context"
	"slices"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
)

// Searched is a series as a search finds it.
type Searched struct {
	model.SeriesName
	SeriesID uint32 `ch:"series_id"`
	Manager  string `ch:"manager"`       // empty if it is not known
	Book     bool   `ch:"by_book_value"` // the series is of an investment fund
}

// searchedSeries are all series of a batch with their names, open ones first, then by name.
type searchedSeries struct {
	series []Searched
	index  model.SearchIndex
}

// searchPart keeps the names of all series in memory.
var searchPart = batch.NewOptionalPart("search",
	func(ctx context.Context, s batch.Source) (*searchedSeries, int, error) {
		all, err := readSearched(ctx, operation.PinnedBy(s))
		if err != nil {
			return nil, 0, err
		}
		size := 0
		for _, of := range all.series {
			size += 2*int(unsafe.Sizeof(of)) + 3*(len(of.Fund)+len(of.Serie)) + 64*len(of.IDs)
		}
		return all, size, nil
	})

func readSearched(ctx context.Context, p operation.Pinned) (*searchedSeries, error) {
	found, err := operation.Rows[Searched](ctx, p, "series_searched")
	all := &searchedSeries{series: found}
	for _, of := range found {
		all.index.Add(of.Fund, of.RUN, of.Serie, of.IDs...)
	}
	return all, err
}

// SearchedIn returns the series of a batch that a text finds, the most likely first.
func SearchedIn(ctx context.Context, p operation.Pinned, text string) ([]Searched, error) {
	all, there := searchPart.Of(p.Batch)
	if !there {
		var err error
		if all, err = readSearched(ctx, p); err != nil {
			return nil, err
		}
	}
	type hit struct {
		series int
		like   model.Likeness
	}
	var hits []hit
	all.index.Find(model.NewSearch(text), func(series int, like model.Likeness) {
		hits = append(hits, hit{series, like})
	})
	slices.SortStableFunc(hits, func(a, b hit) int { return int(b.like) - int(a.like) })
	found := make([]Searched, len(hits))
	for i, h := range hits {
		found[i] = all.series[h.series]
	}
	return found, nil
}

// Search gives the series that a text finds, closed ones too, the most likely first.
var Search = operation.Endpoint[searchParams, SearchResult]{
	Path: "/pages/search", ForPages: true,
	Find: findSearched, Parts: []batch.Loader{searchPart},
}

type searchParams struct {
	Text  string `query:"q" max:"200" doc:"What to find, as q of the screener"`
	Limit int64  `query:"limit" min:"1" max:"200" default:"50" doc:"Rows of the page"`
}

// SearchResult is the reply of Search.
type SearchResult struct {
	Data  []FoundSeries `json:"data"`
	Total int           `json:"total"` // of all that the text finds
}

// FoundSeries is a series that a search found.
type FoundSeries struct {
	ID      string `json:"id"`
	Fund    string `json:"fund"`
	RUN     string `json:"run"`
	Serie   string `json:"serie"`
	Manager string `json:"manager"` // empty if it is not known
	Closed  bool   `json:"closed"`
	Book    bool   `json:"by_book_value"` // the series is of an investment fund
}

func findSearched(ctx context.Context, r *operation.Request[searchParams]) (SearchResult, error) {
	found, err := SearchedIn(ctx, r.Pinned, r.Params.Text)
	reply := SearchResult{make([]FoundSeries, 0, r.Params.Limit), len(found)}
	for _, of := range found[:min(len(found), int(r.Params.Limit))] {
		reply.Data = append(reply.Data, FoundSeries{of.IDs[0], of.Fund, of.RUN, of.Serie, of.Manager, of.Closed,
			of.Book})
	}
	return reply, err
}
