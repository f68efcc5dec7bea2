package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/admin"
	"cuota/cmd/cuota/agents"
	"cuota/cmd/cuota/backups"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/firststart"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/notaries"
	"cuota/cmd/cuota/output"
	"cuota/cmd/cuota/upkeep"
	"cuota/ingest/archive"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/health"
	"cuota/internal/notary"
	"cuota/projector"
	"cuota/sql"
)

// upOrder holds the arguments of the command.
type upOrder struct {
	data    string
	api     string // addresses to listen on
	admin   string
	engines datadir.EngineAddresses
	demo    bool
	tools   agents.Serving
	market  string // directory of the first market, instead of the demo
	out     io.Writer
}

func newUp(s environment.Settings) *cobra.Command {
	var order upOrder
	var noDemo bool
	command := &cobra.Command{
		Use:   "up",
		Short: "Run everything on one data directory",
		Long: "Run everything on one data directory: Kafka, the projector and the API in one process, and ClickHouse " +
			"in\n" +
			"another. The first start ingests a demo market of real data. With --no-demo it ingests nothing, and with\n" +
			"--market the market in that directory.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			order.demo, order.out = !noDemo, command.OutOrStdout()
			err := exit.OfRole(command.Context(), s.Logger, runUp(command.Context(), s, order))
			if err == nil {
				fmt.Fprintf(order.out, "cuota has stopped. Its data stays in %s: the same command starts it again.\n",
					order.data)
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.data, "data", s.Data, "data directory, created if it is missing")
	flags.StringVar(&order.api, apiFlag, defaultListen, "address to serve the API on")
	flags.StringVar(&order.admin, admin.Flag, s.Admin, admin.Usage)
	flags.StringVar(&order.engines.ClickHouse, datadir.ClickHouseFlag, "127.0.0.1:8123",
		"loopback address of the ClickHouse HTTP interface")
	flags.StringVar(&order.engines.Native, datadir.NativeFlag, "127.0.0.1:9000",
		"loopback address of the ClickHouse native protocol")
	flags.StringVar(&order.engines.Kafka, datadir.KafkaFlag, "127.0.0.1:9092", "loopback address of the Kafka protocol")
	order.tools.AddFlags(flags)
	flags.BoolVar(&noDemo, "no-demo", false, "start with an empty market")
	flags.StringVar(&order.market, "market", "",
		"on the first start, ingest the files that sources.csv in this directory lists")
	return command
}

// runUp starts the components in the order of their dependencies, serves until it is
// interrupted, and stops them in reverse.
func runUp(ctx context.Context, s environment.Settings, order upOrder) (err error) {
	log := s.Logger()
	var stops []func(context.Context) error
	defer func() {
		for _, stop := range slices.Backward(stops) {
			err = errors.Join(err, stop(ctx))
		}
	}()
	onStop := func(stop func(context.Context) error) { stops = append(stops, stop) }

	if err := errors.Join(s.CheckProxies(), order.tools.Check()); err != nil {
		return err
	}
	dir, err := datadir.Make(order.data)
	if err != nil {
		return err
	}
	if err := dir.TakeWhenFree(ctx, func(holder string) {
		fmt.Fprintf(order.out, "Waiting: %s is using %s.\n", holder, dir.Path)
	}); err != nil {
		return err
	}
	onStop(func(context.Context) error { return dir.Release() })
	first, err := firststart.FindMarket(dir, order.demo, order.market)
	if err != nil {
		return err
	}
	var steps *firststart.Steps
	if first != nil {
		steps = firststart.NewSteps()
	}
	log, quieterLog := steps.Logs(log)

	api, err := datadir.Listen(ctx, apiFlag, order.api)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return datadir.Close(api) })
	adminServer, err := admin.Open(ctx, order.admin, programVersion(), log)
	if err != nil {
		return err
	}
	adminServer.Hosts = s.AdminHosts
	onStop(adminServer.Stop)
	spans, err := s.Traces(programVersion(), log)
	if err != nil {
		return err
	}
	adminServer.MeasureTraces(spans)
	if err := spans.Start(); err != nil {
		return err
	}
	onStop(func(ctx context.Context) error { return exit.ShutDown(ctx, exit.StopPatience, spans.Stop) })
	at := order.engines
	if s.ClickHouse != "" {
		at.ClickHouse, at.Native = "", "" // people query the named server directly
	}
	ports, err := datadir.BindEngines(ctx, at)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return ports.Close() })
	adminServer.Start()
	var meanwhile *output.Progress // of a first start
	enginesBegun := time.Now()
	if first != nil {
		first.Introduce(order.out)
		meanwhile = steps.NewProgress(log)
		defer meanwhile.End()
		meanwhile.Show(output.Line{Stage: "engines", Text: "starting Kafka and ClickHouse, and making the tables"})
	}
	running, err := datadir.StartEngines(ctx, s, dir, ports, log)
	if err != nil {
		return err
	}
	onStop(running.Stop)
	if engine := running.ClickHouse; engine != nil {
		adminServer.MeasureEngine(engine)
		// The API notices by itself when ClickHouse does not answer, and goes on from memory.
		adminServer.Add(health.Part{Name: admin.EnginePart, Ready: func() error {
			return engineTrouble(engine.State())
		}}, false)
	}
	if err := flow.Prepare(ctx, running.Options(), running.Brokers()); err != nil {
		return err
	}
	conn, err := s.OpenClickHouse(running.Options(), quieterLog,
		sql.Watch{Ran: adminServer.Metrics.Statements(), Tracer: spans.Tracer()})
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return conn.Close() })
	accounts, err := connect.OpenAccounts(ctx, s, dir.Path)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return accounts.Close() })
	// The demo has the rates for clp and real_uf, but no verified factors, so total must
	// be asked for.
	streams, err := running.HTTP(s)
	if err != nil {
		return err
	}
	offered := offer{at: api, http: streams, files: s.BulkOr(dir.Bulk()), log: s.NotaryOr(dir.Log()),
		mails: cmp.Or(s.MailDir, dir.Mail()), returns: s.ReturnsOr("clp", "real_uf"), admin: adminServer,
		progress: steps.List, tools: order.tools, spans: spans}
	serving, err := newServing(s, offered, conn, accounts, quieterLog)
	if err != nil {
		return err
	}

	projection, err := flow.NewProjection(projector.Config{KeepDays: s.KeepDays, Freshness: s.Objectives, Now: s.Now,
		Meter: adminServer.Metrics.Builds(), Inspecting: func() func() {
			closed := serving.server.Gate().Closed()
			return func() { serving.server.Gate().Open(closed) }
		}}, running.Brokers(), conn, log)
	if err != nil {
		return err
	}
	// When ClickHouse has ended by itself, it may have lost rows. Nothing is read from
	// it again until its tables are inspected.
	changed := func(serves bool) {
		if serves {
			projection.Projector.LookAgain()
		} else {
			projection.Projector.Suspect()
			serving.server.Gate().Close()
		}
	}
	running.Changed.Store(&changed)
	onStop(projection.Stop)
	adminServer.AddProjection(projection)
	poll := adminServer.Poll(admin.TablesSource(conn, s.Now), admin.PartsSource(conn),
		admin.KafkaSource(projection.Group), admin.AccountsSource(serving.outbox, serving.hooks),
		admin.DiskSource(dir, s.ArchiveIn(dir.Archive())))
	onStop(poll.Stop)
	if err := projection.Store(ctx); err != nil {
		return err
	}
	copies, err := backups.ServeCopies(dir, backups.CopyHeld(running, projection.Projector), log)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return copies.Close() })
	// Other commands write to the archive while this one runs.
	kept := s.ArchiveIn(dir.Archive())
	stopSweeping := sweeping(archive.SweepEvery, log, kept.Sweep)
	onStop(func(ctx context.Context) error { return exit.ShutDown(ctx, exit.StopPatience, stopSweeping) })
	var files []string
	var awaiting *flow.Waiter
	answering := false // the API is served
	if first != nil {
		here := flow.Ends{Brokers: running.Brokers(), Conn: conn}
		if awaiting, err = here.Await(ctx, 0, meanwhile, log); err != nil {
			return err
		}
		// People may open the address while the market is ingested. If an interrupted first
		// start has published a batch, its tables are inspected before anything is answered.
		published, _, err := awaiting.HoldsFiles(ctx, "", nil)
		if err != nil {
			return fmt.Errorf("query the state of the batches: %w", err)
		}
		if published == "" {
			if err := serving.start(ctx); err != nil {
				return err
			}
			onStop(serving.stop)
			answering = true
		}
		meanwhile.End()
		firststart.Report(order.out, "Kafka and ClickHouse started, tables made", time.Since(enginesBegun))
		if answering {
			fmt.Fprintf(order.out, "  http://%s shows how far the start is\n", serving.server.Addr())
		}
		// All files are stored before a batch is built, so that one batch holds them
		// all.
		if files, err = first.Ingest(ctx, kept, dir, running.Brokers(), steps, order.out, log); err != nil {
			return err
		}
		if err := projection.StoredTelling(ctx, func(left int64) {
			steps.Storing(left)
			meanwhile.Show(output.Line{Stage: "lag", Text: fmt.Sprintf("storing rows: %d messages left", left),
				Value: left})
		}); err != nil {
			return err
		}
		steps.Begin(firststart.StepBatch)
		meanwhile.End()
		steps.Report(order.out, "the last rows stored", firststart.StepFacts)
		meanwhile.Show(output.Line{Stage: "mend", Text: "starting the first batch"})
	}
	mending := upkeep.Republishing{Archive: s.ArchiveIn(dir.Archive()), Brokers: running.Brokers(), Out: order.out,
		Log: log}
	if err := upkeep.Mend(ctx, projection, mending, first != nil); err != nil {
		return err
	}
	if err := projection.Build(ctx); err != nil {
		return err
	}
	if at := s.NotaryOr(dir.Log()); at != "" {
		appending := notary.New(at, notaries.NewSource(conn, projection.Projector.Inspected), log)
		adminServer.AddNotary(appending)
		if err := appending.Start(); err != nil {
			return err
		}
		onStop(func(ctx context.Context) error { return exit.ShutDown(ctx, exit.StopPatience, appending.Stop) })
	}
	if first != nil {
		if err := first.Await(ctx, dir, awaiting, files, steps, order.out); err != nil {
			return err
		}
		steps.Begin(firststart.StepServe)
		meanwhile.Show(output.Line{Stage: "serve", Text: "reading the batch into memory, for the pages and the API"})
	}
	if answering {
		_ = serving.server.Refresh(ctx) // logged by Refresh
	} else {
		if err := serving.start(ctx); err != nil {
			return err
		}
		onStop(serving.stop)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("read the first batch: %w", ctx.Err())
	}
	if first != nil {
		meanwhile.End()
		steps.Report(order.out, "batch read into memory", firststart.StepServe)
	}
	steps.End()
	adminServer.AllStarted()

	served := running.Addresses()
	served.HTTP = serving.server.Addr()
	if err := dir.Announce(served); err != nil {
		return err
	}
	area := "http://" + served.HTTP + "/register   (mails: " + serving.mails + ")"
	if !serving.hasAccounts() {
		area = "not served: set CUOTA_BASE_URL"
	}
	if err := firststart.Greet(ctx, order.out, dir, served, area, adminServer.Addr(), accounts, first); err != nil {
		return err
	}
	stopTelling, err := admin.NotifySystemd(ctx, serving.server.Handler(), log)
	if err != nil {
		return err
	}
	onStop(func(ctx context.Context) error { return exit.ShutDown(ctx, exit.StopPatience, stopTelling) })
	<-ctx.Done()
	log.Info().Msg("stopping")
	return nil
}

// engineTrouble returns why the engine cannot be asked now; nil if it can.
func engineTrouble(state embedded.State) error {
	if state.Running {
		return nil
	}
	return errors.New(upkeep.EngineText(&state))
}
