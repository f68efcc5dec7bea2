package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/julienschmidt/httprouter"
	"github.com/rs/zerolog"

	"cuota/internal/account"
	"cuota/query"
	"cuota/sql"
)

// screenerRequests measures the API over the demo market, with API keys and
// their quota, against a bare handler that writes the same bytes with the same
// headers, and against the plain query, without HTTP of ours and encoding.
func screenerRequests(ctx context.Context, b *bench) ([]line, error) {
	target, err := b.screenerTarget(ctx)
	if err != nil {
		return nil, err
	}
	found, err := b.interleave(ctx,
		side{"screener", func(ctx context.Context) (reading, error) {
			return b.request(ctx, target.api, target.key, target.paths)
		}},
		side{"bare handler", func(ctx context.Context) (reading, error) {
			return b.request(ctx, target.bare, target.key, target.paths)
		}},
		side{"plain query", target.plainQueries},
	)
	if err != nil {
		return nil, err
	}
	api, bare, plain := found[0], found[1], found[2]
	const handler, query = "a bare httprouter handler that writes the same bytes", "the plain query through clickhouse-go, no API"
	return []line{
		compare("screener", api, bare, reading.perSecond, "requests/s", handler),
		compare("screener", api, plain, reading.perSecond, "requests/s", query),
		compare("screener, p50", api, bare, reading.p50Millis, "ms", handler),
		compare("screener, p50", api, plain, reading.p50Millis, "ms", query),
		compare("screener, p99", api, bare, reading.p99Millis, "ms", handler),
		compare("screener, p99", api, plain, reading.p99Millis, "ms", query),
		compare("screener, CPU of the server", api, bare, reading.cpuMicros, "µs/request", handler),
		compare("screener, CPU of the server", api, plain, reading.cpuMicros, "µs/request", query),
	}, nil
}

// screenerTarget is what the clients ask.
type screenerTarget struct {
	bench     *bench
	conn      driver.Conn
	batch     uint64
	requests  []request
	paths     []string
	api, bare string // addresses
	key       string
}

func (b *bench) screenerTarget(ctx context.Context) (*screenerTarget, error) {
	market, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	t := &screenerTarget{bench: b}
	if t.conn, _, err = b.buildCopy(ctx, market, "screener", &statements{took: map[string][]float64{}}); err != nil {
		return nil, err
	}
	if err := t.conn.QueryRow(ctx, "SELECT max(batch) FROM batch").Scan(&t.batch); err != nil {
		return nil, fmt.Errorf("look for the batch: %w", err)
	}
	if t.requests, err = drawRequests(ctx, t.conn, b.config.queries); err != nil {
		return nil, err
	}
	for _, r := range t.requests {
		t.paths = append(t.paths, r.path())
	}
	if err := t.serveAPI(ctx); err != nil {
		return nil, err
	}
	return t, t.serveBare(ctx)
}

// serveAPI starts the product's server with a key of the tier internal, which
// is counted like any other, and without a limit per address.
func (t *screenerTarget) serveAPI(ctx context.Context) error {
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper) // never fails
	accounts, err := account.Open(ctx, "sqlite://"+filepath.Join(t.bench.dir, "accounts.db"), pepper)
	if err != nil {
		return err
	}
	t.bench.onClose(func(context.Context) error { return accounts.Close() })
	if t.key, _, err = accounts.CreateKey(ctx, "bench@localhost.invalid", account.Internal); err != nil {
		return err
	}
	leases := account.NewLeases(accounts)
	leases.Start()
	t.bench.onClose(leases.Stop)
	server, err := query.New(query.Config{
		Listen: "127.0.0.1:0", Now: now, Burst: query.Burst{PerSecond: 1e9, Size: 1e9},
	}, t.conn, leases, zerolog.New(io.Discard))
	if err != nil {
		return err
	}
	if err := server.Start(ctx); err != nil {
		return err
	}
	t.bench.onClose(server.Stop)
	t.api = server.Addr()
	return nil
}

// serveBare starts a server that knows each answer by its question.
func (t *screenerTarget) serveBare(ctx context.Context) error {
	answers, err := t.record(ctx)
	if err != nil {
		return err
	}
	router := httprouter.New()
	router.GET(screenerPath, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		answer := answers[r.URL.RawQuery]
		header := w.Header()
		for name, values := range answer.header {
			header[name] = values
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(answer.body) // a client that is gone is its own affair
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the bare handler: %w", err)
	}
	server := &http.Server{Handler: router, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.bench.onClose(func(ctx context.Context) error {
		err := server.Shutdown(ctx)
		if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
			err = errors.Join(err, ended)
		}
		return err
	})
	t.bare = listener.Addr().String()
	return nil
}

type recorded struct {
	header http.Header
	body   []byte
}

// record asks every request once and keeps the answers by their query strings.
func (t *screenerTarget) record(ctx context.Context) (map[string]recorded, error) {
	answers := make(map[string]recorded, len(t.paths))
	for _, path := range t.paths {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+t.api+path, nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("X-Api-Key", t.key)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return nil, fmt.Errorf("read an answer: %w", err)
		}
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s is answered with %s: %.300s", path, response.Status, body)
		}
		response.Header.Del("Date") // net/http sets it
		answers[r.URL.RawQuery] = recorded{response.Header, body}
	}
	http.DefaultClient.CloseIdleConnections()
	return answers, nil
}

// plainQueries runs the statement behind the screener with as many goroutines
// as there are clients.
func (t *screenerTarget) plainQueries(ctx context.Context) (reading, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.Mutex
	var took []time.Duration
	var failure error
	result, err := t.bench.time(0, func() error {
		end := time.Now().Add(t.bench.config.seconds)
		var workers sync.WaitGroup
		for worker := range t.bench.config.clients {
			workers.Go(func() {
				mine, err := t.queryUntil(ctx, end, worker)
				all.Lock()
				defer all.Unlock()
				took = append(took, mine...)
				if err != nil && failure == nil {
					failure = err
					cancel()
				}
			})
		}
		workers.Wait()
		return failure
	})
	if err != nil {
		return reading{}, err
	}
	result.units = len(took)
	slices.Sort(took)
	result.p50, result.p99 = quantile(took, 0.50), quantile(took, 0.99)
	return result, nil
}

func (t *screenerTarget) queryUntil(ctx context.Context, end time.Time, worker int) ([]time.Duration, error) {
	var took []time.Duration
	for next := worker * len(t.requests) / t.bench.config.clients; time.Now().Before(end); next++ {
		began := time.Now()
		rows, err := t.conn.Query(ctx, sql.Query("market"), t.requests[next%len(t.requests)].args(t.batch)...)
		if err != nil {
			return took, err
		}
		for rows.Next() { // the driver decodes; nothing is scanned
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}
