// Package longtest makes a short form of the tests that take longest, so that a change is proven in
// minutes.
package longtest

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
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

// turnVariable says which of the tests in turns go test -short runs. 2/7 runs the third of seven parts:
// parts are counted from 0. Without it, none of these tests runs.
const turnVariable = "CUOTA_TEST_TURN"

// InTurns ends a test that go test -short leaves out, unless it is its turn. Such a test takes long, and proves
// on a larger market, or in a second way, what shorter tests prove too. Each run of CI runs the part that its
// commit draws, so that all parts have run after some commits.
func InTurns(t testing.TB) {
	t.Helper()
	if !testing.Short() {
		return
	}
	said := os.Getenv(turnVariable)
	mine, err := isTurn(said, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !mine {
		t.Skipf("a long test in turns: make test-all runs it, and make test with %s", turnVariable)
	}
}

// isTurn reports whether a test is among those of a turn, such as 2/7.
func isTurn(turn, name string) (bool, error) {
	if turn == "" {
		return false, nil
	}
	first, second, _ := strings.Cut(turn, "/")
	number, err1 := strconv.ParseUint(first, 10, 32)
	turns, err2 := strconv.ParseUint(second, 10, 32)
	if err1 != nil || err2 != nil || number >= turns {
		return false, fmt.Errorf("%s=%q is no turn: write the number of a turn, from 0, and how many there are, as 2/7",
			turnVariable, turn)
	}
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, name) // a hash takes everything
	return uint64(hash.Sum32())%turns == number, nil
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
