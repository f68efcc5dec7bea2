// Package upkeep has the subcommands with which an operator looks after an installation: status, copies, verify,
// repair, key and link. It also mends the tables when "cuota up" starts.
package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/notaries"
	"cuota/cmd/cuota/output"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/santiago"
	"cuota/model"
	"cuota/sql"
)

// NewStatus returns the command cuota status.
func NewStatus(s environment.Settings) *cobra.Command {
	var data string
	var asJSON bool
	command := &cobra.Command{
		Use:   "status",
		Short: "Show the datasets, the lag and the published batch",
		Long: "Show for each dataset the last date, the day by which the next data should be here, the complete " +
			"files, the\n" +
			"files still arriving, the rows, the rejected rows, the files in quarantine (cuota rejected list), and " +
			"the lag,\n" +
			"which is the number of messages that the projector has not stored yet. Then show the size of the\n" +
			"archive of raw files, the published batch, the files that wait for the next batch, and how often " +
			"ClickHouse was\n" +
			"restarted. If the last attempt to build a batch failed, or rows of the published batch are missing, or " +
			"nothing is\n" +
			"appended to the log of published batches, status shows the reason and exits with 1.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runStatus(command.Context(), s, data, asJSON, command.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	flags.BoolVar(&asJSON, "json", false, "write one JSON object, for programs")
	return command
}

func runStatus(ctx context.Context, s environment.Settings, data string, asJSON bool, out io.Writer) error {
	log := s.Logger().Level(zerolog.ErrorLevel)
	return connect.With(ctx, s, data, log, connect.ToRead, func(target *connect.Target) error {
		state, err := readStatus(ctx, target, s.Now(), log)
		if err == nil {
			state.Log, err = notaries.Look(ctx, s, data, target.Conn)
		}
		if err != nil {
			if engine := target.Engine; engine != nil && !engine.Running {
				err = fmt.Errorf("%s: %w", EngineText(engine), err)
			}
			return err
		}
		if asJSON {
			err = output.JSON(out, state)
		} else {
			err = state.tell(out)
		}
		switch {
		case err != nil:
		case len(state.Damage) > 0:
			err = errIncomplete
		case state.Failure != "":
			err = errLastBuild
		case state.Log != nil && state.Log.Fault != "":
			err = errLog
		}
		return err
	})
}

// errLastBuild, errIncomplete and errLog make status exit with 1, for scripts that watch an
// installation.
var (
	errLastBuild  = errors.New("the last attempt to build a batch failed")
	errIncomplete = errors.New(
		"rows of the published batch are missing, and the API answers 503: run cuota repair to restore them")
	errLog = errors.New("nothing is appended to the log of published batches")
)

// Status is the output of the command. Programs read its JSON, so the names must stay.
type Status struct {
	Datasets    []DatasetStatus `json:"datasets"`     // every dataset of the program
	Batch       *BatchStatus    `json:"batch"`        // the published batch; null: none yet
	Unprojected uint64          `json:"unprojected"`  // complete files that wait for the next batch
	Archive     archiveStatus   `json:"archive"`      // raw payloads
	Failure     string          `json:"last_failure"` // why the last attempt to build a batch failed; "": it succeeded
	Damage      []damagedTable  `json:"damage"`       // tables of the published batch in which rows are missing
	Log         *notaries.State `json:"log"`          // of published batches; null: there is no notary
	Engine      *embedded.State `json:"engine"`       // ClickHouse process of a running cuota up; null: none
}

// DatasetStatus is what has arrived of a dataset, and what is due.
type DatasetStatus struct {
	Dataset  model.Dataset `json:"dataset"`
	LastDate *model.Date   `json:"last_date"` // null: no row has arrived
	Files    uint64        `json:"files"`
	Arriving uint64        `json:"arriving"` // files whose rows have not all arrived
	Rows     uint64        `json:"rows"`
	Rejected uint64        `json:"rejected"` // rows
	// Findings are the differences between files and the files before them, and Quarantined
	// the files that wait for a person because of them: see cuota rejected list.
	Findings    uint64 `json:"findings"`
	Quarantined uint64 `json:"quarantined"`
	// DueOn is the day by which the next data should be here, and Overdue how many days ago
	// that was. null: nothing is expected.
	DueOn   *model.Date `json:"due_on"`
	Overdue *int64      `json:"overdue_days"`
	// Lag is the number of messages that the projector has not yet stored; null: it is not known,
	// because the offset that the projector has committed is after the end of the log.
	Lag *int64 `json:"lag"`
}

type archiveStatus struct {
	Bytes int64 `json:"bytes"` // size of its files
	Limit int64 `json:"limit"` // limit of their size: CUOTA_ARCHIVE_GIB
}

// BatchStatus is the published batch.
type BatchStatus struct {
	ID           string      `json:"batch_id"`
	Cutoff       *model.Date `json:"as_of_date"` // null: no date is complete yet
	CalculatedAt time.Time   `json:"calculated_at"`
	Series       uint32      `json:"series_count"`
	Facts        uint64      `json:"total_records"`
}

func readStatus(ctx context.Context, target *connect.Target, now time.Time, log zerolog.Logger) (*Status, error) {
	datasets, err := readDatasets(ctx, target, now, log)
	if err != nil {
		return nil, err
	}
	state := &Status{Datasets: datasets, Engine: target.Engine}
	if state.Archive.Bytes, state.Archive.Limit, err = target.Archive.Usage(); err != nil {
		return nil, err
	}
	if state.Damage, err = knownDamage(ctx, target.Conn); err != nil {
		return nil, err
	}
	return state, state.ReadBatch(ctx, target.Conn)
}

func readDatasets(ctx context.Context, target *connect.Target, now time.Time,
	log zerolog.Logger) ([]DatasetStatus, error) {
	list, err := StoredDatasets(ctx, target.Conn, now)
	if err != nil {
		return nil, err
	}
	lag, err := datasetLag(ctx, target.Ends, log)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if messages, known := lag[list[i].Dataset]; known {
			list[i].Lag = &messages
		}
	}
	return list, nil
}

