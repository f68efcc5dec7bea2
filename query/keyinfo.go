package query

import (
	"context"
	"net/http"
	"time"

	"cuota/internal/httpapi"
)

// keyInfoOperation shows the holder of a key its quota and usage. The request does not
// count.
func keyInfoOperation() httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, "/api/key/info", httpapi.Uncounted, nil, func(_ context.Context, c *httpapi.Call, _ *struct{}) (httpapi.Answer, error) {
		return httpapi.Answer{Make: func(context.Context) (httpapi.Reply, error) { return keyInfo(c) }}, nil
	})
}

func keyInfo(c *httpapi.Call) (httpapi.Reply, error) {
	quota := c.Key.DailyQuota()
	body := struct {
		Name          *string   `json:"name"` // requests per Santiago day; null if there is no limit
		Tier          string    `json:"tier"`
		DailyQuota    *int64    `json:"daily_quota"`    // requests a Santiago day; null: no limit
		QuotaEnforced bool      `json:"quota_enforced"` // true if requests beyond the quota are refused
		CreatedAt     time.Time `json:"created_at"`
		RequestsToday int64     `json:"requests_today"`
	}{
		Tier:          string(c.Key.Tier),
		DailyQuota:    quota,
		QuotaEnforced: c.Key.QuotaEnforced && quota != nil,
		CreatedAt:     c.Key.CreatedAt.UTC(),
		RequestsToday: c.Usage.Used,
	}
	if c.Key.Name != "" {
		body.Name = &c.Key.Name
	}
	return httpapi.JSON(body)
}
