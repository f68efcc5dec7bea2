package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/cmd/cuota/exit"
	"cuota/demo"
	"cuota/internal/testkit/longtest"
)

func TestASyntheticMarketIsIngestedOnTheFirstStartAlone(t *testing.T) {
	longtest.Skip(t)
	dir, files := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "market")
	if out := succeed(t, "synth", "--series", "40", "--days", "200", "--seed", "7", "--out",
		files); !strings.Contains(out, "40 series") {
		t.Errorf("synth said:\n%s", out)
	}
	first := up(t, dir, "--no-demo", "--market", files)
	if !strings.Contains(first.greeting, "ingesting the market in "+files) || keyOfFirstStart(t, dir) == "" {
		t.Errorf("the first start greeted:\n%s", first.greeting)
	}
	list, err := os.ReadFile(filepath.Join(files, "sources.csv"))
	if err != nil {
		t.Fatal(err)
	}
	held := sqlOver(t, first, "SELECT count() FROM complete_file FINAL")
	batches := sqlOver(t, first, "SELECT count(), any(toString(as_of_date)) FROM batch")
	if want := strings.Count(string(list), "\n") - 1; held != strconv.Itoa(want) || batches != "1\t2025-07-20" {
		t.Errorf("%s files in batches %q, want %d in one as of 2025-07-20", held, batches, want)
	}
	if strange := peopleOver(t, first, "SELECT count() FROM funds WHERE NOT name LIKE '%SINTETICO%'"); strange != "0" {
		t.Errorf("%s funds do not say that they are synthetic", strange)
	}
	first.interrupt(t)

	second := up(t, dir, "--no-demo", "--market", files)
	if strings.Contains(second.greeting, "First start") {
		t.Errorf("the second start greeted:\n%s", second.greeting)
	}
	if attempts := sqlOver(t, second, "SELECT count() FROM batch_attempt"); attempts != "1" {
		t.Errorf("%s batches attempted after the second start", attempts)
	}
	second.interrupt(t)

	other := filepath.Join(t.TempDir(), "other")
	if r := cuota(t, "up", "--data", dir, "--market", other, "--listen", "127.0.0.1:0", "--clickhouse-listen",
		"127.0.0.1:0", "--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen",
		"127.0.0.1:0"); r.code != exit.Failed || !strings.Contains(r.stderr, "holds the market "+files) {
		t.Errorf("another market on the directory ended with %d: %s", r.code, r.stderr)
	}
}

// Datasets are ingested side by side. What comes of it is what comes of the same files one after
// the other, in the opposite order.
func TestTheFirstMarketIsWhatItsFilesGiveOneByOne(t *testing.T) {
	longtest.Skip(t)
	files := filepath.Join(t.TempDir(), "market")
	succeed(t, "synth", "--series", "60", "--days", "100", "--out", files)
	const holdings = "SELECT count(), sum(cityHash64(toString(tuple(*)))) FROM funds.holdings"
	whole := up(t, filepath.Join(t.TempDir(), "whole"), "--no-demo", "--market", files)
	want := checksums(t, whole) + "\n" + peopleOver(t, whole, holdings)
	whole.interrupt(t)

	sources, err := demo.SourcesIn(files)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "single")
	single := up(t, dir, "--no-demo")
	for i, source := range slices.Backward(sources) {
		args := []string{"ingest", string(source.Dataset), filepath.Join(files, source.Path), "--published",
			source.Published.Format(time.RFC3339), "--data", dir}
		if i == 0 {
			args = append(args, "--wait")
		}
		if r := cuota(t, args...); r.code != 0 && r.code != exit.Rejected {
			t.Fatalf("%s ended with %d: %s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
		}
	}
	if got := checksums(t, single) + "\n" + peopleOver(t, single, holdings); got != want {
		t.Errorf("one by one:\n%s\nside by side:\n%s", got, want)
	}
	single.interrupt(t)
}

func TestAMarketThatCannotBeWrittenIsRefusedInASentence(t *testing.T) {
	taken := t.TempDir()
	for _, args := range [][]string{
		{"--out", taken},
		{"--out", filepath.Join(taken, "a"), "--series", "0"},
		{"--out", filepath.Join(taken, "b"), "--days", "-1"},
		{"--out", filepath.Join(taken, "c"), "--end", "20250720"},
		{"--out", filepath.Join(taken, "d"), "--end", "2099-01-01"},
		{"--out", filepath.Join(taken, "e"), "--bad", "2"},
	} {
		if r := cuota(t, append([]string{"synth"}, args...)...); r.code != exit.Failed ||
			strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("cuota synth %s ended with %d: %s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
}
