package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
)

// engineOf returns the process id of the engine that a process has started; 0 while
// there is none.
func engineOf(pid int) int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				return child
			}
		}
	}
	return 0
}

// The test kills the engine again and again while files are ingested, batches built and
// requests answered. All replies for one batch must agree, a reply may also say that
// there is no batch now, and at the end the projections must equal those of a run
// without kills.
func TestRepeatedEngineKillsLoseNoDataAndGiveNoWrongReply(t *testing.T) {
	longtest.Skip(t)
	times := kills(t, 4)
	files, err := filepath.Glob("../../demo/files/cartola/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	published := []string{"--published", "2025-09-01"}
	calm := filepath.Join(t.TempDir(), "calm")
	succeed(t, append([]string{"ingest", "cartola", "../../demo/files/cartola", "--data", calm, "--wait"},
		published...)...)
	undisturbed := up(t, calm, "--no-demo")
	want := checksums(t, undisturbed)
	undisturbed.interrupt(t)

	dir := filepath.Join(t.TempDir(), "stormy")
	stormy := up(t, dir, "--no-demo")
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--tier", "internal",
		"--data", dir))
	// One batch exists before the first kill, so that the API always has a batch in
	// memory.
	succeed(t, append([]string{"ingest", "cartola", files[0], "--data", dir, "--wait"}, published...)...)
	over := make(chan struct{})
	reading := startReader(t, key, func() string { return stormy.api })
	random := rand.New(rand.NewPCG(26, 11))
	killed := make(chan int, 1)
	go func() {
		done := 0
		defer func() { killed <- done }()
		for done < times {
			// any moment of a batch, which takes some seconds
			pause := time.Duration(random.IntN(4000)) * time.Millisecond
			select {
			case <-over:
				return
			case <-time.After(pause):
			}
			if engine := engineOf(stormy.command.Process.Pid); engine != 0 &&
				syscall.Kill(engine, syscall.SIGKILL) == nil {
				done++
			}
		}
	}()
	done := 0
	for n := 0; done == 0; n++ {
		file := files[n%len(files)] // in the second round each file is a duplicate and changes nothing
		if r := cuota(t, append([]string{"ingest", "cartola", file, "--data", dir}, published...)...); r.code != 0 &&
			n < len(files) {
			t.Fatalf("ingest ended with %d: %s%s", r.code, r.stdout, r.stderr)
		}
		select {
		case done = <-killed:
		default:
		}
	}
	waittest.Until(t, "every file is in a batch", func() bool {
		return cuota(t, append([]string{"ingest", "cartola", "../../demo/files/cartola", "--data", dir, "--wait"},
			published...)...).code == 0
	})
	close(over)
	reading.finish()
	// The published batch was built from many small changes. It must equal a batch in
	// which every day is built again.
	succeed(t, "verify", "--data", dir, "--recompute")
	if got := checksums(t, stormy); got != want {
		t.Errorf("projections after %d kills:\n%s\nwithout:\n%s", done, got, want)
	}
	// At least one kill must have hit an engine that was serving.
	if !strings.Contains(stormy.stderr.(*transcript).String(), "ClickHouse is running again") {
		t.Errorf("%d kills, and the log tells of no restart", done)
	}
	told := succeed(t, "status", "--data", dir)
	if want := regexp.MustCompile(
		`ClickHouse runs as process \d+, restarts: [1-9]\d*, last end: \w`); !want.MatchString(told) {
		t.Errorf("status tells\n%s\nwant a line like %s", told, want)
	}
	if reading.replies < reading.refusals {
		t.Errorf("%d replies, and %d times nobody could answer", reading.replies, reading.refusals)
	}
	t.Logf("%d kills, %d replies, %d times nobody could answer", done, reading.replies, reading.refusals)
	stormy.interrupt(t)
}
