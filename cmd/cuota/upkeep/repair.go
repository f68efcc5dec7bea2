package upkeep

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/model"
	"cuota/projector/inspect"
	"cuota/sql"
)

// NewRepair returns the command cuota repair.
func NewRepair(s environment.Settings) *cobra.Command {
	var data string
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "repair",
		Short: "Restore damaged tables from the archive of raw files",
		Long: "Inspect every table, publish files with missing facts again from the archive of raw files, and wait " +
			"for a batch\n" +
			"with every day rebuilt. Files of the archive whose rows did not all arrive are published again too. The " +
			"same\n" +
			"bytes give the same events, so a repair can be run at any time. If the archive lacks a file, or its " +
			"copy is\n" +
			"damaged, repair names the file and ends with status 1: ingest the original file again.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runRepair(command.Context(), s, data, timeout, command.OutOrStdout())
		},
	}
	command.Flags().StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	exit.TimeoutVar(command, &timeout, "")
	return command
}

func runRepair(ctx context.Context, s environment.Settings, data string, timeout time.Duration, out io.Writer) error {
	log := s.Logger().Level(zerolog.ErrorLevel)
	return connect.With(ctx, s, data, log, connect.ToBuild, func(target *connect.Target) error {
		fmt.Fprintln(out, "inspecting the tables")
		awaiting, err := target.Await(ctx, timeout, output.NewProgress(), log)
		if err != nil {
			return err
		}
		if err := inspectTables(ctx, target, awaiting, log); err != nil {
			return err
		}
		work := Republishing{Archive: target.Archive, Brokers: target.Brokers, Copy: target.Copy,
			Out: out, Log: log}
		damaged, err := tellDamage(ctx, target.Conn, out)
		if err != nil {
			return err
		}
		files, err := filesToRestore(ctx, target.Conn, work)
		if err != nil {
			return err
		}
		if !damaged && len(files) == 0 {
			fmt.Fprintln(out, "nothing is damaged")
			return nil
		}
		if len(files) > 0 {
			done, err := work.publish(ctx, files)
			fmt.Fprintf(out, "%d of %d files published again, %d rows\n", len(done.Files), len(files), done.Rows)
			if err != nil {
				return err
			}
		}
		if err := awaiting.Stored(ctx); err != nil {
			return err
		}
		batch, err := undamaged(ctx, awaiting, target.Conn)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "published batch %d is complete\n", batch)
		return nil
	})
}

// inspectTables makes the projector read every part and record which are damaged.
func inspectTables(ctx context.Context, target *connect.Target, awaiting *flow.Waiter, log zerolog.Logger) error {
	_, err := awaiting.Command(ctx, model.ProjectCommand{Inspect: true}, log)
	return err
}

// damagedTable is a table of the published batch in which rows are missing.
type damagedTable struct {
	Batch  uint64 `ch:"batch" json:"batch"`
	Table  string `ch:"of_table" json:"table"`
	Reason string `ch:"why" json:"reason"`
}

func knownDamage(ctx context.Context, conn driver.Conn) ([]damagedTable, error) {
	return sql.Select[damagedTable](ctx, conn, "known_damage", nil, "query the known damage")
}

func tellDamage(ctx context.Context, conn driver.Conn, out io.Writer) (damaged bool, err error) {
	tables, err := knownDamage(ctx, conn)
	for _, table := range tables {
		fmt.Fprintf(out, "batch %d, %s: %s\n", table.Batch, table.Table, table.Reason)
	}
	return len(tables) > 0, err
}

// filesToRestore lists the files whose facts or manifests are missing.
func filesToRestore(ctx context.Context, conn driver.Conn, work Republishing) ([]string, error) {
	batch, missing, err := inspect.Missing(ctx, conn)
	if err != nil {
		return nil, err
	}
	unlisted, err := hashes(ctx, conn, "unlisted_files", clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)})
	if err != nil {
		return nil, err
	}
	incomplete, err := work.incomplete(ctx, conn)
	if err != nil {
		return nil, err
	}
	files := slices.Concat(filesOf(missing), unlisted, incomplete)
	slices.Sort(files)
	return slices.Compact(files), nil
}

// undamaged waits until nothing of the published batch is missing, and returns it. It fails
// if facts are still missing after all messages are stored, because then no batch is
// built.
func undamaged(ctx context.Context, awaiting *flow.Waiter, conn driver.Conn) (batch uint64, err error) {
	err = awaiting.Until(ctx, "a complete batch", nil, func(ctx context.Context) (bool, error) {
		damaged, err := knownDamage(ctx, conn)
		if err != nil {
			return false, err
		}
		var state Status
		if err := state.ReadBatch(ctx, conn); err != nil {
			return false, err
		}
		var missing []inspect.MissingRows
		if batch, missing, err = inspect.Missing(ctx, conn); err != nil {
			return false, err
		}
		if files := filesOf(missing); len(files) > 0 {
			return false, flow.EndWait(
				fmt.Errorf("facts of %d files are still missing, the first %s: ingest the original files again",
					len(files), files[0]))
		}
		return len(damaged) == 0 && len(missing) == 0 && state.Unprojected == 0, nil
	})
	return batch, err
}
