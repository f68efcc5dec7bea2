package synth

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

func TestEveryNameSaysSinteticoAndEveryNumberIsInvented(t *testing.T) {
	dir, _ := written(t, small(1))
	real := map[int]bool{}
	for _, line := range strings.Split(string(read(t, "../../demo/files", "register/fm_ident_20250721.txt")), "\n")[1:] {
		if fields := strings.Split(line, ";"); len(fields) > 2 {
			real[atoi(t, fields[2])] = true
		}
	}
	for _, line := range strings.Split(string(read(t, "../../demo/files", "fi/fondos_inversion.csv")), "\n")[1:] {
		if run, _, found := strings.Cut(line, ","); found {
			real[atoi(t, run)] = true
		}
	}
	if len(real) < 2000 {
		t.Fatalf("%d real numbers", len(real))
	}
	check := func(dataset model.Dataset, run string, names ...string) {
		t.Helper()
		number, err := model.ParseRUN(run)
		if err != nil || real[int(number)] || number < 70_000_000 || number > 79_999_999 {
			t.Errorf("%s: RUN %s (%v)", dataset, run, err)
		}
		for _, name := range names {
			if !strings.Contains(name, mark) {
				t.Errorf("%s: %q does not say %s", dataset, name, mark)
			}
		}
	}
	for _, file := range listed(t, dir) {
		text := string(read(t, dir, file.file))
		if !strings.Contains(file.file, "sintetic") {
			t.Errorf("%s does not say that it is synthetic", file.file)
		}
		rows := csv.NewReader(strings.NewReader(text))
		if strings.HasSuffix(file.file, ".txt") || file.dataset == model.TACMonthly || file.dataset == model.FIValues {
			rows.Comma = ';'
		}
		rows.FieldsPerRecord = -1
		all, err := rows.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range all[1:] {
			switch file.dataset {
			case model.Cartola:
				check(file.dataset, row[2], row[1])
				if rut := atoi(t, row[0]); rut < 40_000_000 || rut >= 50_000_000 {
					t.Errorf("RUT %d may be somebody's", rut)
				}
			case model.Register:
				check(file.dataset, row[2], row[1], row[3], row[4])
			case model.AAFM:
				check(file.dataset, row[1], row[0], row[3])
			case model.TACComparator:
				check(file.dataset, row[0], row[6], row[7])
			case model.ReturnsComparator:
				check(file.dataset, row[0], row[15], row[16])
			case model.FIRegister:
				check(file.dataset, row[0], row[1], row[2])
			case model.FIValues:
				check(file.dataset, row[0])
			case model.TACMonthly:
				check(file.dataset, "70000001", row[1], row[2])
			case model.Holdings:
				check(file.dataset, row[0], row[1])
				if !strings.Contains(row[2], "SINT") {
					t.Errorf("instrument %q does not say that it is synthetic", row[2])
				}
			case model.Events:
				runs := []string{row[1]}
				if row[0] == model.KindExchange {
					runs = []string{row[3], row[5]}
				}
				for _, run := range runs {
					check(file.dataset, run)
				}
			case model.UF, model.Dolar:
			default:
				t.Errorf("nothing checks the names of %s", file.dataset)
			}
		}
	}
}

