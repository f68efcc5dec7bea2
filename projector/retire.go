package projector

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/sql"
)

// Sweep drops what no kept batch needs: batches beyond Keep, rows of batches that were
// never published, superseded days, and rejected rows beyond those that are kept. It waits
// while a batch is being built. Only the projector that leads may call it.
func (p *Projector) Sweep(ctx context.Context) error {
	p.building.Lock()
	defer p.building.Unlock()
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("drop rows that are no longer needed: %w", err)
	}
	defer done()
	return p.retire(ctx)
}

// notSwept is the log message for a sweep that failed.
const notSwept = "could not drop all rows that are no longer needed; trying again at the next sweep"

// dropAbandoned drops the rows of batches that were never published and are too old to be
// published by a projector that is still building. So only the last few failed builds leave
// rows, however many fail or are killed.
func (p *Projector) dropAbandoned(ctx context.Context) error {
	abandoned, err := p.batches(ctx, "abandoned_batches", nil)
	if err != nil {
		return fmt.Errorf("query abandoned batches: %w", err)
	}
	for _, batch := range abandoned {
		if err := p.dropBatch(ctx, batch, sql.Abandonment(), sql.Retirement()); err != nil {
			return fmt.Errorf("drop the abandoned batch %d: %w", batch, err)
		}
		p.log.Info().Uint64("batch", batch).Msg("dropped the rows of a batch that was never published")
	}
	return nil
}

// retire drops the rows that only batches beyond the newest Keep need, and those of batches
// that were never published. Older batches are kept so that a client can read its next page
// from the same batch as the first.
func (p *Projector) retire(ctx context.Context) error {
	if err := p.dropAbandoned(ctx); err != nil {
		return err
	}
	old, err := p.batches(ctx, "retirable_batches", clickhouse.Parameters{"keep": strconv.Itoa(p.config.Keep)})
	if err != nil {
		return fmt.Errorf("query old batches: %w", err)
	}
	for _, batch := range old {
		if err := p.dropBatch(ctx, batch, sql.Retirement()); err != nil {
			return fmt.Errorf("retire batch %d: %w", batch, err)
		}
	}
	return p.dropSuperseded(ctx)
}

// batches gives the batch numbers that a query finds.
func (p *Projector) batches(ctx context.Context, query string, values clickhouse.Parameters) ([]uint64, error) {
	var found []struct {
		Batch uint64 `ch:"batch"`
	}
	if err := p.conn.Select(bind(ctx, values), &found, sql.Query(query)); err != nil {
		return nil, err
	}
	numbers := make([]uint64, len(found))
	for i, row := range found {
		numbers[i] = row.Batch
	}
	return numbers, nil
}

// dropBatch runs the statements that drop a batch, in order.
func (p *Projector) dropBatch(ctx context.Context, batch uint64, statements ...[]sql.Script) error {
	values := bind(ctx, clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)})
	for _, script := range slices.Concat(statements...) {
		if err := p.conn.Exec(values, script.Text); err != nil {
			return fmt.Errorf("%s: %w", script.Name, err)
		}
	}
	return nil
}

// mostSuperseded limits the number of values in one delete. More would not fit into an HTTP
// address or an entry of Keeper.
const mostSuperseded = 2000

// dropSuperseded drops older builds of days that no kept batch reads any more, and rejected
// rows beyond those that are kept. It fails if rows are still there after they were
// deleted.
func (p *Projector) dropSuperseded(ctx context.Context) error {
	most := clickhouse.Parameters{"most": strconv.Itoa(mostSuperseded)}
	for before := (clickhouse.Parameters)(nil); ; {
		var superseded uint64
		var days, marketDays, fiDays, rejects string
		err := p.conn.QueryRow(bind(ctx, most), sql.Query("superseded")).Scan(&superseded, &days, &marketDays, &fiDays, &rejects)
		if err != nil {
			return fmt.Errorf("query superseded days and rejected rows: %w", err)
		}
		if superseded == 0 {
			return nil
		}
		lists := clickhouse.Parameters{"days": days, "market_days": marketDays, "fi_days": fiDays, "rejects": rejects}
		if maps.Equal(lists, before) {
			return fmt.Errorf("%d superseded days and files of rejected rows still have rows after their deletion", superseded)
		}
		if err := p.deleteListed(ctx, sql.Supersession(), lists); err != nil {
			return err
		}
		before = lists
	}
}

// deleteListed runs each delete whose list is not empty.
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
