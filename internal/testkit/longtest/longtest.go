// Package longtest makes a short form of the tests that take longest, so that a change is proven in
// minutes.
package longtest

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Skip ends a test that go test -short leaves out. Such a test repeats a history many times,
// kills a process at many moments, or computes a whole market a second time. The packages keep
// shorter tests of the same parts.
func Skip(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test: make test-all runs it")
	}
}

// Sample returns all cases of a test, but with go test -short only so many of them, which are drawn
// anew in each run. They keep their order. It is for cases that prove one rule in the same way, of
// which each takes long. The failure of a case must name it, so that it can be repeated.
func Sample[T any](t testing.TB, cases []T, times int) []T {
	t.Helper()
	if !testing.Short() || times >= len(cases) {
		return cases
	}
	seed := uint64(time.Now().UnixNano())
	drawn := draw(cases, times, seed)
	t.Logf("%d of %d cases, drawn with the seed %d; without -short, all of them", len(drawn), len(cases), seed)
	return drawn
}

// Times returns how often a test draws at random: n times, but with go test -short only a quarter of that.
// A test whose draws differ from run to run logs their seed.
func Times(n int) int {
	if testing.Short() {
		return max(1, n/4)
	}
	return n
}

func draw[T any](cases []T, times int, seed uint64) []T {
	random := rand.New(rand.NewPCG(seed, 7))
	drawn := make([]T, 0, times)
	for i, one := range cases {
		// Every set of cases of this size is equally likely.
		if random.IntN(len(cases)-i) < times-len(drawn) {
			drawn = append(drawn, one)
		}
	}
	return drawn
}
