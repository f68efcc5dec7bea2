package query

import (
	"time"

	"cuota/internal/httpapi"
	"cuota/query/operation"
)

// keyInfoOperation shows the holder of a key its quota and usage. The request does not
// count.
func keyInfoOperation() httpapi.Operation {
	return operation.ServiceOperation("/api/key/info", httpapi.Uncounted, keyInfo)
}

func keyInfo(c *httpapi.Call) (httpapi.Reply, error) {
	quota := c.Key.DailyQuota()
	body := struct {
		Name          *string   `json:"name"` // null if the key has none
		Tier          string    `json:"tier"`
		DailyQuota    *int64    `json:"daily_quota"`    // requests a Santiago day; null: no limit
		QuotaEnforced bool      `json:"quota_enforced"` // true if requests beyond the quota are refused
		CreatedAt     time.Time `json:"created_at"`
		RequestsToday int64     `json:"requests_today"`
		// both only of keys that an operator has made
		Scopes    []string   `json:"scopes"`     // null: every one
		ExpiresAt *time.Time `json:"expires_at"` // when the key ends, because another has taken its place; null: no end is set
	}{
		Tier:          string(c.Key.Tier),
		DailyQuota:    quota,
		QuotaEnforced: c.Key.QuotaEnforced && quota != nil,
		CreatedAt:     c.Key.CreatedAt.UTC(),
		RequestsToday: c.Usage.Used,
		Scopes:        c.Key.Scopes.Words(),
		ExpiresAt:     c.Key.ExpiresAt,
	}
	if c.Key.Name != "" {
		body.Name = &c.Key.Name
	}
	return httpapi.JSON(body)
}
