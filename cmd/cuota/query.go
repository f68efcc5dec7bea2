package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/spf13/cobra"
)

// defaultListen is where the API is served unless --listen says otherwise.
const defaultListen = "127.0.0.1:8080"

func newQuery(s settings) *cobra.Command {
	var at string
	command := &cobra.Command{
		Use:   "query",
		Short: "Serve the API, as a process of its own",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runQuery(command.Context(), s, at)
		},
	}
	command.Flags().StringVar(&at, apiFlag, defaultListen, "address to serve the API on")
	return command
}

func runQuery(ctx context.Context, s settings, at string) (err error) {
	if err := s.require("CUOTA_CLICKHOUSE", "CUOTA_ACCOUNTS", "CUOTA_PEPPER"); err != nil {
		return fmt.Errorf("%w: %s", err, serversOnly)
	}
	if err := s.checkProxies(); err != nil {
		return err
	}
	log := s.logger()
	listener, err := listenOn(ctx, apiFlag, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed(listener)) }()
	options, err := s.clickhouseServer()
	if err != nil {
		return err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return fmt.Errorf("open ClickHouse: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	accounts, err := openAccounts(ctx, s, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	serving, err := newServing(s, offer{at: listener, mails: s.MailDir, returns: s.returns()}, conn, accounts, log)
	if err != nil {
		return err
	}
	if err := serving.start(ctx); err != nil {
		return err
	}
	log.Info().Str("address", serving.server.Addr()).Msg("serving the API")
	stopTelling, err := tellSystemd(ctx, serving.server.Handler(), log)
	if err != nil {
		return errors.Join(err, serving.stop(ctx))
	}
	<-ctx.Done()
	return errors.Join(ended(ctx, stopPatience, stopTelling), serving.stop(ctx))
}
