//go:build linux

package main

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/longtest"
)

// batchesVariable says how many batches are published while projectors are restarted in
// turns; without it they are few.
const batchesVariable = "CUOTA_TEST_TORTURE_BATCHES"

// Each file is awaited while one of the projectors is disturbed: they are told to end,
// killed and paused for longer than their Kafka session, one after the other, as in a
// rolling restart. Every file must be published in a batch of its own, with the results
// of a run without faults.
func TestProjectorsThatAreRestartedInTurnsPublishEveryBatch(t *testing.T) {
	longtest.Skip(t)
	batches := 4
	if told := os.Getenv(batchesVariable); told != "" {
		batches = int(number(t, told))
	}
	market := cut(t, batches)
	want := calm(t, market)
	for _, projectors := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d projectors", projectors), func(t *testing.T) {
			s := newStorm(t, 12, market)
			startRoles(s, projectors)
			disturbances := [][]fault{}
			for _, k := range s.kept {
				if k.args != nil && k.args[0] == "project" {
					disturbances = append(disturbances, faultsOf(k, overSession))
				}
			}
			for n, file := range market.files {
				var disturbed sync.WaitGroup
				disturbed.Go(func() {
					s.wait(0, overSession/4)
					turn := disturbances[n%projectors]
					turn[n/projectors%len(turn)].do(s)
				})
				for attempt := 1; !s.do("ingest", "cartola", file.path, "--published", file.published,
					"--wait"); attempt++ {
					if attempt == 5 {
						t.Fatalf("%s is not published: %v", file.path, s.failures)
					}
				}
				disturbed.Wait()
			}
			for _, k := range s.kept {
				k.await(t)
			}
			found := s.outcome()
			if diff := cmp.Diff(want.checksums, found.checksums); diff != "" {
				t.Errorf("projections (-undisturbed, +after the restarts):\n%s", diff)
			}
			if found.batches < uint64(len(market.files)) {
				t.Errorf("%d batches are published of %d files", found.batches, len(market.files))
			}
			for _, k := range slices.Backward(s.kept) {
				for _, panicked := range k.panics() {
					t.Error(panicked)
				}
				k.finish(t)
			}
			t.Logf("%d files, %d batches, %d commands of which %d failed: %v", len(market.files), found.batches,
				s.commands, s.failed, s.failures)
		})
	}
}
