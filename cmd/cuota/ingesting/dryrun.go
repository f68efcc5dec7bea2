package ingesting

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/dryrun"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/ingest"
	"cuota/ingest/archive"
)

// dryRunOrder holds the arguments of cuota ingest --dry-run.
type dryRunOrder struct {
	files     []string // the dataset, and files of it
	data      string
	published string
	asJSON    bool
	out       io.Writer
}

func runDryRun(ctx context.Context, s environment.Settings, order dryRunOrder) error {
	requests, err := requestsOf(order.files, order.published)
	if err != nil {
		return err
	}
	log := s.Logger().Level(zerolog.ErrorLevel) // the report is for the user
	return connect.With(ctx, s, order.data, log, connect.ToRead, func(target *connect.Target) error {
		reports, rejected, err := order.each(ctx, dryrun.New(target.Conn, target.Archive, log), requests)
		if order.asJSON && (err == nil || len(reports) > 0) { // also the reports before a file that failed
			err = errors.Join(err, output.JSON(order.out, reports))
		}
		if err != nil {
			return err
		}
		if rejected {
			return exit.ErrRejected
		}
		return nil
	})
}

// each makes the report on each file, up to the first that fails, and says whether any has rejected rows. It writes
// each as text, or returns them if JSON is asked for.
func (o dryRunOrder) each(ctx context.Context, run *dryrun.DryRun, requests []ingest.Request) (
	reports []dryrun.Report, rejected bool, err error) {
	reports = []dryrun.Report{} // never null
	for _, request := range requests {
		report, err := run.File(ctx, request)
		if errors.Is(err, archive.ErrDated) {
			err = fmt.Errorf("%w: omit --published, or give that date", err)
		}
		if err != nil {
			return reports, rejected, err
		}
		rejected = rejected || report.Rows.Rejected > 0
		if o.asJSON {
			reports = append(reports, report)
		} else if err := report.Write(o.out); err != nil {
			return reports, rejected, err
		}
	}
	return reports, rejected, nil
}
