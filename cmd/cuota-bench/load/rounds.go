// Package load makes the load of the bench: cartolas to ingest, rounds of work in turns,
// and clients that send requests, whether as fast as they are answered, at a fixed rate, in
// a crowd or as hostile people. It knows the API and the formats from outside, and does not
// know which figure uses it. What a round finds is a reading of package stats.
package load

import (
	"context"
	"fmt"
	"time"

	"cuota/cmd/cuota-bench/stats"
)

// Side is one of the things that a figure compares.
type Side struct {
	Name string
	// Once measures one round. Preparation is not timed.
	Once func(context.Context) (stats.Reading, error)
}

// Rounds measures work in rounds.
type Rounds struct {
	Count   int // measured rounds of each side, after one to warm up
	Profile stats.Profile
	CPU     func() time.Duration             // CPU time of this process and its engine so far
	Settle  func(context.Context) error      // finishes what earlier work left behind
	Tell    func(format string, args ...any) // prints progress
}

// Interleave measures the sides in turns, A B A B, after a warm-up round of each, and
// returns their readings by side. The first side is the product; its last round is the
// one that is profiled. It fails with the first round that fails.
func (m *Rounds) Interleave(ctx context.Context, sides ...Side) ([][]stats.Reading, error) {
	readings := make([][]stats.Reading, len(sides))
	for round := range m.Count + 1 {
		for i, s := range sides {
			if err := m.Settle(ctx); err != nil {
				return nil, err
			}
			m.Profile.Armed = i == 0 && round == m.Count
			r, err := s.Once(ctx)
			m.Profile.Armed = false
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			m.Tell("  %s, round %d of %d: %d in %s, %s of CPU", s.Name, round, m.Count,
				r.Units, r.Wall.Round(time.Millisecond), r.CPU.Round(time.Millisecond))
			if round > 0 {
				readings[i] = append(readings[i], r)
			}
		}
	}
	return readings, nil
}

// Time measures work on so many units. It fails if the work or the profile does.
func (m *Rounds) Time(units int, work func() error) (stats.Reading, error) {
	if err := m.Profile.Start(); err != nil {
		return stats.Reading{}, err
	}
	cpu, began := m.CPU(), time.Now()
	err := work()
	r := stats.Reading{Units: units, Wall: time.Since(began), CPU: m.CPU() - cpu}
	if stopErr := m.Profile.Stop(); err == nil {
		err = stopErr
	}
	return r, err
}
