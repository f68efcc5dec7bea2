package operation

import "testing"

func TestAReadThatEndsDuringACheckIsNotCoveredByIt(t *testing.T) {
	log := new(readLog)
	if log.uncovered() != 0 {
		t.Error("without a read there is something to check")
	}
	log.read()
	log.read()
	first := log.uncovered()
	log.read() // while the check runs
	log.cover(first)
	if first != 2 || log.uncovered() != 3 {
		t.Errorf("the check covered %d reads, and %d are to be checked", first, log.uncovered())
	}
	second := log.uncovered()
	log.cover(second)
	log.cover(first) // a check that began earlier and ended later
	if log.uncovered() != 0 {
		t.Error("an earlier check takes back what a later one has covered")
	}
	var none *readLog
	none.read()
	if none.uncovered() == 0 {
		t.Error("without a log nothing is checked")
	}
}
