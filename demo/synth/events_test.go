package synth

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"cuota/model"
)

func TestADistributionTakesFromTheQuotaWhatItsFactorGivesBack(t *testing.T) {
	dir, e := written(t, small(1))
	quotas, factors := map[string]float64{}, map[string]string{}
	soundRows(t, dir, e, func(_ place, f []string) {
		date, err := model.ParseCompactDate(f[3])
		if err != nil {
			t.Fatal(err)
		}
		quotas[f[2]+f[8]+date.String()] = atof(t, f[12])
		factors[f[2]+f[8]+date.String()] = f[24]
	})
	found := 0
	for _, s := range e.Sample {
		product := 1.
		for _, d := range s.Distributions {
			key := strconv.Itoa(int(s.Run)) + s.Serie
			factor := atof(t, d.Factor)
			if factors[key+d.Date.String()] != d.Factor || factor <= 1 {
				t.Errorf("%s %s on %s: factor %q, want %s", s.Run, s.Serie, d.Date, factors[key+d.Date.String()],
					d.Factor)
			}
			product *= factor
			gross := quotas[key+d.Date.String()] * factor / quotas[key+d.Date.AddDays(-1).String()]
			if math.Abs(gross-1) > .09 {
				t.Errorf("%s %s on %s: the quota with its distribution changed by %v", s.Run, s.Serie, d.Date, gross)
			}
			found++
		}
		if len(s.Distributions) > 0 && math.Abs(atof(t, s.Multiplier)-product) > 1e-12 {
			t.Errorf("%s %s: multiplier %s, want %v", s.Run, s.Serie, s.Multiplier, product)
		}
	}
	if found < 4 {
		t.Errorf("%d distributions", found)
	}
}

func TestCorrectionsStateTheQuotaAnewInALaterFile(t *testing.T) {
	dir, e := written(t, small(1))
	stated := map[string][]string{}
	cartolaLines(t, dir, func(_ place, line string) {
		if f := strings.Split(line, ";"); len(f) > 12 {
			stated[f[2]+f[8]+f[3]] = append(stated[f[2]+f[8]+f[3]], f[12])
		}
	})
	for _, c := range e.Corrections {
		got := stated[strconv.Itoa(int(c.Run))+c.Serie+compact(c.Date)]
		if len(got) != 2 || got[0] != c.Old || got[1] != c.New || c.Old == c.New {
			t.Errorf("%+v: the files state %v", c, got)
		}
	}
	list := listed(t, dir)
	last := list[len(list)-1]
	for _, file := range list[:len(list)-1] {
		if file.published.Compare(last.published) >= 0 {
			t.Errorf("%s is published %s, not before the corrections of %s", file.file, file.published, last.published)
		}
	}
}

// RULES 1: total = (VC_E/VC_S) × the factors of every day in (S,E] − 1, computed from the files
// only.
func TestVerifiedFactorsCoverEveryDayAndGiveTheTotalReturn(t *testing.T) {
	config := small(2)
	config.Days = 1300
	dir, e := written(t, config)
	quotas := map[string]string{}
	soundRows(t, dir, e, func(_ place, f []string) {
		quotas[f[2]+f[8]+f[3]] = f[12] // the last file counts
	})
	type stated struct{ product, quota float64 }
	factors := map[string]stated{}
	for _, row := range table(t, dir, "events/factors_sintetico.csv", ',') {
		run, err := model.ParseRUN(row[1])
		if err != nil {
			t.Fatal(err)
		}
		key := strconv.Itoa(int(run)) + row[2] + strings.ReplaceAll(row[3], "-", "")
		if _, twice := factors[key]; twice {
			t.Errorf("two rows of %s", key)
		}
		factors[key] = stated{atof(t, row[4]) * atof(t, row[5]), atof(t, row[6])}
		if factors[key].quota != atof(t, quotas[key]) {
			t.Errorf("%s: the factor belongs to quota %s, the cartola has %s", key, row[6], quotas[key])
		}
	}
	checked := 0
	for _, s := range e.Sample {
		for _, r := range s.Returns {
			if r.Total == nil {
				continue
			}
			key := strconv.Itoa(int(s.Run)) + s.Serie
			gain := atof(t, quotas[key+compact(r.EffectiveEnd)]) / atof(t, quotas[key+compact(r.EffectiveStart)])
			for date := r.EffectiveStart.AddDays(1); date.Compare(r.EffectiveEnd) <= 0; date = date.AddDays(1) {
				factor, covered := factors[key+compact(date)]
				if !covered {
					t.Fatalf("%s has no factor on %s", key, date)
				}
				gain *= factor.product
			}
			if r.Window == "3y_ann" {
				gain = math.Cbrt(gain)
			}
			if math.Abs(gain-1-*r.Total) > 1e-12 {
				t.Errorf("%s %s at %s: total %v, of the rows %v", key, r.Window, r.AsOf, *r.Total, gain-1)
			}
			checked++
		}
	}
	if checked < 50 {
		t.Errorf("checked %d total returns", checked)
	}
}

func TestAnExchangeGivesQuotasOfTheSameWorth(t *testing.T) {
	found := 0
	for seed := range uint64(4) {
		config := small(seed)
		config.Series, config.Bad = 150, 0
		dir, e := written(t, config)
		quotas := map[string]string{}
		cartolaLines(t, dir, func(_ place, line string) {
			f := strings.Split(line, ";")
			quotas[f[2]+f[8]+f[3]] = f[12]
		})
		for _, x := range e.Exchanges {
			valued := compact(x.Effective.AddDays(-1))
			origin := atof(t, quotas[strconv.Itoa(int(x.OriginRun))+x.OriginSerie+valued])
			destination := atof(t, quotas[strconv.Itoa(int(x.DestinationRun))+x.DestinationSerie+valued])
			if math.Abs(origin/destination/atof(t, x.Factor)-1) > 1e-5 {
				t.Errorf("%+v: quotas of %v for %v", x, origin, destination)
			}
			if _, lives := quotas[strconv.Itoa(int(x.OriginRun))+x.OriginSerie+compact(x.Effective)]; lives {
				t.Errorf("%+v: the origin goes on", x)
			}
			found++
		}
	}
	if found < 5 {
		t.Errorf("%d exchanges", found)
	}
}
