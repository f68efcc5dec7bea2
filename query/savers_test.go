package query_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
	saved "cuota/query/portfolio"
	"cuota/query/savings"
)

// A saversMarket is what the files of funds 9809 and 9810 say, read by this test: days are numbers of days since
// 1970. Fund 9810 is turned into dollars, and rows are left out, so that there are series in dollars, old quotas and
// gaps of more than 31 days. Each has a twin in the other currency, 9811 of 9810 and 9812 of 9809, because a family of
// one fund has no index. The funds in pesos run on alone after the cutoff.
type saversMarket struct {
	rows   map[oracle.Series][]saversRow // by day
	dolar  map[int]*big.Rat
	uf     map[int]*big.Rat
	cutoff int
	// withoutRows is the first of the days of oldQuotas.
	withoutRows int
	costs       *oracle.Market
	rates       map[oracle.Series]map[int]float64 // computed cost rates by month end, NaN if there is none
	inForce     map[string]costRate               // as they are known today, by series and month end
	stated      []statedRates
	indices     map[[2]string][]oracle.Point // by family and currency
}

type saversRow struct {
	day    int
	quota  *big.Rat
	pesos  *big.Rat // the quota at the dollar of its day, or of at most 7 days before
	worth  float64  // the same
	equity float64
	broken bool // the series breaks before this row
}

// inDollars reports whether a series is in dollars.
func inDollars(of oracle.Series) bool { return of.Run == 9810 || of.Run == 9812 }

// The days without rows of two series, and the first one after the cutoff.
var (
	oldQuotas   = [2]string{"20230301", "20230326"} // of series B of fund 9810
	longGap     = [2]string{"20220501", "20220620"} // of APV-FREE
	afterCutoff = "20250711"                        // the funds in dollars have no row from it on
)

func dayNumber(t testing.TB, compact string) int {
	t.Helper()
	day, err := model.ParseCompactDate(compact)
	must(t, err)
	return day.DaysSince(model.NewDate(1970, time.January, 1))
}

func dayText(day int) string { return model.NewDate(1970, time.January, 1).AddDays(day).String() }

func rational(t testing.TB, text string) *big.Rat {
	t.Helper()
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return number
}

