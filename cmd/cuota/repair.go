package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/internal/eventlog"
	"cuota/model"
	"cuota/projector"
	"cuota/sql"
)

func newRepair(s settings) *cobra.Command {
	var data string
	command := &cobra.Command{
		Use:   "repair",
		Short: "Restore damaged tables from the archive of raw files",
		Long: "Have the projector inspect every table, publish the files again of which facts are missing, from the archive\n" +
			"of raw files, and wait for a batch with every day built anew. Published again are also files of the archive\n" +
			"whose rows never arrived whole. The same bytes give the same events, so that a repair may be run at any time.\n" +
			"If the archive lacks a file or its copy is damaged, repair names it and ends with 1: ingest the original\n" +
			"file again.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runRepair(command.Context(), s, data, command.OutOrStdout())
		},
	}
	command.Flags().StringVar(&data, "data", "", "data directory, also while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	return command
}

func runRepair(ctx context.Context, s settings, data string, out io.Writer) error {
	log := s.logger().Level(zerolog.ErrorLevel)
	return withSite(ctx, s, data, log, toBuild, func(site *site) error {
		fmt.Fprintln(out, "inspecting the tables")
		if err := inspect(ctx, site, log); err != nil {
			return err
		}
		work := restoration{archive: site.archive, brokers: site.brokers, out: out, log: log}
		damaged, err := tellDamage(ctx, site.conn, out)
		if err != nil {
			return err
		}
		files, err := filesToRestore(ctx, site.conn, work)
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
		if err := awaitStored(ctx, site.brokers, log); err != nil {
			return err
		}
		batch, err := awaitWhole(ctx, site.conn)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "published batch %d is whole\n", batch)
		return nil
	})
}

// inspect has the projector read every part and note what is damaged.
func inspect(ctx context.Context, site *site, log zerolog.Logger) error {
	command := model.ProjectCommand{ID: rand.Text(), Inspect: true}
	if err := sendCommand(ctx, site.brokers, command, log); err != nil {
		return err
	}
	_, err := awaitDone(ctx, site.conn, command.ID)
	return err
}

// awaitDone returns the batch that a command led to.
func awaitDone(ctx context.Context, conn driver.Conn, command string) (uint64, error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"id": command}))
	return await(ctx, "the projector to carry out a command", func() (uint64, bool, error) {
		var done []struct {
			Batch   uint64 `ch:"batch"`
			Failure string `ch:"failure"`
		}
		err := conn.Select(ctx, &done, sql.Query("command_done"))
		switch {
		case err != nil || len(done) == 0:
			return 0, false, err
		case done[0].Failure != "":
			return 0, false, errors.New(done[0].Failure)
		}
		return done[0].Batch, true, nil
	})
}

// damagedTable is a table of the published batch that rows are missing from.
type damagedTable struct {
	Batch  uint64 `ch:"batch" json:"batch"`
	Table  string `ch:"of_table" json:"table"`
	Reason string `ch:"why" json:"reason"`
}

func knownDamage(ctx context.Context, conn driver.Conn) ([]damagedTable, error) {
	var tables []damagedTable
	if err := conn.Select(ctx, &tables, sql.Query("known_damage")); err != nil {
		return nil, fmt.Errorf("ask for the damage that is known: %w", err)
	}
	return tables, nil
}

func tellDamage(ctx context.Context, conn driver.Conn, out io.Writer) (damaged bool, err error) {
	tables, err := knownDamage(ctx, conn)
	for _, table := range tables {
		fmt.Fprintf(out, "batch %d, %s: %s\n", table.Batch, table.Table, table.Reason)
	}
	return len(tables) > 0, err
}

// filesToRestore lists the files whose facts or manifests are missing.
func filesToRestore(ctx context.Context, conn driver.Conn, work restoration) ([]string, error) {
	batch, missing, err := missingRows(ctx, conn)
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

// awaitStored returns when the projector has read what is in the log.
func awaitStored(ctx context.Context, brokers eventlog.Brokers, log zerolog.Logger) error {
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: brokers, ID: projectorGroup, Topics: projector.Topics()}, nothing, log)
	if err != nil {
		return err
	}
	_, err = await(ctx, "the facts to be stored", func() (int64, bool, error) {
		left, err := behind(ctx, group)
		return left, left == 0, err
	})
	return err
}

// awaitWhole returns the published batch once it is whole. It fails if building one
// failed.
func awaitWhole(ctx context.Context, conn driver.Conn) (uint64, error) {
	return await(ctx, "a batch that is whole", func() (uint64, bool, error) {
		damaged, err := knownDamage(ctx, conn)
		if err != nil {
			return 0, false, err
		}
		var told status
		if err := told.readBatch(ctx, conn); err != nil {
			return 0, false, err
		}
		if told.Failure != "" && len(damaged) > 0 {
			return 0, false, errors.New("the last batch failed: " + told.Failure)
		}
		batch, missing, err := missingRows(ctx, conn)
		return batch, err == nil && len(damaged) == 0 && len(missing) == 0 && told.Unprojected == 0, err
	})
}
