package synth

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

// The rule is implemented from the text of RULES 2, on the rows as they were written.
func TestTheTACOfTheRowsIsTheOneDrawn(t *testing.T) {
	dir, e := written(t, small(1))
	type month struct {
		run  model.RUN
		name string
		end  model.Date
	}
	daily := map[month]map[model.Date]float64{}
	soundRows(t, dir, e, func(_ place, f []string) {
		date, err := model.ParseCompactDate(f[3])
		if err != nil {
			t.Fatal(err)
		}
		before := (atof(t, f[11]) + atof(t, f[10]) - atof(t, f[9])) * atof(t, f[12])
		cost := atof(t, f[17]) + atof(t, f[18]) + atof(t, f[19]) + atof(t, f[20])
		rate := 0.
		if before > 0 {
			rate = cost / (before + cost) *
				float64(time.Date(date.Time().Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay())
		} else if cost != 0 {
			t.Errorf("%v costs %v of nothing", f, cost)
		}
		run, _ := model.ParseRUN(f[2])
		key := month{run, f[8], monthEndOf(date)}
		if daily[key] == nil {
			daily[key] = map[model.Date]float64{}
		}
		daily[key][date] = rate // the last file counts
	})
	compared, exact := 0, 0
	for _, s := range e.Sample {
		for _, want := range s.TAC {
			key := month{s.Run, s.Serie, want.Month}
			if len(daily[key]) == 0 || s.Previous != "" {
				continue
			}
			sum := 0.
			for _, rate := range daily[key] {
				sum += rate
			}
			if got := sum / float64(len(daily[key])); math.Abs(got-want.Drawn) > want.Tolerance {
				t.Errorf("%s %s %s: TAC %v, drawn %v ± %v", s.Run, s.Serie, want.Month, got, want.Drawn, want.Tolerance)
			}
			compared++
			if want.Tolerance < 1e-5 && want.Drawn > 0 {
				exact++
			}
		}
	}
	if compared < 300 || exact < 100 {
		t.Errorf("compared %d months, %d of them narrowly", compared, exact)
	}
}

func TestPortfoliosAndCostSheetsSayWhatTheMarketIs(t *testing.T) {
	dir, e := written(t, small(1))
	shares := map[string]float64{}
	for _, name := range []string{"naci", "extr"} {
		for _, line := range lines(t, dir, "holdings/"+name+"_sintetico_202506.txt") {
			f := strings.Split(line, ";")
			shares[f[0]] += atof(t, f[len(f)-1])
		}
	}
	for run, sum := range shares {
		if math.Abs(sum-100) > .1 {
			t.Errorf("the positions of fund %s are %v %% of it", run, sum)
		}
	}
	if len(shares) == 0 || len(shares) > e.Funds {
		t.Errorf("%d funds have positions, of %d", len(shares), e.Funds)
	}

	sheet := map[string]string{}
	names := map[string]string{}
	for _, line := range lines(t, dir, "register/fm_ident_sintetico_20250720.txt") {
		if f := strings.Split(line, ";"); len(f) > 3 {
			names[f[2]] = f[1] + f[3]
		}
	}
	for _, row := range table(t, dir, "tac/tac_mensual_sintetico_202506.csv", ';') {
		sheet[row[1]+row[2]+row[5]] = row[13]
	}
	checked := 0
	for _, s := range e.Sample {
		for _, tac := range s.TAC {
			if tac.Month != model.NewDate(2025, time.June, 30) {
				continue
			}
			got, listed := sheet[names[strconv.Itoa(int(s.Run))]+s.Serie]
			if !listed {
				continue // no row on the month's last day
			}
			if math.Abs(atof(t, got)/100-tac.Drawn) > 1e-6 {
				t.Errorf("%s %s: the sheet says %s %%, drawn %v", s.Run, s.Serie, got, tac.Drawn)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("checked %d TACs", checked)
	}
}
