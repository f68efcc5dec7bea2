package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
)

func TestASyntheticMarketIsIngestedOnTheFirstStartAlone(t *testing.T) {
	longtest.Skip(t)
	dir, files := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "market")
	if out := succeed(t, "synth", "--series", "40", "--days", "200", "--seed", "7", "--out", files); !strings.Contains(out, "40 series") {
		t.Errorf("synth said:\n%s", out)
	}
	first := up(t, dir, "--no-demo", "--market", files)
	if !strings.Contains(first.greeting, "ingesting the market in "+files) || printedKey.FindString(first.greeting) == "" {
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
	if r := cuota(t, "up", "--data", dir, "--market", other, "--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0", "--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0"); r.code != exitFailed || !strings.Contains(r.stderr, "holds the market "+files) {
		t.Errorf("another market on the directory ended with %d: %s", r.code, r.stderr)
	}
}

func TestAMarkThatWasCutOffMeansThatNoMarketIsThere(t *testing.T) {
	dir, err := makeDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.market(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, order := range []upOrder{{demo: true}, {market: "some/market"}} {
		if wanted, err := firstMarket(dir, order); err != nil || wanted == nil {
			t.Errorf("%+v gives %v and %v, want a market to ingest", order, wanted, err)
		}
	}
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
		if r := cuota(t, append([]string{"synth"}, args...)...); r.code != exitFailed || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("cuota synth %s ended with %d: %s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
}
