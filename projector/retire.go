package projector

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

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

// mostSuperseded bounds the values of one delete, so that it stays below what an
// address of HTTP and an entry of Keeper may hold.
const mostSuperseded = 2000

// dropSuperseded drops the rows of days that were built anew since, where no
// kept batch sees the older build, and rejected rows beyond those that are kept.
func (p *Projector) dropSuperseded(ctx context.Context) error {
	most := clickhouse.Parameters{"most": strconv.Itoa(mostSuperseded)}
	for before := (clickhouse.Parameters)(nil); ; {
		var superseded uint64
		var days, marketDays, fiDays, rejects string
		err := p.conn.QueryRow(bind(ctx, most), sql.Query("superseded")).Scan(&superseded, &days, &marketDays, &fiDays, &rejects)
		if err != nil {
			return fmt.Errorf("look for superseded days and rejected rows: %w", err)
		}
		if superseded == 0 {
			return nil
		}
		lists := clickhouse.Parameters{"days": days, "market_days": marketDays, "fi_days": fiDays, "rejects": rejects}
		if maps.Equal(lists, before) {
			return fmt.Errorf("%d superseded days and files of rejected rows are still there after they were deleted", superseded)
		}
		if err := p.deleteListed(ctx, sql.Supersession(), lists); err != nil {
			return err
		}
		before = lists
	}
}

// deleteListed runs the deletes whose list is not empty.
func (p *Projector) deleteListed(ctx context.Context, deletes []sql.Script, lists clickhouse.Parameters) error {
	for _, script := range deletes {
		for name, list := range lists {
			if list == "[]" || !strings.Contains(script.Text, "{"+name+":") {
				continue
			}
			if err := p.conn.Exec(bind(ctx, clickhouse.Parameters{name: list}), script.Text); err != nil {
				return fmt.Errorf("delete rows of %s: %w", script.Name, err)
			}
		}
	}
	return nil
}
