package query

import (
	"context"
	"net/http"
	"time"

	"cuota/model"

	"github.com/shopspring/decimal"
)

// realAssetsOperation lists every series of a fund of any vehicle by name, open or closed,
// with the values of its latest day.
func (s *Server) realAssetsOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/conceptual_assets/{concept_id}/real_assets", access: keyed, reads: anyBatch,
		params: []param{pathID("concept_id")},
		answer: s.realAssets, hot: s.realAssetsFromMemory,
	}
}

type realAsset struct {
	Name          string   `json:"name"`
	Serie         string   `json:"serie"`
	RUN           string   `json:"run"`
	Currency      *string  `json:"currency"`
	InvestorClass *string  `json:"investor_class"`
	LastDay       *lastDay `json:"last_day"`
}

type lastDay struct {
	NetAssetValue  *amount     `json:"net_asset_value"`  // quota value, series currency
	TotalNetAssets *amount     `json:"total_net_assets"` // equity, full units of the series currency
	Shareholders   *uint32     `json:"shareholders"`
	Date           *model.Date `json:"date"`
}

func (s *Server) realAssets(ctx context.Context, c *call) (reply, error) {
	of, err := s.seriesOf(ctx, c.batch, c.id("concept_id"))
	if err != nil {
		return reply{}, err
	}
	listed, known := of[c.id("concept_id")]
	if !known {
		return reply{}, notFound("There is no fund of this id. GET /api/asset_providers/{provider_id}/conceptual_assets lists those of a manager.")
	}
	return ok(listed)
}

// realAssetsFromMemory is realAssets from memory. It returns false for an unknown fund.
func (s *Server) realAssetsFromMemory(c *call, shot *snapshot, _ *rendering) (reply, bool) {
	return readyReply(shot.ready.series, c.id("concept_id"))
}

// seriesOf gives the series of each of the funds, or of all funds if none is named. Unknown
// funds have no entry.
func (s *Server) seriesOf(ctx context.Context, b *batch, funds ...uint32) (map[uint32]items, error) {
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
	found, err := rows[series](ctx, s.reader, "series_of_fund", arg("batch", b.Number), arg("funds", listOf(funds)))
	if err != nil {
		return nil, err
	}
	listed := map[uint32]items{}
	for _, row := range found {
		if row.RUN == "" {
			listed[row.Fund] = items{Data: []resource{}}
			continue
		}
		asset := realAsset{
			Name: row.RUN + " Serie " + row.Serie, Serie: row.Serie, RUN: row.RUN,
			Currency: isoCurrency(row.Currency), InvestorClass: row.InvestorClass,
		}
		if row.Date != nil {
			asset.LastDay = &lastDay{amountOf(row.Quota), amountOf(row.Equity), row.Shareholders, dateOf(row.Date)}
		}
		listed[row.Fund] = items{append(listed[row.Fund].Data, resource{row.ID, "real_asset", asset})}
	}
	return listed, nil
}
