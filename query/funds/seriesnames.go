package funds

import (
	"cmp"
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

	Category  string   `ch:"category"`   // empty if the series is unclassified or of an investment fund
	APV       bool     `ch:"apv"`        // for voluntary pension saving, by a sheet or the investor class
	TAC       *float64 `ch:"tac"`        // fraction
	TACKind   string   `ch:"tac_kind"`   // synthetic, stated or computed; empty without TAC
	EquityCLP *float64 `ch:"equity_clp"` // full pesos; nil of closed series and where no exchange rate is known
	Unheld    bool     `ch:"unheld"`     // the newest day of the open series states no shareholders or no equity
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
		kinds := []string{of.Category}
		if of.APV {
			kinds = append(kinds, model.KindPension)
		}
		all.index.Mark(kinds...)
	}
	return all, err
}

// namesIn returns the names of all series of a batch.
func namesIn(ctx context.Context, p operation.Pinned) (*searchedSeries, error) {
	if all, there := searchPart.Of(p.Batch); there {
		return all, nil
	}
	return readSearched(ctx, p)
}

// hit is a series that was found.
type hit struct {
	of   *Searched
	like model.Likeness
}

// found returns the series that a search finds, the most likely first.
func (all *searchedSeries) found(search model.Search) (hits []hit) {
	all.index.Find(search, func(series int, like model.Likeness) {
		hits = append(hits, hit{&all.series[series], like})
	})
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.like, a.like) })
	return hits
}

// byFund sorts what was found by funds: those with the most likely series first, of these those whose found series
// have the most equity. Of a fund, too, more likely series come first, then those with more equity.
func byFund(hits []hit) {
	type fund struct {
		like   model.Likeness // of its most likely series
		equity float64        // of all its found series
		first  int            // where the first of them stands
	}
	type foundOf struct {
		hit
		fund *fund
	}
	equity := func(h hit) float64 { return max(0, operation.Value(h.of.EquityCLP)) }
	known := map[[2]string]*fund{}
	sorted := make([]foundOf, len(hits))
	for i, h := range hits {
		key := [2]string{h.of.Fund, h.of.RUN}
		of := known[key]
		if of == nil {
			of = &fund{first: i}
			known[key] = of
		}
		of.like = max(of.like, h.like)
		of.equity += equity(h)
		sorted[i] = foundOf{h, of}
	}
	slices.SortStableFunc(sorted, func(a, b foundOf) int {
		return cmp.Or(cmp.Compare(b.fund.like, a.fund.like), cmp.Compare(b.fund.equity, a.fund.equity),
			cmp.Compare(a.fund.first, b.fund.first), cmp.Compare(b.like, a.like),
			cmp.Compare(equity(b.hit), equity(a.hit)))
	})
	for i, h := range sorted {
		hits[i] = h.hit
	}
}

// SearchedIn returns the series of a batch that a text finds, the most likely first.
func SearchedIn(ctx context.Context, p operation.Pinned, text string) ([]Searched, error) {
	all, err := namesIn(ctx, p)
	if err != nil {
		return nil, err
	}
	hits := all.found(model.NewSearch(text))
	found := make([]Searched, len(hits))
	for i, h := range hits {
		found[i] = *h.of
	}
	return found, nil
}

// Search answers with the series that a text or its synonyms find, closed ones too, by funds, the most likely first. If
// none is found, it answers with those that the text finds with a typo.
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
	Data  []FoundSeries `json:"data"`  // series of one fund stand together
	Total int           `json:"total"` // of all that the text finds
	Typos bool          `json:"typos"` // nothing has the words of the text; these series have similar ones
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

	TAC       *float64 `json:"tac"`        // fraction
	TACKind   string   `json:"tac_kind"`   // synthetic, stated or computed; empty without TAC
	EquityCLP *float64 `json:"equity_clp"` // full pesos
	Unheld    bool     `json:"unheld"`     // the newest day of the open series states no shareholders or no equity
}

func findSearched(ctx context.Context, r *operation.Request[searchParams]) (reply SearchResult, err error) {
	all, err := namesIn(ctx, r.Pinned)
	if err != nil {
		return reply, err
	}
	search := model.NewSearch(r.Params.Text)
	hits := all.found(search.WithSynonyms())
	if len(hits) == 0 {
		hits = all.found(search.WithTypos())
		reply.Typos = len(hits) > 0
	}
	byFund(hits)
	reply.Data, reply.Total = make([]FoundSeries, 0, r.Params.Limit), len(hits)
	for _, h := range hits[:min(len(hits), int(r.Params.Limit))] {
		of := h.of
		reply.Data = append(reply.Data, FoundSeries{of.IDs[0], of.Fund, of.RUN, of.Serie, of.Manager, of.Closed,
			of.Book, of.TAC, of.TACKind, of.EquityCLP, of.Unheld})
	}
	return reply, nil
}
