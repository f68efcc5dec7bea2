//go:build linux

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// harm is what happens to one process.
type harm struct {
	what    string
	process string
	lasts   time.Duration // 0 if it is over at once
}

// What may happen to a process. What was killed is started again. The last two happen to ClickHouse servers.
const (
	killed  = "kill"
	stopped = "stop"             // for a while
	parted  = "cut"              // for a while; the name of the process says from what
	damaged = "kill and damage"  // a byte on its disk is changed before it starts again
	filled  = "fill the disk of" // for a while
)

func (h harm) String() string {
	if h.lasts == 0 {
		return h.kind()
	}
	return fmt.Sprintf("%s for %.1f s", h.kind(), h.lasts.Seconds())
}

// kind is the harm without its duration.
func (h harm) kind() string { return h.what + " " + h.process }

// ofBroker reports whether the process is a broker.
func (h harm) ofBroker() bool { return strings.HasPrefix(h.process, "kafka-") }

// copy is the copy that the process belongs to; "" for a broker.
func (h harm) copy() string {
	if h.ofBroker() {
		return ""
	}
	_, name, _ := strings.Cut(h.process, "-")
	name, _, _ = strings.Cut(name, " ") // of a cut, before what it is from
	return name
}

// harms returns everything that may happen to an installation. What lasts lasts as long as is drawn.
func (c *copiesInstallation) harms() (list []harm) {
	for _, name := range c.copies {
		for _, role := range []string{"project-", "clickhouse-", "query-"} {
			list = append(list, harm{what: killed, process: role + name}, harm{what: stopped, process: role + name})
		}
		list = append(list, harm{what: damaged, process: "clickhouse-" + name})
	}
	for n := range brokers {
		process := fmt.Sprintf("kafka-%d", n+1)
		list = append(list, harm{what: killed, process: process}, harm{what: stopped, process: process})
	}
	for i, name := range c.copies {
		for _, of := range []string{
			fmt.Sprintf("project-%s from kafka-%d", name, i%brokers+1), "project-" + name + " from " + allBrokers,
			"clickhouse-" + name + itsClients,
		} {
			list = append(list, harm{what: parted, process: of})
		}
	}
	if c.smallDisk != "" {
		list = append(list, harm{what: filled, process: "clickhouse-" + c.copies[len(c.copies)-1]})
	}
	return list
}

// strike is what happens at one time.
type strike struct {
	harms []harm
	after time.Duration // pause before it
	calm  bool          // everything works when it happens
}

func (s strike) String() string {
	var told []string
	for _, h := range s.harms {
		told = append(told, h.String())
	}
	return strings.Join(told, ", ")
}

// spares reports whether nothing happens to a copy.
func (s strike) spares(copy string) bool {
	return !slices.ContainsFunc(s.harms, func(h harm) bool { return h.copy() == copy })
}

// ofOneCopy reports whether the strike hits nothing but one copy.
func (s strike) ofOneCopy() bool {
	return !s.hitsBroker() &&
		!slices.ContainsFunc(s.harms, func(h harm) bool { return h.copy() != s.harms[0].copy() })
}

// hitsBroker reports whether the strike hits a broker.
func (s strike) hitsBroker() bool { return slices.ContainsFunc(s.harms, harm.ofBroker) }

// Bounds of how long a process is stopped. A query server answers nothing once its copy has not heard of the others for
// 12 seconds, a member of a Kafka group is replaced after 10, and nginx gives a server up after 30.
const (
	shortestStop = time.Second
	longestStop  = 40 * time.Second
)

// longestFull bounds how long a disk is full.
const longestFull = 10 * time.Second

// drawStrikes draws strikes. Each harm happens once before one is repeated. One strike in four has two harms, but
// never of two brokers, because two of three must work.
func drawStrikes(random *rand.Rand, harms []harm, times int) (list []strike) {
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	// The logarithms of durations are spread evenly: most are short, and some are longer than every bound above.
	mostlyShort := func(least, most time.Duration) time.Duration {
		return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), random.Float64()))
	}
	var deck []harm
	draw := func(fits func(harm) bool) (harm, bool) {
		if len(deck) == 0 {
			deck = slices.Clone(harms)
			random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		at := slices.IndexFunc(deck, fits)
		if at < 0 {
			return harm{}, false
		}
		drawn := deck[at]
		deck = slices.Delete(deck, at, at+1)
		switch drawn.what {
		case stopped, parted:
			drawn.lasts = mostlyShort(shortestStop, longestStop)
		case filled:
			drawn.lasts = mostlyShort(shortestStop, longestFull)
		}
		return drawn, true
	}
	for range times {
		first, _ := draw(func(harm) bool { return true })
		next := strike{[]harm{first}, between(0, 5*time.Second), random.IntN(2) == 0}
		if random.IntN(4) == 0 {
			second, fits := draw(func(h harm) bool {
				return h.process != first.process && !(h.ofBroker() && first.ofBroker()) &&
					!(h.what == parted && first.what == parted && h.copy() == first.copy()) // they may share a network
			})
			if fits {
				next.harms = append(next.harms, second)
			}
		}
		list = append(list, next)
	}
	return list
}

