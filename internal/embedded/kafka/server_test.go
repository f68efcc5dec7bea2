package kafka_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"

	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"
)

func TestListenAddressMustBeLoopback(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:9092", ":9092", "192.168.1.1:9092", "example.com:9092", "[::]:9092"} {
		if _, err := kafka.New(kafka.Config{Dir: t.TempDir(), Listen: listen}, zerolog.Nop()); err == nil ||
			!strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s: got %v, want a refusal", listen, err)
		}
	}
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0", "localhost:9092"} {
		if _, err := kafka.New(kafka.Config{Dir: t.TempDir(), Listen: listen}, zerolog.Nop()); err != nil {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

func TestMetadataNamesTheListenAddressAndOneBroker(t *testing.T) {
	s := start(t, kafka.Config{Dir: t.TempDir()})
	meta, err := client(t, s.Addr()).Metadata(timeout(t), &kafkago.MetadataRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(meta.Brokers) != 1 || net.JoinHostPort(meta.Brokers[0].Host,
		strconv.Itoa(meta.Brokers[0].Port)) != s.Addr() {
		t.Errorf("brokers %+v, want only %s", meta.Brokers, s.Addr())
	}
}

func TestClusterIDIsRandomAndStaysWithTheDirectory(t *testing.T) {
	id := func(dir string) string {
		s := start(t, kafka.Config{Dir: dir})
		defer stop(t, s)
		meta, err := client(t, s.Addr()).Metadata(timeout(t), &kafkago.MetadataRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return meta.ClusterID
	}
	a, b := t.TempDir(), t.TempDir()
	first := id(a)
	if first == "" || first == id(b) {
		t.Errorf("two directories have the id %q", first)
	}
	if again := id(a); again != first {
		t.Errorf("id changed from %q to %q", first, again)
	}
}

func TestADirectoryHasOneServerAndTheRefusalNamesItsProcess(t *testing.T) {
	dir := t.TempDir()
	s := start(t, kafka.Config{Dir: dir})
	_, err := tryStart(t, kafka.Config{Dir: dir})
	if want := fmt.Sprintf("in use by process %d:", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %q", err, want)
	}
	stop(t, s)
	start(t, kafka.Config{Dir: dir})
}

func TestADirectoryThatIsNotALogIsRefusedAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tryStart(t, kafka.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Fatalf("got %v, want a refusal that names the file", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 { // the entry and the lock
		t.Errorf("the refused directory holds %v", entries)
	}
}

func TestALogThatLostItsIdentityIsNotBegunAnew(t *testing.T) {
	dir := t.TempDir()
	stop(t, start(t, kafka.Config{Dir: dir}))
	if err := os.Remove(filepath.Join(dir, "meta.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := tryStart(t, kafka.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "meta.json") {
		t.Fatalf("got %v, want a refusal", err)
	}
}

func TestATakenPortIsAnErrorAndFreesTheDirectory(t *testing.T) {
	s := start(t, kafka.Config{Dir: t.TempDir()})
	dir := t.TempDir()
	if _, err := tryStart(t, kafka.Config{Dir: dir, Listen: s.Addr()}); err == nil ||
		!strings.Contains(err.Error(), "port") {
		t.Fatalf("got %v, want an error about the port", err)
	}
	start(t, kafka.Config{Dir: dir})
}

func TestStopWithOpenConnectionsReturns(t *testing.T) {
	s := start(t, kafka.Config{Dir: t.TempDir()})
	for range 3 {
		conn, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Write([]byte{0, 0}); err != nil { // the beginning of a frame
			t.Fatal(err)
		}
	}
	stop(t, s)
	stop(t, s) // stopping twice does no harm
}

func TestConnectionsAboveTheLimitAreClosed(t *testing.T) {
	s := start(t, kafka.Config{Dir: t.TempDir(), MaxConnections: 2})
	var conns []net.Conn
	for range 3 {
		conn, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		conns = append(conns, conn)
	}
	if err := conns[2].SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conns[2].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("third connection: %v, want it closed", err)
	}
	if open := s.Connections(); open != 2 {
		t.Errorf("%d connections are open", open)
	}
}

func TestMessagesAndCommittedOffsetsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	s := start(t, kafka.Config{Dir: dir})
	createTopic(t, s.Addr(), eventlog.Topic{Name: "events", Partitions: 1})
	if err := writer(t, s.Addr()).Write(timeout(t), "events", messages(0, 100, 50)); err != nil {
		t.Fatal(err)
	}
	commit(t, s.Addr(), "projector", "events", 42)
	stop(t, s)

	s = start(t, kafka.Config{Dir: dir})
	if got := readAll(t, s.Addr(), "events"); len(got) != 100 || string(got[99].Key) != "99" {
		t.Errorf("%d messages", len(got))
	}
	if got := committed(t, s.Addr(), "projector", "events"); got != 42 {
		t.Errorf("committed offset %d, want 42", got)
	}
}

// The parent writes and commits while the server is killed twice and started again on the same
// port. The port stays free because nothing else uses the address.
func TestKilledServerLosesNothingItAcknowledged(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	server := startChild(t, dir, "127.0.0.2:0")
	addr := server.addr
	createTopic(t, addr, eventlog.Topic{Name: "events", Partitions: 1})
	w := writer(t, addr)

	const total, step = 6000, 20
	acked := make(chan int)
	failed := make(chan error, 1)
	go func() {
		defer close(acked)
		for i := 0; i < total; i += step {
			if err := w.Write(ctx, "events", messages(i, i+step, 300)); err != nil {
				failed <- err
				return
			}
			acked <- i + step
		}
	}()
	lastCommit := int64(0)
	for n := range acked {
		if n == total/3 || n == 2*total/3 {
			commit(t, addr, "projector", "events", int64(n))
			lastCommit = int64(n)
			// The next write is in progress meanwhile.
			server.kill()
			server = startChild(t, dir, addr)
			if got := committed(t, addr, "projector", "events"); got != lastCommit {
				t.Fatalf("after the kill the committed offset is %d, want %d", got, lastCommit)
			}
		}
	}
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	seen := make(map[string]int)
	for _, m := range readAll(t, addr, "events") {
		seen[string(m.Key)]++
	}
	duplicates := 0
	for i := range total {
		n := seen[strconv.Itoa(i)]
		if n == 0 {
			t.Fatalf("message %d was acknowledged and is lost", i)
		}
		duplicates += n - 1
	}
	t.Logf("%d messages, %d stored twice, %d batches sent again", total, duplicates, w.Stats().Retries)
	if got := committed(t, addr, "projector", "events"); got != lastCommit {
		t.Errorf("committed offset %d, want %d", got, lastCommit)
	}
}
