//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"cuota/internal/account/accounttest"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
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
	short bool // it is in the short form of the test
}

var profiles = []profile{
	{"up", func(s *storm) []fault { return startWhole(s, filepath.Join(s.t.TempDir(), "data")) }, true},
	{"disk", func(s *storm) []fault {
		s.disk = smallDisk(s.t, "1g")
		return append(startWhole(s, filepath.Join(s.disk, "data")), fault{"the disk is full", false, false, fillDisk}, fault{"the disk is full", false, false, fillDisk})
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
		fmt.Sprintf("CUOTA_CLICKHOUSE=clickhouse://%s:%s@%s/%s", options.Auth.Username, options.Auth.Password, options.Addr[0], options.Auth.Database),
		"CUOTA_ACCOUNTS=" + accounts,
		"CUOTA_PEPPER=" + filepath.Join(t.TempDir(), "pepper"),
		"CUOTA_ARCHIVE=" + filepath.Join(t.TempDir(), "archive"),
	}
	for n := range projectors {
		k := keep(t, &kept{name: fmt.Sprintf("project %d", n+1), env: s.env, args: []string{"project"}, ready: projecting})
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

// outcome is what a storm must leave in the tables, whatever happened.
type outcome struct {
	checksums map[string]string
	batches   uint64 // published, also those that are dropped by now
}

// calm returns the outcome of a run over the same files without faults.
func calm(t *testing.T, market sliced) outcome {
	t.Helper()
	s := newStorm(t, 0, market)
	startWhole(s, filepath.Join(t.TempDir(), "calm"))
	s.ingestAll()
	found := s.outcome()
	s.up.finish(t)
	return found
}

// ingestAll ingests every file and waits until a published batch holds them.
func (s *storm) ingestAll() {
	s.t.Helper()
	for _, args := range s.market.whole() {
		for attempt := 1; !s.do(args...); attempt++ {
			if attempt == 5 {
				for _, k := range s.kept {
					s.t.Logf("%s:\n%s", k.name, tail(k.text()))
				}
				s.t.Fatalf("%s fails five times with nothing wrong: %v", strings.Join(args, " "), s.failures)
			}
			for _, k := range s.kept {
				k.await(s.t)
			}
		}
	}
}

// tail is the end of a log.
func tail(log string) string { return log[max(0, len(log)-4000):] }

// outcome reads what is published. It compares it with the files alone: nothing may be
// lost or doubled.
func (s *storm) outcome() outcome {
	t := s.t
	t.Helper()
	conn, err := clickhouse.Open(s.open())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var batch uint64
	if err := conn.QueryRow(t.Context(), "SELECT max(batch) FROM batch").Scan(&batch); err != nil {
		t.Fatal(err)
	}
	s.checkQuotas(conn, batch)
	for what, query := range map[string]string{
		"batches with the number of another":                "SELECT count() - uniqExact(batch) FROM batch",
		"keys of the registry with two ids":                 "SELECT count() - uniqExact(kind, key) FROM registry",
		"ids of the registry with two keys":                 "SELECT count() - uniqExact(kind, id) FROM registry",
		"files that are not complete":                       "SELECT uniqExact(sha256) FROM manifest WHERE sha256 NOT IN (SELECT sha256 FROM complete_file)",
		"files that no published batch holds":               fmt.Sprintf("SELECT uniqExact(sha256) FROM complete_file WHERE sha256 NOT IN (SELECT sha256 FROM batch_file(batch = %d))", batch),
		"rejected rows":                                     "SELECT count() FROM rejected_row",
		"files that are known beside those that were given": fmt.Sprintf("SELECT uniqExact(sha256) - %d FROM complete_file", len(s.market.files)),
	} {
		var found int64
		if err := conn.QueryRow(t.Context(), "SELECT toInt64(("+query+"))").Scan(&found); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if found != 0 {
			t.Errorf("%s: %d, want none", what, found)
		}
	}
	found := outcome{checksums: demotest.Checksums(t, conn, batch)}
	const published = "SELECT uniqExact(batch) FROM batch_attempt WHERE batch NOT IN (SELECT batch FROM batch_failure)"
	if err := conn.QueryRow(t.Context(), published).Scan(&found.batches); err != nil {
		t.Fatal(err)
	}
	return found
}

// checkQuotas compares each published quota with the files.
func (s *storm) checkQuotas(conn driver.Conn, batch uint64) {
	t := s.t
	t.Helper()
	rows, err := conn.Query(t.Context(), fmt.Sprintf(`
		SELECT concat(splitByChar('-', known.run)[1], ';', known.serie, ';', formatDateTime(quotes.date, '%%Y%%m%%d')), toString(quotes.quota)
		FROM batch_series_day(batch = %d, series = [], all_series = true) AS quotes
		INNER JOIN series AS known ON known.series_id = quotes.series_id
		WHERE known.batch = %d`, batch, batch))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	seen := map[string]bool{}
	for rows.Next() {
		var key, quota string
		if err := rows.Scan(&key, &quota); err != nil {
			t.Fatal(err)
		}
		if seen[key] {
			t.Errorf("%s is doubled", key)
		}
		seen[key] = true
		stated, err := decimal.NewFromString(s.market.quotas[key])
		if err != nil || !stated.Equal(decimal.RequireFromString(quota)) {
			t.Errorf("%s is %s, and the files say %q", key, quota, s.market.quotas[key])
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if lost := len(s.market.quotas) - len(seen); lost != 0 {
		t.Errorf("%d of %d quotas are lost", lost, len(s.market.quotas))
	}
}

// torture causes faults in a profile's installation while files are ingested and
// requests sent to the API. Nothing may be lost, doubled or answered wrongly, and the
// installation must recover without help.
func torture(t *testing.T, p profile, seed uint64, times int, market sliced, want outcome) {
	short := os.Getenv(tortureVariable) == ""
	t.Logf("profile %s, %d faults of seed %d (short: %t); the same again: %s=%d %s=%d", p.name, times, seed, short, seedsVariable, seed, faultsVariable, times)
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

func TestNoFaultLosesDoublesOrFalsifiesAnything(t *testing.T) {
	names, seeds, times, weeks := []string{}, []uint64{uint64(time.Now().UnixNano())}, 3, 5
	for _, p := range profiles {
		if p.short {
			names = append(names, p.name)
		}
	}
	if told := os.Getenv(tortureVariable); told != "" {
		names, times, weeks = strings.Fields(told), 100, 60
	}
	if told := os.Getenv(seedsVariable); told != "" {
		seeds = nil
		for _, field := range strings.Fields(told) {
			seeds = append(seeds, number(t, field))
		}
	}
	if told := os.Getenv(faultsVariable); told != "" {
		times = int(number(t, told))
	}
	market := cut(t, weeks)
	want := calm(t, market)
	for _, seed := range seeds {
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

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
