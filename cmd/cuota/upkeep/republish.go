package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"

	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/internal/eventlog"
	"cuota/projector/inspect"
	"cuota/sql"
)

// Republishing publishes archived files again whose facts are missing.
type Republishing struct {
	Archive *archive.Archive
	Brokers eventlog.Brokers
	Copy    string // as in flow.Ends
	Out     io.Writer
	Log     zerolog.Logger
}

// restored reports on the files. Programs read its JSON, so the names must stay.
type restored struct {
	Files  []string    `json:"restored_files"` // hashes
	Rows   uint64      `json:"restored_rows"`
	Failed []lostFiles `json:"not_restored"`
}

// lostFiles is a file that the archive cannot restore, with the reason.
type lostFiles struct {
	SHA256 string `json:"sha256"`
	Reason string `json:"reason"`
}

// errNotRestored says that the archive lacks files whose facts are missing.
var errNotRestored = errors.New("some files could not be restored from the archive: ingest the original files again")

// publish publishes the files again; the same bytes give the same events. It reports
// files that the archive cannot restore and goes on with the others.
func (r Republishing) publish(ctx context.Context, files []string) (restored, error) {
	// rejected rows were reported the first time
	ingester, closed := flow.NewIngester(r.Archive, r.Brokers, r.Copy, r.Log, r.Log.Level(zerolog.ErrorLevel))
	defer closed()
	bar := output.NewBar(int64(len(files)), "restoring", progressbar.OptionShowCount())
	var done restored
	for _, sha := range files {
		var report ingest.Report
		entry, err := r.Archive.Check(ctx, sha)
		refused := entry.Refused != "" // nothing of it was ever published
		if err == nil && !refused {
			report, err = ingester.Again(ctx, sha, nil)
		}
		switch {
		case err == nil && refused:
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err != nil:
			fmt.Fprintf(r.Out, "not restored: %v\n", err)
			done.Failed = append(done.Failed, lostFiles{sha, err.Error()})
		default:
			fmt.Fprintf(r.Out, "restored %s: %d rows\n", report.File, report.Published)
			done.Files = append(done.Files, sha)
			done.Rows += report.Published
		}
		_ = bar.Add(1) // failing to draw a bar is no reason to stop
	}
	_ = bar.Finish()
	if len(done.Failed) > 0 {
		return done, errNotRestored
	}
	return done, nil
}

// incomplete lists the archived files whose facts have not all arrived. Files that were
// refused as a whole do not count.
func (r Republishing) incomplete(ctx context.Context, conn driver.Conn) ([]string, error) {
	kept, err := r.Archive.Kept(ctx)
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	complete, err := hashes(ctx, conn, "complete_files", nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(kept, func(sha string) bool {
		_, found := slices.BinarySearch(complete, sha)
		return found || r.Archive.WasRefused(sha)
	}), nil
}

// hashes runs a statement with one column and returns the column.
func hashes(ctx context.Context, conn driver.Conn, statement string, values clickhouse.Parameters) ([]string, error) {
	var rows []struct {
		SHA256 string `ch:"sha256"`
	}
	if err := conn.Select(clickhouse.Context(ctx, clickhouse.WithParameters(values)), &rows,
		sql.Query(statement)); err != nil {
		return nil, fmt.Errorf("run %s.sql: %w", statement, err)
	}
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = row.SHA256
	}
	return list, nil
}

// filesOf lists the files whose facts are missing, in ascending order.
func filesOf(missing []inspect.MissingRows) []string {
	var files []string
	for _, m := range missing {
		if m.Fact {
			files = append(files, m.Piece)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
