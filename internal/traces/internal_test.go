package traces

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// pipes is a listener on connections inside the process, for time that a test controls.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// within starts traces whose collector has this handler, and returns them with their log and a function that ends the
// collector.
func within(t *testing.T, collector http.HandlerFunc) (made *Traces, log *bytes.Buffer, end func()) {
	t.Helper()
	log = &bytes.Buffer{}
	made, err := New(Config{Endpoint: "http://collector/v1/traces", Ratio: 1}, zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	at := make(pipes)
	made.sender.poster.client.Transport.(*http.Transport).DialContext =
		func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			at <- theirs
			return ours, nil
		}
	server := &http.Server{Handler: collector}
	go func() { _ = server.Serve(at) }()
	if err := made.Start(); err != nil {
		t.Fatal(err)
	}
	return made, log, func() {
		close(at)
		_ = server.Close()
	}
}

func TestACollectorThatHangsDelaysNothingButItsSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		made, _, end := within(t, func(http.ResponseWriter, *http.Request) { <-free })
		defer end()
		defer close(free)
		began := time.Now()
		const count = 5000
		for range count {
			_, span := made.Tracer().Start(t.Context(), "one")
			span.End()
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("spans were delayed by %v", took)
		}
		if err := made.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > flushWithin {
			t.Errorf("the stop took %v", took)
		}
		if got := made.Counts(); got != (Counts{Dropped: count}) {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestACollectorThatReturnsGetsTheSpansThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		made, log, end := within(t, func(w http.ResponseWriter, _ *http.Request) {
			if away.Load() {
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		defer end()
		for range 1000 {
			_, span := made.Tracer().Start(t.Context(), "one")
			span.End()
		}
		time.Sleep(3 * sendEvery)
		synctest.Wait()
		if got := made.Counts(); got != (Counts{}) || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("while it is away: counted %+v, logged %s", got, log)
		}
		away.Store(false)
		time.Sleep(2 * sendEvery)
		synctest.Wait()
		if got := made.Counts(); got != (Counts{Sent: 1000}) || !strings.Contains(log.String(), "again") {
			t.Errorf("after it has come back: counted %+v, logged %s", got, log)
		}
		if err := made.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
