package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
)

// hostilePeople measures how much ten hostile users of ClickHouse slow down others: the
// screener, the building of a batch, and another person who runs trivial queries.
func hostilePeople(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.served(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	paths := drawScreens(market.series, b.config.queries)
	var person latencies
	screener := func(ctx context.Context) (reading, error) { return b.request(ctx, market.api, market.key, paths) }
	copies := 0
	batch := func(ctx context.Context) (reading, error) {
		copies++
		_, took, err := b.buildCopy(ctx, facts, fmt.Sprintf("beside_%d", copies), &statements{took: map[string][]float64{}})
		return took, err
	}
	resident := 0.0 // megabytes of the engine
	besideThem := func(measure func(context.Context) (reading, error)) func(context.Context) (reading, error) {
		return func(ctx context.Context) (reading, error) {
			end := startHostileClients(ctx, b.doorHTTP, b.doorNative)
			stop := person.ask(ctx, b.doorHTTP)
			took, err := measure(ctx)
			stop()
			end()
			if megabytes, unknown := statusMB(b.engine.State().PID, "VmRSS"); unknown == nil { // fails where there is no /proc
				resident = max(resident, megabytes)
			}
			// The hostile queries, which may run for minutes, must not run on into the
			// round of the other side.
			return took, errors.Join(err, restartEngine(ctx, b.engine))
		}
	}
	found, err := b.interleave(ctx, side{"screener", screener}, side{"screener, beside hostile people", besideThem(screener)})
	if err != nil {
		return nil, err
	}
	built, err := b.interleave(ctx, side{"batch", batch}, side{"batch, beside hostile people", besideThem(batch)})
	if err != nil {
		return nil, err
	}
	p50, p99, failed, err := person.quantiles()
	if err != nil {
		return nil, err
	}
	const beside = "the same without ten hostile people: long blocks, slow readers, memory bombs, recursive queries, a thousand sockets"
	lines := []line{
		compare("screener, beside hostile people", found[1], found[0], reading.perSecond, "requests/s", beside),
		compare("batch of the demo, beside hostile people", built[1], built[0], reading.millis, "ms", beside),
		{name: "SELECT 1 of another person, p50", value: quantity{stat{median: p50}, "ms"},
			against: fmt.Sprintf("over HTTP, each on a new connection, meanwhile; %d of %d were refused", failed, person.asked())},
		{name: "SELECT 1 of another person, p99", value: quantity{stat{median: p99}, "ms"}, against: "the same"},
	}
	if resident > 0 {
		lines = append(lines, line{name: "memory of the engine after a round of them", value: quantity{stat{median: resident}, "MB"},
			against: "the largest, with the mapped pages of the library; the configuration allows half of the machine's memory"})
	}

	stopped, err := stopBesideHostile(ctx, filepath.Join(b.dir, "hostile"))
	if err != nil {
		return nil, err
	}
	return append(lines, line{name: "stop of an engine that they ask", value: quantity{stat{median: stopped}, "ms"},
		against: fmt.Sprintf("after %s of it; at most 10 s", hostileBeforeStop)}), nil
}

// hostileBeforeStop is long enough for the slowest hostile query to begin.
const hostileBeforeStop = 10 * time.Second

// Each hostile user runs one of these again and again.
var (
	longBlock    = "SELECT sum(editDistance(repeat('ab', 30000), concat(repeat('bc', 30000), toString(number)))) FROM numbers(60)"
	memoryBomb   = "SELECT length(groupArray(toString(number))) FROM numbers(1000000000)"
	recursion    = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count() FROM t"
	largeProduct = "SELECT count() FROM numbers(1000000) AS a CROSS JOIN numbers(1000000) AS b WHERE a.number * b.number = 7"
	largeAnswer  = "SELECT number, repeat('x', 100) FROM numbers(100000000) FORMAT TSV"
)

// socketsAtOnce is how many connections the last of the ten opens, half over HTTP and
// half over native TCP.
const socketsAtOnce = 1000

// startHostileClients starts ten hostile clients, over HTTP and native TCP, which run
// until end is called.
func startHostileClients(ctx context.Context, overHTTP, native string) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var people sync.WaitGroup
	for _, statement := range []string{longBlock, longBlock, memoryBomb, memoryBomb, recursion, recursion, largeProduct} {
		people.Go(func() {
			for ctx.Err() == nil {
				_ = askDoor(ctx, overHTTP, statement, io.Discard) // refused or ended, as expected
			}
		})
	}
	for range 2 {
		people.Go(func() {
			for ctx.Err() == nil {
				_ = askDoor(ctx, overHTTP, largeAnswer, slowReader{ctx})
			}
		})
	}
	people.Go(func() {
		var dialer net.Dialer
		var open []net.Conn
		for n := range socketsAtOnce {
			conn, err := dialer.DialContext(ctx, "tcp", []string{overHTTP, native}[n%2])
			if err == nil {
				open = append(open, conn)
			}
		}
		<-ctx.Done()
		for _, conn := range open {
			_ = conn.Close()
		}
	})
	return func() {
		cancel()
		people.Wait()
	}
}

