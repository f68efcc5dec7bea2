package alert

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/statement"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Bounds of one ClickHouse statement. The events of a day on which every series
// moves have a hundredth of these bytes.
const (
	readWithin     = 30 * time.Second
	maxResultBytes = 64 << 20
)

// reader runs the statements alert_*.sql of sql/queries.
type reader struct{ conn driver.Conn }

// batch is a published batch whose rows are kept. Dates are YYYY-MM-DD.
type batch struct {
	Number      uint64 `ch:"batch"`
	ID          string `ch:"batch_id"`
	AsOf        string `ch:"as_of"`        // cutoff; "": none
	ClosedMonth string `ch:"closed_month"` // last day of the last month that is over; "": none
}

// event is what happened to a series. Values are fractions, dates YYYY-MM-DD.
type event struct {
	Kind    string   `ch:"kind"` // tac, move or closed
	IDs     []string `ch:"ids"`  // that find the series
	Current string   `ch:"current_id"`
	Date    string   `ch:"date"`
	Fund    string   `ch:"fund"`
	RUN     string   `ch:"run"`
	Serie   string   `ch:"serie"`

	Before     *float64 `ch:"value_before"`
	After      *float64 `ch:"value_after"`
	DateBefore *string  `ch:"date_before"`
}

// standing is what a monthly summary says of a series. Values are fractions.
type standing struct {
	Current string   `ch:"current_id"`
	IDs     []string `ch:"ids"`
	Fund    string   `ch:"fund"`
	RUN     string   `ch:"run"`
	Serie   string   `ch:"serie"`

	Month    *float64 `ch:"month_return"`
	YTD      *float64 `ch:"ytd_return"`
	Year     *float64 `ch:"year_return"`
	TACMonth string   `ch:"tac_month"` // YYYY-MM-DD; "": no rate is known
	TAC      *float64 `ch:"tac"`
}

// batches lists the batches that can be read, the oldest first.
func (r reader) batches(ctx context.Context) ([]batch, error) {
	return rows[batch](ctx, r, "alert_batches")
}

// events reads what a batch has of all series; whole tells whether it was still
// kept afterwards, and so was read to the end.
func (r reader) events(ctx context.Context, b batch) (found []event, whole bool, err error) {
	found, err = rows[event](ctx, r, "alert_events",
		clickhouse.Named("batch", b.Number), clickhouse.Named("as_of", b.AsOf))
	if err != nil {
		return nil, false, err
	}
	whole, err = r.kept(ctx, b)
	return found, whole, err
}

// standings reads the summary of some series, by each id that finds them.
func (r reader) standings(ctx context.Context, b batch, ids []string) (byID map[string]standing, whole bool, err error) {
	byID = map[string]standing{}
	if len(ids) == 0 {
		return byID, true, nil
	}
	found, err := rows[standing](ctx, r, "alert_summary",
		clickhouse.Named("batch", b.Number), clickhouse.Named("month", b.ClosedMonth), clickhouse.Named("ids", ids))
	if err != nil {
		return nil, false, err
	}
	for _, one := range found {
		for _, id := range one.IDs {
			byID[id] = one
		}
	}
	whole, err = r.kept(ctx, b)
	return byID, whole, err
}

func (r reader) kept(ctx context.Context, b batch) (bool, error) {
	found, err := rows[struct {
		Kept    uint64 `ch:"kept"`
		Damaged bool   `ch:"damaged"`
	}](ctx, r, "batch_readable", clickhouse.Named("batch", b.Number))
	return err == nil && len(found) > 0 && found[0].Kept > 0 && !found[0].Damaged, err
}

// rows reads all rows of a statement into structs whose fields are tagged with
// the names of its columns. Arguments are bound to {name:Type} on the server. Views are
// called by name: those of the database follow the rules by which the batch was built.
func rows[T any](ctx context.Context, r reader, name string, args ...any) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	ctx = statement.With(ctx, clickhouse.Settings{"max_result_bytes": maxResultBytes})
	var list []T
	if err := r.conn.Select(ctx, &list, sql.QueryAsWritten(name), args...); err != nil {
		return nil, fmt.Errorf("run %s.sql: %w", name, err)
	}
	return list, nil
}
