package query

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"cuota/internal/health"
	"cuota/internal/httpapi"
	"cuota/query/batch"
	"cuota/query/bulk"
	"cuota/query/daily"
	"cuota/query/explain"
	"cuota/query/funds"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/origin"
	"cuota/query/past"
	"cuota/query/portfolio"
	"cuota/query/series"
	"cuota/query/summary"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// Config configures a Server. The zero value of a field means its default.
type Config struct {
	// HTTP configures the HTTP server. Its Build is set by this package.
	HTTP httpapi.Config
	// Follow is how often to look for a newer batch, by default 500 ms.
	Follow time.Duration
	// QueryTimeout limits the time of one ClickHouse statement, by default 10 s.
	QueryTimeout time.Duration
	// ClickHouse is the HTTP interface through which rows are streamed in formats of ClickHouse.
	// Without it, other formats than JSON are answered with 501.
	ClickHouse *sql.HTTP
	// BulkDir is the directory of the files of /api/bulk. Without it none are made.
	BulkDir string
	// SnapshotBytes limits the size of the published batch in memory, by default 256 MiB: what is
	// kept as JSON, and cost rates, risk and indices. ClickHouse answers what a larger batch has no room for.
	// The decoded rows of the screener take about half as much as its JSON again.
	SnapshotBytes int
	// Returns lists the ReturnKinds that are answered in addition to price returns in
	// accounting currency, by default none.
	Returns []string
	// Program identifies the program, by default by the hash of the running executable.
	// Replies that clients have cached from one program are not valid for another.
	Program string
	// Pages, if set, returns the pages that are served beside the API. They ask the server for
	// its batch when they are requested, not before.
	Pages func(*Server) Pages
	// Parts, if set, returns other parts of the process that the server needs in order to
	// answer, for /livez and /readyz.
	Parts func() []health.Part
	// Accounts, if set, returns why the account store does not answer; nil if it does. It must
	// not block.
	Accounts func() error
}

// Server answers the public API. It reads what the projector published, through a
// ClickHouse connection, and checks API keys with Keys. It closes neither.
type Server struct {
	*httpapi.Server
	config Config
	host   *operation.Host
	files  bulkFiles
	// histories are what backtests have read.
	histories backtestHistories
	log       zerolog.Logger
}

// endpoints is everything that is answered from a batch.
var endpoints = []operation.AnyEndpoint{
	funds.AssetProviders,
	funds.AssetProvider,
	funds.ConceptualAssets,
	funds.AllConceptualAssets,
	funds.ConceptualAsset,
	funds.RealAssets,
	funds.AllSeries,
	funds.OneRealAsset,
	daily.DaysOfSeries,
	series.Days,
	series.Returns,
	daily.ReturnsByDay,
	series.ExpenseRatio,
	series.ExpenseRatioHistory,
	series.RiskMetrics,
	explain.Explain,
	explain.Peers,
	explain.Affected,
	market.Compare,
	market.Screener,
	summary.TACChanges,
	market.AllFunds,
	summary.OfDay,
	summary.OfPeriod,
	summary.FamilyIndex,
	summary.Ranking,
	summary.Evolution,
	funds.PortfolioSummary,
	funds.PortfolioHoldings,
	funds.Benchmarks,
	funds.BenchmarkPrices,
	funds.Article107,
	funds.FIInstruments,
	funds.FIInstrument,
	funds.FIPrices,
	funds.FIHoldings,
	funds.FISummary,
}

// operations is everything that the server answers.
func (s *Server) operations() []httpapi.Operation {
	list := []httpapi.Operation{
		s.healthOperation(),
		s.liveOperation(),
		s.readyOperation(),
		s.documentOperation(),
		keyInfoOperation(),
	}
	for _, e := range endpoints {
		list = append(list, e.Operation(s.host))
	}
	return append(append(list, s.bulkOperations()...), s.changesOperation(), s.backtestsOperation(),
		portfolio.Operation(s.host), market.Screens(s.host), market.CompareMany(s.host), origin.Batches(s.host))
}

