package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/internal/eventlog"
	"cuota/model"
	"cuota/projector"
	"cuota/sql"
)

func newStatus(s settings) *cobra.Command {
	var data string
	command := &cobra.Command{
		Use:   "status",
		Short: "Show datasets, lag and the published batch",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runStatus(command.Context(), s, data, command.OutOrStdout())
		},
	}
	command.Flags().StringVar(&data, "data", "", "data directory, also while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	return command
}

func runStatus(ctx context.Context, s settings, data string, out io.Writer) error {
	log := s.logger().Level(zerolog.ErrorLevel)
	return withSite(ctx, s, data, log, false, func(site *site) error {
		if err := tellDatasets(ctx, site, out, log); err != nil {
			return err
		}
		return tellBatch(ctx, site.conn, out)
	})
}

// datasetStatus is a row of the query status_datasets.
type datasetStatus struct {
	Dataset  string     `ch:"dataset"`
	Files    uint64     `ch:"files"`
	Waiting  uint64     `ch:"waiting"`
	Rows     uint64     `ch:"rows"`
	Rejected uint64     `ch:"rejected"`
	LastDate *time.Time `ch:"last_date"`
}

func tellDatasets(ctx context.Context, site *site, out io.Writer, log zerolog.Logger) error {
	var rows []datasetStatus
	if err := site.conn.Select(ctx, &rows, sql.Query("status_datasets")); err != nil {
		return fmt.Errorf("ask for the datasets: %w", err)
	}
	known := make(map[string]datasetStatus, len(rows))
	for _, row := range rows {
		known[row.Dataset] = row
	}
	lag, err := datasetLag(ctx, site.brokers, log)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "dataset\tlast date\tfiles\tarriving\trows\trejected\tlag\t")
	for _, dataset := range model.Datasets {
		row := known[string(dataset)]
		last := "-"
		if row.LastDate != nil {
			last = row.LastDate.Format(time.DateOnly)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t\n", dataset, last, row.Files, row.Waiting, row.Rows, row.Rejected, lag[dataset])
	}
	return table.Flush()
}

// datasetLag counts the messages that the projector has yet to store.
func datasetLag(ctx context.Context, brokers []string, log zerolog.Logger) (map[model.Dataset]int64, error) {
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: brokers, ID: projectorGroup, Topics: projector.Topics()}, nothing, log)
	if err != nil {
		return nil, err
	}
	lags, err := group.Lag(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the lag: %w", err)
	}
	byDataset := map[model.Dataset]int64{}
	for _, lag := range lags {
		for _, dataset := range model.Datasets {
			if lag.Topic == dataset.Topic() || lag.Topic == dataset.RejectTopic() {
				byDataset[dataset] += lag.Lag
			}
		}
	}
	return byDataset, nil
}

// batchStatus is a row of the query status_batch.
type batchStatus struct {
	BatchID      string     `ch:"batch_id"`
	AsOf         *time.Time `ch:"as_of_date"`
	CalculatedAt time.Time  `ch:"calculated_at"`
	Series       uint32     `ch:"series_count"`
	Records      uint64     `ch:"total_records"`
	Unprojected  uint64     `ch:"unprojected"`
	Failure      string     `ch:"failure"`
}

func tellBatch(ctx context.Context, conn driver.Conn, out io.Writer) error {
	var rows []batchStatus
	if err := conn.Select(ctx, &rows, sql.Query("status_batch")); err != nil {
		return fmt.Errorf("ask for the published batch: %w", err)
	}
	for _, row := range rows {
		if row.BatchID == "" {
			fmt.Fprintln(out, "\nno batch is published yet")
		} else {
			cutoff := "no complete date yet"
			if row.AsOf != nil {
				cutoff = "cutoff " + row.AsOf.Format(time.DateOnly)
			}
			fmt.Fprintf(out, "\npublished batch %s: %s, %d series, %d facts, built %s\n",
				row.BatchID, cutoff, row.Series, row.Records, row.CalculatedAt.Format(time.RFC3339))
		}
		if row.Unprojected > 0 {
			fmt.Fprintf(out, "%d complete files wait for the next batch\n", row.Unprojected)
		}
		if row.Failure != "" {
			fmt.Fprintf(out, "the last attempt failed: %s\n", row.Failure)
		}
	}
	return nil
}
