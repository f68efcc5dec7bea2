package query

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// changesPath is the feed of changes. A replica that has the tables of one batch gets by it
// those of a newer one, without downloading everything again.
const changesPath = "/api/changes"

type changesParams struct {
	Since  string          `query:"since" required:"true" min:"1" max:"200" example:"20250720-1-000000000001" doc:"batch_id of the batch whose rows the caller has; 410 batch_gone once it is not kept any more, and 410 other_rules if another version of the program computed it by other rules"`
	Tables tableNamesParam `query:"tables" doc:"Names of tables, separated by commas; absent: every table that is compared"`
	operation.BatchParams
}

// tableNamesParam are names of compared tables.
type tableNamesParam []string

// maxTablesText is longer than all names of tables together.
const maxTablesText = 1000

// Read implements httpapi.Value.
func (names *tableNamesParam) Read(text string) *httpapi.Violation {
	known := comparedNames()
	for name := range strings.SplitSeq(text, ",") {
		switch {
		case len(text) > maxTablesText || !slices.Contains(known, name):
			return &httpapi.Violation{Type: "literal_error",
				Msg: "Must be names of these tables, separated by commas: " + strings.Join(known, ", ")}
		case slices.Contains(*names, name):
			return &httpapi.Violation{Type: "duplicate", Msg: "Must not name the table " + name + " twice"}
		}
		*names = append(*names, name)
	}
	return nil
}

// String implements httpapi.Value.
func (names *tableNamesParam) String() string { return strings.Join(*names, ",") }

// Schema implements httpapi.Value.
func (tableNamesParam) Schema() httpapi.Schema {
	name := "(" + strings.Join(comparedNames(), "|") + ")"
	return httpapi.Schema{"type": "string", "minLength": 1, "maxLength": maxTablesText,
		"pattern": "^" + name + "(," + name + ")*$"}
}

func comparedNames() (names []string) {
	for _, table := range sql.ComparedTables() {
		names = append(names, table.Name)
	}
	return names
}

// changesOperation returns the rows that differ between two batches, as lines of JSON.
func (s *Server) changesOperation() httpapi.Operation {
	feeds := make(chan struct{}, feedsAtOnce)
	return httpapi.NewOperation(http.MethodGet, changesPath, httpapi.Keyed, nil,
		func(ctx context.Context, c *httpapi.Call, params *changesParams) (httpapi.Answer, error) {
			p, err := s.host.Pin(ctx, c, batch.Any, params)
			if err != nil {
				return httpapi.Answer{}, err
			}
			c.Header.Set(operation.BatchHeader, p.Batch.ID)
			since, err := s.host.Follower.Pin(operation.WithRequestID(ctx), batch.Any, params.Since, c.Wait)
			if err != nil {
				return httpapi.Answer{}, operation.ProblemOf(err)
			}
			if since.Number > p.Batch.Number {
				return httpapi.Answer{}, httpapi.Invalid{{Loc: []string{"query", "since"}, Type: "value_error",
					Input: params.Since,
					Msg:   "Must not be newer than the batch that answers, " + p.Batch.ID}}
			}
			if since.Rules != p.Batch.Rules {
				return httpapi.Answer{}, &httpapi.Problem{Status: http.StatusGone, Code: "other_rules",
					CurrentBatch: p.Batch.ID,
					Detail: "Another version of the program computed the batch of since, by other rules, so that its " +
						"rows can't be compared. Copy the tables again, from /api/bulk, and go on from there."}
			}
			return httpapi.Answer{Version: p.Batch.ID + " since " + since.ID,
				Stream: func(context.Context) (httpapi.Stream, error) {
					// Generators of clients refuse replies of type application/x-ndjson.
					return httpapi.Stream{Type: "application/octet-stream", Prompt: true,
						Write: func(ctx context.Context, w io.Writer) error {
							select {
							case feeds <- struct{}{}:
								defer func() { <-feeds }()
							default:
								return &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "overloaded",
									RetryAfter: httpapi.RetrySoon,
									Detail: "Other replicas are reading changes right now. Try again in a few " +
										"seconds."}
							}
							return writeChanges(operation.WithRequestID(ctx), p, since, params.Tables, w)
						}}, nil
				}}, nil
		})
}

