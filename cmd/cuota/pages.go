package main

import (
	"cuota/internal/explorer"
	"cuota/query"
)

// pagesOf makes the pages of an API server.
func pagesOf(config explorer.Config) func(*query.Server) query.Pages {
	return func(server *query.Server) query.Pages {
		config.Market = explorer.MarketOf(server.PageBatch)
		pages := explorer.New(config)
		return query.Pages{Operations: pages.Operations(), NotFound: pages.Problem}
	}
}