// newSaversMarket ingests the files into a market, and reads them.
func newSaversMarket(t *testing.T) (fileMarket, *saversMarket) {
	t.Helper()
	m, dir := newFileMarket(t), demoFiles(t)
	out := &saversMarket{rows: map[oracle.Series][]saversRow{}, dolar: map[int]*big.Rat{}, uf: map[int]*big.Rat{},
		rates: map[oracle.Series]map[int]float64{}, inForce: map[string]costRate{},
		indices: map[[2]string][]oracle.Point{}, withoutRows: dayNumber(t, oldQuotas[0]),
		cutoff: dayNumber(t, afterCutoff) - 1}
	paths, err := filepath.Glob(filepath.Join(dir, "cartola", "cartola_9809_9810_*.txt"))
	must(t, err)
	slices.Sort(paths)
	var changed []string
	equity := map[oracle.Series]*big.Rat{}
	for i, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		lines := strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
		kept := lines[:1]
		twins := map[string]string{"9809": "9812", "9810": "9811"}
		for at, line := range slices.Concat(lines[1:], lines[1:]) {
			f := strings.Split(line, ";")
			if at >= len(lines)-1 {
				f[2] = twins[f[2]]
			}
			of := oracle.Series{Run: whole(t, f[2]), Name: oracle.SerieName(f[8])}
			if of == (oracle.Series{Run: 9810, Name: "B"}) && f[3] >= oldQuotas[0] && f[3] <= oldQuotas[1] ||
				of == (oracle.Series{Run: 9810, Name: "APV-FREE"}) && f[3] >= longGap[0] && f[3] <= longGap[1] ||
				inDollars(of) && f[3] >= afterCutoff {
				continue
			}
			if inDollars(of) {
				f[5] = "PROM"
			}
			kept = append(kept, strings.Join(f, ";"))
			row := saversRow{day: dayNumber(t, f[3]), quota: rational(t, f[12])}
			now := rational(t, f[13])
			row.equity = double(now)
			if before := out.rows[of]; len(before) > 0 {
				row.broken = row.day-before[len(before)-1].day > 31 || equity[of].Sign() == 0 && now.Sign() > 0
			}
			out.rows[of], equity[of] = append(out.rows[of], row), now
		}
		name := filepath.Base(path)
		m.ingest(t, model.Cartola, name, strings.Join(kept, "\n")+"\n", i)
		changed = append(changed, filepath.Join(t.TempDir(), name))
		must(t, os.WriteFile(changed[i], []byte(strings.Join(kept, "\n")+"\n"), 0o600))
	}
	out.costs, err = oracle.Load(changed...)
	must(t, err)
	for file, into := range map[string]map[int]*big.Rat{"dolar_observado.csv": out.dolar, "uf_diaria.csv": out.uf} {
		path := filepath.Join(dir, "macro", file)
		text := "fecha,valor\n" // of days that are over on the clock of the test
		for _, line := range table(t, path) {
			if line["fecha"] < "2026" {
				into[dayNumber(t, strings.ReplaceAll(line["fecha"], "-", ""))] = rational(t, line["valor"])
				text += line["fecha"] + "," + line["valor"] + "\n"
			}
		}
		m.ingest(t, map[string]model.Dataset{"dolar_observado.csv": model.Dolar, "uf_diaria.csv": model.UF}[file], file,
			text, 0)
	}
	for of, rows := range out.rows {
		for i := range rows {
			rows[i].pesos = rows[i].quota
			if inDollars(of) {
				rows[i].pesos = new(big.Rat).Mul(rows[i].quota, out.dolarBy(rows[i].day))
			}
			rows[i].worth = double(rows[i].pesos)
		}
	}
	out.state(t, m)
	m.build(t)
	return m, out
}

// dolarBy returns the dollar of a day, or of at most 7 days before. The files have one for every day of the market.
func (m *saversMarket) dolarBy(day int) *big.Rat {
	for back := range 8 {
		if rate := m.dolar[day-back]; rate != nil {
			return rate
		}
	}
	panic("no dollar by " + dayText(day))
}

// standing returns the row that stands on a day, however old, and whether it is at most 7 days old or the last one of
// a series that has closed.
func (m *saversMarket) standing(of oracle.Series, day int) (row saversRow, fresh, any bool) {
	rows := m.rows[of]
	n, _ := slices.BinarySearchFunc(rows, day+1, func(r saversRow, d int) int { return r.day - d })
	if n == 0 {
		return row, false, false
	}
	row = rows[n-1]
	closed := n == len(rows) && m.cutoff-row.day > 7
	return row, day-row.day <= 7 || closed, true
}

// order is a movement of a saver.
type order struct {
	Series string       `json:"series"`
	Date   string       `json:"date"`
	Kind   string       `json:"kind"`
	Amount *json.Number `json:"amount,omitempty"`
	Quotas *json.Number `json:"quotas,omitempty"`
	All    bool         `json:"all,omitempty"`
	of     oracle.Series
	day    int
}

type saver struct {
	Movements []order `json:"movements"`
	AsOf      string  `json:"as_of_date"`
	asOf      int
}