// feedsAtOnce limits the feeds that are sent at once. Each holds connections to ClickHouse for as
// long as its reader takes, and other requests need connections too.
const feedsAtOnce = 2

// changedDays is how many days of a table are compared at once. It bounds the memory.
const changedDays = 14

// changedRow is a line of the feed. Key has the columns that identify the row. Was and Is are
// null if the row is new or gone.
type changedRow struct {
	Table string          `json:"table"`
	Key   json.RawMessage `json:"key"`
	Was   json.RawMessage `json:"was"`
	Is    json.RawMessage `json:"is"`
}

// changesProgress is a line that says that the feed goes on: the first one before any table is
// read, and then one for each table whose rows have all been given.
type changesProgress struct {
	Table *string `json:"table"` // nil in the first line
	Rows  uint64  `json:"rows"`  // in the lines before
}

// changesEnd is the last line of a complete feed.
type changesEnd struct {
	Since   string `json:"since"`
	BatchID string `json:"batch_id"`
	Rows    uint64 `json:"rows"`
}

// writeChanges writes a line for each row that differs between two batches, and then a line
// that says how many they were. Lines in between say how far it is. It fails if one of the
// batches is retired meanwhile. A batch does not differ from itself, so nothing is read for it.
func writeChanges(ctx context.Context, p operation.Pinned, since *batch.Batch, only []string, to io.Writer) error {
	out := bufio.NewWriterSize(to, 32<<10)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	end := changesEnd{Since: since.ID, BatchID: p.Batch.ID}
	progress := func(table *string) error {
		if err := lines.Encode(struct {
			Progress changesProgress `json:"progress"`
		}{changesProgress{table, end.Rows}}); err != nil {
			return err
		}
		return out.Flush()
	}
	if since.Number != p.Batch.Number {
		if err := progress(nil); err != nil {
			return err
		}
		if err := writeChangedRows(ctx, p, since, only, &end.Rows, lines, progress); err != nil {
			return err
		}
	}
	if err := lines.Encode(struct {
		End changesEnd `json:"end"`
	}{end}); err != nil {
		return fmt.Errorf("write the end of the changes: %w", err)
	}
	return out.Flush()
}

// writeChangedRows writes the lines of the rows, and counts them.
func writeChangedRows(ctx context.Context, p operation.Pinned, since *batch.Batch, only []string, count *uint64,
	lines *json.Encoder, progress func(table *string) error) error {
	type changedDay struct {
		Date time.Time `ch:"date"`
	}
	found, err := operation.Rows[changedDay](ctx, p, "changed_days", sql.Arg("since", since.Number))
	if err != nil {
		return err
	}
	days := make([]string, len(found))
	for i, day := range found {
		days[i] = model.DateOf(day.Date).String()
	}
	for _, table := range sql.ComparedTables() {
		if len(only) > 0 && !slices.Contains(only, table.Name) {
			continue
		}
		compare := func(days []string) error {
			return p.Reader.Changes(ctx, table, since.Number, p.Batch.Number, days, func(row sql.ChangedRow) error {
				*count++
				return lines.Encode(changedRow{table.Name, json.RawMessage(row.Key), orNull(row.Was), orNull(row.Is)})
			})
		}
		parts := [][]string{nil}
		if table.ByDay {
			parts = slices.Collect(slices.Chunk(days, changedDays))
		}
		for _, some := range parts {
			if err := compare(some); err != nil {
				return err
			}
		}
		if err := progress(&table.Name); err != nil {
			return err
		}
	}
	for _, of := range []*batch.Batch{since, p.Batch} {
		if err := batch.CheckReadable(ctx, p.Reader, of); err != nil {
			return err
		}
	}
	return nil
}

// orNull returns the JSON of a row, and null if there is none.
func orNull(row string) json.RawMessage {
	if row == "" {
		return json.RawMessage("null")
	}
	return json.RawMessage(row)
}
