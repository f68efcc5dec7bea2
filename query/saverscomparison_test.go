package query_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/oracle"
	"cuota/model"
	saved "cuota/query/portfolio"
	"cuota/query/savings"
)

// statedRates are the synthetic cost rates of a file, with the class of investors of each.
type statedRates struct {
	month, published int
	rates            map[oracle.Series]float64
	class            map[oracle.Series]string
}

// costRate is a cost rate that is in force, with its month end; kind is "" if there is none.
type costRate struct {
	rate  float64
	kind  string
	month int
}

// saversGroups are the families and the classes of investors that two files of the regulator state. The second one
// leaves series B of fund 9811 out, and moves some to another family or class.
var saversGroups = []struct {
	day string
	of  func(oracle.Series) (family, class string)
}{
	{day: "20210331", of: func(of oracle.Series) (family, class string) {
		switch {
		case of.Name == "FREE" && of.Run > 9810:
			return "", ""
		case of == oracle.Series{Run: 9812, Name: "B"}:
			return conservative, saversClass(of)
		}
		return moderate, saversClass(of)
	}},
	{day: "20240331", of: func(of oracle.Series) (family, class string) {
		switch of {
		case oracle.Series{Run: 9811, Name: "B"}:
			return "", ""
		case oracle.Series{Run: 9809, Name: "APV"}:
			return conservative, saversClass(of)
		case oracle.Series{Run: 9810, Name: "FREE"}:
			return moderate, "APV"
		}
		return moderate, saversClass(of)
	}},
}

const moderate, conservative = "Balanceado moderado", "Balanceado conservador"

func saversClass(of oracle.Series) string {
	if strings.HasPrefix(of.Name, "APV") {
		return "APV"
	}
	return "Retail"
}

// state ingests what two files say of families and classes, and four of cost rates: one that is published soon after
// its month, one that another corrects, and one of a history that is loaded a year later.
func (m *saversMarket) state(t *testing.T, into fileMarket) {
	t.Helper()
	head := "fo_run,fm_serie,rent_nominal_1a,rent_real_1a,rent_nominal_3a_ann,rent_real_3a_ann,rent_nominal_5a_ann," +
		"rent_real_5a_ann,rent_nominal_10a_ann,rent_real_10a_ann,ind_rar_pond,familia_estudios,familia_visualizador," +
		"familia_rar,clase_inversionista,nombre_fondo,nombre_agf,serie_digital,fm_fecha\n"
	for _, file := range saversGroups {
		text := head
		for _, of := range m.all() {
			if family, class := file.of(of); family != "" {
				text += fmt.Sprintf("%d,%s,,,,,,,,,,%s,%[3]s,%[3]s,%s,FONDO,ADMINISTRADORA,0,%s\n", of.Run, of.Name, family, class,
					file.day)
				m.costs.Classify(oracle.Classification{Run: of.Run, Serie: of.Name, Day: midnightOf(t, file.day),
					Family: family, Category: "balanced"})
			}
		}
		into.ingest(t, model.ReturnsComparator, "familias_"+file.day+".csv", text, 0)
	}
	for i, file := range []struct{ month, published string }{{"20210228", "20210310"}, {"20230228", "20230312"},
		{"20230228", "20230620"}, {"20240531", "20250601"}} {
		rates := statedRates{month: dayNumber(t, file.month), published: dayNumber(t, file.published),
			rates: map[oracle.Series]float64{}, class: map[oracle.Series]string{}}
		text := "fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf," +
			"serie_digital,tac_sintetica\n"
		for place, of := range m.all() {
			if of.Name == "VIVIENDA" || of.Name == "FREE" && i != 2 || of.Name == "A" && i > 0 {
				continue
			}
			rates.class[of] = saversClass(of)
			if i == 3 && of.Name == "APV-FREE" {
				rates.class[of] = "Retail"
			}
			percent := fmt.Sprintf("%.2f", 0.5+0.37*float64((7*place+3*i)%11))
			if of.Name == "B" && i == 0 {
				percent = "0.25" // the lowest, of two series in each currency
			}
			rates.rates[of] = double(rational(t, percent)) / 100
			text += fmt.Sprintf("%d,%s,1,%s,$$,%s,FONDO,ADMINISTRADORA,0,%s\n", of.Run, of.Name, file.month, rates.class[of], percent)
		}
		path := filepath.Join(t.TempDir(), "tac_"+file.published+".csv")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if report := into.market.Ingest(t, model.TACComparator, path, midnightOf(t, file.published)); report.Refused ||
			report.Rejected > 0 {
			t.Fatalf("%s: %+v", path, report)
		}
		m.stated = append(m.stated, rates)
	}
}

