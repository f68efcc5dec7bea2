// Package longtest marks the tests that take longest, so that a change is proven in minutes.
package longtest

import "testing"

// Skip ends a test that go test -short leaves out. Such a test repeats a history many times,
// kills a process at many moments, or computes a whole market a second time. The packages keep
// shorter tests of the same parts.
func Skip(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test: make test-all runs it")
	}
}
