package main

import (
	"cuota/internal/explorer"
	"cuota/query"
)

// shownSteps returns the steps of the first start for the page that is shown meanwhile.
func (o offer) shownSteps() []explorer.Step {
	if o.progress == nil {
		return nil
	}
	var shown []explorer.Step
	for _, step := range o.progress() {
		shown = append(shown, explorer.Step{
			Name: step.Name, Begun: step.Begun, Done: step.Done, Percent: step.Percent, Count: step.Files, Of: step.OfFiles,
		})
	}
	return shown
}

// pagesOf makes the pages of an API server.
func pagesOf(config explorer.Config) func(*query.Server) query.Pages {
	return func(server *query.Server) query.Pages {
		config.Market = explorer.MarketOf(server.PageBatch)
		pages := explorer.New(config)
		return query.Pages{Operations: pages.Operations(), NotFound: pages.Problem}
	}
}
