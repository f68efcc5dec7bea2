package query

import (
	"context"
	"net/http"

	"cuota/model"
)

// healthOperation tells how the service is, to anyone. It reads what is at
// hand, so that it answers whatever else is down: "ok"; "starting" before a
// first batch; "degraded" while ClickHouse does not answer or the batch is damaged.
func (s *Server) healthOperation() operation {
	return operation{method: http.MethodGet, path: "/health", answer: s.health}
}

// BatchHeader names the batch that the server answers from. It is on replies about
// the health alone: others have it in meta.batch_id.
const BatchHeader = "X-Batch-Id"

func (s *Server) health(_ context.Context, c *call) (reply, error) {
	body := struct {
		Status          string      `json:"status"`
		LastScrapedDate *model.Date `json:"last_scraped_date"` // latest date with a quota value
		TotalRecords    uint64      `json:"total_records"`     // facts of all datasets in the batch
	}{Status: "ok"}
	switch {
	case s.follower.failing.Load(), c.batch != nil && c.batch.Damaged:
		body.Status = "degraded"
	case c.batch == nil:
		body.Status = "starting"
	}
	if c.batch != nil {
		c.header.Set(BatchHeader, c.batch.ID)
		body.LastScrapedDate, body.TotalRecords = dateOf(c.batch.LastQuota), c.batch.TotalRecords
	}
	return ok(body)
}
