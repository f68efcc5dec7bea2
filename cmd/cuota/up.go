package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"cuota/ingest"
	"cuota/internal/account"
	"cuota/internal/durable"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/health"
	"cuota/projector"
	"cuota/sql"
)

// upOrder holds the arguments of the command.
type upOrder struct {
	data    string
	api     string // addresses to listen on
	admin   string
	engines engineAddresses
	demo    bool
	market  string // directory of the first market, instead of the demo
	out     io.Writer
}

func newUp(s settings) *cobra.Command {
	var order upOrder
	var noDemo bool
	command := &cobra.Command{
		Use:   "up",
		Short: "Run everything on one data directory",
		Long: "Run everything on one data directory: Kafka, the projector and the API in one process, and ClickHouse in\n" +
			"another. The first start ingests a demo market of real data. With --no-demo it ingests nothing, and with\n" +
			"--market the market in that directory.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			order.demo, order.out = !noDemo, command.OutOrStdout()
			return endOfRole(command.Context(), s, runUp(command.Context(), s, order))
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.data, "data", s.Data, "data directory, created if it is missing")
	flags.StringVar(&order.api, apiFlag, defaultListen, "address to serve the API on")
	flags.StringVar(&order.admin, adminFlag, s.Admin, adminUsage)
	flags.StringVar(&order.engines.clickhouse, clickhouseFlag, "127.0.0.1:8123", "loopback address of the ClickHouse HTTP interface")
	flags.StringVar(&order.engines.native, nativeFlag, "127.0.0.1:9000", "loopback address of the ClickHouse native protocol")
	flags.StringVar(&order.engines.kafka, kafkaFlag, "127.0.0.1:9092", "loopback address of the Kafka protocol")
	flags.BoolVar(&noDemo, "no-demo", false, "start with an empty market")
	flags.StringVar(&order.market, "market", "", "on the first start, ingest the files that sources.csv in this directory lists")
	return command
}

// runUp starts the components in the order of their dependencies, serves until it is
// interrupted, and stops them in reverse.
func runUp(ctx context.Context, s settings, order upOrder) (err error) {
	log := s.logger()
	var stops []func(context.Context) error
	defer func() {
		for _, stop := range slices.Backward(stops) {
			err = errors.Join(err, stop(ctx))
		}
	}()
	onStop := func(stop func(context.Context) error) { stops = append(stops, stop) }

	if err := s.checkProxies(); err != nil {
		return err
	}
	dir, err := makeDirectory(order.data)
	if err != nil {
		return err
	}
	if err := dir.takeWhenFree(ctx, func(holder string) {
		fmt.Fprintf(order.out, "Waiting: %s is using %s.\n", holder, dir.path)
	}); err != nil {
		return err
	}
	onStop(func(context.Context) error { return dir.release() })
	first, err := firstMarket(dir, order)
	if err != nil {
		return err
	}
	var steps *firstSteps
	if first != nil {
		steps = newFirstSteps()
	}

	api, err := listenOn(ctx, apiFlag, order.api)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return closed(api) })
	admin, err := openAdmin(ctx, order.admin, log)
	if err != nil {
		return err
	}
	admin.hosts = s.AdminHosts
	onStop(admin.stop)
	at := order.engines
	if s.ClickHouse != "" {
		at.clickhouse, at.native = "", "" // people query the named server directly
	}
	ports, err := bindEngines(ctx, at)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return ports.close() })
	admin.start()
	running, err := startEngines(ctx, s, dir, ports, log)
	if err != nil {
		return err
	}
	onStop(running.stop)
	if engine := running.clickhouse; engine != nil {
		admin.measureEngine(engine)
		// The API notices by itself when ClickHouse does not answer, and goes on from memory.
		admin.add(health.Part{Name: enginePart, Ready: func() error { return engineTrouble(engine.State()) }}, false)
	}
	if err := prepare(ctx, running.options(), running.cluster, running.brokers()); err != nil {
		return err
	}
	conn, err := s.openClickHouse(running.options(), log, admin.metrics.Statements())
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return conn.Close() })
	accounts, err := openAccounts(ctx, s, dir.path)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return accounts.Close() })
	// The demo has the rates for clp and real_uf, but no verified factors, so total must
	// be asked for.
	streams, err := running.http(s)
	if err != nil {
		return err
	}
	offered := offer{at: api, http: streams, files: s.bulk(dir.bulk()), mails: cmp.Or(s.MailDir, dir.mail()), returns: s.returns("clp", "real_uf"), admin: admin, progress: steps.list}
	serving, err := newServing(s, offered, conn, accounts, log)
	if err != nil {
		return err
	}

	projection, err := newProjection(projector.Config{KeepDays: s.KeepDays, Freshness: s.objectives, Now: s.now, Meter: admin.metrics.Builds(), Inspecting: func() func() {
		closed := serving.server.Gate().Closed()
		return func() { serving.server.Gate().Open(closed) }
	}}, running.brokers(), conn, log)
	if err != nil {
		return err
	}
	// When ClickHouse has ended by itself, it may have lost rows. Nothing is read from
	// it again until its tables are inspected.
	changed := func(serves bool) {
		if serves {
			projection.projector.LookAgain()
		} else {
			projection.projector.Suspect()
			serving.server.Gate().Close()
		}
	}
	running.changed.Store(&changed)
	onStop(projection.stop)
	projection.tell(admin)
	poll := admin.poll(tablesSource(conn, s.now), partsSource(conn), kafkaSource(projection.group), accountsSource(serving), diskSource(dir, s.archiveIn(dir.archive())))
	onStop(poll.Stop)
	if err := projection.store(ctx); err != nil {
		return err
	}
	copies, err := serveCopies(dir, running.copyHeld(projection.projector), log)
	if err != nil {
		return err
	}
	onStop(func(context.Context) error { return copies.close() })
	// Other commands write to the archive while this one runs.
	archive := s.archiveIn(dir.archive())
	stopSweeping := sweeping(ingest.SweepEvery, log, archive.Sweep)
	onStop(func(ctx context.Context) error { return shutDown(ctx, stopPatience, stopSweeping) })
	var files []string
	var awaiting *waiter
	answering := false // the API is served
	if first != nil {
		tell := newProgressLine()
		tell.seen = steps.building
		here := &target{brokers: running.brokers(), conn: conn}
		if awaiting, err = here.await(ctx, 0, tell, log); err != nil {
			return err
		}
		// People may open the address while the market is ingested. If an interrupted first
		// start has published a batch, its tables are inspected before anything is answered.
		published, _, err := awaiting.holdsFiles(ctx, "", nil)
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
		// All files are stored before a batch is built, so that one batch holds them
		// all.
		if files, err = first.ingest(ctx, archive, dir, running.brokers(), steps, order.out, log); err != nil {
			return err
		}
		if err := projection.storedTelling(ctx, steps.storing); err != nil {
			return err
		}
		steps.begin(stepBatch)
	}
	mending := republishing{archive: s.archiveIn(dir.archive()), brokers: running.brokers(), out: order.out, log: log}
	if err := projection.mendTables(ctx, mending, first != nil); err != nil {
		return err
	}
	if err := projection.build(ctx); err != nil {
		return err
	}
	if first != nil {
		if err := first.await(ctx, dir, awaiting, files, order.out); err != nil {
			return err
		}
		steps.begin(stepServe)
	}
	if answering {
		_ = serving.server.Refresh(ctx) // logged by Refresh
	} else {
		if err := serving.start(ctx); err != nil {
			return err
		}
		onStop(serving.stop)
	}
	steps.end()
	admin.allStarted()

	served := running.addresses()
	served.HTTP = serving.server.Addr()
	if err := dir.announce(served); err != nil {
		return err
	}
	area := "http://" + served.HTTP + "/register   (mails: " + serving.mails + ")"
	if !serving.hasAccounts() {
		area = "not served: set CUOTA_BASE_URL"
	}
	if err := greet(ctx, order.out, dir, served, area, admin.addr(), accounts, first); err != nil {
		return err
	}
	stopTelling, err := tellSystemd(ctx, serving.server.Handler(), log)
	if err != nil {
		return err
	}
	onStop(func(ctx context.Context) error { return shutDown(ctx, stopPatience, stopTelling) })
	<-ctx.Done()
	log.Info().Msg("stopping")
	return nil
}

