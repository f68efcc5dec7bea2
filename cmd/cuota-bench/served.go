package main

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

	"cuota/internal/account"
	"cuota/query"
)

// served is the demo market with its first batch, and the product's server on it, with
// API keys and their quota.
type served struct {
	bench  *bench
	conn   driver.Conn
	series []listed // open at the cutoff, by ascending id
	keys   *account.Leases
	key    string
	api    string // address of the server that has the batch in memory
	heap   int64  // bytes of live heap of this server
	loaded snapshotLog
}

// quotaOfTheBench is so high that no run reaches it. Requests are counted against it,
// and answers state the remaining quota, as for any key.
const quotaOfTheBench = 1 << 40

// served returns the market. The first call loads it and starts the server.
func (b *bench) served(ctx context.Context) (*served, error) {
	if b.api != nil {
		return b.api, nil
	}
	market, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	s := &served{bench: b}
	if s.conn, _, err = b.buildCopy(ctx, market, "served", &statements{took: map[string][]float64{}}); err != nil {
		return nil, err
	}
	if s.series, err = listSeries(ctx, s.conn); err != nil {
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
	b.api = s
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
	if s.key, _, err = accounts.CreateKey(ctx, "bench@localhost.invalid", account.Institutional, account.OwnQuota(quotaOfTheBench)); err != nil {
		return err
	}
	s.keys = account.NewLeases(accounts)
	s.keys.Start()
	s.bench.onClose(s.keys.Stop)
	return nil
}

// serve starts a server of the product without a rate limit for an address, and returns
// its address.
func (s *served) serve(ctx context.Context, conn driver.Conn, config query.Config, log zerolog.Logger) (address string, err error) {
	config.Listen, config.Now, config.Burst = "127.0.0.1:0", now, query.Burst{PerSecond: 1e9, Size: 1e9}
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

// about names the market in a line of the table.
func (s *served) about() string { return thousands(float64(len(s.series))) + " series" }

// memory returns the line about the memory of the batch.
func (s *served) memory() line {
	told := s.loaded.told.Load()
	if told == nil {
		return line{name: "memory of the batch, " + s.about(), against: "the batch is not in memory"}
	}
	const mega = 1e6
	return line{
		name: "memory of the batch, " + s.about(), value: quantity{stat{median: float64(s.heap) / mega}, "MB"},
		against: fmt.Sprintf("live heap that the server adds; %s MB of it are JSON, loaded and encoded in %s ms",
			significant(float64(told.Bytes)/mega), significant(told.Took)),
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
type snapshotLog struct{ told atomic.Pointer[loadedBatch] }

type loadedBatch struct {
	Message string  `json:"message"`
	Bytes   uint64  `json:"bytes"`   // of JSON
	Took    float64 `json:"took_ms"` // ms
}

// Write implements io.Writer for one line of the log at a time.
func (l *snapshotLog) Write(entry []byte) (int, error) {
	const message = "the published batch is in memory"
	if l.told.Load() == nil && bytes.Contains(entry, []byte(message)) {
		var told loadedBatch
		if json.Unmarshal(entry, &told) == nil && told.Message == message {
			l.told.Store(&told)
		}
	}
	return len(entry), nil
}