// randomSaver draws one to four series and up to fourteen movements.
func (m *saversMarket) randomSaver(random *rand.Rand, all []oracle.Series) (s saver) {
	first := m.cutoff - 2080
	s.asOf = m.cutoff
	if random.IntN(3) > 0 {
		s.asOf = first + 60 + random.IntN(m.cutoff+11-first-60)
	}
	var mine []oracle.Series
	if random.IntN(20) == 0 { // a valuation within the days without rows
		s.asOf = m.withoutRows + 8 + random.IntN(15)
		mine = append(mine, oracle.Series{Run: 9810, Name: "B"})
	}
	if random.IntN(10) == 0 {
		s.asOf = m.cutoff + 1 + random.IntN(10)
	}
	s.AsOf = dayText(s.asOf)
	for range 1 + random.IntN(4) {
		mine = append(mine, all[random.IntN(len(all))])
	}
	for range 1 + random.IntN(14) {
		o := order{of: mine[random.IntN(len(mine))], day: first + random.IntN(s.asOf+3-first), Kind: "buy"}
		o.Series, o.Date = fmt.Sprintf("%s %s", model.RUN(o.of.Run), o.of.Name), dayText(o.day)
		if random.IntN(3) == 0 {
			o.Kind = "sell"
		}
		amount := json.Number(fmt.Sprintf("%.2f", 1000+random.Float64()*5e6))
		if inDollars(o.of) {
			amount = json.Number(fmt.Sprintf("%.2f", 10+random.Float64()*5e3))
		}
		quotas := json.Number(fmt.Sprintf("%.4f", .1+random.Float64()*1000))
		switch random.IntN(4) {
		case 0:
			o.Quotas = &quotas
		case 1:
			if o.All = o.Kind == "sell"; !o.All {
				o.Amount = &amount
			}
		default:
			o.Amount = &amount
		}
		s.Movements = append(s.Movements, o)
	}
	if random.IntN(3) == 0 {
		m.sellByStatement(&s, random)
	}
	return s
}

// sellByStatement sells all that a saver has of one series by the number of a statement, which has four decimals.
func (m *saversMarket) sellByStatement(s *saver, random *rand.Rand) {
	deals, _ := m.execute(*s)
	if len(deals) == 0 {
		return
	}
	of, held, last := deals[random.IntN(len(deals))].of, new(big.Rat), 0
	for _, d := range deals {
		if d.of == of {
			held.Add(held, d.units)
			last = max(last, d.day)
		}
	}
	quotas := json.Number(held.FloatString(4))
	if rounded, _ := quotas.Float64(); rounded == 0 {
		return
	}
	day := last + random.IntN(s.asOf-last+1)
	s.Movements = append(s.Movements, order{Series: fmt.Sprintf("%s %s", model.RUN(of.Run), of.Name), Date: dayText(day),
		Kind: "sell", Quotas: &quotas, of: of, day: day})
}

// deal is an order that was executed.
type deal struct {
	of    oracle.Series
	day   int
	units *big.Rat // below 0: sold
	pesos *big.Rat // the amount, below 0 for a sale
	paid  *big.Rat // the same in the currency of the series
}

