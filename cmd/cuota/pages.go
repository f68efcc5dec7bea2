package main

import (
	"cuota/internal/explorer"
	"cuota/query"
)

// marketOf lets the pages read the batches of the API server. It keeps the two packages from
// importing each other.
type marketOf struct{ *query.Server }

// Batch implements explorer.Market.
func (m marketOf) Batch() (explorer.Batch, bool) {
	if b := m.PageBatch(); b != nil {
		return b, true
	}
	return nil, false
}

// pagesOf makes the pages of an API server.
func pagesOf(config explorer.Config) func(*query.Server) query.Pages {
	return func(server *query.Server) query.Pages {
		config.Market = marketOf{server}
		pages := explorer.New(config)
		return query.Pages{Operations: pages.Operations(), NotFound: pages.Problem}
	}
}
