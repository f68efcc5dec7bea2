//go:build linux

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/longtest"
)

// copiesProfile is the name of the installation of several copies.
const copiesProfile = "copies"

// Files are ingested, and readers ask the balancer, while brokers, projectors, ClickHouse servers and query servers of
// three copies are killed, stopped, cut off, damaged and out of space. No reader may see an older batch after a newer
// one, two batches in one walk, or two answers about one batch, whichever server answers. As long as the faults are of
// one copy, no request may fail that was sent after the fault. At the end all copies must have the rows of an
// installation without faults.
func TestCopiesAgreeAndNoReaderGoesBack(t *testing.T) {
	if !slices.Contains(strings.Fields(os.Getenv(tortureVariable)), copiesProfile) {
		t.Skipf("%s=%s runs it", tortureVariable, copiesProfile)
	}
	longtest.InTurns(t)
	times := faultsTold(t, 100)
	market := cut(t, min(firstFiles+times, 250))
	want := calm(t, market)
	for _, seed := range seedsTold(t) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { stormOverCopies(t, seed, times, market, want) })
	}
}

func stormOverCopies(t *testing.T, seed uint64, times int, market sliced, want outcome) {
	t.Logf("%d faults of seed %d; the same again: %s=%s %s=%d %s=%d", times, seed, tortureVariable, copiesProfile,
		seedsVariable, seed, faultsVariable, times)
	s := &copiesStorm{copiesInstallation: startCopies(t, market.asMarket(t, firstFiles)), t: t, begun: time.Now(),
		random: rand.New(rand.NewPCG(seed, 39)), counts: map[string]int{}}
	s.turn("before the first fault", false)
	s.saw = newWitness(t, s.now.Load, s.copyAt)
	create := []string{"key", "create", "--email", "someone@example.org", "--tier", "internal"}
	key := strings.TrimSpace(s.env(s.copies[0]).finish(t, create))
	s.calmDown()

	over := make(chan struct{})
	feeding := &feeder{t: t, random: rand.New(rand.NewPCG(seed, 100)),
		asks:         newCopiesReader(s.saw, s.api(), key, seed, 100, over),
		acknowledged: slices.Clone(market.files[:firstFiles])}
	for _, name := range s.copies {
		on := newStorm(t, seed, market)
		on.env, on.open = s.env(name), func() *clickhouse.Options { return s.tables(t, name) }
		feeding.commands = append(feeding.commands, on)
	}
	finish := startCopiesReaders(s.saw, s.api(), key, seed)
	t.Cleanup(finish)
	var working sync.WaitGroup
	working.Go(func() { feeding.run(market.files[firstFiles:], over) })
	stopFeeding := sync.OnceFunc(func() {
		close(over)
		working.Wait()
		feeding.asks.close()
	})
	t.Cleanup(stopFeeding)

	s.rage(drawStrikes(s.random, s.harms(), times))
	s.tell("the faults are over")
	s.calmDown()
	stopFeeding()
	s.tell("%d of %d files are acknowledged", len(feeding.acknowledged), len(market.files))
	s.awaitFiles(feeding.acknowledged) // before anything is ingested again
	finish()
	feeding.finish(s, market.files[len(feeding.acknowledged):])
	s.awaitFiles(market.files)

	for i, on := range feeding.commands {
		if diff := cmp.Diff(want.checksums, on.outcome().checksums); diff != "" {
			t.Errorf("projections of copy %s (-undisturbed, +after the storm):\n%s", s.copies[i], diff)
		}
	}
	s.compareCopies(s.saw.batches())
	s.stopGently()
	t.Logf("seed %d:\n%s%s%s", seed, s.summary(), s.saw.summary(), feeding.summary())
	for _, name := range s.copies {
		if s.saw.tally["answers of copy "+name] == 0 {
			t.Errorf("copy %s has answered nothing", name)
		}
	}
}

