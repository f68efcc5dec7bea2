// Package stats holds what a measurement found and prints it: readings of rounds, their
// medians and ratios, the table of lines, the machine of the run, and profiles. It knows
// neither what is measured nor how.
package stats

import (
	"math"
	"slices"
	"time"
)

// Reading is the result of one round.
type Reading struct {
	Units     int           // rows or requests
	Wall, CPU time.Duration // CPU: of the whole process and the engines
	P50, P99  time.Duration // latencies of single requests, if there are any
}

// PerSecond is the rate in units per second.
func (r Reading) PerSecond() float64 { return float64(r.Units) / r.Wall.Seconds() }

// Millis is the duration of the round, in milliseconds.
func (r Reading) Millis() float64 { return 1e3 * r.Wall.Seconds() }

// CPUSeconds is the CPU time of the round, in seconds.
func (r Reading) CPUSeconds() float64 { return r.CPU.Seconds() }

// CPUMillis is the CPU time of the round, in milliseconds.
func (r Reading) CPUMillis() float64 { return 1e3 * r.CPU.Seconds() }

// CPUMicros is the CPU time of one unit, in microseconds.
func (r Reading) CPUMicros() float64 { return 1e6 * r.CPU.Seconds() / float64(r.Units) }

// P50Millis is the median latency, in milliseconds.
func (r Reading) P50Millis() float64 { return 1e3 * r.P50.Seconds() }

// P99Millis is the 99th percentile of the latencies, in milliseconds.
func (r Reading) P99Millis() float64 { return 1e3 * r.P99.Seconds() }

// Stat is a median and the spread of the rounds: half of the difference between the
// largest and the smallest, as a fraction of the median.
type Stat struct{ Median, Spread float64 }

// NewStat returns the median and the spread of values; zero if there are none.
func NewStat(values []float64) Stat {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return Stat{}
	}
	s := Stat{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2}
	if s.Median != 0 {
		s.Spread = (sorted[n-1] - sorted[0]) / 2 / s.Median
	}
	return s
}

// Of returns the median and the spread of one measure of the readings.
func Of(readings []Reading, measure func(Reading) float64) Stat {
	values := make([]float64, len(readings))
	for i, r := range readings {
		values[i] = measure(r)
	}
	return NewStat(values)
}

// ratio divides round by round, because the two sides of a round were measured one after
// the other.
func ratio(value, reference []Reading, measure func(Reading) float64) Stat {
	values := make([]float64, min(len(value), len(reference)))
	for i := range values {
		values[i] = measure(value[i]) / measure(reference[i])
	}
	return NewStat(values)
}

// Quantile returns the nearest-rank quantile of sorted durations, q from 0 to 1; 0 if
// there are none.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
