package projector

import (
	"context"
	"fmt"
	"strconv"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/sql"
)

// retire drops what only batches beyond the newest Keep can see. Batches are
// kept so that a client's next page comes from the batch of its first.
func (p *Projector) retire(ctx context.Context) error {
	keep := clickhouse.Parameters{"keep": strconv.Itoa(p.config.Keep)}
	rows, err := p.conn.Query(bind(ctx, keep), sql.Query("retirable_batches"))
	if err != nil {
		return fmt.Errorf("look for old batches: %w", err)
	}
	var old []uint64
	for rows.Next() {
		var batch uint64
		if err := rows.Scan(&batch); err != nil {
			_ = rows.Close()
			return fmt.Errorf("look for old batches: %w", err)
		}
		old = append(old, batch)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("look for old batches: %w", err)
	}
	for _, batch := range old {
		values := bind(ctx, clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)})
		for _, script := range sql.Retirement() {
			if err := p.conn.Exec(values, script.Text); err != nil {
				return fmt.Errorf("retire batch %d, %s: %w", batch, script.Name, err)
			}
		}
	}
	return p.dropSuperseded(ctx)
}

// dropSuperseded drops the rows of days that were built anew since, where no
// kept batch sees the older build, and rejected rows beyond those that are kept.
func (p *Projector) dropSuperseded(ctx context.Context) error {
	var superseded uint64
	if err := p.conn.QueryRow(ctx, sql.Query("superseded")).Scan(&superseded); err != nil {
		return fmt.Errorf("look for superseded days and rejected rows: %w", err)
	}
	if superseded == 0 {
		return nil
	}
	for _, script := range sql.Supersession() {
		if err := p.conn.Exec(ctx, script.Text); err != nil {
			return fmt.Errorf("drop what is superseded in %s: %w", script.Name, err)
		}
	}
	return nil
}