func TestDrawnFaultsLeaveTwoBrokersAndACopy(t *testing.T) {
	c := &copiesInstallation{copies: []string{"a", "b", "c"}, smallDisk: "/some/where"}
	seen, pairs := map[string]int{}, 0
	for seed := range uint64(20) {
		for _, s := range drawStrikes(rand.New(rand.NewPCG(seed, 39)), c.harms(), 100) {
			hit := map[string]bool{}
			for _, h := range s.harms {
				seen[h.kind()]++
				if hit[h.process] || h.ofBroker() && hit[""] {
					t.Errorf("seed %d: %s", seed, s)
				}
				hit[h.process], hit[h.copy()] = true, true
				lasts := h.what == stopped || h.what == parted || h.what == filled
				if lasts != (h.lasts >= shortestStop) || h.lasts > longestStop {
					t.Errorf("seed %d: %s", seed, h)
				}
			}
			if !slices.ContainsFunc(c.copies, s.spares) {
				t.Errorf("seed %d: %s hits every copy", seed, s)
			}
			if len(s.harms) == 2 {
				pairs++
			}
		}
	}
	if len(seen) != len(c.harms()) || pairs < 300 || pairs > 600 {
		t.Errorf("%d pairs, and how often each happens: %v", pairs, seen)
	}
}

// spell is a time in which the same goes on.
type spell struct {
	what string
	// serves says that no request may fail that begins and ends in it.
	serves bool
}

// copiesStorm is what happens to an installation of copies.
type copiesStorm struct {
	*copiesInstallation
	t      *testing.T
	begun  time.Time
	random *rand.Rand // of the faults
	now    atomic.Pointer[spell]
	saw    *witness
	counts map[string]int // harms by kind
}

func (s *copiesStorm) tell(format string, args ...any) {
	s.t.Logf("%7.1f s  %s", time.Since(s.begun).Seconds(), fmt.Sprintf(format, args...))
}

// turn begins another spell.
func (s *copiesStorm) turn(what string, serves bool) { s.now.Store(&spell{what, serves}) }

// rage lets the strikes happen one after the other.
func (s *copiesStorm) rage(strikes []strike) {
	for n, next := range strikes {
		s.strike(next, fmt.Sprintf("%d of %d: %s", n+1, len(strikes), next))
		if s.t.Failed() {
			return
		}
	}
}

func (s *copiesStorm) strike(next strike, told string) {
	pause := time.NewTimer(next.after)
	defer pause.Stop()
	if next.calm {
		s.calmDown()
	}
	select {
	case <-pause.C:
	case <-s.t.Context().Done():
		return
	}
	s.awaitVictims(next)
	s.tell("%s%s", told, map[bool]string{true: "; everything works"}[next.calm])
	s.turn("begin: "+next.String(), false)
	inspected := map[string]int{} // by damaged copy: how often it had been
	for _, h := range next.harms {
		if h.what == damaged {
			inspected[h.copy()] = s.inspections(h.copy())
			s.saw.damage(h.copy())
		}
	}
	var ends []func() // of what lasts
	for _, h := range next.harms {
		end := sync.OnceFunc(s.do(h))
		s.t.Cleanup(end) // if the test ends before
		ends = append(ends, end)
		s.counts[h.kind()]++
	}
	// One of three copies is away, so the balancer has others to ask.
	s.turn(next.String(), next.calm && next.ofOneCopy())
	var over sync.WaitGroup
	for i, end := range ends {
		over.Go(func() {
			select {
			case <-time.After(next.harms[i].lasts):
			case <-s.t.Context().Done():
			}
			end()
		})
	}
	over.Wait()
	for name, before := range inspected {
		s.await("copy "+name+" has inspected its tables", func() bool { return s.inspections(name) > before })
		s.saw.inspected(name)
	}
}

// do begins a harm, and returns what ends it.
func (s *copiesStorm) do(h harm) (end func()) {
	signal := func(signal syscall.Signal) {
		s.await(h.process+" runs", func() bool { return s.signal(h.process, signal) })
	}
	switch h.what {
	case stopped:
		signal(syscall.SIGSTOP)
		return func() { s.signal(h.process, syscall.SIGCONT) }
	case parted:
		return s.cut(h.process)
	case filled:
		return s.fillDisk()
	case damaged:
		part := s.anyPart(h.copy())
		signal(syscall.SIGKILL)
		s.tell("damaged: %s", flipped(part))
	default:
		signal(syscall.SIGKILL)
	}
	return func() {}
}

// await waits until look returns true. It asks other processes, so it does not look as often as waittest does. The
// failure has the states, which look may write.
func (s *copiesStorm) await(what string, look func() bool, states ...*string) {
	s.t.Helper()
	often, late := time.NewTicker(250*time.Millisecond), time.After(patience)
	defer often.Stop()
	for !look() {
		select {
		case <-often.C:
		case <-late:
			for _, state := range states {
				what += "; " + *state
			}
			s.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// calmDown waits until everything works.
func (s *copiesStorm) calmDown() {
	s.await("everything works", func() bool { return s.whole(s.t.Context()) })
	s.saw.mended()
	s.turn("everything works", true)
}

// awaitVictims waits until a strike leaves enough: two brokers that have every message, and a copy that works.
func (s *copiesStorm) awaitVictims(next strike) {
	if next.hitsBroker() {
		s.await("all brokers have every message", func() bool { return s.inSync(s.t.Context()) })
	}
	s.await("a copy works that is spared", func() bool {
		return slices.ContainsFunc(s.copies, func(name string) bool { return next.spares(name) && s.ready(name) })
	})
}
