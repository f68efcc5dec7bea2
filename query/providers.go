package query

import (
	"context"
	"net/http"
)

// assetProvidersOperation lists the managers, by name, of funds of the vehicle
// that scope names (RULES 12).
func (s *Server) assetProvidersOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/asset_providers", access: keyed, reads: anyBatch,
		params: []param{words("scope", "all", "mutual_fund", "etf", "investment_fund")},
		answer: s.assetProviders,
	}
}

func (s *Server) assetProviders(ctx context.Context, c *call) (reply, error) {
	type manager struct {
		ID   uint32 `ch:"manager_id"`
		Name string `ch:"name"`
	}
	managers, err := rows[manager](ctx, s.reader, "managers",
		arg("batch", c.batch.Number), arg("scope", c.text("scope")))
	if err != nil {
		return reply{}, err
	}
	out := items{Data: make([]resource, len(managers))}
	for i, m := range managers {
		out.Data[i] = resource{idText(m.ID), "asset_provider", struct {
			Name string `json:"name"`
		}{m.Name}}
	}
	return ok(out)
}