// execute finds the deals of a saver, and the reasons of refused orders, by their places.
func (m *saversMarket) execute(s saver) (deals []deal, refused map[int]string) {
	refused = map[int]string{}
	type placed struct {
		order
		at  int
		row saversRow
	}
	var list []placed
	for i, o := range s.Movements {
		if o.day > s.asOf {
			refused[i] = savings.AfterAsOf
			continue
		}
		refused[i] = savings.NoQuote
		if o.day+7 > s.asOf && !(m.closed(o.of, s.asOf) && m.rows[o.of][len(m.rows[o.of])-1].day < o.day) {
			refused[i] = savings.NoQuoteYet
		}
		for day := o.day; day <= min(o.day+7, s.asOf); day++ {
			if row, _, any := m.standing(o.of, day); any && row.day == day {
				delete(refused, i)
				list = append(list, placed{o, i, row})
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		for _, way := range []int{a.row.day - b.row.day, strings.Compare(a.Kind, b.Kind), a.day - b.day} {
			if way != 0 {
				return way
			}
		}
		return a.at - b.at
	})
	held := map[oracle.Series]*big.Rat{}
	for _, p := range list {
		have := held[p.of]
		if have == nil {
			have = new(big.Rat)
		}
		units := new(big.Rat)
		switch {
		case p.Quotas != nil:
			units.SetString(string(*p.Quotas))
		case p.Amount != nil:
			units.SetString(string(*p.Amount))
			units.Quo(units, p.row.quota)
		default:
			units.Set(have)
		}
		if p.Kind == "sell" {
			if have.Sign() == 0 || new(big.Rat).Sub(units, have).Cmp(big.NewRat(1, 20_000)) > 0 {
				refused[p.at] = savings.MoreThanHeld
				continue
			}
			if new(big.Rat).Sub(have, units).Cmp(big.NewRat(1, 20_000)) <= 0 {
				units.Set(have)
			}
			units.Neg(units)
		}
		held[p.of] = new(big.Rat).Add(have, units)
		deals = append(deals, deal{p.of, p.row.day, units, new(big.Rat).Mul(units, p.row.pesos),
			new(big.Rat).Mul(units, p.row.quota)})
	}
	return deals, refused
}

func double(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// newton finds a root of Σ amount × v^(days/365) from a first v, and false if it finds none.
func newton(flows map[int]float64, v float64) (float64, bool) {
	for range 400 {
		var sum, slope, size float64
		for day, amount := range flows {
			years := float64(day) / 365
			term := amount * math.Pow(v, years)
			sum, slope, size = sum+term, slope+term*years/v, size+math.Abs(term)
		}
		next := v - sum/slope
		if next <= 0 {
			next = v / 2
		}
		if math.Abs(next-v) < 1e-14*v && math.Abs(sum) < 1e-7*size {
			return 1/next - 1, true
		}
		v = next
	}
	return 0, false
}

// rootsOf returns the different rates that Newton's method finds from many beginnings.
func rootsOf(flows map[int]float64) (roots []float64) {
	for log := -8.; log <= 8; log += .25 {
		rate, ok := newton(flows, math.Exp(log))
		if ok && rate > -.9999 && rate < 9999 &&
			!slices.ContainsFunc(roots, func(r float64) bool { return math.Abs(r-rate) < 1e-5*(1+math.Abs(r)) }) {
			roots = append(roots, rate)
		}
	}
	return roots
}

// result is what is said of a saver: by the server, or by package savings from histories that the test makes.
type result struct {
	reasons  []string // of the movements; "" for one that was executed
	total    savings.Figures
	holdings []saved.Holding // nil if the server was not asked
}

// answered is the result in a reply.
func answered(reply saved.Reply) (r result) {
	r.total, r.holdings = reply.Data.Total, reply.Data.Holdings
	for _, m := range reply.Data.Movements {
		if m.Reason == nil {
			r.reasons = append(r.reasons, "")
		} else {
			r.reasons = append(r.reasons, *m.Reason)
		}
	}
	return r
}

// computed is the result of package savings, without the server.
func (m *saversMarket) computed(s saver) (r result) {
	from := s.asOf
	for _, o := range s.Movements {
		from = min(from, o.day)
	}
	epoch := model.NewDate(1970, time.January, 1)
	p := savings.Portfolio{From: epoch.AddDays(from), AsOf: epoch.AddDays(s.asOf), Series: map[string]*savings.Series{}}
	for i, o := range s.Movements {
		mine := savings.Movement{Line: i + 1, Series: o.Series, Date: epoch.AddDays(o.day), Kind: savings.Kind(o.Kind),
			All: o.All}
		for number, into := range map[*json.Number]*float64{o.Amount: &mine.Amount, o.Quotas: &mine.Quotas} {
			if number != nil {
				*into, _ = number.Float64()
			}
		}
		p.Movements = append(p.Movements, mine)
		if p.Series[o.Series] == nil {
			history := m.history(o.of, from, s.asOf)
			p.Series[o.Series] = &savings.Series{History: history, Cost: func(day int) (float64, string) {
				in := m.cost(o.of, from+day)
				return in.rate, in.kind
			}}
		}
	}
	out := p.Compute()
	for _, e := range out.Executions {
		r.reasons = append(r.reasons, e.Reason)
	}
	r.total = out.Total
	return r
}

// history is how a series stands on each day.
func (m *saversMarket) history(of oracle.Series, from, to int) *savings.History {
	h := savings.NewHistory(to-from+1, "missing_end_quote")
	h.End = savings.EndRates{UF: double(m.uf[to]), Reason: "missing_end_fx"}
	for day := from; day <= to; day++ {
		row, fresh, any := m.standing(of, day)
		if !any {
			continue
		}
		i := day - from
		h.Ages[i], h.Reasons[i], h.UFs[i] = day-row.day, "stale_end_quote", double(m.uf[row.day])
		h.Dollars[i] = inDollars(of)
		if fresh {
			h.Reasons[i], h.Quotas[i], h.Pesos[i] = "", double(row.quota), row.worth
		}
		if row.day == day && row.broken {
			h.Breaks = append(h.Breaks, savings.Break{Day: i, Reason: "known_discontinuity"})
		}
	}
	if m.closed(of, to) {
		rows := m.rows[of]
		h.Closed = new(model.NewDate(1970, time.January, 1).AddDays(rows[len(rows)-1].day))
	}
	return h
}

// check recomputes a result by another route, and returns what differs.
func (m *saversMarket) check(s saver, got result) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	deals, refused := m.execute(s)
	for i, reason := range got.reasons {
		if reason != refused[i] {
			wrong("movement %d: %q, want %q", i+1, reason, refused[i])
		}
	}
	near := func(name string, figure savings.Figure, want, size float64) {
		if figure.Value == nil {
			wrong("%s is null (%s), want %v", name, *figure.Reason, want)
		} else if math.Abs(*figure.Value-want) > 1e-9*max(1, size) {
			wrong("%s is %v, want %v", name, *figure.Value, want)
		}
	}
	var invested, withdrawn, size float64
	held := map[oracle.Series]*big.Rat{}
	first := 0
	for i, d := range deals {
		if i == 0 || d.day < first {
			first = d.day
		}
		if d.units.Sign() > 0 {
			invested += double(d.pesos)
		} else {
			withdrawn -= double(d.pesos)
		}
		if held[d.of] == nil {
			held[d.of] = new(big.Rat)
		}
		held[d.of].Add(held[d.of], d.units)
	}
	size = invested + withdrawn
	total := got.total
	near("invested", total.Invested, invested, size)
	near("withdrawn", total.Withdrawn, withdrawn, size)
	if len(deals) == 0 {
		return problems
	}
	if got.holdings != nil {
		m.checkComparisons(s, deals, got, wrong)
	}
	// The end of each series, and why it has no value.
	end, reason := map[oracle.Series]int{}, ""
	value, inUF := 0., 0.
	flows, real := map[int]float64{}, map[int]float64{}
	flow := func(day int, pesos float64) {
		flows[day-first] += pesos
		real[day-first] += pesos / double(m.uf[day])
	}
	for _, d := range deals {
		flow(d.day, -double(d.pesos))
		end[d.of] = max(end[d.of], d.day)
	}
	for of, units := range held {
		if units.Sign() > 0 {
			row, fresh, _ := m.standing(of, s.asOf)
			end[of] = row.day
			if !fresh {
				reason = "stale_end_quote"
			}
			worth := double(new(big.Rat).Mul(units, row.pesos))
			value += worth
			flow(row.day, worth)
		}
		// What UF leaves of a series that was sold out is valued with the other series.
		part, at := 0., double(m.uf[end[of]])
		if units.Sign() == 0 {
			at = double(m.uf[s.asOf])
		}
		for _, d := range deals {
			if d.of == of {
				part += double(d.pesos) / double(m.uf[d.day])
			}
		}
		inUF += part * at
		for _, row := range m.rows[of] {
			if row.broken && row.day <= s.asOf && m.heldBefore(deals, of, row.day) > 0 {
				reason = "known_discontinuity"
			}
		}
	}
	if reason != "" {
		for name, figure := range map[string]savings.Figure{"value": total.Value, "gain": total.Gain,
			"money-weighted": total.MoneyWeighted, "time-weighted": total.TimeWeighted, "UF": total.UF.EndValue} {
			if figure.Value != nil {
				wrong("%s is %v, want %s", name, *figure.Value, reason)
			}
		}
		return problems
	}
	near("value", total.Value, value, size)
	near("gain", total.Gain, value+withdrawn-invested, size+value)
	near("UF", total.UF.EndValue, inUF, size+math.Abs(inUF))
	near("above UF", total.UF.Difference, value-inUF, size+math.Abs(inUF))
	m.checkRate("money-weighted", total.MoneyWeighted, flows, wrong)
	m.checkRate("money-weighted in UF", total.RealMoney, real, wrong)
	m.checkDays(s, deals, end, total, wrong)
	return problems
}

// heldBefore is what is held of a series before a day.
func (m *saversMarket) heldBefore(deals []deal, of oracle.Series, day int) float64 {
	units := new(big.Rat)
	for _, d := range deals {
		if d.of == of && d.day < day {
			units.Add(units, d.units)
		}
	}
	return double(units)
}

// checkRate compares a money-weighted return with the roots that Newton's method finds.
func (m *saversMarket) checkRate(name string, got savings.Figure, flows map[int]float64, wrong func(string, ...any)) {
	last, positive, negative := 0, false, false
	for day, amount := range flows {
		last = max(last, day)
		positive, negative = positive || amount > 1e-6, negative || amount < -1e-6
	}
	switch {
	case last < 30:
		if got.Reason == nil || *got.Reason != savings.Under30Days {
			wrong("%s of %d days: %v", name, last, got)
		}
		return
	case !positive || !negative:
		if got.Value != nil {
			wrong("%s without a change of sign: %v", name, *got.Value)
		}
		return
	}
	roots := rootsOf(flows)
	switch {
	case got.Value != nil && len(roots) == 1:
		if math.Abs(*got.Value-roots[0]) > 1e-7*(1+math.Abs(roots[0])) {
			wrong("%s is %v, Newton finds %v", name, *got.Value, roots[0])
		}
	case got.Value != nil || *got.Reason == savings.SeveralRates && len(roots) < 2 ||
		*got.Reason == savings.NoSignChange:
		wrong("%s is %v (%v), Newton finds %v", name, got.Value, got.Reason, roots)
	}
}

// checkDays multiplies the growth of each single day, and adds up the costs of each day.
func (m *saversMarket) checkDays(s saver, deals []deal, end map[oracle.Series]int, total savings.Figures,
	wrong func(string, ...any)) {
	first, last := deals[0].day, 0
	flowDays := map[int]bool{}
	for _, d := range deals {
		first, flowDays[d.day] = min(first, d.day), true
	}
	for _, day := range end {
		last = max(last, day)
	}
	for _, day := range end {
		flowDays[day] = true
	}
	held := map[oracle.Series]float64{}
	exact := map[oracle.Series]*big.Rat{}
	growth, prices, days, costs, stale := 1., 1., 0, 0., false
	rated, costDays := 0, 0
	for day := first; day <= last; day++ {
		var before, now float64
		for of, units := range held {
			if units == 0 || day > end[of] && m.closed(of, s.asOf) {
				continue
			}
			yesterday, wasFresh, _ := m.standing(of, day-1)
			today, isFresh, _ := m.standing(of, day)
			if flowDays[day] && !isFresh || flowDays[day-1] && !wasFresh {
				stale = true
			}
			before += units * yesterday.worth
			now += units * today.worth
		}
		if before > 0 {
			growth *= now / before
			prices *= double(new(big.Rat).Quo(m.uf[day], m.uf[day-1]))
			days++
		}
		for _, d := range deals {
			if d.day == day {
				if exact[d.of] == nil {
					exact[d.of] = new(big.Rat)
				}
				held[d.of] = double(exact[d.of].Add(exact[d.of], d.units))
			}
		}
		for of, units := range held {
			if units == 0 || day >= end[of] {
				continue
			}
			costDays++
			row, fresh, _ := m.standing(of, day)
			if in := m.cost(of, day); in.kind != "" && fresh {
				rated++
				costs += units * row.worth * in.rate / 365
			}
		}
	}
	if !stale && total.DaysHeld != days {
		wrong("held on %d days, want %d", total.DaysHeld, days)
	}
	for name, of := range map[string]struct {
		whole, yearly savings.Figure
		growth        float64
	}{"time-weighted": {total.TimeWeighted, total.TimeWeightedYear, growth},
		"time-weighted above UF": {total.RealTime, total.RealTimeYear, growth / prices}} {
		if stale {
			if of.whole.Value != nil {
				wrong("%s is %v over an old quota", name, *of.whole.Value)
			}
			continue
		}
		if got := of.whole.Value; got == nil || math.Abs(*got-(of.growth-1)) > 1e-8*of.growth {
			wrong("%s is %v, day by day %v", name, valueOrReason(got, of.whole.Reason), of.growth-1)
		}
		yearly := math.Pow(of.growth, 365/float64(days)) - 1
		if got := of.yearly.Value; (got != nil) != (days > 365) || got != nil && math.Abs(*got-yearly) > 1e-8 {
			wrong("yearly %s is %v, want %v of %d days", name, valueOrReason(got, of.yearly.Reason), yearly, days)
		}
	}
	if total.Costs.Days != costDays {
		wrong("costs on %d days, want %d", total.Costs.Days, costDays)
	}
	if got := total.Costs.Amount.Value; got != nil &&
		(math.Abs(*got-costs) > 1e-7*max(1, costs) || total.Costs.Rated != rated) {
		wrong("costs are %v on %d days, want %v on %d", *got, total.Costs.Rated, costs, rated)
	}
}

// closed reports whether a series has closed by a day: its last row is more than 7 days before the day and the cutoff.
func (m *saversMarket) closed(of oracle.Series, asOf int) bool {
	last := m.rows[of][len(m.rows[of])-1].day
	return min(asOf, m.cutoff)-last > 7
}

// savers is how many savers are drawn.
const savers = 1000

func TestAThousandSaversEarnWhatTheirQuotasSay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market := newSaversMarket(t)
	asking, all := savers, market.all() // how many ask the server too
	if testing.Short() {
		asking = 100
	}
	random := rand.New(rand.NewPCG(1, 2026))
	tried, faulty := map[string]int{}, 0
	for i := range savers {
		s := market.randomSaver(random, all)
		body, err := json.Marshal(s)
		must(t, err)
		results := map[string]result{"computed": market.computed(s)}
		if i < asking {
			got := m.sendPortfolio(t, "application/json", string(body))
			wantStatus(t, got, http.StatusOK)
			results["answered"] = answered(decode[saved.Reply](t, got))
		}
		for by, got := range results {
			if problems := market.check(s, got); len(problems) > 0 {
				t.Errorf("saver %d, %s: %s\n%s", i, by, body, strings.Join(problems, "\n"))
				if faulty++; faulty == 5 {
					t.FailNow()
				}
			}
			for name, figure := range map[string]savings.Figure{"value": got.total.Value, "money": got.total.MoneyWeighted,
				"time": got.total.TimeWeighted, "real time": got.total.RealTime, "costs": got.total.Costs.Amount} {
				if figure.Value == nil {
					name = *figure.Reason
				}
				tried[by+" "+name]++
			}
			for _, h := range got.holdings {
				for name, as := range map[string]savings.Comparison{"family": h.Family, "cheapest": h.Cheapest} {
					if as.EndValue.Value == nil {
						name += " " + *as.EndValue.Reason
					} else if s.asOf > market.cutoff {
						name += " after the cutoff"
					}
					tried[by+" "+name]++
				}
			}
			tried[by+" refused"] += len(slices.DeleteFunc(got.reasons, func(reason string) bool { return reason == "" }))
		}
	}
	t.Log(tried)
	for name, least := range map[string]int{"value": 500, "money": 400, "time": 400, "costs": 500, "refused": 500,
		"known_discontinuity": 20, "stale_end_quote": 50, savings.Under30Days: 5} {
		if tried["computed "+name] < least {
			t.Errorf("%s occurs %d times, want at least %d: %v", name, tried["computed "+name], least, tried)
		}
	}
	for _, name := range []string{"value", "money", "time", "real time", "costs", "refused", "known_discontinuity",
		"family", "family after the cutoff", "family no_index", "cheapest"} {
		if tried["answered "+name] == 0 {
			t.Errorf("no answer has %s: %v", name, tried)
		}
	}
}

