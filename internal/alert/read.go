package alert

import (
	"context"
	"time"

	"cuota/model"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// readWithin limits one ClickHouse statement.
const readWithin = 30 * time.Second

// reader runs the statements alert_*.sql in sql/queries, and series_named.sql. They call the views of the
// database, because these follow the rules by which the batch was built.
type reader struct{ sql.Reader }

func newReader(conn driver.Conn) reader {
	return reader{sql.NewReader(conn, "alert", readWithin, true, nil)}
}

// batch is a published batch whose rows still exist. Dates are YYYY-MM-DD.
type batch struct {
	Number      uint64 `ch:"batch"`
	ID          string `ch:"batch_id"`
	AsOf        string `ch:"as_of"`        // cutoff; "" if there is none
	ClosedMonth string `ch:"closed_month"` // last day of the last month that has ended; "" if there is none
}

// event is something that happened to a series. Values are fractions; dates are YYYY-MM-DD.
type event struct {
	Kind    string   `ch:"kind"` // tac, move or closed
	IDs     []string `ch:"ids"`  // all ids of the series
	Current string   `ch:"current_id"`
	Date    string   `ch:"date"`
	Fund    string   `ch:"fund"`
	RUN     string   `ch:"run"`
	Serie   string   `ch:"serie"`

	Before     *float64 `ch:"value_before"`
	After      *float64 `ch:"value_after"`
	DateBefore *string  `ch:"date_before"`
}

// standing is the summary of one series for a month. Values are fractions.
type standing struct {
	Current string   `ch:"current_id"`
	IDs     []string `ch:"ids"`
	Fund    string   `ch:"fund"`
	RUN     string   `ch:"run"`
	Serie   string   `ch:"serie"`

	Month    *float64 `ch:"month_return"`
	YTD      *float64 `ch:"ytd_return"`
	Year     *float64 `ch:"year_return"`
	TACMonth string   `ch:"tac_month"` // YYYY-MM-DD; "" if no TAC is known
	TAC      *float64 `ch:"tac"`
}

// batches lists the batches that can be read, oldest first.
func (r reader) batches(ctx context.Context) ([]batch, error) {
	return sql.Rows[batch](ctx, r.Reader, "alert_batches")
}

// events reads the events of a batch for all series. readable is false if the batch was retired,
// or found damaged, while it was read.
func (r reader) events(ctx context.Context, b batch) (found []event, readable bool, err error) {
	found, err = sql.Rows[event](ctx, r.Reader, "alert_events",
		sql.Arg("batch", b.Number), sql.Arg("as_of", b.AsOf))
	if err != nil {
		return nil, false, err
	}
	readable, err = r.kept(ctx, b)
	return found, readable, err
}

// standings reads the summaries of some series, by each id of the series. readable is as in
// events.
func (r reader) standings(ctx context.Context, b batch,
	ids []string) (byID map[string]standing, readable bool, err error) {
	byID = map[string]standing{}
	if len(ids) == 0 {
		return byID, true, nil
	}
	found, err := sql.Rows[standing](ctx, r.Reader, "alert_summary",
		sql.Arg("batch", b.Number), sql.Arg("month", b.ClosedMonth), sql.Arg("ids", ids))
	if err != nil {
		return nil, false, err
	}
	for _, one := range found {
		for _, id := range one.IDs {
			byID[id] = one
		}
	}
	readable, err = r.kept(ctx, b)
	return byID, readable, err
}

// names reads the names of the series that have, or had, these ids, closed ones too. It leaves out ids that no series
// has. readable is as in events.
func (r reader) names(ctx context.Context, b batch, ids []string) (found []model.SeriesName, readable bool, err error) {
	found, err = sql.Rows[model.SeriesName](ctx, r.Reader, "series_named",
		sql.Arg("batch", b.Number), sql.Arg("asked", ids))
	if err != nil {
		return nil, false, err
	}
	readable, err = r.kept(ctx, b)
	return found, readable, err
}

func (r reader) kept(ctx context.Context, b batch) (bool, error) {
	found, err := sql.Rows[struct {
		Kept    uint64 `ch:"kept"`
		Damaged bool   `ch:"damaged"`
	}](ctx, r.Reader, "batch_readable", sql.Arg("batch", b.Number))
	return err == nil && len(found) > 0 && found[0].Kept > 0 && !found[0].Damaged, err
}
