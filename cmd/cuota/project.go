package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"
	"github.com/spf13/cobra"

	"cuota/internal/eventlog"
	"cuota/model"
)

func newProject(s settings) *cobra.Command {
	var data string
	var now bool
	command := &cobra.Command{
		Use:   "project",
		Short: "Store facts and publish batches, as a process of its own",
		Long: "Consume the topics, store facts and publish a batch whenever files have arrived whole, until interrupted.\n" +
			"With --now, publish one batch of what has arrived and return.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case now:
				return runCommand(command.Context(), s, data, false, command.OutOrStdout())
			case data != "":
				return errors.New("--data goes with --now: cuota project without --now works on servers, and cuota up projects what its directory receives")
			}
			return runProject(command.Context(), s)
		},
	}
	command.Flags().BoolVar(&now, "now", false, "publish a batch now, even if nothing changed, and return")
	command.Flags().StringVar(&data, "data", "", "with --now: data directory, also while cuota up runs on it")
	return command
}

func newRebuild(s settings) *cobra.Command {
	var data string
	command := &cobra.Command{
		Use:   "rebuild",
		Short: "Publish a batch with every day built anew from the facts",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runCommand(command.Context(), s, data, true, command.OutOrStdout())
		},
	}
	command.Flags().StringVar(&data, "data", "", "data directory, also while cuota up runs on it")
	return command
}

// runProject is the projector as a process of its own.
func runProject(ctx context.Context, s settings) (err error) {
	if err := s.require("CUOTA_KAFKA", "CUOTA_CLICKHOUSE"); err != nil {
		return fmt.Errorf("%w: %s", err, serversOnly)
	}
	log := s.logger()
	brokers, brokersErr := s.kafkaServers()
	options, optionsErr := s.clickhouseServer()
	if err := errors.Join(brokersErr, optionsErr); err != nil {
		return err
	}
	if err := prepare(ctx, options, s.ClickHouseCluster, brokers); err != nil {
		return err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return fmt.Errorf("open ClickHouse: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	projection, err := startProjection(ctx, brokers, conn, log)
	if err != nil {
		return err
	}
	log.Info().Strs("kafka", s.Kafka).Msg("projecting")
	<-ctx.Done()
	return projection.stop(ctx)
}

// runCommand sends a command to build through Kafka, where whichever projector
// runs takes it, and waits for the batch. Without one running on a data
// directory this process is the projector meanwhile.
func runCommand(ctx context.Context, s settings, data string, rebuild bool, out io.Writer) error {
	log := s.logger().Level(zerolog.WarnLevel)
	return withSite(ctx, s, data, log, toBuild, func(site *site) error {
		command := model.ProjectCommand{ID: rand.Text(), Rebuild: rebuild}
		if err := sendCommand(ctx, site.brokers, command, log); err != nil {
			return err
		}
		batch, err := awaitCommand(ctx, site.conn, command.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "published batch %d\n", batch)
		return nil
	})
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
