package query

import (
	"context"
	"net/http"
)

// conceptualAssetsOperation lists the current mutual funds of a manager, by
// name.
func (s *Server) conceptualAssetsOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/asset_providers/{provider_id}/conceptual_assets", access: keyed, reads: anyBatch,
		params: []param{pathID("provider_id")},
		answer: s.conceptualAssets, hot: s.conceptualAssetsFromMemory,
	}
}

func (s *Server) conceptualAssets(ctx context.Context, c *call) (reply, error) {
	of, err := s.fundsOf(ctx, c.batch, c.id("provider_id"))
	if err != nil {
		return reply{}, err
	}
	listed, known := of[c.id("provider_id")]
	if !known {
		return reply{}, notFound("There is no manager of this id. GET /api/asset_providers lists them.")
	}
	return ok(listed)
}

// conceptualAssetsFromMemory is conceptualAssets from memory. It returns false for an
// unknown manager.
func (s *Server) conceptualAssetsFromMemory(c *call, shot *snapshot, _ *rendering) (reply, bool) {
	return readyReply(shot.ready.funds, c.id("provider_id"))
}

// fundsOf gives the current mutual funds of each of the managers, or of all managers if
// none is named. Unknown managers have no entry.
func (s *Server) fundsOf(ctx context.Context, b *batch, managers ...uint32) (map[uint32]items, error) {
	type fund struct {
		Manager  uint32  `ch:"manager_id"`
		ID       uint32  `ch:"fund_id"` // 0 in the single row of a manager without current funds
		RUN      string  `ch:"run"`
		Name     string  `ch:"name"`
		Category *string `ch:"category"`
		Currency *string `ch:"currency"`
	}
	found, err := rows[fund](ctx, s.reader, "funds_of_manager", arg("batch", b.Number), arg("managers", listOf(managers)))
	if err != nil {
		return nil, err
	}
	listed := map[uint32]items{}
	for _, f := range found {
		if f.RUN == "" {
			listed[f.Manager] = items{Data: []resource{}}
			continue
		}
		listed[f.Manager] = items{append(listed[f.Manager].Data, resource{idText(f.ID), "conceptual_asset", struct {
			Name     string  `json:"name"`
			Symbol   string  `json:"symbol"`
			RUN      string  `json:"run"`
			Category *string `json:"category"`
			Currency *string `json:"currency"`
		}{f.Name, f.RUN, f.RUN, f.Category, isoCurrency(f.Currency)}})}
	}
	return listed, nil
}
