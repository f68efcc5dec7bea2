//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/account/accounttest"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/longtest"
)

// These variables are read if tortureVariable is set: the seeds, and the number of
// faults for each profile. Without tortureVariable the test is short.
const (
	seedsVariable  = "CUOTA_TEST_TORTURE_SEEDS"
	faultsVariable = "CUOTA_TEST_TORTURE_FAULTS"
)

// behindVariable holds two addresses of an Apache Kafka broker: where it listens, and
// the address that it advertises. The accounts are then in PostgreSQL.
const behindVariable = "CUOTA_TEST_KAFKA_BEHIND"

// profile is an installation and its faults.
type profile struct {
	name string
	// start starts the installation and returns the faults that it can have.
	start func(*storm) []fault
	short bool // it is in the form of the test that needs no variable
}

var profiles = []profile{
	{"up", func(s *storm) []fault { return startWhole(s, filepath.Join(s.t.TempDir(), "data")) }, true},
	{"disk", func(s *storm) []fault {
		s.disk = smallDisk(s.t, "1g")
		return append(startWhole(s, filepath.Join(s.disk, "data")), fault{"the disk is full", false, false, fillDisk},
			fault{"the disk is full", false, false, fillDisk})
	}, false},
	{"servers", func(s *storm) []fault { return startRoles(s, 1) }, true},
	{"projectors", func(s *storm) []fault { return startRoles(s, 3) }, false},
}

var (
	servesAll  = regexp.MustCompile(`(?s)API +(http://\S+).*Create another API key`)
	servesAPI  = regexp.MustCompile(`"address":"([^"]+)"[^\n]*"message":"serving the API"`)
	projecting = regexp.MustCompile(`"message":"(projecting)"`)
)

// startWhole runs "cuota up" over a directory.
func startWhole(s *storm, dir string) []fault {
	s.data = []string{"--data", dir}
	s.env = []string{s.clock.env()}
	s.up = keep(s.t, &kept{name: "up", env: s.env, ready: servesAll, args: []string{
		"up", "--no-demo", "--data", dir, "--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0",
		"--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0"}})
	s.kept = []*kept{s.up}
	s.engine = func() int { return engineOf(s.up.pid()) }
	s.up.await(s.t)
	s.open = func() *clickhouse.Options {
		return tablesIn(s.t, dir)
	}
	return append(anywhere(), faultsOf(s.up, overSession)...)
}

// startRoles runs every role as a separate process: a broker behind a broken network,
// ClickHouse as a server, projectors and the API.
func startRoles(s *storm, projectors int) []fault {
	t := s.t
	faults := append(anywhere(), networkFaults()...)
	accounts := "sqlite://" + filepath.Join(t.TempDir(), "accounts.db")
	if behind := os.Getenv(behindVariable); behind != "" {
		broker, clients, _ := strings.Cut(behind, " ")
		s.network = newBrokenNetwork(t, clients, func() string { return broker })
		accounts = accounttest.Postgres(t).DSN
	} else {
		k := &kept{name: "broker", ready: brokerServes}
		s.network = newBrokenNetwork(t, "127.0.0.1:0", k.at)
		k.env = []string{asBroker + "=" + filepath.Join(t.TempDir(), "kafka"), brokerSaysAt + "=" + s.network.address()}
		s.kept = append(s.kept, keep(t, k))
		faults = append(faults, faultsOf(k, 3*time.Second)...)
		k.await(t)
	}
	store := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	s.engine = func() int { return store.State().PID }
	options := store.Options()
	s.open = func() *clickhouse.Options { return store.Options() }
	s.env = []string{
		s.clock.env(),
		"CUOTA_KAFKA=" + s.network.address(),
		fmt.Sprintf("CUOTA_CLICKHOUSE=clickhouse://%s:%s@%s/%s", options.Auth.Username, options.Auth.Password,
			options.Addr[0], options.Auth.Database),
		"CUOTA_ACCOUNTS=" + accounts,
		"CUOTA_PEPPER=" + filepath.Join(t.TempDir(), "pepper"),
		"CUOTA_ARCHIVE=" + filepath.Join(t.TempDir(), "archive"),
	}
	for n := range projectors {
		k := keep(t, &kept{name: fmt.Sprintf("project %d", n+1), env: s.env, args: []string{"project"},
			ready: projecting})
		s.kept = append(s.kept, k)
		faults = append(faults, faultsOf(k, time.Second, overSession)...)
		k.await(t) // the first projector creates the tables
	}
	k := keep(t, &kept{name: "query", env: s.env, args: []string{"query", "--listen", "127.0.0.1:0"}, ready: servesAPI})
	s.kept = append(s.kept, k)
	k.await(t)
	return append(faults, faultsOf(k, 3*time.Second)...)
}

