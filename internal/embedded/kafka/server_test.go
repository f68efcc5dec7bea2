package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// client makes a kafka-go client and closes it when the test ends.
func client(t *testing.T, addr string) *kafkago.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	transport := &kafkago.Transport{Context: ctx, MetadataTTL: time.Second}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
	})
	return &kafkago.Client{Addr: kafkago.TCP(addr), Transport: transport, Timeout: 10 * time.Second}
}

func createTopic(t *testing.T, addr string, topic eventlog.Topic) {
	t.Helper()
	if err := eventlog.EnsureTopics(timeout(t), eventlog.At(addr), []eventlog.Topic{topic}); err != nil {
		t.Fatal(err)
	}
}

func writer(t *testing.T, addr string) *eventlog.Writer {
	t.Helper()
	w := eventlog.NewWriter(eventlog.At(addr), zerolog.New(zerolog.NewTestWriter(t)))
	t.Cleanup(w.Close)
	return w
}

// bounds gives the first offset of a one-partition topic and the offset after its last.
func bounds(t *testing.T, c *kafkago.Client, topic string) (first, end int64) {
	t.Helper()
	resp, err := c.ListOffsets(timeout(t), &kafkago.ListOffsetsRequest{
		Topics: map[string][]kafkago.OffsetRequest{topic: {kafkago.FirstOffsetOf(0), kafkago.LastOffsetOf(0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := resp.Topics[topic][0]
	if p.Error != nil {
		t.Fatal(p.Error)
	}
	return p.FirstOffset, p.LastOffset
}

func commit(t *testing.T, addr, group, topic string, offset int64) {
	t.Helper()
	resp, err := client(t, addr).OffsetCommit(timeout(t), &kafkago.OffsetCommitRequest{
		GroupID:      group,
		GenerationID: -1,
		Topics:       map[string][]kafkago.OffsetCommit{topic: {{Partition: 0, Offset: offset}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Topics[topic][0].Error; err != nil {
		t.Fatal(err)
	}
}

func committed(t *testing.T, addr, group, topic string) int64 {
	t.Helper()
	resp, err := client(t, addr).OffsetFetch(timeout(t), &kafkago.OffsetFetchRequest{
		GroupID: group, Topics: map[string][]int{topic: {0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Topics[topic][0].CommittedOffset
}

// readAll reads a one-partition topic from its first offset to its end.
func readAll(t *testing.T, addr, topic string) []kafkago.Message {
	t.Helper()
	_, end := bounds(t, client(t, addr), topic)
	r := kafkago.NewReader(kafkago.ReaderConfig{Brokers: []string{addr}, Topic: topic, MaxWait: 100 * time.Millisecond})
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var all []kafkago.Message
	for {
		m, err := r.ReadMessage(timeout(t))
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, m); m.Offset == end-1 {
			return all
		}
	}
}

func messages(from, to, size int) []kafkago.Message {
	ms := make([]kafkago.Message, 0, to-from)
	for i := from; i < to; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 0)) // compresses badly
		v := make([]byte, 0, size+13)
		for len(v) < size {
			v = strconv.AppendUint(v, r.Uint64(), 36)
		}
		ms = append(ms, kafkago.Message{Key: []byte(strconv.Itoa(i)), Value: v})
	}
	return ms
}

func TestListenAddressMustBeLoopback(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:9092", ":9092", "192.168.1.1:9092", "example.com:9092", "[::]:9092"} {
		if _, err := kafka.New(kafka.Config{Dir: t.TempDir(), Listen: listen}, zerolog.Nop()); err == nil || !strings.Contains(err.Error(), "loopback") {
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
	if len(meta.Brokers) != 1 || net.JoinHostPort(meta.Brokers[0].Host, strconv.Itoa(meta.Brokers[0].Port)) != s.Addr() {
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
	if _, err := tryStart(t, kafka.Config{Dir: dir, Listen: s.Addr()}); err == nil || !strings.Contains(err.Error(), "port") {
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
	s := start(t, kafka.Config{Dir: dir, SyncWrites: true})
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