// StoredDatasets returns the status of every dataset from the tables, without its lag.
func StoredDatasets(ctx context.Context, conn driver.Conn, now time.Time) ([]DatasetStatus, error) {
	type row struct {
		Dataset  string     `ch:"dataset"`
		Files    uint64     `ch:"files"`
		Waiting  uint64     `ch:"waiting"`
		Rows     uint64     `ch:"rows"`
		Rejected uint64     `ch:"rejected"`
		LastDate *time.Time `ch:"last_date"`

		Findings    uint64     `ch:"findings"`
		Quarantined uint64     `ch:"quarantined"`
		DueOn       *time.Time `ch:"due_on"`
		Overdue     *int64     `ch:"overdue_days"`
	}
	values := clickhouse.Parameters{"today": model.DateOf(now.In(santiago.Zone)).String()}
	rows, err := sql.Select[row](ctx, conn, "status_datasets", values, "query the datasets")
	if err != nil {
		return nil, err
	}
	list := make([]DatasetStatus, len(model.Datasets))
	for i, dataset := range model.Datasets {
		list[i] = DatasetStatus{Dataset: dataset}
		for _, row := range rows {
			if row.Dataset == string(dataset) {
				list[i].LastDate, list[i].Files, list[i].Arriving = dateOf(row.LastDate), row.Files, row.Waiting
				list[i].Rows, list[i].Rejected = row.Rows, row.Rejected
				list[i].Findings, list[i].Quarantined = row.Findings, row.Quarantined
				list[i].DueOn, list[i].Overdue = dateOf(row.DueOn), row.Overdue
			}
		}
	}
	return list, nil
}

func dateOf(t *time.Time) *model.Date {
	if t == nil {
		return nil
	}
	return new(model.DateOf(*t))
}

// datasetLag returns, for each dataset whose lag is known, the messages that the projector has
// not yet stored.
func datasetLag(ctx context.Context, of flow.Ends, log zerolog.Logger) (map[model.Dataset]int64, error) {
	lags, err := flow.LagGroup(of.Brokers, of.Copy, log).Lag(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the lag of the projector: %w", err)
	}
	byDataset := map[model.Dataset]int64{}
	for _, dataset := range model.Datasets {
		messages, known := int64(0), true
		for _, lag := range lags {
			if lag.Topic == dataset.Topic() || lag.Topic == dataset.RejectTopic() {
				messages += lag.Lag
				known = known && lag.Ahead == 0
			}
		}
		if known {
			byDataset[dataset] = messages
		}
	}
	return byDataset, nil
}

