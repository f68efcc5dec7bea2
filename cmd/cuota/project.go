package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"
	"github.com/spf13/cobra"

	"cuota/internal/eventlog"
	"cuota/model"
	"cuota/projector"
)

func newProject(s settings) *cobra.Command {
	var data, adminAt string
	var now bool
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "project",
		Short: "Store facts and publish batches, as a separate process",
		Long: "Consume the topics, store facts, and publish a batch whenever complete files have arrived, until interrupted.\n" +
			"With --now, publish one batch of the files that have arrived, and return." + waitingExits,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case now:
				return runCommand(command.Context(), s, buildOrder{data: data, timeout: timeout, out: command.OutOrStdout()})
			case timeout != 0:
				return errors.New("--timeout needs --now: without it, cuota project runs until it is interrupted")
			case data != "":
				return errors.New("--data needs --now: without it, cuota project works on servers; for a data directory, cuota up includes the projector")
			}
			return endOfRole(command.Context(), s, runProject(command.Context(), s, adminAt))
		},
	}
	command.Flags().BoolVar(&now, "now", false, "publish a batch now, even if nothing changed, and return")
	command.Flags().StringVar(&adminAt, adminFlag, s.Admin, adminUsage)
	command.Flags().StringVar(&data, "data", "", "with --now: data directory, even while cuota up runs on it")
	timeoutVar(command, &timeout, "with --now: ")
	return command
}

func newRebuild(s settings) *cobra.Command {
	var data string
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "rebuild",
		Short: "Publish a batch with every day rebuilt from the facts",
		Long:  "Publish a batch with every day rebuilt from the facts, and return." + waitingExits,
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runCommand(command.Context(), s, buildOrder{data: data, rebuild: true, timeout: timeout, out: command.OutOrStdout()})
		},
	}
	command.Flags().StringVar(&data, "data", "", "data directory, even while cuota up runs on it")
	timeoutVar(command, &timeout, "")
	return command
}

// waitingExits is the end of the help of commands that wait for a batch.
const waitingExits = "\n\nThe exit status is 0 when the batch is published, 1 when the command failed, 3 when the batch failed its checks,\n" +
	"and 4 when it was not published within --timeout."

// timeoutVar adds the flag --timeout to a command that waits for a batch.
func timeoutVar(command *cobra.Command, timeout *time.Duration, when string) {
	command.Flags().Var(&waitLimit{timeout}, "timeout", when+"end with exit status 4 if the batch is not published within this time, as in 90s or 10m")
}

// waitLimit is the value of --timeout.
type waitLimit struct{ *time.Duration }

func (l *waitLimit) String() string {
	if l.Duration == nil || *l.Duration == 0 {
		return ""
	}
	return l.Duration.String()
}

func (l *waitLimit) Type() string { return "duration" }

func (l *waitLimit) Set(text string) error {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return errors.New("give a duration above 0, as in 90s or 10m")
	}
	*l.Duration = limit
	return nil
}

// runProject runs the projector as a process of its own.
func runProject(ctx context.Context, s settings, adminAt string) (err error) {
	if err := s.require("CUOTA_KAFKA", "CUOTA_CLICKHOUSE"); err != nil {
		return fmt.Errorf("%w: %s", err, serversOnly)
	}
	log := s.logger()
	brokers, brokersErr := s.kafkaServers()
	options, optionsErr := s.clickhouseServer()
	if err := errors.Join(brokersErr, optionsErr); err != nil {
		return err
	}
	admin, err := openAdmin(ctx, adminAt, log)
	if err != nil {
		return err
	}
	admin.hosts = s.AdminHosts
	defer func() { err = errors.Join(err, admin.stop(ctx)) }()
	admin.start()
	if err := prepare(ctx, options, s.ClickHouseCluster, brokers); err != nil {
		return advised(err, adviceServers)
	}
	conn, err := s.openClickHouse(options, log, admin.metrics.Statements())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	projection, err := startProjection(ctx, projector.Config{KeepDays: s.KeepDays, Freshness: s.objectives, Now: s.now, Meter: admin.metrics.Builds()}, brokers, conn, log)
	if err != nil {
		return err
	}
	projection.tell(admin)
	admin.allStarted()
	poll := admin.poll(tablesSource(conn, s.now), partsSource(conn), kafkaSource(projection.group))
	defer func() { err = errors.Join(err, poll.Stop(ctx)) }()
	log.Info().Strs("kafka", s.Kafka).Msg("projecting")
	<-ctx.Done()
	return projection.stop(ctx)
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
func runCommand(ctx context.Context, s settings, order buildOrder) error {
	log := s.logger().Level(zerolog.WarnLevel)
	return withTarget(ctx, s, order.data, log, toBuild, func(target *target) error {
		return buildBatch(ctx, target, order, log)
	})
}

// buildBatch sends a build command and waits for its batch.
func buildBatch(ctx context.Context, target *target, order buildOrder, log zerolog.Logger) error {
	awaiting, err := target.await(ctx, order.timeout, newProgressLine(), log)
	if err != nil {
		return err
	}
	batch, err := awaiting.command(ctx, model.ProjectCommand{Rebuild: order.rebuild}, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(order.out, "published batch %d\n", batch)
	return nil
}

func sendCommand(ctx context.Context, brokers eventlog.Brokers, command model.ProjectCommand, log zerolog.Logger) error {
	value, err := json.Marshal(model.Control{Project: &command})
	if err != nil {
		return fmt.Errorf("encode a command: %w", err)
	}
	writer := eventlog.NewWriter(brokers, log)
	defer writer.Close()
	return writer.Write(ctx, model.ControlTopic, []kafka.Message{{Key: []byte(command.ID), Value: value}})
}