// api is the address to which the reader sends requests.
func (s *storm) api() string {
	if s.up != nil {
		return s.up.at()
	}
	at := s.kept[len(s.kept)-1].at()
	if at == "" {
		return ""
	}
	return "http://" + at
}

// torture causes faults in a profile's installation while files are ingested and
// requests sent to the API. Nothing may be lost, doubled or answered wrongly, and the
// installation must recover without help.
func torture(t *testing.T, p profile, seed uint64, times int, market sliced, want outcome) {
	short := os.Getenv(tortureVariable) == ""
	t.Logf("profile %s, %d faults of seed %d (short: %t); the same again: %s=%d %s=%d", p.name, times, seed, short,
		seedsVariable, seed, faultsVariable, times)
	s := newStorm(t, seed, market)
	faults := p.start(s)
	if short {
		faults = slices.DeleteFunc(faults, func(f fault) bool { return f.long })
	}
	create := append([]string{"key", "create", "--email", "someone@example.org", "--tier", "internal"}, s.data...)
	key := strings.TrimSpace(installation(s.env).finish(t, create))
	// One batch exists before the first fault, so that the API always has a batch in
	// memory.
	first := market.files[0]
	for !s.do("ingest", "cartola", first.path, "--published", first.published, "--wait") {
		if s.failed == 5 {
			t.Fatalf("the first file is not taken: %v", s.failures)
		}
	}
	reading := startReader(t, key, s.api)
	over := make(chan struct{})
	var working sync.WaitGroup
	working.Go(func() { s.work(over) })
	stop := sync.OnceFunc(func() {
		close(over)
		working.Wait()
		reading.finish()
	})
	t.Cleanup(stop)
	s.rage(faults, times)
	for _, k := range s.kept {
		k.await(t)
	}
	stop()
	s.ingestAll()
	found := s.outcome()
	if diff := cmp.Diff(want.checksums, found.checksums); diff != "" {
		t.Errorf("projections (-undisturbed, +after the storm):\n%s", diff)
	}
	for _, k := range s.kept {
		for _, panicked := range k.panics() {
			t.Error(panicked)
		}
	}
	for _, k := range slices.Backward(s.kept) {
		k.finish(t)
	}
	t.Logf("%s, seed %d:\n%s\n%d batches were published", p.name, seed, s.summary(reading), found.batches)
	if reading.replies == 0 {
		t.Error("the API never answered")
	}
}

// seedsTold returns the seeds of the faults.
func seedsTold(t *testing.T) (seeds []uint64) {
	t.Helper()
	for _, field := range strings.Fields(os.Getenv(seedsVariable)) {
		seeds = append(seeds, number(t, field))
	}
	if len(seeds) == 0 {
		return []uint64{uint64(time.Now().UnixNano())}
	}
	return seeds
}

// faultsTold returns how many faults an installation has: usual, unless the variable says otherwise.
func faultsTold(t *testing.T, usual int) int {
	t.Helper()
	if told := os.Getenv(faultsVariable); told != "" {
		return int(number(t, told))
	}
	return usual
}

func TestNoFaultLosesDoublesOrFalsifiesAnything(t *testing.T) {
	longtest.InTurns(t)
	names, times, weeks := []string{}, 3, 5
	for _, p := range profiles {
		if p.short {
			names = append(names, p.name)
		}
	}
	if told := os.Getenv(tortureVariable); told != "" {
		names, times, weeks = strings.Fields(told), 100, 60
		names = slices.DeleteFunc(names, func(name string) bool { return name == copiesProfile })
	} else {
		names = longtest.Sample(t, names, 1)
	}
	times = faultsTold(t, times)
	if len(names) == 0 {
		t.Skip("none of these installations is named")
	}
	market := cut(t, weeks)
	want := calm(t, market)
	for _, seed := range seedsTold(t) {
		for _, name := range names {
			at := slices.IndexFunc(profiles, func(p profile) bool { return p.name == name })
			if at < 0 {
				t.Fatalf("there is no profile %q", name)
			}
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				torture(t, profiles[at], seed, times, market, want)
			})
		}
	}
}