func midnightOf(t testing.TB, compact string) time.Time {
	t.Helper()
	day, err := model.ParseCompactDate(compact)
	must(t, err)
	return day.Time()
}

// all returns the series, in order.
func (m *saversMarket) all() (list []oracle.Series) {
	for of := range m.rows {
		list = append(list, of)
	}
	slices.SortFunc(list, func(a, b oracle.Series) int {
		return cmp.Or(a.Run-b.Run, strings.Compare(a.Name, b.Name))
	})
	return list
}

// family returns the family of a series that the newest of the two files states by a day, and else that of the first
// one after it (later).
func (m *saversMarket) family(of oracle.Series, day int) (family string, later bool) {
	for i := len(saversGroups) - 1; i >= 0; i-- {
		if stated, _ := saversGroups[i].of(of); stated != "" {
			family, later = stated, dayText(day) < isoDay(saversGroups[i].day)
			if !later {
				return family, false
			}
		}
	}
	return family, later
}

func isoDay(compact string) string { return compact[:4] + "-" + compact[4:6] + "-" + compact[6:] }

// endOfMonth is the last day of the month so many months after that of a day.
func endOfMonth(day, months int) int {
	epoch := model.NewDate(1970, time.January, 1)
	at := epoch.AddDays(day).Time()
	return model.DateOf(time.Date(at.Year(), at.Month()+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC)).DaysSince(epoch)
}

// computedRate is the rate that the rows of a month give, NaN if there is none.
func (m *saversMarket) computedRate(of oracle.Series, end int) float64 {
	if m.rates[of] == nil {
		m.rates[of] = map[int]float64{}
	}
	rate, seen := m.rates[of][end]
	if !seen {
		at := model.NewDate(1970, time.January, 1).AddDays(end).Time()
		known, _, ok := m.costs.RealTAC(of.Run, of.Name, at)
		if rate = known; !ok {
			rate = math.NaN()
		}
		m.rates[of][end] = rate
	}
	return rate
}

// newestRate returns the newest rate of the months that are over on a day: a synthetic one if it is less than a year
// older than the newest month with any rate, else the computed one. It also returns the class that came with the newest
// month that has one. counts says which rates of files count: it gets the file and the series.
func (m *saversMarket) newestRate(of oracle.Series, day int, counts func(int, oracle.Series) bool) (in costRate,
	class string) {
	var computed, synthetic costRate
	for end := endOfMonth(day, 0); end > endOfMonth(m.rows[of][0].day, -1); end = endOfMonth(end, -1) {
		if rate := m.computedRate(of, end); end <= day && !math.IsNaN(rate) {
			computed = costRate{rate, "computed", end}
			break
		}
	}
	for i, file := range m.stated {
		rate, stated := file.rates[of]
		if !stated || file.month > day || !counts(i, of) {
			continue
		}
		if file.month >= synthetic.month { // the files are in the order of their publication
			synthetic, class = costRate{rate, "synthetic", file.month}, file.class[of]
		}
	}
	if synthetic.kind != "" && endOfMonth(synthetic.month, 12) > computed.month || computed.kind == "" {
		return synthetic, class
	}
	return computed, class
}

// cost returns the rate in force on a day, as it is known today.
func (m *saversMarket) cost(of oracle.Series, day int) costRate {
	end := endOfMonth(day, 0)
	if end > day {
		end = endOfMonth(day, -1)
	}
	key := fmt.Sprint(of, end)
	in, seen := m.inForce[key]
	if !seen {
		in, _ = m.newestRate(of, end, func(int, oracle.Series) bool { return true })
		m.inForce[key] = in
	}
	return in
}