// New checks the configuration and fills in its defaults. It opens nothing: Start does.
func New(config Config, conn driver.Conn, keys httpapi.Keys, log zerolog.Logger) (*Server, error) {
	config, err := config.complete()
	if err != nil {
		return nil, fmt.Errorf("query server: %w", err)
	}
	config.HTTP.Build = config.build()
	s := &Server{config: config, log: log,
		host: &operation.Host{Now: config.HTTP.Now, Returns: config.Returns, ClickHouse: config.ClickHouse}}
	if config.BulkDir != "" {
		s.files.folder = bulk.NewFolder(config.BulkDir, bulkLimit)
	}
	var parts []batch.Loader
	for _, e := range slices.Concat(endpoints, pageEndpoints) {
		for _, part := range e.Loaders() {
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	s.host.Follower = batch.NewFollower(batch.Config{
		Interval: config.Follow, QueryTimeout: config.QueryTimeout, MaxBytes: config.SnapshotBytes, Today: s.host.Today,
		Now:  config.HTTP.Now,
		HTTP: config.ClickHouse, Cache: batch.NewCache(past.CacheBytes),
	}, conn, parts, log)
	operations := append(s.operations(), s.pageOperations()...)
	if config.Pages != nil {
		pages := config.Pages(s)
		operations = append(operations, pages.Operations...)
		config.HTTP.NotFoundPage = pages.NotFound
	}
	if s.Server, err = httpapi.New(config.HTTP, operations, keys, log); err != nil {
		return nil, fmt.Errorf("query server: %w", err)
	}
	return s, nil
}

func (c Config) complete() (Config, error) {
	c.Follow = cmp.Or(c.Follow, 500*time.Millisecond)
	c.QueryTimeout = cmp.Or(c.QueryTimeout, 10*time.Second)
	c.SnapshotBytes = cmp.Or(c.SnapshotBytes, 256<<20)
	if c.HTTP.Now == nil {
		c.HTTP.Now = time.Now
	}
	problems := []error{series.CheckReturnKinds(c.Returns)}
	if c.Program == "" {
		var err error
		c.Program, err = httpapi.Executable()
		problems = append(problems, err)
	}
	if c.Follow < 0 || c.QueryTimeout < 0 || c.SnapshotBytes < 0 {
		problems = append(problems, errors.New("a duration or limit is negative"))
	}
	return c, errors.Join(problems...)
}

// build identifies everything that replies depend on, besides batch, day and request: the
// program, the document, and the enabled kinds of returns.
func (c Config) build() string {
	kinds := slices.Sorted(slices.Values(c.Returns))
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q ", c.Program, slices.Compact(kinds)) // a hash never fails
	hash.Write(document())
	return hex.EncodeToString(hash.Sum(nil))
}

// Start listens and serves. It looks for a batch before it serves. If there is none, or
// ClickHouse does not answer, it serves all the same, and answers requests that need a batch
// with 503. ctx limits only the start. It fails if the address can't be used, or if the
// server is already started.
func (s *Server) Start(ctx context.Context) error {
	err := s.Server.Start(ctx, func() {
		_ = s.Refresh(ctx) // logged by Refresh
		s.host.Follower.Start()
		s.followFiles()
	})
	if err != nil {
		return fmt.Errorf("query server: %w", err)
	}
	return nil
}

// Stop refuses new requests and waits for running ones until ctx ends. Then it cuts them
// off and fails.
func (s *Server) Stop(ctx context.Context) error {
	err := s.Server.Stop(ctx)
	s.host.Follower.Stop()
	_ = s.files.ahead.Stop(context.Background())
	_ = s.files.making.Stop(context.Background()) // its statements end with its context
	if err != nil {
		return fmt.Errorf("query server: %w", err)
	}
	return nil
}

// Refresh looks for a newer batch now, instead of at the next interval. If it fails, the
// current batch stays.
func (s *Server) Refresh(ctx context.Context) error { return s.host.Follower.Refresh(ctx) }

// Gate stops all reads of ClickHouse while it is closed. It is closed when ClickHouse ended,
// because its tables may have lost rows and are not inspected before it answers again.
// Requests are still answered from memory, and all others with 503.
func (s *Server) Gate() *sql.Gate { return s.host.Follower.Gate() }
