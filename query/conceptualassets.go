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
		answer: s.conceptualAssets,
	}
}

func (s *Server) conceptualAssets(ctx context.Context, c *call) (reply, error) {
	type fund struct {
		ID       uint32  `ch:"fund_id"` // 0 in the one row of a manager without current funds
		RUN      string  `ch:"run"`
		Name     string  `ch:"name"`
		Category *string `ch:"category"`
		Currency *string `ch:"currency"`
	}
	funds, err := rows[fund](ctx, s.reader, "funds_of_manager",
		arg("batch", c.batch.Number), arg("manager_id", c.id("provider_id")))
	switch {
	case err != nil:
		return reply{}, err
	case len(funds) == 0:
		return reply{}, notFound("There is no manager of this id. GET /api/asset_providers lists them.")
	}
	out := items{Data: []resource{}}
	for _, f := range funds {
		if f.RUN == "" {
			continue
		}
		out.Data = append(out.Data, resource{idText(f.ID), "conceptual_asset", struct {
			Name     string  `json:"name"`
			Symbol   string  `json:"symbol"`
			RUN      string  `json:"run"`
			Category *string `json:"category"`
			Currency *string `json:"currency"`
		}{f.Name, f.RUN, f.RUN, f.Category, isoCurrency(f.Currency)}})
	}
	return ok(out)
}
