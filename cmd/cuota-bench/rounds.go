package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// side is one of the things that a figure compares.
type side struct {
	name string
	// once measures one round. Preparation is not timed.
	once func(context.Context) (reading, error)
}

// reading is the result of one round.
type reading struct {
	units     int           // rows or requests
	wall, cpu time.Duration // cpu: of the whole process and the engines
	p50, p99  time.Duration // latencies of single requests, if there are any
}

func (r reading) perSecond() float64  { return float64(r.units) / r.wall.Seconds() }
func (r reading) millis() float64     { return 1e3 * r.wall.Seconds() }
func (r reading) cpuSeconds() float64 { return r.cpu.Seconds() }
func (r reading) cpuMillis() float64  { return 1e3 * r.cpu.Seconds() }
func (r reading) cpuMicros() float64  { return 1e6 * r.cpu.Seconds() / float64(r.units) } // µs per unit
func (r reading) p50Millis() float64  { return 1e3 * r.p50.Seconds() }
func (r reading) p99Millis() float64  { return 1e3 * r.p99.Seconds() }

// interleave measures the sides in turns, A B A B, after a warm-up round of each, and
// returns their readings by side. The first side is the product; its last round is the
// one that is profiled.
func (b *bench) interleave(ctx context.Context, sides ...side) ([][]reading, error) {
	readings := make([][]reading, len(sides))
	for round := range b.config.rounds + 1 {
		for i, s := range sides {
			if err := b.settle(ctx); err != nil {
				return nil, err
			}
			b.profile.armed = i == 0 && round == b.config.rounds
			r, err := s.once(ctx)
			b.profile.armed = false
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			b.tell("  %s, round %d of %d: %d in %s, %s of CPU", s.name, round, b.config.rounds,
				r.units, r.wall.Round(time.Millisecond), r.cpu.Round(time.Millisecond))
			if round > 0 {
				readings[i] = append(readings[i], r)
			}
		}
	}
	return readings, nil
}

// time measures work.
func (b *bench) time(units int, work func() error) (reading, error) {
	if err := b.profile.start(); err != nil {
		return reading{}, err
	}
	cpu, began := processCPU(), time.Now()
	err := work()
	r := reading{units: units, wall: time.Since(began), cpu: processCPU() - cpu}
	if stopErr := b.profile.stop(); err == nil {
		err = stopErr
	}
	return r, err
}

// settle finishes what earlier work left behind: garbage collection, and merges in the
// engine.
func (b *bench) settle(ctx context.Context) error {
	runtime.GC()
	return b.poll(ctx, "merges to end", 5*time.Millisecond, func() (bool, error) {
		var merges uint64
		err := b.conn.QueryRow(ctx, "SELECT count() FROM system.merges").Scan(&merges)
		return merges == 0, err
	})
}

// poll calls look at intervals until it returns true or ctx ends.
func (b *bench) poll(ctx context.Context, what string, every time.Duration, look func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		done, err := look()
		if err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if done {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		}
	}
}

// processCPU is the CPU time of this process and its engine.
func processCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("getrusage: " + err.Error()) // it fails only for bad arguments
	}
	return time.Duration(usage.Utime.Nano()+usage.Stime.Nano()) + engineCPU()
}

// stat is a median and the spread of the rounds: half of the difference between the
// largest and the smallest, as a fraction of the median.
type stat struct{ median, spread float64 }

func newStat(values []float64) stat {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return stat{}
	}
	s := stat{median: (sorted[(n-1)/2] + sorted[n/2]) / 2}
	if s.median != 0 {
		s.spread = (sorted[n-1] - sorted[0]) / 2 / s.median
	}
	return s
}

func of(readings []reading, measure func(reading) float64) stat {
	values := make([]float64, len(readings))
	for i, r := range readings {
		values[i] = measure(r)
	}
	return newStat(values)
}

// ratio divides round by round, because the two sides of a round were measured one after
// the other.
func ratio(value, reference []reading, measure func(reading) float64) stat {
	values := make([]float64, min(len(value), len(reference)))
	for i := range values {
		values[i] = measure(value[i]) / measure(reference[i])
	}
	return newStat(values)
}
