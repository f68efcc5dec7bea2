package funds

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// RealAssets lists every series of a fund of any vehicle by name, open or closed, with the
// values of its latest day.
var RealAssets = operation.Catalogue("/api/conceptual_assets/{concept_id}/real_assets", "series", seriesOf,
	func(params *realAssetsParams) uint32 { return uint32(params.Fund) },
	"There is no fund of this id. GET /api/asset_providers/{provider_id}/conceptual_assets lists those of a manager.")

type realAssetsParams struct {
	Fund operation.IDParam `path:"concept_id" example:"1740538086" doc:"Id of a fund"`
}

// RealAsset is a series, open or closed.
type RealAsset struct {
	Name          string   `json:"name"`
	Serie         string   `json:"serie"`
	RUN           string   `json:"run"`
	Currency      *string  `json:"currency"`
	InvestorClass *string  `json:"investor_class"`
	LastDay       *LastDay `json:"last_day"` // nil if it never had a quota
}

// LastDay holds the values of a series on its latest day.
type LastDay struct {
	NetAssetValue  *operation.Amount `json:"net_asset_value"`  // quota value, series currency
	TotalNetAssets *operation.Amount `json:"total_net_assets"` // equity, full units of the series currency
	Shareholders   *uint32           `json:"shareholders"`
	Date           *model.Date       `json:"date"`
}

// seriesOf returns the series of each of the funds, or of all funds if none is named. Unknown
// funds have no entry.
func seriesOf(ctx context.Context, p operation.Pinned, funds ...uint32) (map[uint32]httpapi.Items[RealAsset], error) {
	type series struct {
		Fund          uint32           `ch:"fund_id"`
		ID            string           `ch:"public_id"`
		RUN           string           `ch:"run"` // empty in the single row of a fund without series
		Serie         string           `ch:"serie"`
		Currency      *string          `ch:"currency"`
		InvestorClass *string          `ch:"investor_class"`
		Date          *time.Time       `ch:"date"`
		Quota         *decimal.Decimal `ch:"quota"`
		Equity        *decimal.Decimal `ch:"equity"`
		Shareholders  *uint32          `ch:"shareholders"`
	}
	found, err := operation.Rows[series](ctx, p, "series_of_fund", sql.Arg("funds", market.ListOf(funds)))
	if err != nil {
		return nil, err
	}
	listed := map[uint32]httpapi.Items[RealAsset]{}
	for _, row := range found {
		if row.RUN == "" {
			listed[row.Fund] = httpapi.Items[RealAsset]{Data: []httpapi.Resource[RealAsset]{}}
			continue
		}
		asset := RealAsset{
			Name: row.RUN + " Serie " + row.Serie, Serie: row.Serie, RUN: row.RUN,
			Currency: operation.IsoCurrency(row.Currency), InvestorClass: row.InvestorClass,
		}
		if row.Date != nil {
			asset.LastDay = &LastDay{operation.AmountOf(row.Quota), operation.AmountOf(row.Equity), row.Shareholders,
				operation.DateOf(row.Date)}
		}
		listed[row.Fund] = httpapi.Items[RealAsset]{Data: append(listed[row.Fund].Data,
			httpapi.NewResource(row.ID, "real_asset", asset))}
	}
	return listed, nil
}
