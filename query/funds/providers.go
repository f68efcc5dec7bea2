package funds

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/query/operation"
	"cuota/sql"
)

// AssetProviders lists the managers, by name, that have funds of the vehicle in the parameter
// scope (RULES 12).
var AssetProviders = operation.Catalogue("/api/asset_providers", "managers", managersOf,
	func(params *assetProvidersParams) string { return string(params.Scope) }, "", scopes...) // every scope has a reply

type assetProvidersParams struct {
	Scope scopeParam `query:"scope" null:"true" empty:"absent" default:"first" example:"mutual_fund" doc:"Only managers of funds of this vehicle"`
}

type scopeParam string

var scopes = []string{"all", "mutual_fund", "etf", "investment_fund"}

// Choices implements httpapi.Choices.
func (scopeParam) Choices() []string { return scopes }

// managersOf returns the managers of each of the given scopes.
func managersOf(ctx context.Context, p operation.Pinned, scopes ...string) (map[string]httpapi.Items[Provider], error) {
	type manager struct {
		Scope string `ch:"scope"`
		ID    uint32 `ch:"manager_id"`
		Name  string `ch:"name"`
	}
	found, err := operation.Rows[manager](ctx, p, "managers", sql.Arg("scopes", scopes))
	if err != nil {
		return nil, err
	}
	listed := map[string]httpapi.Items[Provider]{}
	for _, scope := range scopes {
		listed[scope] = httpapi.Items[Provider]{Data: []httpapi.Resource[Provider]{}}
	}
	for _, m := range found {
		listed[m.Scope] = httpapi.Items[Provider]{Data: append(listed[m.Scope].Data, providerResource(m.ID, m.Name))}
	}
	return listed, nil
}

// Provider is a manager.
type Provider struct {
	Name string `json:"name"`
}

func providerResource(id uint32, name string) httpapi.Resource[Provider] {
	return httpapi.NewResource(operation.IDText(id), "asset_provider", Provider{name})
}