// ReadBatch reads what the status says of batches: the published one, the files that wait for the next, and
// the last failure.
func (s *Status) ReadBatch(ctx context.Context, conn driver.Conn) error {
	var rows []struct {
		BatchID      string     `ch:"batch_id"`
		AsOf         *time.Time `ch:"as_of_date"`
		CalculatedAt time.Time  `ch:"calculated_at"`
		Series       uint32     `ch:"series_count"`
		Records      uint64     `ch:"total_records"`
		Unprojected  uint64     `ch:"unprojected"`
		Failure      string     `ch:"failure"`
	}
	if err := conn.Select(ctx, &rows, sql.Query("status_batch")); err != nil {
		return fmt.Errorf("query the published batch: %w", err)
	}
	for _, row := range rows { // the query returns one row
		s.Unprojected, s.Failure = row.Unprojected, row.Failure
		if row.BatchID != "" {
			s.Batch = &BatchStatus{row.BatchID, dateOf(row.AsOf), row.CalculatedAt.UTC(), row.Series, row.Records}
		}
	}
	return nil
}

// tell prints the status for people.
func (s *Status) tell(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "dataset\tlast date\tdue\tfiles\tarriving\trows\trejected\tquarantined\tlag\t")
	for _, d := range s.Datasets {
		last := "-"
		if d.LastDate != nil {
			last = d.LastDate.String()
		}
		lag := "unknown"
		if d.Lag != nil {
			lag = strconv.FormatInt(*d.Lag, 10)
		}
		due := "-"
		if d.DueOn != nil {
			due = d.DueOn.String()
			if *d.Overdue > 0 {
				due = "late: " + due
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t\n", d.Dataset, last, due, d.Files, d.Arriving, d.Rows,
			d.Rejected, d.Quarantined, lag)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\narchive: %.2f GiB of at most %.2f\n", float64(s.Archive.Bytes)/(1<<30),
		float64(s.Archive.Limit)/(1<<30))
	if s.Batch == nil {
		fmt.Fprintln(out, "no batch is published yet")
	} else {
		cutoff := "no complete date yet"
		if s.Batch.Cutoff != nil {
			cutoff = "cutoff " + s.Batch.Cutoff.String()
		}
		fmt.Fprintf(out, "published batch %s: %s, %d series, %d facts, built %s\n",
			s.Batch.ID, cutoff, s.Batch.Series, s.Batch.Facts, s.Batch.CalculatedAt.Format(time.RFC3339))
	}
	if s.Unprojected > 0 {
		fmt.Fprintf(out, "%d complete files wait for the next batch\n", s.Unprojected)
	}
	if s.Failure != "" {
		fmt.Fprintf(out, "the last attempt failed: %s\n", s.Failure)
	}
	for _, table := range s.Damage {
		fmt.Fprintf(out, "damaged: %s: %s\n", table.Table, table.Reason)
	}
	s.tellLog(out)
	if s.Engine != nil {
		fmt.Fprintln(out, EngineText(s.Engine))
	}
	return nil
}

// tellLog prints what the status says of the log of published batches.
func (s *Status) tellLog(out io.Writer) {
	switch {
	case s.Log == nil:
		fmt.Fprintln(out, "no log of published batches is kept: CUOTA_NOTARY names no directory")
	case s.Log.Fault != "":
		fmt.Fprintf(out, "nothing is appended to the log of published batches: %s\n", s.Log.Fault)
	case s.Log.Batch == "":
		fmt.Fprintln(out, "the log of published batches has none yet")
	default:
		fmt.Fprintf(out, "the log of published batches has %d, the last one %s\n", s.Log.Leaves, s.Log.Batch)
	}
}

// EngineText describes the state of the engine.
func EngineText(engine *embedded.State) string {
	text := fmt.Sprintf("ClickHouse runs as process %d", engine.PID)
	if !engine.Running {
		text = "ClickHouse ended and is being started again"
	}
	if engine.Restarts > 0 {
		text += fmt.Sprintf(", restarts: %d", engine.Restarts)
	}
	if engine.LastEnd != "" {
		text += ", last end: " + engine.LastEnd
	}
	return text
}
