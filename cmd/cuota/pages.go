package main

import (
	"slices"

	"cuota/internal/site"
	"cuota/internal/site/docspages"
	"cuota/internal/site/feeds"
	"cuota/internal/site/marketpages"
	"cuota/query"
)

// shownSteps returns the steps of the first start for the page that is shown meanwhile.
func (o offer) shownSteps() []site.Step {
	if o.progress == nil {
		return nil
	}
	var shown []site.Step
	for _, step := range o.progress() {
		shown = append(shown, site.Step{
			Name: step.Name, Begun: step.Begun, Done: step.Done, Percent: step.Percent, Count: step.Files,
			Of: step.OfFiles,
		})
	}
	return shown
}

// pages makes the pages beside an API server. base is the public address of the service, "" if it is unknown.
// accounts says that the account area is served.
func (o offer) pages(base string, accounts bool) func(*query.Server) query.Pages {
	return func(server *query.Server) query.Pages {
		market := marketpages.MarketOf(server.PageBatch)
		frame := site.New(site.Config{Published: market.Published, Progress: o.shownSteps, Accounts: accounts})
		return query.Pages{NotFound: frame.Problem, Operations: slices.Concat(
			marketpages.Operations(marketpages.Config{Frame: frame, Market: market, BaseURL: base}),
			feeds.Operations(feeds.Config{Frame: frame, Market: market, BaseURL: base}),
			docspages.Operations(docspages.Config{Frame: frame, BaseURL: base, Document: query.Document()}),
			site.Assets())}
	}
}