// knownRate returns the rate in force on a day as it was known then, and the class: that of the newest of the files of
// families if no rate had one (later). A file that was published more than 62 days after its month, and states a rate
// first, counts from its month on.
func (m *saversMarket) knownRate(of oracle.Series, day int) (in costRate, class string, later bool) {
	in, class = m.newestRate(of, day, func(i int, of oracle.Series) bool {
		file := m.stated[i]
		first := !slices.ContainsFunc(m.stated[:i], func(before statedRates) bool {
			_, stated := before.rates[of]
			return stated && before.month == file.month
		})
		return file.published <= day || first && file.published-file.month > 62
	})
	if class == "" {
		_, class = saversGroups[len(saversGroups)-1].of(of)
		later = class != ""
	}
	return in, class, later
}

// cheapest returns the series with the lowest rate among those of the family, the class, the currency and the kind of
// rate of a series that had a row with equity on a day. Of equal rates that of the larger series counts. why says why
// there is none.
func (m *saversMarket) cheapest(of oracle.Series, day int) (best oracle.Series, rate costRate, why string) {
	family, _ := m.family(of, day)
	in, class, _ := m.knownRate(of, day)
	switch {
	case family == "":
		return best, rate, "no_family"
	case in.kind == "":
		return best, rate, "no_tac"
	case class == "":
		return best, rate, "no_class"
	}
	why = "no_open_series"
	most := 0.
	for _, other := range m.all() {
		row, _, any := m.standing(other, day)
		theirs, _ := m.family(other, day)
		offered, investors, _ := m.knownRate(other, day)
		if !any || row.day != day || row.equity <= 0 || inDollars(other) != inDollars(of) || theirs != family ||
			investors != class || offered.kind != in.kind {
			continue
		}
		if why != "" || offered.rate < rate.rate || offered.rate == rate.rate && row.equity > most {
			best, rate, most, why = other, offered, row.equity, ""
		}
	}
	return best, rate, why
}

// alternative is something else into which the amounts could have gone.
type alternative struct {
	level  func(day int) (level float64, why string)
	breaks []int // days from which on earlier levels do not compare
	reason string
	closed int // the day of its last quota, if it has closed; else 0
}

// familyOf is the index of a family, whose points after the cutoff do not count.
func (m *saversMarket) familyOf(family string, dollars bool, asOf int) *alternative {
	key := [2]string{family, map[bool]string{true: "DOLAR", false: "PESOS"}[dollars]}
	points, computed := m.indices[key]
	if !computed {
		points = m.costs.FamilyIndex(key[0], key[1])
		m.indices[key] = points
	}
	epoch := model.NewDate(1970, time.January, 1)
	out := &alternative{reason: "index_gap"}
	levels := map[int]float64{}
	for _, p := range points {
		day := model.DateOf(p.Day).DaysSince(epoch)
		if day > min(asOf, m.cutoff) {
			break
		}
		if levels[day] = p.Value; p.Change == nil {
			out.breaks = append(out.breaks, day)
		}
	}
	out.level = func(day int) (float64, string) {
		for back := range 8 {
			if level, there := levels[day-back]; there {
				return level, ""
			}
		}
		return 0, "no_index"
	}
	return out
}

// seriesOf is a series as an alternative.
func (m *saversMarket) seriesOf(of oracle.Series, asOf int) *alternative {
	out := &alternative{reason: "known_discontinuity"}
	for _, row := range m.rows[of] {
		if row.broken {
			out.breaks = append(out.breaks, row.day)
		}
	}
	if m.closed(of, asOf) {
		out.closed = m.rows[of][len(m.rows[of])-1].day
	}
	out.level = func(day int) (float64, string) {
		row, fresh, any := m.standing(of, day)
		switch {
		case !any:
			return 0, "missing_end_quote"
		case !fresh:
			return 0, "stale_end_quote"
		}
		return double(row.quota), ""
	}
	return out
}

// grown is what the amounts of a holding would have become.
type grown struct {
	pesos  float64
	ranOut int      // the day of the first sale for which there was not enough; 0 if there was none
	whys   []string // why it is not known
}