// sendPortfolio posts a body, and checks that the reply conforms to the document.
func (r *rig) sendPortfolio(t *testing.T, kind, body string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, saved.Path, strings.NewReader(body))
	request.Header.Set("X-Api-Key", r.key)
	request.Header.Set("Content-Type", kind)
	got := serve(r.Handler(), request)
	ours.Conforms(t, request, got.status, got.header, got.body)
	return got
}

func TestAWrongPortfolioIsRefusedByTheNameOfItsField(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	const good = `{"movements": [{"series": "201", "date": "2026-07-30", "kind": "buy", "amount": 1000}]}`
	got := r.sendPortfolio(t, "application/json", good)
	wantStatus(t, got, http.StatusOK)
	if got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag") != "" {
		t.Errorf("the reply may be kept: %v", got.header)
	}
	for change, want := range map[string]string{
		`"buy">"keep"`:               "body.movements.0.kind:literal_error",
		`"2026-07-30">"2026-02-30"`:  "body.movements.0.date:date_parsing",
		`1000>0`:                     "body.movements.0:value_error",
		`1000>-1`:                    "body.movements.0:value_error",
		`1000>1e300`:                 "body.movements.0:value_error",
		`1000>1000, "quotas": 2`:     "body.movements.0:value_error",
		`"amount": 1000>"all": true`: "body.movements.0:value_error",
		`"201">""`:                   "body.movements.0.series:value_error",
		`1000>"x"`:                   "body.movements.amount:value_error",
		`"amount">"amounts"`:         "body:value_error",
		`]}>], "csv": "2026-07-30;201;compra;1"}`:        "body:value_error",
		`]}>], "as_of_date": "2099-07-30"}`:              "body.as_of_date:date_parsing",
		`]}>], "as_of_date": "1970-12-31"}`:              "body.as_of_date:date_parsing",
		`]}>]} {}`:                                       "body:value_error",
		good + `>{"csv": "2026-07-30;201;compra;1,000"}`: "body.csv.1:ambiguous",
		good + `>{"csv": "\n2026-07-30;201;regalo;1"}`:   "body.csv.2:kind",
		good + `>{"csv": ""}`:                            "body.csv:value_error",
		good + `>[]`:                                     "body:value_error",
	} {
		from, to, _ := strings.Cut(change, ">")
		got := r.sendPortfolio(t, "application/json", strings.Replace(good, from, to, 1))
		wantStatus(t, got, http.StatusUnprocessableEntity)
		if found := got.violations(t); len(found) != 1 || found[0] != want {
			t.Errorf("%s: %v, want %s", change, found, want)
		}
	}
	got = r.sendPortfolio(t, "text/csv", "2026-07-30;201;compra;1000")
	wantStatus(t, got, http.StatusUnprocessableEntity)
	const sale = `{"series":"1","date":"2026-01-01","kind":"sell","all":true}`
	many := `{"movements": [` + strings.Repeat(sale+",", 500) + sale + `]}`
	wantStatus(t, r.sendPortfolio(t, "application/json", many), http.StatusUnprocessableEntity)
	wantStatus(t, r.sendPortfolio(t, "application/json", many+strings.Repeat(" ", 64<<10)),
		http.StatusRequestEntityTooLarge)
	var series []string
	for i := range 51 {
		series = append(series, strings.Replace(sale, `"1"`, fmt.Sprintf(`"%d"`, i), 1))
	}
	wantStatus(t, r.sendPortfolio(t, "application/json", `{"movements": [`+strings.Join(series, ",")+`]}`),
		http.StatusUnprocessableEntity)
	old := r.sendPortfolio(t, "application/json", strings.Replace(good, `]}`,
		`, {"series": "201", "date": "1900-01-01", "kind": "buy", "quotas": 1}], "as_of_date": "1971-01-01"}`, 1))
	wantStatus(t, old, http.StatusOK)
	if reply := decode[saved.Reply](t, old); reply.Meta.Refused != 2 {
		t.Errorf("%d movements are refused, want both", reply.Meta.Refused)
	}
}
