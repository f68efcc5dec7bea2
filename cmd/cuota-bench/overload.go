package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"cuota/query"
)

// steadyClients send requests one after the other, with and without a crowd beside them.
// They are about as many as may ask ClickHouse at once on two processors.
const steadyClients = 4

// crowdEvery is how often each client of the crowd sends a request. It ignores
// Retry-After.
const crowdEvery = time.Second

// overload measures a server that must ask ClickHouse for each answer while a crowd
// sends requests too: how long accepted requests take, compared with the same without
// the crowd; how fast the others are refused; and how much memory silent connections
// take.
func overload(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.served(ctx)
	if err != nil {
		return nil, err
	}
	api, err := market.serve(ctx, unretired{market.conn}, query.Config{SnapshotBytes: 1, CacheBytes: 1}, zerolog.New(io.Discard))
	if err != nil {
		return nil, err
	}
	paths := drawScreens(market.series, b.config.queries)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: b.config.crowd + steadyClients}}
	defer client.CloseIdleConnections()

	ask := func(ctx context.Context, n int, into *answersOf) error {
		began := time.Now()
		status, err := get(ctx, client, api, paths[n%len(paths)], market.key)
		if err == nil {
			into.note(status, time.Since(began))
		}
		return err
	}
	steadily := func(ctx context.Context) (reading, error) {
		var mine answersOf
		r, err := b.time(0, func() error {
			limited, end := context.WithTimeout(ctx, b.config.seconds)
			defer end()
			return each(steadyClients, func(worker int) error {
				for n := worker; limited.Err() == nil; n += steadyClients {
					if err := ask(ctx, n, &mine); err != nil {
						return err
					}
				}
				return nil
			})
		})
		r.units, r.p50, r.p99 = len(mine.let), quantile(mine.sorted(), 0.50), quantile(mine.sorted(), 0.99)
		return r, err
	}
	var crowd answersOf
	beside := func(ctx context.Context) (reading, error) {
		limited, end := context.WithCancel(ctx)
		over := make(chan error, 1)
		go func() {
			over <- each(b.config.crowd, func(worker int) error {
				tick := time.NewTicker(crowdEvery)
				defer tick.Stop()
				for n := worker; ; n += b.config.crowd {
					if err := ask(limited, n, &crowd); err != nil && limited.Err() == nil {
						return err
					}
					select {
					case <-tick.C:
					case <-limited.Done():
						return nil
					}
				}
			})
		}()
		r, err := steadily(ctx)
		end()
		return r, errors.Join(err, <-over)
	}
	found, err := b.interleave(ctx, side{"beside a crowd", beside}, side{"alone", steadily})
	if err != nil {
		return nil, err
	}
	slices.Sort(crowd.refused)
	about := fmt.Sprintf("%d clients that ask once a second; of their requests %d were let in and %d refused", b.config.crowd, len(crowd.let), len(crowd.refused))
	lines := []line{
		compare("let in beside a crowd, p50", found[0], found[1], reading.p50Millis, "ms", "the same without the crowd, of "+about),
		compare("let in beside a crowd, p99", found[0], found[1], reading.p99Millis, "ms", "the same"),
		{name: "refused, p50", value: quantity{stat{median: 1e3 * quantile(crowd.refused, 0.50).Seconds()}, "ms"}, against: "503 with Retry-After"},
		{name: "refused, p99", value: quantity{stat{median: 1e3 * quantile(crowd.refused, 0.99).Seconds()}, "ms"}, against: "503 with Retry-After; clients and server share the processors"},
	}
	taken, err := silentClients(ctx, api, b.config.silent)
	if err != nil {
		return nil, err
	}
	if taken > 0 {
		lines = append(lines, line{name: fmt.Sprintf("memory of %d silent connections", b.config.silent), value: quantity{stat{median: taken}, "MB"},
			against: "both ends, resident"})
	}
	return lines, nil
}

// each runs so many workers and waits for all of them.
func each(workers int, work func(worker int) error) error {
	failures := make([]error, workers)
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() { failures[worker] = work(worker) })
	}
	wait.Wait()
	return errors.Join(failures...)
}

// answersOf holds how long answers took, separately for accepted and refused requests.
type answersOf struct {
	mu           sync.Mutex
	let, refused []time.Duration
}

func (a *answersOf) note(status int, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if status == http.StatusOK {
		a.let = append(a.let, took)
	} else {
		a.refused = append(a.refused, took)
	}
}

func (a *answersOf) sorted() []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(slices.Values(a.let))
}

// silentClients connects so many clients that send one request and then nothing. It
// returns the memory that they take, in megabytes; 0 where the system does not state it.
func silentClients(ctx context.Context, api string, clients int) (megabytes float64, err error) {
	resident := func() float64 {
		debug.FreeOSMemory()
		taken, unknown := statusMB(os.Getpid(), "VmRSS")
		if unknown != nil {
			return 0
		}
		return taken
	}
	before := resident()
	var dialer net.Dialer
	connections := make([]net.Conn, 0, clients)
	defer func() {
		for _, connection := range connections {
			err = errors.Join(err, connection.Close())
		}
	}()
	answer := make([]byte, 8<<10)
	for n := range clients {
		connection, err := dialer.DialContext(ctx, "tcp", api)
		if err != nil {
			return 0, fmt.Errorf("connect silent client %d: %w", n+1, err)
		}
		connections = append(connections, connection)
		if _, err := io.WriteString(connection, "GET /health HTTP/1.1\r\nHost: bench\r\n\r\n"); err != nil {
			return 0, fmt.Errorf("ask as silent client %d: %w", n+1, err)
		}
		if _, err := connection.Read(answer); err != nil {
			return 0, fmt.Errorf("the answer to silent client %d: %w", n+1, err)
		}
	}
	return resident() - before, nil
}
