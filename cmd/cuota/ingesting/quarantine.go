package ingesting

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/ingest"
)

// decisionOrder holds the arguments of accept and refuse.
type decisionOrder struct {
	named   string // name of a file or beginning of its hash
	accept  bool
	timeout time.Duration // 0: no limit
	out     io.Writer
}

func newRejectedAccept(s environment.Settings, data *string) *cobra.Command {
	order := decisionOrder{accept: true}
	command := decision(s, data, &order, &cobra.Command{
		Use:   "accept FILE|SHA256",
		Short: "Publish a file that is in quarantine",
		Long: "Publish a file that is in quarantine because its shapes differ from those of the files before it, and " +
			"wait for a\n" +
			"batch. Later files are compared with it, so its shapes are known from now on. A file that was refused " +
			"by cuota\n" +
			"rejected refuse can be accepted too.\n\n" +
			"The exit status is 0 when nothing was rejected, 1 when the command failed, 2 when some rows were " +
			"rejected, 3\n" +
			"when the batch failed its checks, and 4 when it was not published within --timeout.",
	})
	exit.TimeoutVar(command, &order.timeout, "")
	return command
}

func newRejectedRefuse(s environment.Settings, data *string) *cobra.Command {
	return decision(s, data, &decisionOrder{}, &cobra.Command{
		Use:   "refuse FILE|SHA256",
		Short: "Refuse a file that is in quarantine",
		Long: "Refuse a file that is in quarantine. Nothing of it is ever published, also if it is ingested again, " +
			"unless you\n" +
			"accept it later. The archive keeps its bytes.",
	})
}

// decision completes the command that takes a decision on a file.
func decision(s environment.Settings, data *string, order *decisionOrder, command *cobra.Command) *cobra.Command {
	command.Args = exit.OneArgument("give the name of a file in quarantine or its hash; cuota rejected list shows them")
	command.RunE = func(command *cobra.Command, args []string) error {
		order.named, order.out = args[0], command.OutOrStdout()
		log := s.Logger().Level(zerolog.ErrorLevel) // the command prints reports for the user itself
		return connect.With(command.Context(), s, *data, log, connect.ToBuild, func(target *connect.Target) error {
			return onRejected(command.Context(), target, order.named, order.timeout, log,
				func(file rejectedFile, ingester *ingest.Ingester, awaiting *flow.Waiter) error {
					if order.accept {
						return order.take(command.Context(), ingester, awaiting, file)
					}
					return order.refuse(command.Context(), ingester, awaiting, file)
				})
		})
	}
	return command
}

func (o decisionOrder) take(ctx context.Context, ingester *ingest.Ingester, awaiting *flow.Waiter,
	file rejectedFile) error {
	report, err := ingester.Accept(ctx, file.SHA256, nil)
	if err != nil {
		return err
	}
	tellReport(o.out, report)
	if report.Refused {
		return exit.ErrRejected
	}
	batch, err := awaiting.Files(ctx, []string{report.SHA256})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "accepted, in published batch %s\n", batch)
	return rejectedIn(report)
}

func (o decisionOrder) refuse(ctx context.Context, ingester *ingest.Ingester, awaiting *flow.Waiter,
	file rejectedFile) error {
	report, err := ingester.Decline(ctx, file.SHA256)
	if err != nil {
		return err
	}
	if err := awaiting.Stored(ctx); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%s (sha256 %.*s): refused, nothing of it is published\n", output.Visible(report.File),
		hashShown, report.SHA256)
	return nil
}
