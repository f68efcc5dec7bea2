package kafka_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"

	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

const ownGroup = "of-the-process"

// guarded starts a log with a key and returns the brokers inside this process and those of a client
// that has the key.
func guarded(t *testing.T) (inside, client eventlog.Brokers) {
	t.Helper()
	s := start(t, kafka.Config{Dir: t.TempDir(), Key: "the-key", OwnGroups: []string{ownGroup}})
	return eventlog.Brokers{Addresses: []string{s.Addr()}, Dial: s.Dial},
		signed(s.Addr(), plain.Mechanism{Username: kafka.ClientName, Password: "the-key"})
}

func signed(address string, as sasl.Mechanism) eventlog.Brokers {
	return eventlog.Brokers{Addresses: []string{address}, SASL: as}
}

// clientOf makes a kafka-go client of brokers and closes it when the test ends.
func clientOf(t *testing.T, brokers eventlog.Brokers) *kafkago.Client {
	t.Helper()
	c := client(t, brokers.Addresses[0])
	c.Transport.(*kafkago.Transport).SASL = brokers.SASL
	c.Transport.(*kafkago.Transport).Dial = brokers.Dial
	return c
}

func writeTo(t *testing.T, brokers eventlog.Brokers, topic string, values ...string) {
	t.Helper()
	w := eventlog.NewWriter(brokers, zerolog.New(zerolog.NewTestWriter(t)))
	t.Cleanup(w.Close)
	for _, value := range values {
		if err := w.Write(timeout(t), topic, []kafkago.Message{{Key: []byte("k"), Value: []byte(value)}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNobodyUsesTheLogWithoutTheKey(t *testing.T) {
	inside, withKey := guarded(t)
	address := inside.Addresses[0]
	if err := eventlog.EnsureTopics(timeout(t), inside, []eventlog.Topic{{Name: "events", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	writeTo(t, inside, "events", "from inside")
	writeTo(t, withKey, "events", "with the key")
	overSCRAM, err := scram.Mechanism(scram.SHA256, kafka.ClientName, "the-key")
	if err != nil {
		t.Fatal(err)
	}
	for name, brokers := range map[string]eventlog.Brokers{
		"no user":           eventlog.At(address),
		"a wrong key":       signed(address, plain.Mechanism{Username: kafka.ClientName, Password: "the-kez"}),
		"an empty key":      signed(address, plain.Mechanism{Username: kafka.ClientName}),
		"another user":      signed(address, plain.Mechanism{Username: "admin", Password: "the-key"}),
		"nobody":            signed(address, plain.Mechanism{}),
		"another mechanism": signed(address, overSCRAM),
	} {
		c := clientOf(t, brokers)
		c.Timeout = 5 * time.Second
		if answer, err := c.Produce(timeout(t),
			&kafkago.ProduceRequest{Topic: "events", RequiredAcks: kafkago.RequireAll,
				Records: kafkago.NewRecordReader(
					kafkago.Record{Value: kafkago.NewBytes([]byte("forged"))})}); err == nil &&
			answer.Error == nil {
			t.Errorf("%s: a message is written", name)
		}
		if _, err := c.Metadata(timeout(t), &kafkago.MetadataRequest{}); err == nil {
			t.Errorf("%s: the topics are listed", name)
		} else if name == "a wrong key" && !errors.Is(err, kafkago.SASLAuthenticationFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if first, end := bounds(t, clientOf(t, withKey), "events"); first != 0 || end != 2 {
		t.Errorf("the log has the messages %d to %d, want 0 to 2", first, end)
	}
}

func TestOnlyTheProcessChangesItsOwnGroup(t *testing.T) {
	inside, withKey := guarded(t)
	if err := eventlog.EnsureTopics(timeout(t), withKey,
		[]eventlog.Topic{{Name: "events", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	writeTo(t, withKey, "events", "a", "b", "c")
	taken := make(chan int, 10)
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: inside, ID: ownGroup, Topics: []string{"events"}},
		func(_ context.Context, batch []kafkago.Message) error {
			taken <- len(batch)
			return nil
		}, zerolog.New(zerolog.NewTestWriter(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := group.Start(timeout(t)); err != nil {
		t.Fatal(err)
	}
	for read := 0; read < 3; {
		read += <-taken
	}
	if err := group.Stop(timeout(t)); err != nil { // it has committed what it took
		t.Fatal(err)
	}

	c := clientOf(t, withKey)
	deniedBy := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, kafkago.GroupAuthorizationFailed) {
			t.Errorf("%s: %v, want %v", what, err, kafkago.GroupAuthorizationFailed)
		}
	}
	commit, err := c.OffsetCommit(timeout(t), &kafkago.OffsetCommitRequest{GroupID: ownGroup, GenerationID: -1,
		Topics: map[string][]kafkago.OffsetCommit{"events": {{Partition: 0, Offset: 1_000_000_000}}}})
	if err == nil {
		err = commit.Topics["events"][0].Error
	}
	deniedBy("OffsetCommit", err)
	join, err := c.JoinGroup(timeout(t), &kafkago.JoinGroupRequest{GroupID: ownGroup, SessionTimeout: 10 * time.Second,
		RebalanceTimeout: 10 * time.Second,
		ProtocolType:     "consumer", Protocols: []kafkago.GroupProtocol{{Name: "range"}}})
	if err == nil {
		err = join.Error
	}
	deniedBy("JoinGroup", err)
	deleted, err := c.DeleteGroups(timeout(t), &kafkago.DeleteGroupsRequest{GroupIDs: []string{ownGroup}})
	if err == nil {
		err = deleted.Errors[ownGroup]
	}
	deniedBy("DeleteGroups", err)
	undone, err := c.OffsetDelete(timeout(t),
		&kafkago.OffsetDeleteRequest{GroupID: ownGroup, Topics: map[string][]int{"events": {0}}})
	if err == nil {
		err = undone.Error
	}
	deniedBy("OffsetDelete", err)

	// A command with the key reads the lag, and has groups of its own.
	reading, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: withKey, ID: ownGroup, Topics: []string{"events"}},
		nil, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if lags, err := reading.Lag(timeout(t)); err != nil || len(lags) != 1 || lags[0].Committed != 3 ||
		lags[0].Lag != 0 {
		t.Errorf("the lag is %+v: %v", lags, err)
	}
	other, err := c.OffsetCommit(timeout(t), &kafkago.OffsetCommitRequest{GroupID: "another", GenerationID: -1,
		Topics: map[string][]kafkago.OffsetCommit{"events": {{Partition: 0, Offset: 1}}}})
	if err != nil || other.Topics["events"][0].Error != nil {
		t.Errorf("another group: %+v: %v", other, err)
	}
}

func TestConnectionsThatDoNotSignInKeepNobodyOut(t *testing.T) {
	inside, withKey := guarded(t)
	for range 500 {
		conn, err := net.Dial("tcp", inside.Addresses[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	for name, brokers := range map[string]eventlog.Brokers{"inside": inside, "with the key": withKey} {
		if _, err := clientOf(t, brokers).Metadata(timeout(t), &kafkago.MetadataRequest{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
