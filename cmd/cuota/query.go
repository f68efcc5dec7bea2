package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/admin"
	"cuota/cmd/cuota/agents"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/sql"
)

// apiFlag is the flag of the address of the API.
const apiFlag = "listen"

// defaultListen is the address of the API unless --listen names another.
const defaultListen = "127.0.0.1:8080"

func newQuery(s environment.Settings) *cobra.Command {
	var at, adminAt string
	var tools agents.Serving
	command := &cobra.Command{
		Use:   "query",
		Short: "Serve the API, as a separate process",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return exit.OfRole(command.Context(), s.Logger, runQuery(command.Context(), s, at, adminAt, tools))
		},
	}
	command.Flags().StringVar(&adminAt, admin.Flag, s.Admin, admin.Usage)
	command.Flags().StringVar(&at, apiFlag, defaultListen, "address to serve the API on")
	tools.AddFlags(command.Flags())
	return command
}

func runQuery(ctx context.Context, s environment.Settings, at, adminAt string, tools agents.Serving) (err error) {
	if err := s.Require("CUOTA_CLICKHOUSE", "CUOTA_ACCOUNTS", "CUOTA_PEPPER"); err != nil {
		return fmt.Errorf("%w: %s", err, serversOnly)
	}
	if err := errors.Join(s.CheckProxies(), tools.Check()); err != nil {
		return err
	}
	log := s.Logger()
	listener, err := datadir.Listen(ctx, apiFlag, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, datadir.Close(listener)) }()
	adminServer, err := admin.Open(ctx, adminAt, programVersion(), log)
	if err != nil {
		return err
	}
	adminServer.Hosts = s.AdminHosts
	defer func() { err = errors.Join(err, adminServer.Stop(ctx)) }()
	spans, err := s.Traces(programVersion(), log)
	if err != nil {
		return err
	}
	adminServer.MeasureTraces(spans)
	if err := spans.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, spans.Stop)) }()
	options, err := s.ClickHouseServer()
	if err != nil {
		return err
	}
	conn, err := s.OpenClickHouse(options, log,
		sql.Watch{Ran: adminServer.Metrics.Statements(), Tracer: spans.Tracer()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	accounts, err := connect.OpenAccounts(ctx, s, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	streams, err := s.HTTPInterface(options)
	if err != nil {
		return err
	}
	serving, err := newServing(s, offer{at: listener, mails: s.MailDir, http: streams, files: s.BulkOr(""),
		log: s.NotaryOr(""), returns: s.ReturnsOr(), admin: adminServer, tools: tools, spans: spans}, conn, accounts,
		log)
	if err != nil {
		return err
	}
	adminServer.Start()
	poll := adminServer.Poll(admin.TablesSource(conn, s.Now), admin.AccountsSource(serving.outbox, serving.hooks))
	defer func() { err = errors.Join(err, poll.Stop(ctx)) }()
	if err := serving.start(ctx); err != nil {
		return err
	}
	adminServer.AllStarted()
	log.Info().Str("address", serving.server.Addr()).Msg("serving the API")
	stopTelling, err := admin.NotifySystemd(ctx, serving.server.Handler(), log)
	if err != nil {
		return errors.Join(err, serving.stop(ctx))
	}
	<-ctx.Done()
	return errors.Join(exit.ShutDown(ctx, exit.StopPatience, stopTelling), serving.stop(ctx))
}
