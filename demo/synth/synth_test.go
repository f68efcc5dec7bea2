package synth

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

func TestTheSameConfigGivesTheSameBytesAndAnotherSeedOthers(t *testing.T) {
	one, _ := written(t, small(1))
	again, _ := written(t, small(1))
	other, _ := written(t, small(2))
	a, b, c := files(t, one), files(t, again), files(t, other)
	if len(a) < 20 || !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		t.Fatalf("the files are %v and %v", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs between two runs", name)
		}
		// The indices of families are the same in every market; their prices are not. A strategy names
		// a fund and some days, which two markets may share.
		if !strings.HasPrefix(name, "strategies/") && name != "sources.csv" &&
			name != "benchmarks/indices_sintetico.csv" && bytes.Equal(a[name], c[name]) {
			t.Errorf("%s is the same for another seed", name)
		}
	}
}

// Breaking rows must not change the true values.
func TestBrokenRowsTakeNothingFromTheTruth(t *testing.T) {
	config := small(1)
	config.Bad = 0
	_, whole := written(t, config)
	config.Bad = .02
	_, broken := written(t, config)
	if broken.RejectedRows < 100 || whole.RejectedRows > 5 || whole.Rows != broken.Rows {
		t.Fatalf("%d of %d rows rejected, and %d of %d", whole.RejectedRows, whole.Rows, broken.RejectedRows,
			broken.Rows)
	}
	for i, s := range whole.Sample {
		if !slices.Equal(s.Distributions, broken.Sample[i].Distributions) {
			t.Errorf("%s %s has other distributions", s.Run, s.Serie)
		}
		for j, want := range s.Returns {
			got := slices.IndexFunc(broken.Sample[i].Returns, func(r Return) bool {
				return r.AsOf == want.AsOf && r.Window == want.Window
			})
			if got < 0 {
				continue // its first rows are broken
			}
			r := broken.Sample[i].Returns[got]
			if want.Value != nil && r.Value != nil && r.EffectiveStart == want.EffectiveStart &&
				r.EffectiveEnd == want.EffectiveEnd && *r.Value != *want.Value {
				t.Errorf("%s %s: %v, without broken rows %v", s.Run, s.Serie, *r.Value, *s.Returns[j].Value)
			}
		}
	}
}

func TestASmallMarketTellsEveryStoryAndHasEveryFault(t *testing.T) {
	for seed := range uint64(5) {
		_, e := written(t, small(seed))
		told := map[string]int{}
		for _, s := range e.Sample {
			told[s.Story]++
		}
		for _, name := range kindNames {
			if told[name] == 0 {
				t.Errorf("seed %d: no series is %s: %v", seed, name, told)
			}
		}
		if len(e.Sample) != 50 || e.Series != 50 || e.SeriesNames <= 50 {
			t.Errorf("seed %d: %d series of %d in the sample, %d names", seed, len(e.Sample), e.Series, e.SeriesNames)
		}
		breaks := map[string]int{}
		for _, d := range e.Discontinuities {
			breaks[d.Kind]++
		}
		if breaks["gap"] == 0 || breaks["restart"] == 0 || breaks["adjustment"] == 0 || len(e.Renames) == 0 ||
			len(e.Corrections) == 0 {
			t.Errorf("seed %d: discontinuities %v, %d renames, %d corrections", seed, breaks, len(e.Renames),
				len(e.Corrections))
		}
	}
	config := small(1)
	config.Bad = .001
	_, e := written(t, config)
	faults := map[string]int{}
	for _, r := range e.Rejects {
		faults[r.Fault]++
	}
	for _, name := range faultNames[1:] {
		if faults[name] == 0 {
			t.Errorf("no row is broken by %s: %v", name, faults)
		}
	}
}

// The share of broken rows is the configured one: 2 % of 20,000 is 400, and five standard
// deviations are about 100.
func TestTheShareOfBrokenRowsIsTheOneAskedFor(t *testing.T) {
	config := small(3)
	config.Bad = .02
	_, e := written(t, config)
	if want := config.Bad * float64(e.Rows); math.Abs(float64(e.RejectedRows)-want) > 100 {
		t.Errorf("%d of %d rows are broken, want about %.0f", e.RejectedRows, e.Rows, want)
	}
}

func TestTinyAndOddMarketsAreWritten(t *testing.T) {
	for _, config := range []Config{
		{Series: 1, Days: 1}, {Series: 1, Days: 70}, {Series: 3, Days: 40}, {Series: 200, Days: 1},
		{Series: 13, Days: 75, Bad: .1}, {Series: 20, Days: 800, Bad: .1},
	} {
		for seed := range uint64(20) {
			config.Seed, config.End = seed, model.NewDate(2024, time.March, 1)
			_, e := written(t, config)
			if e.Series != config.Series || e.Rows == 0 {
				t.Errorf("%+v: %d series, %d rows", config, e.Series, e.Rows)
			}
		}
	}
}

func TestOddConfigsAreRefused(t *testing.T) {
	good := small(1)
	for name, change := range map[string]func(*Config){
		"no series": func(c *Config) { c.Series = 0 }, "too many series": func(c *Config) { c.Series = maxSeries + 1 },
		"no days": func(c *Config) { c.Days = 0 }, "too many days": func(c *Config) { c.Days = maxDays + 1 },
		"before the sources": func(c *Config) { c.End = model.NewDate(1971, time.June, 1) },
		"bad rows":           func(c *Config) { c.Bad = .5 }, "no share": func(c *Config) { c.Bad = math.NaN() },
	} {
		config := good
		change(&config)
		dir := filepath.Join(t.TempDir(), "market")
		if _, err := Write(t.Context(), dir, config, nil); err == nil {
			t.Errorf("%s: taken", name)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the directory was made", name)
		}
	}
}

func TestAMarketAppearsWholeOrNotAtAll(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "market")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Write(ctx, dir, small(1), func(days int) {
		if days > 100 {
			cancel()
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Error("the directory is there before it is whole")
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted with %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("interrupted, it left %v (%v)", left, err)
	}
	if _, err := Write(t.Context(), dir, small(1), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), dir, small(1), nil); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a second market was written over the first: %v", err)
	}
}

func TestNumbersAreWrittenAsTheCartolaWritesThem(t *testing.T) {
	for v, want := range map[int64]string{
		0: "0", 10_000: "1", 881: ".0881", 3800: ".38", 12: ".0012", 14_210_319: "1421.0319", -5_000: "-.5",
		229_804_254_000: "22980425.4",
	} {
		if got := number(v); got != want {
			t.Errorf("%d is written %s, want %s", v, got, want)
		}
	}
	if got := rounded(-.25, 4) + " " + rounded(.25, 4) + " " + rounded(3, 4); got != "-0.25 0.25 3" {
		t.Errorf("percents are written %s", got)
	}
}
