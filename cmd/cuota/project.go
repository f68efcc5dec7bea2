package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/admin"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/notaries"
	"cuota/internal/notary"
	"cuota/projector"
	"cuota/sql"
)

func newProject(s environment.Settings) *cobra.Command {
	var data, adminAt string
	var now bool
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "project",
		Short: "Store facts and publish batches, as a separate process",
		Long: "Consume the topics, store facts, and publish a batch whenever complete files have arrived, until " +
			"interrupted.\n" +
			"With --now, publish one batch of the files that have arrived, and return." + waitingExits,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case now:
				return runCommand(command.Context(), s,
					buildOrder{data: data, timeout: timeout, out: command.OutOrStdout()})
			case timeout != 0:
				return errors.New("--timeout needs --now: without it, cuota project runs until it is interrupted")
			case data != "":
				return errors.New("--data needs --now: without it, cuota project works on servers; for a data " +
					"directory, cuota up includes the projector")
			}
			return exit.OfRole(command.Context(), s.Logger, runProject(command.Context(), s, adminAt))
		},
	}
	command.Flags().BoolVar(&now, "now", false, "publish a batch now, even if nothing changed, and return")
	command.Flags().StringVar(&adminAt, admin.Flag, s.Admin, admin.Usage)
	command.Flags().StringVar(&data, "data", "", "with --now: data directory, even while cuota up runs on it")
	exit.TimeoutVar(command, &timeout, "with --now: ")
	return command
}

func newRebuild(s environment.Settings) *cobra.Command {
	var data string
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "rebuild",
		Short: "Publish a batch with every day rebuilt from the facts",
		Long:  "Publish a batch with every day rebuilt from the facts, and return." + waitingExits,
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runCommand(command.Context(), s,
				buildOrder{data: data, rebuild: true, timeout: timeout, out: command.OutOrStdout()})
		},
	}
	command.Flags().StringVar(&data, "data", "", "data directory, even while cuota up runs on it")
	exit.TimeoutVar(command, &timeout, "")
	return command
}

// waitingExits is the end of the help of commands that wait for a batch.
const waitingExits = "\n\nThe exit status is 0 when the batch is published, 1 when the command failed, 3 when the " +
	"batch failed its checks,\n" +
	"and 4 when it was not published within --timeout."

// serversOnly is the error text for a command that works only with servers and finds
// none.
const serversOnly = "cuota project and cuota query need servers (docs/configuration.md); cuota up runs everything on " +
	"a data directory"

// runProject runs the projector as a process of its own.
func runProject(ctx context.Context, s environment.Settings, adminAt string) (err error) {
	if err := s.Require("CUOTA_KAFKA", "CUOTA_CLICKHOUSE"); err != nil {
		return fmt.Errorf("%w: %s", err, serversOnly)
	}
	log := s.Logger()
	brokers, brokersErr := s.KafkaServers()
	options, optionsErr := s.ClickHouseServer()
	if err := errors.Join(brokersErr, optionsErr); err != nil {
		return err
	}
	adminServer, err := admin.Open(ctx, adminAt, programVersion(), log)
	if err != nil {
		return err
	}
	adminServer.Hosts = s.AdminHosts
	defer func() { err = errors.Join(err, adminServer.Stop(ctx)) }()
	adminServer.Start()
	if err := flow.Prepare(ctx, options, brokers); err != nil {
		return connect.Advised(err, connect.AdviceServers)
	}
	conn, err := s.OpenClickHouse(options, log, sql.Watch{Ran: adminServer.Metrics.Statements()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	projection, err := flow.StartProjection(ctx,
		projector.Config{KeepDays: s.KeepDays, Freshness: s.Objectives, Copy: s.Copy, Now: s.Now,
			Meter: adminServer.Metrics.Builds()}, brokers, conn, log)
	if err != nil {
		return err
	}
	adminServer.AddProjection(projection)
	if at := s.NotaryOr(""); at != "" {
		appending := notary.New(at, notaries.NewSource(conn, projection.Projector.Inspected), log)
		adminServer.AddNotary(appending)
		if err := appending.Start(); err != nil {
			return errors.Join(err, projection.Stop(ctx))
		}
		defer func() { err = errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, appending.Stop)) }()
	}
	adminServer.AllStarted()
	poll := adminServer.Poll(admin.TablesSource(conn, s.Now), admin.PartsSource(conn),
		admin.KafkaSource(projection.Group))
	defer func() { err = errors.Join(err, poll.Stop(ctx)) }()
	log.Info().Strs("kafka", s.Kafka).Msg("projecting")
	<-ctx.Done()
	return projection.Stop(ctx)
}

// buildOrder holds the arguments of a command that builds a batch.
type buildOrder struct {
	data    string
	rebuild bool          // build every day again from the facts
	timeout time.Duration // 0: no limit
	out     io.Writer
}

// runCommand sends a build command through Kafka to the projector that is running, and
// waits for the batch. If none runs on the data directory, this process runs the
// projector meanwhile.
func runCommand(ctx context.Context, s environment.Settings, order buildOrder) error {
	log := s.Logger().Level(zerolog.WarnLevel)
	return connect.With(ctx, s, order.data, log, connect.ToBuild, func(target *connect.Target) error {
		return target.Build(ctx, order.rebuild, order.timeout, order.out, log)
	})
}
