package query

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/query/batch"
	"cuota/sql"
)

// assetProviders lists the managers, by name, that have funds of the vehicle in the parameter
// scope (RULES 12).
var assetProviders = endpoint[assetProvidersParams]{
	path: "/api/asset_providers",
	answer: func(ctx context.Context, r *request[assetProvidersParams]) (httpapi.Reply, error) {
		listed, err := managersOf(ctx, r.pinned, string(r.params.Scope))
		if err != nil {
			return httpapi.Reply{}, err
		}
		return httpapi.JSON(listed[string(r.params.Scope)])
	},
	fromMemory: func(r *request[assetProvidersParams]) (httpapi.Reply, bool, error) {
		return preloadedReply(managersPart, r.batch, string(r.params.Scope))
	},
	parts: []batch.Loader{managersPart},
}

type assetProvidersParams struct {
	Scope scopeParam `query:"scope" default:"first" example:"mutual_fund" doc:"Only managers of funds of this vehicle"`
}

type scopeParam string

var scopes = []string{"all", "mutual_fund", "etf", "investment_fund"}

// Choices implements httpapi.Choices.
func (scopeParam) Choices() []string { return scopes }

// managersPart holds the replies for all scopes.
var managersPart = preload("managers", func(ctx context.Context, p pinned) (map[string]httpapi.Items, error) {
	return managersOf(ctx, p, scopes...)
})

// managersOf gives the managers of each of the given scopes.
func managersOf(ctx context.Context, p pinned, scopes ...string) (map[string]httpapi.Items, error) {
	type manager struct {
		Scope string `ch:"scope"`
		ID    uint32 `ch:"manager_id"`
		Name  string `ch:"name"`
	}
	found, err := sql.Rows[manager](ctx, p.reader, "managers", sql.Arg("batch", p.batch.Number), sql.Arg("scopes", scopes))
	if err != nil {
		return nil, err
	}
	listed := map[string]httpapi.Items{}
	for _, scope := range scopes {
		listed[scope] = httpapi.Items{Data: []httpapi.Resource{}}
	}
	for _, m := range found {
		listed[m.Scope] = httpapi.Items{Data: append(listed[m.Scope].Data, httpapi.NewResource(idText(m.ID), "asset_provider", struct {
			Name string `json:"name"`
		}{m.Name}))}
	}
	return listed, nil
}