// grow lets the money grow with the alternative from one flow to the next, and adds each flow to it.
func (m *saversMarket) grow(of oracle.Series, deals []deal, in *alternative, asOf int) (out grown) {
	level := func(day int) float64 {
		level, why := in.level(day)
		if why != "" {
			out.whys = append(out.whys, why)
		}
		return level
	}
	day, at := deals[0].day, level(deals[0].day)
	held, balance, bought := 0., 0., 0. // in the currency of the series
	until := func(next int) {
		then := level(next)
		balance, bought, day, at = balance*then/at, bought*then/at, next, then
	}
	left := new(big.Rat)
	for _, d := range deals {
		until(d.day)
		paid := double(d.paid)
		balance += paid
		if bought += max(paid, 0); paid < 0 && out.ranOut == 0 && balance < -1e-9*bought {
			out.ranOut = d.day
		}
		left.Add(left, d.units)
	}
	ends := day
	if held = double(left); held > 0 {
		row, _, _ := m.standing(of, asOf)
		ends = row.day
		if until(ends); inDollars(of) {
			balance *= row.worth / double(row.quota)
		}
	} else if math.Abs(balance) > 1e-9*bought {
		ends = asOf
		if until(asOf); inDollars(of) {
			balance *= double(m.dolarBy(asOf))
		}
	}
	for _, from := range in.breaks {
		if from > deals[0].day && from <= ends {
			out.whys = append(out.whys, in.reason)
		}
	}
	if in.closed > 0 && in.closed < ends {
		out.whys = append(out.whys, savings.CheapestClosed)
	}
	out.pesos = balance
	return out
}

// checkComparisons recomputes what each holding is compared with, and what the same amounts would be there.
func (m *saversMarket) checkComparisons(s saver, deals []deal, got result, wrong func(string, ...any)) {
	byIt := map[oracle.Series][]deal{}
	for _, d := range deals {
		byIt[d.of] = append(byIt[d.of], d)
	}
	if len(got.holdings) != len(byIt) {
		wrong("%d holdings, want %d", len(got.holdings), len(byIt))
		return
	}
	total := map[string]float64{"family": 0, "cheapest": 0}
	unknown := map[string]bool{}
	for _, h := range got.holdings {
		run, err := model.ParseRUN(h.RUN)
		if err != nil {
			wrong("RUN %q: %v", h.RUN, err)
			return
		}
		of := oracle.Series{Run: int(run), Name: h.Serie}
		own := byIt[of]
		if len(own) == 0 {
			wrong("a holding of %v", of)
			return
		}
		m.checkChoice(of, own[0].day, h, wrong)
		worth, size := m.worthOf(of, own, s.asOf)
		family, _ := m.family(of, own[0].day)
		best, _, why := m.cheapest(of, own[0].day)
		for name, is := range map[string]struct {
			as  savings.Comparison
			in  func() *alternative
			why string
		}{"family": {h.Family, func() *alternative { return m.familyOf(family, inDollars(of), s.asOf) },
			map[bool]string{true: "no_family"}[family == ""]},
			"cheapest": {h.Cheapest, func() *alternative { return m.seriesOf(best, s.asOf) }, why}} {
			var want grown
			if is.why != "" {
				want.whys = []string{is.why}
			} else if want = m.grow(of, own, is.in(), s.asOf); h.Value.Value == nil {
				want.whys = append(want.whys, *h.Value.Reason) // which check has judged, or that of a rate
			}
			total[name] += want.pesos
			unknown[name] = unknown[name] || len(want.whys) > 0
			m.compareWith(fmt.Sprintf("%s of %v", name, of), is.as, want, worth, size, wrong)
		}
	}
	for name, as := range map[string]savings.Comparison{"family": got.total.Family, "cheapest": got.total.Cheapest} {
		switch value := as.EndValue.Value; {
		case len(byIt) > 0 && (value == nil) != unknown[name]:
			wrong("the total of %s is %v, unknown: %t", name, valueOrReason(value, as.EndValue.Reason), unknown[name])
		case value != nil && math.Abs(*value-total[name]) > 1e-7*max(1, math.Abs(total[name]), m.turnover(deals)):
			wrong("the total of %s is %v, want %v", name, *value, total[name])
		}
	}
}

