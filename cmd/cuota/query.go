package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// defaultListen is the address of the API unless --listen names another.
const defaultListen = "127.0.0.1:8080"

func newQuery(s settings) *cobra.Command {
	var at, adminAt string
	command := &cobra.Command{
		Use:   "query",
		Short: "Serve the API, as a separate process",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return endOfRole(command.Context(), s, runQuery(command.Context(), s, at, adminAt))
		},
	}
	command.Flags().StringVar(&adminAt, adminFlag, s.Admin, adminUsage)
	command.Flags().StringVar(&at, apiFlag, defaultListen, "address to serve the API on")
	return command
}

func runQuery(ctx context.Context, s settings, at, adminAt string) (err error) {
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
	admin, err := openAdmin(ctx, adminAt, log)
	if err != nil {
		return err
	}
	admin.hosts = s.AdminHosts
	defer func() { err = errors.Join(err, admin.stop(ctx)) }()
	options, err := s.clickhouseServer()
	if err != nil {
		return err
	}
	conn, err := s.openClickHouse(options, log, admin.metrics.Statements())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	accounts, err := openAccounts(ctx, s, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	streams, err := s.clickhouseHTTP(options)
	if err != nil {
		return err
	}
	serving, err := newServing(s, offer{at: listener, mails: s.MailDir, http: streams, files: s.bulk(""), returns: s.returns(), admin: admin}, conn, accounts, log)
	if err != nil {
		return err
	}
	admin.start()
	poll := admin.poll(tablesSource(conn, s.now), accountsSource(serving))
	defer func() { err = errors.Join(err, poll.Stop(ctx)) }()
	if err := serving.start(ctx); err != nil {
		return err
	}
	admin.allStarted()
	log.Info().Str("address", serving.server.Addr()).Msg("serving the API")
	stopTelling, err := tellSystemd(ctx, serving.server.Handler(), log)
	if err != nil {
		return errors.Join(err, serving.stop(ctx))
	}
	<-ctx.Done()
	return errors.Join(shutDown(ctx, stopPatience, stopTelling), serving.stop(ctx))
}
