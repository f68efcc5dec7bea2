package funds

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"
)

// ConceptualAssets lists the current mutual funds of a manager, by name.
var ConceptualAssets = operation.Catalogue("/api/asset_providers/{provider_id}/conceptual_assets", "funds", fundsOf,
	func(params *conceptualAssetsParams) uint32 { return uint32(params.Manager) },
	"There is no manager of this id. GET /api/asset_providers lists them.")

type conceptualAssetsParams struct {
	Manager operation.IDParam `path:"provider_id" example:"1208161246" doc:"Id of a manager"`
}

// fundsOf returns the current mutual funds of each of the managers, or of all managers if
// none is named. Unknown managers have no entry.
func fundsOf(ctx context.Context, p operation.Pinned,
	managers ...uint32) (map[uint32]httpapi.Items[ListedFund], error) {
	type fund struct {
		Manager uint32 `ch:"manager_id"`
		catalogueFund
	}
	found, err := operation.Rows[fund](ctx, p, "funds_of_manager", sql.Arg("managers", market.ListOf(managers)))
	if err != nil {
		return nil, err
	}
	listed := map[uint32]httpapi.Items[ListedFund]{}
	for _, f := range found {
		if f.RUN == "" {
			listed[f.Manager] = httpapi.Items[ListedFund]{Data: []httpapi.Resource[ListedFund]{}}
			continue
		}
		listed[f.Manager] = httpapi.Items[ListedFund]{Data: append(listed[f.Manager].Data, f.resource())}
	}
	return listed, nil
}

// catalogueFund is a fund as the statements return it.
type catalogueFund struct {
	ID       uint32  `ch:"fund_id"` // 0 in the single row of a manager without current funds
	RUN      string  `ch:"run"`
	Name     string  `ch:"name"`
	Category *string `ch:"category"`
	Currency *string `ch:"currency"`
}

// ListedFund is what lists say of a fund.
type ListedFund struct {
	Name     string  `json:"name"`
	Symbol   string  `json:"symbol"` // the RUN
	RUN      string  `json:"run"`
	Category *string `json:"category"`
	Currency *string `json:"currency"`
}

func (f catalogueFund) resource() httpapi.Resource[ListedFund] {
	return httpapi.NewResource(operation.IDText(f.ID), "conceptual_asset",
		ListedFund{f.Name, f.RUN, f.RUN, f.Category, operation.IsoCurrency(f.Currency)})
}