// connect connects to the tables of a copy.
func (s *copiesStorm) connect(name string) driver.Conn {
	s.t.Helper()
	conn, err := clickhouse.Open(s.tables(s.t, name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// awaitFiles waits until every copy has published the last plan, in a batch that holds all of these files.
func (s *copiesStorm) awaitFiles(files []slicedFile) {
	s.t.Helper()
	var hashes []string
	for _, file := range files {
		hashes = append(hashes, "'"+file.hash(s.t)+"'")
	}
	query := fmt.Sprintf(`
		WITH (SELECT max(batch) FROM batch) AS newest
		SELECT
			(SELECT max(plan) FROM batch_plan) AS last,
			(SELECT max(plan) FROM plan_batch WHERE failure = '' AND batch = newest) AS published,
			(SELECT uniqExact(sha256) FROM batch_file(batch = (SELECT max(batch) FROM batch))
			 WHERE sha256 IN (%s)) AS held`,
		strings.Join(hashes, ", "))
	var conns []driver.Conn
	for _, name := range s.copies {
		conns = append(conns, s.connect(name))
	}
	var state string
	s.await("every copy has published the last plan, with every file", func() bool {
		state = ""
		plans, done := map[uint64]bool{}, true
		for i, conn := range conns {
			var last, published, held uint64
			if err := conn.QueryRow(s.t.Context(), query).Scan(&last, &published, &held); err != nil {
				s.t.Fatal(err)
			}
			state += fmt.Sprintf("copy %s: plan %d of %d, %d of %d files; ", s.copies[i], published, last, held,
				len(files))
			plans[last] = true
			done = done && published == last && held == uint64(len(files))
		}
		return done && len(plans) == 1
	}, &state)
	s.tell("%s", state)
}

// compareCopies compares the rows, ids and batches of all copies. seen are the batches that readers saw.
func (s *copiesStorm) compareCopies(seen []string) {
	t := s.t
	t.Helper()
	const (
		published = "SELECT concat(batch_id, ' ', toString(published_at)) AS line FROM published_batch ORDER BY line"
		ids       = "SELECT DISTINCT concat(kind, ' ', key, ' ', toString(id)) AS line FROM registry ORDER BY line"
	)
	var first map[string][]string
	for i, name := range s.copies {
		conn := s.connect(name)
		found := map[string][]string{}
		for _, query := range []string{published, ids} {
			var lines []string
			if err := conn.QueryRow(t.Context(), "SELECT groupArray(*) FROM ("+query+")").Scan(&lines); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			found[query] = lines
		}
		if i == 0 {
			first = found
			continue
		}
		if diff := cmp.Diff(first, found); diff != "" {
			t.Errorf("batches and ids (-copy %s, +copy %s):\n%s", s.copies[0], name, diff)
		}
		for _, other := range s.copies[:i] {
			there := s.clickhouse(other, "project", "CLICKHOUSE_PROJECT_PASSWORD")
			env := append(s.env(name), "CUOTA_CLICKHOUSE_OTHER="+there)
			s.tell("copies %s and %s: %s", name, other, strings.TrimSpace(env.finish(t, []string{"copies", "diff"})))
		}
	}
	names := map[string]bool{}
	for _, line := range first[published] {
		name, _, _ := strings.Cut(line, " ")
		names[name] = true
	}
	for _, batch := range seen {
		if !names[batch] {
			t.Errorf("readers saw batch %s, which no copy has published", batch)
		}
	}
	s.tell("%d batches were published, of which readers saw %d", len(names), len(seen))
}

// stopGently stops the installation as Ctrl-C does, and looks for panics in what it has written.
func (s *copiesStorm) stopGently() {
	if err := s.script.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatal("the copies do not end")
	}
	if s.failure != nil {
		s.t.Errorf("scripts/copies ended with %v", s.failure)
	}
	for name, log := range s.logs() {
		if _, after, panicked := strings.Cut(log, "panic: "); panicked {
			s.t.Errorf("%s: panic: %.2000s", name, after)
		}
	}
}

// summary describes what happened.
func (s *copiesStorm) summary() string {
	var b strings.Builder
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(s.counts)) {
		total += s.counts[kind]
		fmt.Fprintf(&b, "  %6d  %s\n", s.counts[kind], kind)
	}
	fmt.Fprintf(&b, "%d faults in %s\n", total, time.Since(s.begun).Round(time.Second))
	return b.String()
}