// stopBesideHostile returns how long an engine takes to stop while ten hostile clients
// query it, in milliseconds.
func stopBesideHostile(ctx context.Context, dir string) (millis float64, err error) {
	defer ourEngine.Store(ourEngine.Load()) // the CPU time of this engine does not count for other figures
	engine, err := startEngine(ctx, dir, zerolog.Nop())
	if err != nil {
		return 0, err
	}
	overHTTP, native := engine.Doors()
	end := startHostileClients(ctx, overHTTP, native)
	defer end()
	select {
	case <-time.After(hostileBeforeStop):
	case <-ctx.Done():
	}
	began := time.Now()
	err = engine.Stop(ctx)
	return 1e3 * time.Since(began).Seconds(), err
}

// restartEngine kills an engine and returns when it serves again.
func restartEngine(ctx context.Context, engine *clickhouse.Server) error {
	before := engine.State()
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
		return fmt.Errorf("end the engine: %w", err)
	}
	often := time.NewTicker(10 * time.Millisecond)
	defer often.Stop()
	for {
		if now := engine.State(); now.Running && now.Restarts > before.Restarts {
			return nil
		}
		select {
		case <-often.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// slowReader reads a little of an answer every tenth of a second.
type slowReader struct{ ctx context.Context }

func (r slowReader) Write(p []byte) (int, error) {
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return len(p), nil
	}
}

// askDoor runs a statement as a person does, on a new connection.
func askDoor(ctx context.Context, door, statement string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+door+"/?query="+url.QueryEscape(statement), nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(to, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

// latencies are those of a person who runs trivial queries.
type latencies struct {
	mu     sync.Mutex
	took   []time.Duration
	failed int
}

// probeInterval is the pause between two queries.
const probeInterval = 50 * time.Millisecond

// ask runs queries until stop is called.
func (l *latencies) ask(ctx context.Context, door string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			err := askDoor(ctx, door, "SELECT 1", io.Discard)
			if ctx.Err() != nil {
				return
			}
			l.mu.Lock()
			l.took = append(l.took, time.Since(began))
			if err != nil {
				l.failed++
			}
			l.mu.Unlock()
			select {
			case <-time.After(probeInterval):
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		asking.Wait()
	}
}

func (l *latencies) asked() int { return len(l.took) }

// quantiles returns the median and the 99th percentile, in milliseconds, and the number
// of failures.
func (l *latencies) quantiles() (p50, p99 float64, failed int, err error) {
	if len(l.took) == 0 {
		return 0, 0, 0, errors.New("the other person was never answered")
	}
	slices.Sort(l.took)
	at := func(q float64) float64 { return 1e3 * l.took[int(q*float64(len(l.took)-1))].Seconds() }
	return at(0.5), at(0.99), l.failed, nil
}
