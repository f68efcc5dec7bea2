package load

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"cuota/internal/loop"
)

// Each hostile user runs one of these again and again.
var (
	longBlock = "SELECT sum(editDistance(repeat('ab', 30000), concat(repeat('bc', 30000), toString(number)))) " +
		"FROM numbers(60)"
	memoryBomb   = "SELECT length(groupArray(toString(number))) FROM numbers(1000000000)"
	recursion    = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count() FROM t"
	largeProduct = "SELECT count() FROM numbers(1000000) AS a CROSS JOIN numbers(1000000) AS b WHERE a.number * " +
		"b.number = 7"
	largeAnswer = "SELECT number, repeat('x', 100) FROM numbers(100000000) FORMAT TSV"
)

// socketsAtOnce is how many connections the last of the ten opens, half over HTTP and
// half over native TCP.
const socketsAtOnce = 1000

// StartHostileClients starts ten hostile clients of an engine, over HTTP and native TCP,
// given as host and port. They run until end is called or ctx ends.
func StartHostileClients(ctx context.Context, overHTTP, native string) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var people sync.WaitGroup
	for _, statement := range []string{longBlock, longBlock, memoryBomb, memoryBomb, recursion, recursion,
		largeProduct} {
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

// slowReader reads a little of an answer every tenth of a second.
type slowReader struct{ ctx context.Context }

func (r slowReader) Write(p []byte) (int, error) {
	if err := loop.Pause(r.ctx, 100*time.Millisecond); err != nil {
		return 0, err
	}
	return len(p), nil
}

// askDoor runs a statement as a person does, on a new connection.
func askDoor(ctx context.Context, door, statement string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+door+"/?query="+url.QueryEscape(statement), nil)
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
