package figures

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/account"
	"cuota/internal/httpapi"
	"cuota/query"
)

// served is the demo market with its first batch, and the product's server on it, with
// API keys and their quota.
type served struct {
	bench  *bench
	conn   driver.Conn
	series []load.Series // open at the cutoff, by ascending id
	keys   *account.Leases
	key    string
	api    string // address of the server that has the batch in memory
	heap   int64  // bytes of live heap of this server
	loaded snapshotLog
}

// quotaOfTheBench is so high that no run reaches it. Requests are counted against it,
// and answers state the remaining quota, as for any key.
const quotaOfTheBench = 1 << 40

// servedDemo returns the market. The first call loads it and starts the server.
func (b *bench) servedDemo(ctx context.Context) (*served, error) {
	if b.served != nil {
		return b.served, nil
	}
	market, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	s := &served{bench: b}
	if s.conn, _, err = b.buildCopy(ctx, market, "served", newStatements()); err != nil {
		return nil, err
	}
	if s.series, err = load.ListSeries(ctx, s.conn); err != nil {
		return nil, err
	}
	if err := s.openAccounts(ctx); err != nil {
		return nil, err
	}
	before := liveHeap()
	if s.api, err = s.serve(ctx, s.conn, query.Config{}, zerolog.New(&s.loaded)); err != nil {
		return nil, err
	}
	s.heap = liveHeap() - before
	b.served = s
	return s, nil
}

func (s *served) openAccounts(ctx context.Context) error {
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper) // never fails
	accounts, err := account.Open(ctx, "sqlite://"+filepath.Join(s.bench.dir, "accounts.db"), pepper)
	if err != nil {
		return err
	}
	s.bench.onClose(func(context.Context) error { return accounts.Close() })
	if s.key, _, err = accounts.CreateKey(ctx, "bench@localhost.invalid", account.Institutional,
		account.OwnQuota(quotaOfTheBench)); err != nil {
		return err
	}
	s.keys = account.NewLeases(accounts)
	s.keys.Start()
	s.bench.onClose(s.keys.Stop)
	return nil
}

// serve starts a server of the product without a rate limit for an address, and returns
// its address.
func (s *served) serve(ctx context.Context, conn driver.Conn, config query.Config,
	log zerolog.Logger) (address string, err error) {
	config.HTTP.Listen, config.HTTP.Now, config.HTTP.Burst = "127.0.0.1:0", now,
		httpapi.Burst{PerSecond: 1e9, Size: 1e9}
	server, err := query.New(config, conn, s.keys, log)
	if err != nil {
		return "", err
	}
	if err := server.Start(ctx); err != nil {
		return "", err
	}
	s.bench.onClose(server.Stop)
	return server.Addr(), nil
}

// bare records the answers to the paths, which the product must give from memory, and
// starts a bare handler that gives the same. pattern is the route of all of them.
func (s *served) bare(ctx context.Context, pattern string,
	paths []string) (answers baseline.Answers, address string, err error) {
	if _, err := baseline.Record(ctx, s.api, s.key, paths); err != nil { // fills its cache
		return nil, "", err
	}
	if answers, err = baseline.Record(ctx, s.api, s.key, paths); err != nil {
		return nil, "", err
	}
	if err := answers.FromMemory(); err != nil {
		return nil, "", err
	}
	address, err = baseline.ServeBare(ctx, s.bench.onClose, pattern, answers)
	return answers, address, err
}

// side sends requests to a server at an address. perSecond is the rate of all clients
// together; 0: as fast as they are answered. The time of a round is that of the clients;
// the CPU time is that of this process, which serves.
func (s *served) side(name, address string, paths []string, perSecond float64) load.Side {
	return load.Side{Name: name, Once: func(ctx context.Context) (stats.Reading, error) {
		return s.sending(ctx, load.Order{Address: address, Paths: paths, PerSecond: perSecond})
	}}
}

// sending sends what an order says, with the key, the clients and the time of a round.
func (s *served) sending(ctx context.Context, order load.Order) (stats.Reading, error) {
	order.Key, order.Clients, order.Length = s.key, s.bench.config.Clients, s.bench.config.Length
	var outcome load.Outcome
	r, err := s.bench.rounds.Time(0, func() (err error) {
		outcome, err = load.Send(ctx, order)
		return err
	})
	r.Units, r.Wall, r.P50, r.P99 = outcome.Requests, outcome.Elapsed, outcome.P50, outcome.P99
	return r, err
}

// about names the market in a line of the table.
func (s *served) about() string { return stats.Thousands(float64(len(s.series))) + " series" }

// memory returns the line about the memory of the batch.
func (s *served) memory() stats.Line {
	outcome := s.loaded.outcome.Load()
	if outcome == nil {
		return stats.Line{Name: "memory of the batch, " + s.about(), Against: "the batch is not in memory"}
	}
	const mega = 1e6
	return stats.Line{
		Name: "memory of the batch, " + s.about(), Value: stats.Number(float64(s.heap)/mega, "MB"),
		Against: fmt.Sprintf("live heap that the server adds; %s MB of it are JSON, loaded and encoded in %s ms",
			stats.Significant(float64(outcome.Bytes)/mega), stats.Significant(outcome.Took)),
	}
}

// liveHeap is the memory that the garbage collector cannot free, in bytes.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // the second collection frees the contents of pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// snapshotLog reads a server's log until the line about the batch in memory.
type snapshotLog struct{ outcome atomic.Pointer[loadedBatch] }

type loadedBatch struct {
	Message string  `json:"message"`
	Bytes   uint64  `json:"bytes"`   // of JSON
	Took    float64 `json:"took_ms"` // ms
}

// Write implements io.Writer for one line of the log at a time.
func (l *snapshotLog) Write(entry []byte) (int, error) {
	const message = "the published batch is in memory"
	if l.outcome.Load() == nil && bytes.Contains(entry, []byte(message)) {
		var outcome loadedBatch
		if json.Unmarshal(entry, &outcome) == nil && outcome.Message == message {
			l.outcome.Store(&outcome)
		}
	}
	return len(entry), nil
}
