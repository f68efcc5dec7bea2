package projector

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
	sqltext "cuota/sql/text"
)

// Sweep drops what no kept batch needs: batches that are not kept, rows of batches that were
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
	abandoned, err := oneColumn[uint64](ctx, p.conn, sql.Query("abandoned_batches"))
	if err != nil {
		return fmt.Errorf("query abandoned batches: %w", err)
	}
	for _, batch := range abandoned {
		if err := p.dropBatch(ctx, batch, sql.AbandonedGarbage(), sql.RetiredGarbage()); err != nil {
			return fmt.Errorf("drop the abandoned batch %d: %w", batch, err)
		}
		p.log.Info().Uint64("batch", batch).Msg("dropped the rows of a batch that was never published")
	}
	return nil
}

// retire drops the rows that only batches need which are not kept, and those of batches that
// were never published. The newest batches are kept so that a client can read its next page
// from the same batch as the first. The last batch of each day is kept longer, because it says
// what was known on that day.
func (p *Projector) retire(ctx context.Context) error {
	if err := p.conn.Exec(ctx, sql.Query("list_publications")); err != nil {
		return fmt.Errorf("list the published batches: %w", err)
	}
	if err := p.dropAbandoned(ctx); err != nil {
		return err
	}
	kept := clickhouse.Parameters{"keep": strconv.Itoa(p.config.Keep), "days": strconv.Itoa(p.config.KeepDays)}
	old, err := oneColumn[uint64](bind(ctx, kept), p.conn, sql.Query("retirable_batches"))
	if err != nil {
		return fmt.Errorf("query old batches: %w", err)
	}
	for _, batch := range old {
		if err := p.dropBatch(ctx, batch, sql.RetiredGarbage()); err != nil {
			return fmt.Errorf("retire batch %d: %w", batch, err)
		}
	}
	return p.dropSuperseded(ctx)
}

// builtTable is a table that batches fill.
type builtTable struct {
	Name string `ch:"table"`
	List string `ch:"list"` // the table with the builds of its days; empty for a table of batches
}

// builtTables lists the tables of a kind.
func builtTables(ctx context.Context, conn driver.Conn, kind string) ([]builtTable, error) {
	return sql.Select[builtTable](ctx, conn, "built_tables", clickhouse.Parameters{"kind": kind}, "list the tables of kind "+kind)
}

// dropBatch runs the statements that drop a batch, in order.
func (p *Projector) dropBatch(ctx context.Context, batch uint64, statements ...[]sql.Script) error {
	values := clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)}
	for _, script := range slices.Concat(statements...) {
		err := p.forEachTable(ctx, script, func(table builtTable) error {
			own := maps.Clone(values)
			own["table"] = table.Name
			return p.conn.Exec(bind(ctx, own), script.Text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// forEachTable runs a statement for each table that its header asks for, or once without a
// table.
func (p *Projector) forEachTable(ctx context.Context, script sql.Script, run func(builtTable) error) error {
	tables := []builtTable{{}}
	if kind := script.EachTable(); kind != "" {
		var err error
		if tables, err = builtTables(ctx, p.conn, kind); err != nil {
			return err
		}
	}
	for _, table := range tables {
		if err := run(table); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(script.Name+" "+table.Name), err)
		}
	}
	return nil
}

// mostSuperseded limits the number of values in one delete. More would not fit into an HTTP
// address or an entry of Keeper.
const mostSuperseded = 2000

// rejectsList is the name of the list of files whose rejected rows are no longer kept. The
// other lists have the name of the table that lists the builds.
const rejectsList = "rejects"

// dropSuperseded drops older builds of days that no kept batch reads any more, and rejected
// rows beyond those that are kept. It fails if rows are still there after they were
// deleted.
func (p *Projector) dropSuperseded(ctx context.Context) error {
	most := clickhouse.Parameters{"most": strconv.Itoa(mostSuperseded)}
	for before := (map[string]string)(nil); ; {
		var found []struct {
			List       string `ch:"list"`
			Superseded uint64 `ch:"superseded"`
			Some       string `ch:"some"`
		}
		if err := p.conn.Select(bind(ctx, most), &found, sql.Query("superseded")); err != nil {
			return fmt.Errorf("query superseded days and rejected rows: %w", err)
		}
		superseded, lists := uint64(0), map[string]string{}
		for _, row := range found {
			superseded += row.Superseded
			lists[row.List] = row.Some
		}
		if superseded == 0 {
			return nil
		}
		if maps.Equal(lists, before) {
			return fmt.Errorf("%d superseded days and files of rejected rows still have rows after their deletion", superseded)
		}
		if err := p.deleteSuperseded(ctx, lists); err != nil {
			return err
		}
		before = lists
	}
}

// deleteSuperseded runs the statements of sql.SupersededGarbage for the lists that are not empty.
func (p *Projector) deleteSuperseded(ctx context.Context, lists map[string]string) error {
	for _, script := range sql.SupersededGarbage() {
		if script.EachTable() == "" {
			if err := p.deleteListed(ctx, []sql.Script{script}, clickhouse.Parameters{rejectsList: lists[rejectsList]}); err != nil {
				return err
			}
			continue
		}
		err := p.forEachTable(ctx, script, func(table builtTable) error {
			days, known := lists[table.List]
			if !known {
				return fmt.Errorf("nothing says which builds of %s are superseded: name it in sql/queries/superseded.sql", table.List)
			}
			if days == noValues {
				return nil
			}
			return p.conn.Exec(bind(ctx, clickhouse.Parameters{"table": table.Name, "days": days}), script.Text)
		})
		if err != nil {
			return fmt.Errorf("delete superseded rows: %w", err)
		}
	}
	return nil
}

// noValues is an empty list of values.
const noValues = "[]"

// deleteListed runs each delete whose list is not empty.
func (p *Projector) deleteListed(ctx context.Context, deletes []sql.Script, lists clickhouse.Parameters) error {
	for _, script := range deletes {
		for name, list := range lists {
			if list == noValues || !sqltext.HasParameter(script.Text, name) {
				continue
			}
			if err := p.conn.Exec(bind(ctx, clickhouse.Parameters{name: list}), script.Text); err != nil {
				return fmt.Errorf("delete rows of %s: %w", script.Name, err)
			}
		}
	}
	return nil
}