// turnover is the sum of all amounts in pesos.
func (m *saversMarket) turnover(deals []deal) (sum float64) {
	for _, d := range deals {
		sum += math.Abs(double(d.pesos))
	}
	return sum
}

// worthOf is the value of what is held of a series, and the turnover of its deals.
func (m *saversMarket) worthOf(of oracle.Series, own []deal, asOf int) (worth, size float64) {
	left := new(big.Rat)
	for _, d := range own {
		left.Add(left, d.units)
	}
	if row, _, any := m.standing(of, asOf); any && left.Sign() > 0 {
		worth = double(left) * row.worth
	}
	return worth, worth + m.turnover(own)
}

// checkChoice compares what a holding is compared with.
func (m *saversMarket) checkChoice(of oracle.Series, day int, h saved.Holding, wrong func(string, ...any)) {
	c := h.Compared
	family, later := m.family(of, day)
	in, class, classLater := m.knownRate(of, day)
	best, rate, why := m.cheapest(of, day)
	text := func(name string, got *string, want string) {
		if (got == nil) != (want == "") || got != nil && *got != want {
			wrong("%s of %v on %s is %v, want %q", name, of, dayText(day), valueOrReason(got, nil), want)
		}
	}
	text("family", c.Family, family)
	if family == "" { // without a family nothing else is looked for
		return
	}
	text("class", c.Class, class)
	text("kind of rate", c.TACKind, in.kind)
	if c.FamilyLater != later || c.ClassLater != classLater {
		wrong("of %v on %s the family is stated later: %t, the class: %t; want %t and %t", of, dayText(day), c.FamilyLater,
			c.ClassLater, later, classLater)
	}
	if in.kind != "" && (c.TAC == nil || math.Abs(*c.TAC-in.rate) > 1e-9) {
		wrong("the rate of %v on %s is %v, want %v", of, dayText(day), valueOrReason(c.TAC, nil), in)
	}
	if why != "" {
		text("cheapest", c.Serie, "")
		return
	}
	text("cheapest", c.Serie, best.Name)
	text("fund of the cheapest", c.RUN, model.RUN(best.Run).String())
	if c.CheapestTAC == nil || math.Abs(*c.CheapestTAC-rate.rate) > 1e-9 || c.TACDate == nil ||
		c.TACDate.String() != dayText(rate.month) {
		wrong("the lowest rate of %v on %s is %v of %v, want %v of %s", of, dayText(day), valueOrReason(c.CheapestTAC, nil),
			valueOrReason(c.TACDate, nil), rate, dayText(rate.month))
	}
}

// compareWith compares a comparison with what the amounts would have become.
func (m *saversMarket) compareWith(name string, got savings.Comparison, want grown, worth, size float64,
	wrong func(string, ...any)) {
	if len(want.whys) > 0 {
		if got.EndValue.Value != nil || got.Difference.Value != nil ||
			!slices.Contains(want.whys, *got.EndValue.Reason) {
			wrong("%s is %v, want one of %q", name, valueOrReason(got.EndValue.Value, got.EndValue.Reason), want.whys)
		}
		return
	}
	near := func(got *float64, want float64) bool {
		return got != nil && math.Abs(*got-want) <= 1e-7*max(1, size, math.Abs(want))
	}
	if !near(got.EndValue.Value, want.pesos) || !near(got.Difference.Value, worth-want.pesos) {
		wrong("%s is %v, and the difference %v; want %v and %v", name,
			valueOrReason(got.EndValue.Value, got.EndValue.Reason),
			valueOrReason(got.Difference.Value, got.Difference.Reason), want.pesos, worth-want.pesos)
	}
	if on := got.RanOutOn; (on == nil) != (want.ranOut == 0) || on != nil && on.String() != dayText(want.ranOut) {
		wrong("%s ran out on %v, want %s", name, valueOrReason(got.RanOutOn, nil), dayText(want.ranOut))
	}
}
