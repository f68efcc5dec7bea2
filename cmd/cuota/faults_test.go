//go:build linux

package main

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cuota/internal/testkit/waittest"
)

// fault is one kind of fault. Its function returns when the fault is over.
type fault struct {
	name string
	hits bool // it kills, pauses or ends a process
	long bool // it takes more than ten seconds and is not in the short form
	do   func(*storm)
}

// overSession is longer than the session timeout of the Kafka group.
const overSession = 12 * time.Second

// faultsOf returns the faults of one of the kept commands.
func faultsOf(k *kept, pauses ...time.Duration) (list []fault) {
	awaited := func(s *storm, signal syscall.Signal) {
		waittest.Until(s.t, k.name+" runs", func() bool { return k.signal(signal) })
	}
	list = append(list,
		fault{"kill " + k.name, true, false, func(s *storm) { awaited(s, syscall.SIGKILL) }},
		fault{"end " + k.name, true, false, func(s *storm) { awaited(s, syscall.SIGTERM) }})
	for _, pause := range pauses {
		list = append(list, fault{fmt.Sprintf("stop %s for %s", k.name, pause), true, pause >= overSession,
			func(s *storm) {
				awaited(s, syscall.SIGSTOP)
				s.wait(pause, pause+time.Second)
				k.signal(syscall.SIGCONT)
			}})
	}
	return list
}

func killEngine(s *storm) {
	waittest.Until(s.t, "the engine runs", func() bool {
		engine := s.engine()
		return engine != 0 && syscall.Kill(engine, syscall.SIGKILL) == nil
	})
}

func stopEngine(s *storm) {
	engine := s.engine()
	if engine == 0 || syscall.Kill(engine, syscall.SIGSTOP) != nil {
		return
	}
	s.wait(time.Second, 5*time.Second)
	_ = syscall.Kill(engine, syscall.SIGCONT) // it may have been killed
}

// squeezeEngine limits the engine for a while to a few megabytes more than it uses.
func squeezeEngine(s *storm) {
	engine := s.engine()
	if engine == 0 {
		return
	}
	var before unix.Rlimit
	if unix.Prlimit(engine, unix.RLIMIT_AS, nil, &before) != nil {
		return // it has ended
	}
	few := unix.Rlimit{Cur: virtualMemory(engine) + 16<<20, Max: before.Max}
	if unix.Prlimit(engine, unix.RLIMIT_AS, &few, nil) != nil {
		return
	}
	s.wait(2*time.Second, 6*time.Second)
	_ = unix.Prlimit(engine, unix.RLIMIT_AS, &before, nil) // it may have ended because of the limit
}

func killClient(s *storm) {
	waittest.Until(s.t, "a command runs", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.client != nil && s.client.Process != nil && s.client.Process.Signal(syscall.SIGKILL) == nil
	})
}

// In Santiago, clocks go forward and back at midnight of these days.
var changesOfTime = []time.Time{
	time.Date(2026, time.April, 5, 2, 59, 55, 0, time.UTC),
	time.Date(2026, time.September, 6, 3, 59, 55, 0, time.UTC),
}

func jumpOverChangesOfTime(s *storm) {
	for _, change := range changesOfTime {
		// The clock is set to a few seconds before the change, so that the change
		// happens during the fault.
		if err := s.clock.jump(time.Until(change)); err != nil {
			s.t.Error(err)
		}
		s.wait(6*time.Second, 8*time.Second)
	}
}

func jumpByADay(s *storm) {
	for _, shift := range []time.Duration{24 * time.Hour, -24 * time.Hour} {
		if err := s.clock.jump(shift); err != nil {
			s.t.Error(err)
		}
		s.wait(time.Second, 4*time.Second)
	}
}

// anywhere returns the faults that every installation can have.
func anywhere() []fault {
	return []fault{
		{"kill the engine", true, false, killEngine},
		{"stop the engine", true, false, stopEngine},
		{"no memory for the engine", false, false, squeezeEngine},
		{"kill the command", true, false, killClient},
		{"clock a day ahead and back", false, false, mended(jumpByADay)},
		{"clock over the changes of summer time", false, true, mended(jumpOverChangesOfTime)},
	}
}

// networkFaults returns faults between the broker and its clients.
func networkFaults() []fault {
	return []fault{
		{"cut the broker's connections", false, false, func(s *storm) { s.network.cut() }},
		{"broker refuses", false, false, func(s *storm) {
			s.network.refuse(true)
			s.wait(time.Second, 8*time.Second)
			s.network.refuse(false)
		}},
		{"broker is slow", false, false, func(s *storm) {
			s.network.delay(300 * time.Millisecond)
			s.wait(3*time.Second, 8*time.Second)
			s.network.delay(0)
		}},
		{"broker hangs", false, false, func(s *storm) {
			s.network.delay(15 * time.Second)
			s.wait(time.Second, 2*time.Second)
			s.network.delay(0)
			s.network.cut()
		}},
	}
}
