package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota-bench/figures"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/testkit/longtest"
)

// TestMain makes the test binary run as the child processes too.
func TestMain(m *testing.M) {
	runAsChild()
	os.Exit(m.Run())
}

func TestOneRunMeasuresEveryFigureAndLeavesNothingBehind(t *testing.T) {
	longtest.Skip(t)
	if testing.Short() {
		t.Skip("it builds eleven batches")
	}
	if _, err := clickhouse.Locate(""); errors.Is(err, clickhouse.ErrNoLibrary) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	profiles, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	cpu, mem := filepath.Join(profiles, "cpu.prof"), filepath.Join(profiles, "mem.prof")
	var out bytes.Buffer
	err := command(t.Context(), []string{
		"-rows", "900", "-series", "30", "-rounds", "1", "-seconds", "50ms", "-clients", "2", "-queries", "5",
		"-market-series", "10", "-years", "1", "-short-years", "1", "-dates", "2", "-strategies", "3", "-idle", "0s",
		"-crowd", "50", "-silent", "20",
		"-cpuprofile", cpu, "-memprofile", mem,
	}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"file to facts", "archive, parse", "write to Kafka", "read from Kafka", "decode to rows", "insert, row-wise",
		"insert, column-wise",
		"batch of the demo market", "batch of 30 series × 30 days, 900 rows", "screener, p99", "asking ClickHouse",
		"compare, 1 to 10 random series", "returns of a random series", "ranking, latest", "half of its top rate, p99",
		"days of a series",
		"files to facts, whole market", "full batch, ", "rows that the batch wrote", "start to first answer",
		"one more day, batch", "one old day stated again, batch",
		"market summaries of ", "returns at 12 month ends", "summaries of the market of ", "a strategy by month",
		"3 random strategies",
		"market-summary of a past date, p50, 1 years", "all-funds of a past date, p99, 1 years", "memory of cuota up",
		"screener, beside hostile people", "batch of the demo, beside hostile people",
		"SELECT 1 of another person, p99", "let in beside a crowd, p99", "refused, p99",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no line %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
	for _, path := range []string{cpu, mem} {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("no profile in %s: %v", filepath.Base(path), err)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOnlySelectsFiguresByTheirNames(t *testing.T) {
	c, err := parse([]string{"-only", "^stage-(parse|read)$"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range figures.Selected(c.Only) {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "stage-parse stage-read" {
		t.Errorf("selected %q", got)
	}
}

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	for _, args := range [][]string{
		{"-rows", "0"}, {"-rows", "3000000"}, {"-series", "0"}, {"-rows", "10", "-series", "11"},
		{"-rows", "100000", "-series", "1"},
		{"-rounds", "0"}, {"-seconds", "0s"}, {"-seconds", "1h"}, {"-clients", "0"}, {"-queries", "0"},
		{"-limit", "-1s"},
		{"-market-series", "9"}, {"-years", "51"}, {"-short-years", "11"}, {"-dates", "0"}, {"-idle", "-1s"},
		{"-only", "no such figure"}, {"-only", "("}, {"screener"},
	} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