// engineTrouble returns why the engine cannot be asked now; nil if it can.
func engineTrouble(state embedded.State) error {
	if state.Running {
		return nil
	}
	return errors.New(engineText(&state))
}

// demoOwner is the owner of the key that the first start prints.
const demoOwner = "demo@localhost.invalid"

// greet prints the addresses. On the first start it also prints a key and three commands
// to paste. What is not printed on a terminal may be kept in a log, so the key is then written to a
// file that only its owner may read.
func greet(ctx context.Context, out io.Writer, dir *dataDirectory, at addresses, area, admin string, accounts *account.Store, first *market) error {
	base := "http://" + at.HTTP
	store := fmt.Sprintf("http://%s and clickhouse://%s   (database %s, read only)", at.ClickHouse, at.Native, sql.PeoplesDatabase(database))
	if at.Native == "" {
		store = "the server that CUOTA_CLICKHOUSE names"
	}
	measured := "not served"
	if admin != "" {
		measured = "http://" + admin + "/metrics"
	}
	fmt.Fprintf(out, "\ncuota is up. Ctrl-C stops it.\n\n  API         %s   (document: %s/openapi.json)\n  accounts    %s\n  ClickHouse  %s\n  Kafka       %s   (for commands, with the password in running.json)\n  metrics     %s\n  data        %s\n\n",
		base, base, area, store, at.Kafka, measured, dir.path)
	if first == nil {
		fmt.Fprintf(out, "Create another API key:  cuota key create --data %s --email you@example.org\n\n", dir.path)
		return nil
	}
	key, _, err := accounts.CreateKey(ctx, demoOwner, account.Institutional)
	if err != nil {
		return fmt.Errorf("create the demo key: %w", err)
	}
	if file, is := out.(*os.File); is && onTerminal(file) {
		fmt.Fprintf(out, "Your API key, which can't be shown again:  %s\n\nTry:\n", key)
	} else {
		if err := durable.Replace(dir.firstKey(), []byte(key+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the demo key: %w", err)
		}
		fmt.Fprintf(out, "Your API key, which can't be shown again, is in the file %s\n\nTry:\n", dir.firstKey())
		key = "$(cat '" + dir.firstKey() + "')"
	}
	fmt.Fprintf(out, "  curl -H \"X-Api-Key: %s\" '%s/api/screener?category=balanced&currency=PESOS&sort=1y&order=desc&limit=3'\n", key, base)
	if first.series != "" {
		fmt.Fprintf(out, "  curl -H \"X-Api-Key: %s\" '%s/api/real_assets/%s/returns?as_of_date=2024-02-29'\n", key, base, first.series)
	}
	if at.ClickHouse == "" {
		return nil
	}
	fmt.Fprintf(out, "  curl 'http://%s/?query=SELECT+category,count(),avg(tac)+FROM+screener+GROUP+BY+category+FORMAT+PrettyCompact'\n\n", at.ClickHouse)
	return nil
}
