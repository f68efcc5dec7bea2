package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/internal/eventlog"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
)

// forge writes a message to the log at brokers.
func forge(ctx context.Context, brokers eventlog.Brokers, topic string, value []byte) error {
	writer := eventlog.NewWriter(brokers, zerolog.Nop())
	defer writer.Close()
	return writer.Write(ctx, topic, []kafka.Message{{Key: []byte("9809"), Value: value}})
}

// Any user of the machine reaches the port of Kafka. Only the owner of the data directory can read
// the key in running.json.
func TestFactsReachTheLogOnlyWithTheKey(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithBatch(t)
	enginesOf(t, dir)()
	file := filepath.Join(dir, "running.json")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("running.json has the mode %v: %v", info, err)
	}
	at, err := (&datadir.Directory{Path: dir}).Holder()
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	read := func(m kafka.Message) error { first = m.Value; return errRead }
	whole, err := eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: at.Brokers(), ID: "of-the-test", Topics: []string{model.Cartola.Topic()},
	}, nil, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Unread(t.Context(), read); !errors.Is(err, errRead) {
		t.Fatalf("the log has no message of the cartola: %v", err)
	}
	var fact map[string]any
	if err := json.Unmarshal(first, &fact); err != nil {
		t.Fatal(err)
	}
	forged := strings.Repeat("ab", 32)
	for name := range fact {
		if strings.EqualFold(name, "sha256") {
			fact[name] = forged
		}
	}
	value, err := json.Marshal(fact)
	if err != nil || !strings.Contains(string(value), forged) {
		t.Fatalf("the message %s has no hash of a file: %v", first, err)
	}

	without := eventlog.At(at.Kafka)
	without.Patience = time.Second
	if err := forge(t.Context(), without, model.Cartola.Topic(), value); err == nil {
		t.Fatal("a fact is written without the key")
	}
	if out := succeed(t, "verify", "--data", dir); !strings.Contains(out, "nothing is damaged") {
		t.Errorf("verify says:\n%s", out)
	}
	if err := forge(t.Context(), at.Brokers(), model.Cartola.Topic(), value); err != nil {
		t.Fatal(err)
	}
	wantLagZero(t, dir)
	r := cuota(t, "verify", "--data", dir)
	if want := "archive: " + forged +
		": facts came from this file, and the archive does not have it: 1 rows in fact_quota"; r.code != exit.Failed ||
		!strings.Contains(r.stdout, want) {
		t.Errorf("verify ends with %d and says\n%s\n%s\nwant %q", r.code, r.stdout, r.stderr, want)
	}
}

// errRead ends the reading of messages.
var errRead = errors.New("read")

// wantLagZero waits until the projector has stored every message.
func wantLagZero(t *testing.T, dir string) {
	t.Helper()
	at, err := (&datadir.Directory{Path: dir}).Holder()
	if err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "every message is stored", func() bool {
		lags, err := flow.LagGroup(at.Brokers(), "", zerolog.Nop()).Lag(t.Context())
		return err == nil && !slices.ContainsFunc(lags, func(lag eventlog.PartitionLag) bool { return lag.Lag > 0 })
	})
}
