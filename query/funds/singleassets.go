package funds

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// These operations are those of Fintual's API beside the lists of managers and funds
// (docs/decisions/0068).

// AssetProvider answers with one manager.
var AssetProvider = operation.Endpoint[assetProviderParams,
	httpapi.Item[Provider]]{Path: "/api/asset_providers/{provider_id}", Find: findAssetProvider}

type assetProviderParams struct {
	Manager operation.IDParam `path:"provider_id" example:"1208161246" doc:"Id of a manager, or of one of its names; the reply has the id of the manager"`
}

// AllConceptualAssets lists the current mutual funds of all managers, by name.
var AllConceptualAssets = operation.Endpoint[struct{}, httpapi.Items[ListedFund]]{Path: "/api/conceptual_assets",
	Find: findAllConceptualAssets}

// ConceptualAsset answers with one fund of any vehicle, current or not.
var ConceptualAsset = operation.Endpoint[conceptualAssetParams,
	httpapi.Item[ListedFund]]{Path: "/api/conceptual_assets/{concept_id}", Find: findConceptualAsset}

type conceptualAssetParams struct {
	Fund operation.IDParam `path:"concept_id" example:"1740538086" doc:"Id of a fund"`
}

// OneRealAsset answers with one series, open or closed.
var OneRealAsset = operation.Endpoint[operation.AssetParams,
	httpapi.Item[oneRealAsset]]{Path: "/api/real_assets/{asset_id}", Find: findRealAsset}

func findAssetProvider(ctx context.Context,
	r *operation.Request[assetProviderParams]) (one httpapi.Item[Provider], err error) {
	found, err := operation.Rows[struct {
		ID   uint32 `ch:"manager_id"`
		Name string `ch:"name"`
	}](ctx, r.Pinned, "asset_provider", sql.Arg("provider_id", uint32(r.Params.Manager)))
	switch {
	case err != nil:
		return one, err
	case len(found) == 0:
		return one, httpapi.NotFound("There is no manager of this id. GET /api/asset_providers lists them.")
	}
	one.Data = providerResource(found[0].ID, found[0].Name)
	return one, nil
}

// conceptualAssetsBy returns the funds of conceptual_assets.sql.
func conceptualAssetsBy(ctx context.Context, p operation.Pinned, id *uint32) ([]httpapi.Resource[ListedFund], error) {
	found, err := operation.Rows[catalogueFund](ctx, p, "conceptual_assets", sql.Arg("fund_id", operation.Nullable(id)))
	list := []httpapi.Resource[ListedFund]{}
	for _, f := range found {
		list = append(list, f.resource())
	}
	return list, err
}

func findAllConceptualAssets(ctx context.Context, r *operation.Request[struct{}]) (httpapi.Items[ListedFund], error) {
	list, err := conceptualAssetsBy(ctx, r.Pinned, nil)
	return httpapi.Items[ListedFund]{Data: list}, err
}

func findConceptualAsset(ctx context.Context,
	r *operation.Request[conceptualAssetParams]) (one httpapi.Item[ListedFund], err error) {
	list, err := conceptualAssetsBy(ctx, r.Pinned, new(uint32(r.Params.Fund)))
	switch {
	case err != nil:
		return one, err
	case len(list) == 0:
		return one, httpapi.NotFound(
			"There is no fund of this id. GET /api/conceptual_assets lists the current mutual funds.")
	}
	one.Data = list[0]
	return one, nil
}

// oneRealAsset is a series and when it began and ended.
type oneRealAsset struct {
	RealAsset
	Start    *model.Date `json:"start_date"`
	End      *model.Date `json:"end_date"` // the last quote of a closed series
	Previous *string     `json:"previous_asset_id"`
	Fund     string      `json:"conceptual_asset_id"`
}

func findRealAsset(ctx context.Context,
	r *operation.Request[operation.AssetParams]) (one httpapi.Item[oneRealAsset], err error) {
	unknown := operation.UnknownSeries()
	found, err := operation.Rows[struct {
		IDs   []string   `ch:"ids"`
		Fund  uint32     `ch:"fund_id"`
		Start *time.Time `ch:"start_date"`
		End   *time.Time `ch:"end_date"`
	}](ctx, r.Pinned, "real_asset", sql.Arg("asset", r.Params.Asset.String()))
	switch {
	case err != nil:
		return one, err
	case len(found) == 0:
		return one, unknown
	}
	of := found[0]
	listed, err := seriesOf(ctx, r.Pinned, of.Fund)
	if err != nil {
		return one, err
	}
	for _, item := range listed[of.Fund].Data {
		if item.ID != of.IDs[0] {
			continue
		}
		var previous *string
		if len(of.IDs) > 1 {
			previous = &of.IDs[1]
		}
		one.Data = httpapi.NewResource(r.Params.Asset.String(), "real_asset",
			oneRealAsset{item.Attributes, operation.DateOf(of.Start), operation.DateOf(of.End), previous,
				operation.IDText(of.Fund)})
		return one, nil
	}
	return one, unknown
}
