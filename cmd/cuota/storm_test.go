//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// storm is an installation with the faults that happen to it.
type storm struct {
	t      *testing.T
	random *rand.Rand
	begun  time.Time
	clock  wrongClock
	env    []string // for commands that end by themselves
	data   []string // their --data, if the installation has a directory
	market sliced

	kept    []*kept
	up      *kept                      // nil if the roles run as separate processes
	engine  func() int                 // process id of the engine; 0 while there is none
	open    func() *clickhouse.Options // options to read the tables with
	network *brokenNetwork             // nil if everything runs in one process
	disk    string                     // a small disk; "" if there is none

	counts map[string]int // faults by name
	hits   int            // number of these that hit a process: it was killed, paused or told to end

	mu       sync.Mutex
	client   *exec.Cmd // the command that is running
	commands int       // number of commands that ended, and of those that failed
	failed   int
	failures map[string]int // by their message
}

// newStorm makes a storm. The seed determines the times and kinds of its faults.
func newStorm(t *testing.T, seed uint64, market sliced) *storm {
	t.Helper()
	s := &storm{
		t: t, random: rand.New(rand.NewPCG(seed, 12)), begun: time.Now(), market: market,
		clock: wrongClock{filepath.Join(t.TempDir(), "clock")}, counts: map[string]int{}, failures: map[string]int{},
	}
	if err := s.clock.jump(0); err != nil {
		t.Fatal(err)
	}
	return s
}

// wait waits for a random time.
func (s *storm) wait(least, most time.Duration) {
	pause := least + time.Duration(s.random.Int64N(int64(most-least)))
	select {
	case <-time.After(pause):
	case <-s.t.Context().Done():
	}
}

// tell logs a fault, for people who look for the cause of a failure.
func (s *storm) tell(format string, args ...any) {
	s.t.Logf("%7.1f s  %s", time.Since(s.begun).Seconds(), fmt.Sprintf(format, args...))
}

// clientPatience bounds a command, which waits while something that it needs is not
// available.
const clientPatience = time.Minute

// do runs a command to its end and says whether it succeeded.
func (s *storm) do(args ...string) bool {
	limited, cancel := context.WithTimeout(context.Background(), clientPatience)
	defer cancel()
	command := program(limited, s.env, append(args, s.data...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	s.mu.Lock()
	err := command.Start()
	s.client = command
	s.mu.Unlock()
	if err == nil {
		err = command.Wait()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = nil
	s.commands++
	if err == nil {
		return true
	}
	s.failed++
	said := lastLine(stderr.String())
	if limited.Err() != nil {
		said = args[0] + " took more than a minute"
	} else if said == "" {
		said = err.Error()
	}
	s.failures[said]++
	return false
}

// work ingests files and commands batches until over is closed.
func (s *storm) work(over <-chan struct{}) {
	again := time.NewTicker(time.Second / 4) // a command that fails at once would be repeated too fast
	defer again.Stop()
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		case <-again.C:
		}
		switch {
		case n%12 == 11:
			s.do("rebuild")
		case n%6 == 5:
			s.do("project", "--now")
		default:
			// in the second round each file is a duplicate and changes nothing
			file := s.market.files[(n-n/6)%len(s.market.files)]
			s.do("ingest", "cartola", file.path, "--published", file.published)
		}
	}
}

// mended sets the clock right after a fault of the clock.
func mended(do func(*storm)) func(*storm) {
	return func(s *storm) {
		do(s)
		if err := s.clock.jump(0); err != nil {
			s.t.Error(err)
		}
	}
}

// rage causes so many faults, each kind once before one is repeated.
func (s *storm) rage(faults []fault, times int) {
	var order []fault
	for n := range times {
		if len(order) == 0 {
			order = slices.Clone(faults)
			s.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		next := order[0]
		order = order[1:]
		// Half of the faults happen while something starts, the others while everything
		// serves.
		if s.random.IntN(2) == 0 {
			for _, k := range s.kept {
				k.await(s.t)
			}
		}
		s.wait(0, 3*time.Second)
		s.tell("%d of %d: %s", n+1, times, next.name)
		next.do(s)
		s.counts[next.name]++
		if next.hits {
			s.hits++
		}
		if s.t.Failed() {
			return
		}
	}
}

// summary describes what happened.
func (s *storm) summary(r *reader) string {
	var b strings.Builder
	total := 0
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		total += s.counts[name]
		fmt.Fprintf(&b, "  %4d  %s\n", s.counts[name], name)
	}
	fmt.Fprintf(&b, "%d faults, of which %d killed, stopped or ended a process, in %s\n", total, s.hits,
		time.Since(s.begun).Round(time.Second))
	for _, k := range s.kept {
		fmt.Fprintf(&b, "%s: %d starts, %d ends that nobody asked for\n", k.name, k.starts, len(k.unasked))
		for said, times := range counted(k.unasked) {
			fmt.Fprintf(&b, "  %4d  %.300s\n", times, said)
		}
	}
	fmt.Fprintf(&b, "%d commands, of which %d failed\n", s.commands, s.failed)
	for said, times := range s.failures {
		fmt.Fprintf(&b, "  %4d  %.300s\n", times, said)
	}
	fmt.Fprintf(&b, "%d replies of a batch, %d that there is none now, %d questions without a reply", r.replies,
		r.refusals, r.nobody)
	return b.String()
}
