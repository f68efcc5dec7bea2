//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// levels are the resources that an installation uses.
type levels struct {
	memory, engineMemory           uint64 // resident, bytes
	descriptors, engineDescriptors int
	disk                           int64 // bytes
}

func (s *storm) levels() levels {
	pid, engine := s.up.pid(), s.engine()
	return levels{residentMemory(pid), residentMemory(engine), descriptors(pid), descriptors(engine),
		diskUse(s.data[1])}
}

func (l levels) String() string {
	return fmt.Sprintf("cuota up %d MiB and %d descriptors, ClickHouse %d MiB and %d descriptors, %d MiB on the disk",
		l.memory>>20, l.descriptors, l.engineMemory>>20, l.engineDescriptors, l.disk>>20)
}

// steadyAfter is the number of batches after which each new batch retires the oldest.
const steadyAfter = 20

// Limits of what an installation may use after many batches, compared with when the
// first batch was retired.
const (
	memoryRatio     = 2
	mostDescriptors = 1024    // the usual soft limit of a process
	diskOfABatch    = 1 << 20 // bytes; a week of files and its facts take far less
)

// An installation that publishes one batch after the other must not use more and more.
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
	if after.memory > memoryRatio*before.memory || after.engineMemory > memoryRatio*before.engineMemory {
		t.Errorf("memory after %d batches: %s; after %d: %s", steadyAfter, before, batches, after)
	}
	if after.descriptors > mostDescriptors || after.engineDescriptors > mostDescriptors {
		t.Errorf("more than %d descriptors after %d batches: %s", mostDescriptors, batches, after)
	}
	if after.disk-before.disk > diskOfABatch*(batches-steadyAfter) {
		t.Errorf("disk after %d batches: %s; after %d: %s", steadyAfter, before, batches, after)
	}
	if before.memory == 0 || before.engineMemory == 0 || before.descriptors == 0 || before.engineDescriptors == 0 ||
		before.disk == 0 {
		t.Errorf("not everything was measured: %s", before)
	}
	s.up.finish(t)
}
