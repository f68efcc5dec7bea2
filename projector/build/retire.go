package build

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/sql"
	sqltext "cuota/sql/text"
)

// NotSwept is the log message for a sweep that failed.
const NotSwept = "could not drop all rows that are no longer needed; trying again at the next sweep"

// dropAbandoned drops the rows of batches that were never published and are too old to be
// published by a projector that is still building. So only the last few failed builds leave
// rows, however many fail or are killed.
func (b *Builder) dropAbandoned(ctx context.Context) error {
	abandoned, err := sql.SelectValues[uint64](ctx, b.conn, sql.Query("abandoned_batches"))
	if err != nil {
		return fmt.Errorf("query abandoned batches: %w", err)
	}
	for _, batch := range abandoned {
		if err := b.dropBatch(ctx, batch, sql.AbandonedGarbage(), sql.RetiredGarbage()); err != nil {
			return fmt.Errorf("drop the abandoned batch %d: %w", batch, err)
		}
		b.log.Info().Uint64("batch", batch).Msg("dropped the rows of a batch that was never published")
	}
	return nil
}

// Sweep drops what no kept batch needs: batches that are not kept, rows of batches that were
// never published, superseded days, and rejected rows beyond those that are kept. The newest
// batches are kept so that a client can read its next page from the same batch as the first. The
// last batch of each day is kept longer, because it says what was known on that day. Only the
// projector that leads may call it, and not while a batch is being built.
func (b *Builder) Sweep(ctx context.Context) error {
	if err := b.conn.Exec(ctx, sql.Query("list_publications")); err != nil {
		return fmt.Errorf("list the published batches: %w", err)
	}
	if err := b.dropAbandoned(ctx); err != nil {
		return err
	}
	kept := clickhouse.Parameters{"keep": strconv.Itoa(b.config.Keep), "days": strconv.Itoa(b.config.KeepDays)}
	old, err := sql.SelectValues[uint64](sql.WithParameters(ctx, kept), b.conn, sql.Query("retirable_batches"))
	if err != nil {
		return fmt.Errorf("query old batches: %w", err)
	}
	for _, batch := range old {
		if err := b.dropBatch(ctx, batch, sql.RetiredGarbage()); err != nil {
			return fmt.Errorf("retire batch %d: %w", batch, err)
		}
	}
	return b.dropSuperseded(ctx)
}

// dropBatch runs the statements that drop a batch, in order.
func (b *Builder) dropBatch(ctx context.Context, batch uint64, statements ...[]sql.Script) error {
	values := clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)}
	for _, script := range slices.Concat(statements...) {
		err := b.forEachTable(ctx, script, func(table sql.BuiltTable) error {
			own := maps.Clone(values)
			own["table"] = table.Name
			return b.conn.Exec(sql.WithParameters(ctx, own), script.Text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// forEachTable runs a statement for each table that its header asks for, or once without a
// table.
func (b *Builder) forEachTable(ctx context.Context, script sql.Script, run func(sql.BuiltTable) error) error {
	tables := []sql.BuiltTable{{}}
	if kind := script.EachTable(); kind != "" {
		var err error
		if tables, err = sql.BuiltTables(ctx, b.conn, kind); err != nil {
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
// address.
const mostSuperseded = 2000

// rejectsList is the name of the list of files whose rejected rows are no longer kept. The
// other lists have the name of the table that lists the builds.
const rejectsList = "rejects"

// dropSuperseded drops older builds of days that no kept batch reads any more, and rejected
// rows beyond those that are kept. It fails if rows are still there after they were
// deleted.
func (b *Builder) dropSuperseded(ctx context.Context) error {
	most := clickhouse.Parameters{"most": strconv.Itoa(mostSuperseded)}
	for before := (map[string]string)(nil); ; {
		var found []struct {
			List       string `ch:"list"`
			Superseded uint64 `ch:"superseded"`
			Some       string `ch:"some"`
		}
		if err := b.conn.Select(sql.WithParameters(ctx, most), &found, sql.Query("superseded")); err != nil {
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
			return fmt.Errorf("%d superseded days and files of rejected rows still have rows after their deletion",
				superseded)
		}
		if err := b.deleteSuperseded(ctx, lists); err != nil {
			return err
		}
		before = lists
	}
}

// deleteSuperseded runs the statements of sql.SupersededGarbage for the lists that are not empty.
func (b *Builder) deleteSuperseded(ctx context.Context, lists map[string]string) error {
	for _, script := range sql.SupersededGarbage() {
		if script.EachTable() == "" {
			if err := b.deleteListed(ctx, []sql.Script{script},
				clickhouse.Parameters{rejectsList: lists[rejectsList]}); err != nil {
				return err
			}
			continue
		}
		err := b.forEachTable(ctx, script, func(table sql.BuiltTable) error {
			days, known := lists[table.List]
			if !known {
				return fmt.Errorf("nothing says which builds of %s are superseded: name it in "+
					"sql/queries/superseded.sql", table.List)
			}
			if days == noValues {
				return nil
			}
			return b.conn.Exec(sql.WithParameters(ctx, clickhouse.Parameters{"table": table.Name, "days": days}),
				script.Text)
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
func (b *Builder) deleteListed(ctx context.Context, deletes []sql.Script, lists clickhouse.Parameters) error {
	for _, script := range deletes {
		for name, list := range lists {
			if list == noValues || !sqltext.HasParameter(script.Text, name) {
				continue
			}
			if err := b.conn.Exec(sql.WithParameters(ctx, clickhouse.Parameters{name: list}), script.Text); err != nil {
				return fmt.Errorf("delete rows of %s: %w", script.Name, err)
			}
		}
	}
	return nil
}