// The rule is implemented from the text of RULES 2, on the rows as they were written.
func TestTheTACOfTheRowsIsTheOneDrawn(t *testing.T) {
	dir, e := written(t, small(1))
	broken := faulty(e)
	type month struct {
		run  model.RUN
		name string
		end  model.Date
	}
	sums, days := map[month]float64{}, map[month]int{}
	cartolaLines(t, dir, func(at place, line string) {
		if _, bad := broken[at]; bad || strings.Contains(at.file, "correccion") {
			return
		}
		f := strings.Split(line, ";")
		date, err := model.ParseCompactDate(f[3])
		if err != nil {
			t.Fatal(err)
		}
		before := (atof(t, f[11]) + atof(t, f[10]) - atof(t, f[9])) * atof(t, f[12])
		cost := atof(t, f[17]) + atof(t, f[18]) + atof(t, f[19]) + atof(t, f[20])
		rate := 0.
		if before > 0 {
			rate = cost / (before + cost) * float64(time.Date(date.Time().Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay())
		} else if cost != 0 {
			t.Errorf("%v costs %v of nothing", at, cost)
		}
		run, _ := model.ParseRUN(f[2])
		key := month{run, f[8], monthEndOf(date)}
		sums[key] += rate
		days[key]++
	})
	compared, exact := 0, 0
	for _, s := range e.Sample {
		for _, want := range s.TAC {
			key := month{s.Run, s.Serie, want.Month}
			if days[key] == 0 || s.Previous != "" {
				continue
			}
			got := sums[key] / float64(days[key])
			// Before their correction, the corrected rows state a quota that is one percent too
			// high.
			if allowed := want.Tolerance + .001*want.Drawn; math.Abs(got-want.Drawn) > allowed {
				t.Errorf("%s %s %s: TAC %v, drawn %v ± %v", s.Run, s.Serie, want.Month, got, want.Drawn, allowed)
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

// The check uses the regulator's relation of real and nominal returns (RULES 1).
func TestRealReturnsFollowFromTheUF(t *testing.T) {
	config := small(1)
	config.Days = 4 * 365
	dir, _ := written(t, config)
	uf := map[string]float64{}
	for _, line := range strings.Split(string(read(t, dir, "macro/uf_sintetica.csv")), "\n")[1:] {
		if date, value, found := strings.Cut(line, ","); found {
			uf[date] = atof(t, value)
		}
	}
	checked := 0
	rows, err := csv.NewReader(strings.NewReader(string(read(t, dir, "comparator/cmf_rentabilidades_sintetico_20250630.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
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
	if err := m.writeCartola(t.Context(), out, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	accrued, lost := 0, 0
	for _, s := range m.series {
		if s.trace == nil || s.story.kind != ordinary && s.story.kind != late || s.quota < 1000*scale {
			continue
		}
		for d := s.story.start + 1; d < len(m.days); d++ {
			if m.days[d].working || m.days[d-1].date.Time().Weekday() == time.Friday && m.days[d].date.Time().Weekday() != time.Saturday {
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

func TestADistributionTakesFromTheQuotaWhatItsFactorGivesBack(t *testing.T) {
	dir, e := written(t, small(1))
	quotas, factors := map[string]float64{}, map[string]string{}
	broken := faulty(e)
	cartolaLines(t, dir, func(at place, line string) {
		if _, bad := broken[at]; bad {
			return
		}
		f := strings.Split(line, ";")
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
				t.Errorf("%s %s on %s: factor %q, want %s", s.Run, s.Serie, d.Date, factors[key+d.Date.String()], d.Factor)
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

func monthEndOf(date model.Date) model.Date {
	t := date.Time()
	return model.NewDate(t.Year(), t.Month()+1, 0)
}

func atoi(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func atof(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// RULES 1: total = (VC_E/VC_S) × the factors of every day in (S,E] − 1, computed from the files
// only.
func TestVerifiedFactorsCoverEveryDayAndGiveTheTotalReturn(t *testing.T) {
	config := small(2)
	config.Days = 1300
	dir, e := written(t, config)
	quotas := map[string]string{}
	broken := faulty(e)
	cartolaLines(t, dir, func(at place, line string) {
		if _, bad := broken[at]; !bad {
			f := strings.Split(line, ";")
			quotas[f[2]+f[8]+f[3]] = f[12] // the last file counts
		}
	})
	type stated struct{ product, quota float64 }
	factors := map[string]stated{}
	rows, err := csv.NewReader(strings.NewReader(string(read(t, dir, "events/factors_sintetico.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
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

func TestPortfoliosAndCostSheetsSayWhatTheMarketIs(t *testing.T) {
	dir, e := written(t, small(1))
	shares := map[string]float64{}
	for _, name := range []string{"naci", "extr"} {
		for _, line := range strings.Split(strings.TrimSpace(string(read(t, dir, "holdings/"+name+"_sintetico_202506.txt"))), "\n")[1:] {
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
	rows := csv.NewReader(strings.NewReader(string(read(t, dir, "tac/tac_mensual_sintetico_202506.csv"))))
	rows.Comma = ';'
	all, err := rows.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, line := range strings.Split(string(read(t, dir, "register/fm_ident_sintetico_20250720.txt")), "\n")[1:] {
		if f := strings.Split(line, ";"); len(f) > 3 {
			names[f[2]] = f[1] + f[3]
		}
	}
	for _, row := range all[1:] {
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
