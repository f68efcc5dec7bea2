package admin

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
)

// manager is a service manager that receives the notifications of a process.
func manager(t *testing.T, watchdogMicroseconds int) (next func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	if watchdogMicroseconds > 0 {
		t.Setenv("WATCHDOG_USEC", strconv.Itoa(watchdogMicroseconds))
		t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	}
	return func() string {
		t.Helper()
		told := make([]byte, 256)
		n, err := socket.Read(told)
		if err != nil {
			t.Fatal(err)
		}
		return string(told[:n])
	}
}

func TestSystemdIsNotifiedOfStartLifeAndStop(t *testing.T) {
	next := manager(t, 3000)
	asked, open := make(chan struct{}), make(chan struct{})
	var failing atomic.Bool
	var first sync.Once // the first request waits until the test has checked
	failed := make(chan struct{}, 1)
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first.Do(func() {
			close(asked)
			<-open
		})
		if r.URL.Path != "/health" {
			t.Errorf("asked for %s", r.URL)
		}
		if failing.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			select {
			case failed <- struct{}{}:
			default:
			}
		}
	})
	type started struct {
		stop func() error
		err  error
	}
	running := make(chan started, 1)
	go func() {
		stop, err := NotifySystemd(t.Context(), api, zerolog.Nop())
		running <- started{func() error { return stop(t.Context()) }, err}
	}()
	<-asked
	select {
	case <-running:
		t.Fatal("ready before the API has answered")
	default:
	}
	close(open)
	told := next()
	if told != "READY=1" {
		t.Fatalf("told %q first, want that it is ready", told)
	}
	for range 3 {
		if told := next(); told != "WATCHDOG=1" {
			t.Fatalf("told %q, want that it goes on", told)
		}
	}
	up := <-running
	if up.err != nil {
		t.Fatal(up.err)
	}
	failing.Store(true)
	<-failed // from now on no notification may come, except those sent before
	if err := up.stop(); err != nil {
		t.Fatal(err)
	}
	for told = next(); told == "WATCHDOG=1"; told = next() {
	}
	if told != "STOPPING=1" {
		t.Errorf("told %q at the end", told)
	}
}

func TestWithoutAServiceManagerNothingIsNotified(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	stop, err := NotifySystemd(t.Context(), http.NotFoundHandler(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAServerThatCannotAnswerItselfIsNotReady(t *testing.T) {
	broken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	})
	if _, err := NotifySystemd(t.Context(), broken, zerolog.Nop()); err == nil ||
		!strings.Contains(err.Error(), "500") {
		t.Errorf("ready with %v", err)
	}
}
