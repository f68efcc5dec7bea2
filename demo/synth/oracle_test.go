package synth

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// oracleOf loads the generated cartola into the oracle: broken rows as void, and renamed series
// under their last name.
func oracleOf(t *testing.T, dir string, e Expected) *oracle.Market {
	t.Helper()
	renamed := map[string]string{}
	for _, r := range e.Renames {
		renamed[strconv.Itoa(int(r.Run))+";"+r.Previous] = r.Current
	}
	content := map[string][]string{}
	var order []string
	soundRows(t, dir, e, func(at place, fields []string) {
		if current, is := renamed[fields[2]+";"+fields[8]]; is {
			fields[8] = current
		}
		if content[at.file] == nil {
			order = append(order, at.file)
			content[at.file] = []string{strings.TrimSpace(cartolaHeader)}
		}
		content[at.file] = append(content[at.file], strings.Join(fields, ";"))
	})
	var paths []string
	for _, file := range order {
		path := filepath.Join(t.TempDir(), filepath.Base(file))
		if err := os.WriteFile(path, []byte(strings.Join(content[file], "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	market, err := oracle.Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Rejects {
		if r.Fault == faultNames[date] {
			continue // the day of this row can't be known
		}
		serie := r.Serie
		if current, is := renamed[strconv.Itoa(int(r.Run))+";"+serie]; is {
			serie = current
		}
		market.Void(int(r.Run), serie, r.Date.Time())
	}
	return market
}

func TestTheExpectedReturnsAreThoseOfTheOracle(t *testing.T) {
	reasons := map[string]int{}
	for seed := range uint64(6) {
		config := small(seed)
		if seed%2 == 1 {
			config.Bad, config.Days = .01, 1500
		}
		dir, e := written(t, config)
		market := oracleOf(t, dir, e)
		for _, s := range e.Sample {
			for _, want := range s.Returns {
				got := market.Period(int(s.Run), s.Serie, want.AsOf.Time(), want.Window)
				same := got.Reason == want.Reason && got.Currency == want.Currency &&
					(got.Value == nil) == (want.Value == nil) &&
					got.TargetStart == want.TargetStart.String() && got.TargetEnd == want.TargetEnd.String() &&
					got.EffectiveStart == shown(want.EffectiveStart) && got.EffectiveEnd == shown(want.EffectiveEnd)
				if !same || want.Value != nil && math.Abs(*got.Value-*want.Value) > 1e-12 {
					t.Errorf("seed %d, %s %s (%s) %s at %s: %+v, want %+v", seed, s.Run, s.Serie, s.Story, want.Window,
						want.AsOf, got, want)
				}
				reasons[want.Reason]++
			}
		}
	}
	for _, reason := range []string{
		"", "missing_start_quote", "invalid_start_quote", "invalid_end_quote", "stale_end_quote", "stale_start_quote",
		"known_discontinuity",
	} {
		if reasons[reason] < 3 {
			t.Errorf("reason %q is expected %d times: %v", reason, reasons[reason], reasons)
		}
	}
	t.Logf("windows by reason: %v", reasons)
}

func shown(date model.Date) string {
	if date.IsZero() {
		return ""
	}
	return date.String()
}
