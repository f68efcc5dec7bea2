//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// levels are what an installation takes of its machine.
type levels struct {
	memory, engineMemory           uint64 // resident, bytes
	descriptors, engineDescriptors int
	disk                           int64 // bytes
}

func (s *storm) levels() levels {
	pid, engine := s.up.pid(), s.engine()
	return levels{residentMemory(pid), residentMemory(engine), descriptors(pid), descriptors(engine), diskUse(s.data[1])}
}

func (l levels) String() string {
	return fmt.Sprintf("cuota up %d MiB and %d descriptors, ClickHouse %d MiB and %d descriptors, %d MiB on the disk",
		l.memory>>20, l.descriptors, l.engineMemory>>20, l.engineDescriptors, l.disk>>20)
}

// steadyAfter is the number of batches after which the oldest is retired with each new one.
const steadyAfter = 20

// An installation that publishes one batch after the other takes no more than twice what
// it took when the first batch was retired.
func TestTheLevelsAfterManyBatchesAreNotThoseOfALeak(t *testing.T) {
	if os.Getenv(tortureVariable) == "" {
		t.Skipf("200 batches take many minutes: set %s", tortureVariable)
	}
	const batches = 200
	market := cut(t, batches)
	s := newStorm(t, 0, market)
	startWhole(s, filepath.Join(t.TempDir(), "data"))
	var before levels
	for n, file := range market.files[:batches] {
		if !s.do("ingest", "cartola", file.path, "--published", file.published, "--wait") {
			t.Fatalf("file %d: %v", n+1, s.failures)
		}
		if done := n + 1; done == steadyAfter {
			before = s.levels()
		}
		if done := n + 1; done%steadyAfter == 0 {
			t.Logf("after %d batches: %s", done, s.levels())
		}
	}
	after := s.levels()
	for what, pair := range map[string][2]int64{
		"memory of cuota up":        {int64(before.memory), int64(after.memory)},
		"memory of ClickHouse":      {int64(before.engineMemory), int64(after.engineMemory)},
		"descriptors of cuota up":   {int64(before.descriptors), int64(after.descriptors)},
		"descriptors of ClickHouse": {int64(before.engineDescriptors), int64(after.engineDescriptors)},
		"disk":                      {before.disk, after.disk},
	} {
		if pair[0] == 0 || pair[1] > 2*pair[0] {
			t.Errorf("%s: %d after %d batches, %d after %d", what, pair[0], steadyAfter, pair[1], batches)
		}
	}
	s.up.finish(t)
}
