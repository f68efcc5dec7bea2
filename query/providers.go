package query

import (
	"context"
	"net/http"
)

// assetProvidersOperation lists the managers, by name, that have funds of the vehicle in
// the parameter scope (RULES 12).
func (s *Server) assetProvidersOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/asset_providers", access: keyed, reads: anyBatch,
		params: []param{words("scope", scopes...)},
		answer: s.assetProviders, hot: s.assetProvidersFromMemory,
	}
}

// scopes are the values of the parameter scope.
var scopes = []string{"all", "mutual_fund", "etf", "investment_fund"}

func (s *Server) assetProviders(ctx context.Context, c *call) (reply, error) {
	listed, err := s.managersOf(ctx, c.batch, c.text("scope"))
	if err != nil {
		return reply{}, err
	}
	return ok(listed[c.text("scope")])
}

// assetProvidersFromMemory is assetProviders from memory, for every scope.
func (s *Server) assetProvidersFromMemory(c *call, shot *snapshot, _ *rendering) (reply, bool) {
	return readyReply(shot.ready.managers, c.text("scope"))
}

// managersOf gives the managers of each of the given scopes.
func (s *Server) managersOf(ctx context.Context, b *batch, scopes ...string) (map[string]items, error) {
	type manager struct {
		Scope string `ch:"scope"`
		ID    uint32 `ch:"manager_id"`
		Name  string `ch:"name"`
	}
	found, err := rows[manager](ctx, s.reader, "managers", arg("batch", b.Number), arg("scopes", scopes))
	if err != nil {
		return nil, err
	}
	listed := map[string]items{}
	for _, scope := range scopes {
		listed[scope] = items{Data: []resource{}}
	}
	for _, m := range found {
		listed[m.Scope] = items{append(listed[m.Scope].Data, resource{idText(m.ID), "asset_provider", struct {
			Name string `json:"name"`
		}{m.Name}})}
	}
	return listed, nil
}
