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

// Sweep drops what no kept batch needs: old batches, what batches wrote that were never
// published, superseded days, and rejected rows beyond those that are kept. It waits for
// a batch that is being built. It is for the projector that builds.
func (p *Projector) Sweep(ctx context.Context) error {
	p.building.Lock()
	defer p.building.Unlock()
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("drop what is not needed any more: %w", err)
	}
	defer done()
	return p.retire(ctx)
}

// notSwept is what the log says when a sweep failed.
const notSwept = "could not drop all that is not needed any more; trying again at the next sweep"

// dropAbandoned drops what batches wrote that were never published, and which are so long
// past that whoever built them can't publish them. However often builds fail or are
// killed, only the last few leave rows.
func (p *Projector) dropAbandoned(ctx context.Context) error {
	abandoned, err := p.batches(ctx, "abandoned_batches", nil)
	if err != nil {
		return fmt.Errorf("look for abandoned batches: %w", err)
	}
	for _, batch := range abandoned {
		if err := p.dropBatch(ctx, batch, sql.Abandonment(), sql.Retirement()); err != nil {
			return fmt.Errorf("drop the abandoned batch %d: %w", batch, err)
		}
		p.log.Info().Uint64("batch", batch).Msg("dropped the rows of a batch that was never published")
	}
	return nil
}

// retire drops what only batches beyond the newest Keep can see, and what was never
// published. Batches are kept so that a client's next page comes from the batch of its
// first.
func (p *Projector) retire(ctx context.Context) error {
	if err := p.dropAbandoned(ctx); err != nil {
		return err
	}
	old, err := p.batches(ctx, "retirable_batches", clickhouse.Parameters{"keep": strconv.Itoa(p.config.Keep)})
	if err != nil {
		return fmt.Errorf("look for old batches: %w", err)
	}
	for _, batch := range old {
		if err := p.dropBatch(ctx, batch, sql.Retirement()); err != nil {
			return fmt.Errorf("retire batch %d: %w", batch, err)
		}
	}
	return p.dropSuperseded(ctx)
}

// batches gives the numbers that a query finds.
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

// dropBatch runs statements that drop a batch, in their order.
func (p *Projector) dropBatch(ctx context.Context, batch uint64, statements ...[]sql.Script) error {
	values := bind(ctx, clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)})
	for _, script := range slices.Concat(statements...) {
		if err := p.conn.Exec(values, script.Text); err != nil {
			return fmt.Errorf("%s: %w", script.Name, err)
		}
	}
	return nil
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
