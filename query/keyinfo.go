package query

import (
	"context"
	"net/http"
	"time"
)

// keyInfoOperation shows the holder of a key its quota and usage. The request does not
// count.
func (s *Server) keyInfoOperation() operation {
	return operation{method: http.MethodGet, path: "/api/key/info", access: uncounted, answer: s.keyInfo}
}

func (s *Server) keyInfo(_ context.Context, c *call) (reply, error) {
	quota := c.key.DailyQuota()
	body := struct {
		Name          *string   `json:"name"` // requests per Santiago day; null if there is no limit
		Tier          string    `json:"tier"`
		DailyQuota    *int64    `json:"daily_quota"`    // requests a Santiago day; null: no limit
		QuotaEnforced bool      `json:"quota_enforced"` // true if requests beyond the quota are refused
		CreatedAt     time.Time `json:"created_at"`
		RequestsToday int64     `json:"requests_today"`
	}{
		Tier:          string(c.key.Tier),
		DailyQuota:    quota,
		QuotaEnforced: c.key.QuotaEnforced && quota != nil,
		CreatedAt:     c.key.CreatedAt.UTC(),
		RequestsToday: c.usage.Used,
	}
	if c.key.Name != "" {
		body.Name = &c.key.Name
	}
	return ok(body)
}
