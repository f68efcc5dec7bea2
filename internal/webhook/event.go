package webhook

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"cuota/internal/sqlrows"
)

// Types of events.
const (
	BatchPublished = "batch.published"
	TestEvent      = "webhook.test"
)

// event is what a message announces. Its body is sent unchanged in each attempt.
type event struct {
	id, kind string
	batchID  string // "" for a test
	body     []byte
}

// insert stores an event. isNew is false if it was stored before.
func (e event) insert(ctx context.Context, tx *sql.Tx, now int64) (isNew bool, err error) {
	err = tx.QueryRowContext(ctx, statement("insert_event"), e.id, e.kind, sqlrows.OrNull(e.batchID), string(e.body),
		now).Scan(new(string))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// message is the body of every message.
type message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}

func (m message) text() []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		panic(err) // a fault of this program: its own types
	}
	return bytes.TrimSpace(out.Bytes())
}

// publication is the data of BatchPublished.
type publication struct {
	BatchID     string    `json:"batch_id"`
	AsOf        *string   `json:"as_of_date"` // the cutoff, YYYY-MM-DD; null while no date was complete
	PublishedAt time.Time `json:"published_at"`
	Previous    *string   `json:"previous_batch_id"` // published before it; null for the first one
	Links       links     `json:"links"`
}

// links are addresses of the API that answer from the batch.
type links struct {
	Batches  string  `json:"batches"`
	Screener string  `json:"screener"`
	Changes  *string `json:"changes"` // against the batch before; null for the first one
}

// published makes the event of a batch. Its id is made of that of the batch, so that every process makes the same.
func (h *Hooks) published(b batch) event {
	link := func(path string, pairs ...string) string {
		query := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			query.Set(pairs[i], pairs[i+1])
		}
		if len(query) == 0 {
			return h.config.Site + path
		}
		return h.config.Site + path + "?" + query.Encode()
	}
	data := publication{BatchID: b.ID, PublishedAt: b.PublishedAt.UTC(), Links: links{
		Batches: link("/api/batches"), Screener: link("/api/screener", "batch_id", b.ID)}}
	if b.AsOf != "" {
		data.AsOf = &b.AsOf
	}
	if b.Previous != "" {
		data.Previous = &b.Previous
		data.Links.Changes = new(link("/api/changes", "batch_id", b.ID, "since", b.Previous))
	}
	return event{id: "batch_" + b.ID, kind: BatchPublished, batchID: b.ID,
		body: message{BatchPublished, data.PublishedAt, data}.text()}
}

// testEvent makes a message with which a person tries a webhook.
func (h *Hooks) testEvent() event {
	return event{id: "test_" + newID(), kind: TestEvent,
		body: message{TestEvent, h.config.Now().UTC().Truncate(time.Millisecond), struct{}{}}.text()}
}
