package synth

import (
	"math"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

// The check uses the regulator's relation of real and nominal returns (RULES 1).
func TestRealReturnsFollowFromTheUF(t *testing.T) {
	config := small(1)
	config.Days = 4 * 365
	dir, _ := written(t, config)
	uf := map[string]float64{}
	for _, line := range lines(t, dir, "macro/uf_sintetica.csv") {
		if date, value, found := strings.Cut(line, ","); found {
			uf[date] = atof(t, value)
		}
	}
	checked := 0
	for _, row := range table(t, dir, "comparator/cmf_rentabilidades_sintetico_20250630.csv", ',') {
		for column, years := range map[int]int{2: 1, 4: 3, 6: 5, 8: 10} {
			if row[column] == "" {
				if years == 1 && row[4] != "" {
					t.Errorf("%s has a return over three years and none over one", row[0])
				}
				continue
			}
			start := model.NewDate(2025-years, time.June, 30).String()
			real := 100 * ((1+atof(t, row[column])/100)/math.Pow(uf["2025-06-30"]/uf[start], 1/float64(years)) - 1)
			if math.Abs(real-atof(t, row[column+1])) > 1.1e-4 {
				t.Errorf("%s %s over %d years: real %s, by the UF %v", row[0], row[1], years, row[column+1], real)
			}
			checked++
		}
	}
	if checked < 30 {
		t.Errorf("checked %d returns", checked)
	}
}

func TestDebtAccruesAtWeekendsAndSharesOnlyLoseTheirCosts(t *testing.T) {
	config := small(4)
	config.Series, config.Bad = 300, 0
	m := newMarket(config)
	out := &output{dir: t.TempDir()}
	if err := m.writeCartola(t.Context(), out, func(int) {}); err != nil {
		t.Fatal(err)
	}
	accrued, lost := 0, 0
	for _, s := range m.series {
		if s.trace == nil || s.story.kind != ordinary && s.story.kind != late || s.quota < 1000*scale {
			continue
		}
		for d := s.story.start + 1; d < len(m.days); d++ {
			if m.days[d].working || m.days[d-1].date.Time().Weekday() == time.Friday &&
				m.days[d].date.Time().Weekday() != time.Saturday {
				continue
			}
			change := float64(s.trace.quotas[d])/float64(s.trace.quotas[d-1]) - 1
			switch {
			case s.fund.family.mover == rates && s.fund.family.year > s.fund.family.tac && s.tac < .04:
				if change <= 0 {
					t.Fatalf("%s %s, debt, changed by %v on %s", s.fund.run, s.serie, change, m.days[d].date)
				}
				accrued++
			case s.fund.family.mover != rates:
				// The TAC of the day is at most twice that of the end.
				if change > 1e-7 || change < -.08/365-1e-7 {
					t.Fatalf("%s %s, shares, changed by %v on %s", s.fund.run, s.serie, change, m.days[d].date)
				}
				lost++
			}
		}
	}
	if accrued < 500 || lost < 500 {
		t.Errorf("looked at %d days of debt and %d of shares", accrued, lost)
	}
}
