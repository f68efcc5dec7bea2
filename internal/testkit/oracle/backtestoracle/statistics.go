package backtestoracle

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Month is the return of a calendar month, or of the months that end with it.
type Month struct {
	End       time.Time
	From      time.Time // the day before which it begins
	Return    float64
	Benchmark *float64
	Whole     bool
}

// Drawdown is the deepest fall.
type Drawdown struct {
	Fall         float64
	Peak, Trough time.Time
	Recovered    time.Time // zero if it did not
}

// Statistics are the figures of section 6; nil where there is none.
type Statistics struct {
	First, Last                              time.Time
	Total, CAGR, Volatility, Sharpe, Sortino *float64
	Drawdown                                 *Drawdown
	HitRate, Turnover                        *float64
	BenchmarkTotal, BenchmarkCAGR            *float64
	TrackingError, UpCapture, DownCapture    *float64
	Best, Worst                              *Month
	Rolling12, Rolling36                     []Month
	Costs                                    float64
}

// levels returns the level of a benchmark in a currency on each day of a curve, 100 on the first; nil
// without one. A day without a value has the newest one before it, converted at the dollar of the day.
func (p *Prepared) levels(name, currency string, curve []Day) []float64 {
	kind, rest, _ := strings.Cut(name, ":")
	values, quoted := map[time.Time]float64{}, "PESOS"
	switch kind {
	case "":
		return nil
	case "rate":
		rate, err := strconv.ParseFloat(rest, 64)
		if err != nil {
			panic("backtestoracle: " + err.Error())
		}
		var levels []float64
		for i := range curve {
			levels = append(levels, 100*math.Pow(1+rate, float64(i)/365))
		}
		return levels
	case "uf":
		values = p.UF
	case "symbol":
		values, quoted = p.Symbols[rest].Prices, p.Symbols[rest].Currency
	case "family":
		at := strings.LastIndex(rest, ":")
		quoted = rest[at+1:]
		for _, point := range p.today.FamilyIndex(rest[:at], quoted) {
			values[point.Day] = point.Value
		}
	}
	newest := func(values map[time.Time]float64, day time.Time) float64 {
		found := time.Time{}
		for each := range values {
			if !each.After(day) && each.After(found) {
				found = each
			}
		}
		if found.IsZero() {
			return math.NaN()
		}
		return values[found]
	}
	var levels []float64
	base := math.NaN()
	for i, d := range curve {
		value := newest(values, d.Date)
		switch {
		case quoted == "DOLAR" && currency == "PESOS":
			value *= newest(p.Dollar, d.Date)
		case quoted == "PESOS" && currency == "DOLAR":
			value /= newest(p.Dollar, d.Date)
		}
		if i == 0 {
			base = value
		}
		if math.IsNaN(base) {
			return nil
		}
		levels = append(levels, 100*(value/base))
	}
	return levels
}

// months returns the monthly returns of a curve, with those of its benchmark.
func months(curve []Day, levels []float64) (list []Month) {
	from := 0
	for i := 1; i < len(curve); i++ {
		last := plus(curve[i].Date, 1).Day() == 1
		if !last && i < len(curve)-1 {
			continue
		}
		m := Month{
			End: curve[i].Date, From: curve[from].Date, Return: curve[i].Value/curve[from].Value - 1,
			Whole: last && plus(curve[from].Date, 1).Day() == 1,
		}
		if levels != nil {
			b := levels[i]/levels[from] - 1
			m.Benchmark = &b
		}
		list = append(list, m)
		from = i
	}
	return list
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// deviation returns the sample standard deviation, and false for less than two values.
func deviation(values []float64) (float64, bool) {
	if len(values) < 2 {
		return 0, false
	}
	center, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - center) * (v - center)
	}
	return math.Sqrt(squares / float64(len(values)-1)), true
}

func maybe(x float64, ok bool) *float64 {
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func cagr(last, first float64, over int) *float64 {
	return maybe(math.Pow(last/first, 365/float64(over))-1, over >= 365)
}

// statistics returns the figures of a curve.
func (p *Prepared) statistics(s Strategy, curve []Day, levels []float64,
	rebalancings []Rebalancing) (st Statistics, all []Month) {
	if len(curve) == 0 {
		return st, nil
	}
	n := len(curve)
	st.First, st.Last = curve[0].Date, curve[n-1].Date
	st.Total = maybe(curve[n-1].Value/curve[0].Value-1, true)
	st.CAGR = cagr(curve[n-1].Value, curve[0].Value, n-1)
	if levels != nil {
		st.BenchmarkTotal = maybe(levels[n-1]/100-1, true)
		st.BenchmarkCAGR = cagr(levels[n-1], 100, n-1)
	}
	all = months(curve, levels)
	free := p.levels(s.RiskFree, s.Currency, curve)

	var returns, excess, differences, up, upBenchmark, down, downBenchmark, whole []float64
	var run []Month
	hits := 0
	for i, m := range all {
		if !m.Whole {
			continue
		}
		run = append(run, m)
		returns = append(returns, m.Return)
		riskless := 0.0
		if free != nil {
			riskless = free[days(st.First, m.End)]/free[days(st.First, m.From)] - 1
		}
		excess = append(excess, m.Return-riskless)
		against := 0.0
		if m.Benchmark != nil {
			against = *m.Benchmark
			differences = append(differences, m.Return-against)
			if against > 0 {
				up, upBenchmark = append(up, m.Return), append(upBenchmark, against)
			}
			if against < 0 {
				down, downBenchmark = append(down, m.Return), append(downBenchmark, against)
			}
		}
		if m.Return > against {
			hits++
		}
		if st.Best == nil || m.Return > st.Best.Return {
			st.Best = &all[i]
		}
		if st.Worst == nil || m.Return < st.Worst.Return {
			st.Worst = &all[i]
		}
		whole = append(whole, m.Return)
	}
	sd, ok := deviation(returns)
	st.Volatility = maybe(sd*math.Sqrt(12), ok)
	if len(excess) >= 12 {
		sd, _ := deviation(excess)
		below := 0.0
		for _, e := range excess {
			below += math.Pow(min(e, 0), 2)
		}
		below = math.Sqrt(below / float64(len(excess)))
		st.Sharpe = maybe(mean(excess)/sd*math.Sqrt(12), sd > 0)
		st.Sortino = maybe(mean(excess)/below*math.Sqrt(12), below > 0)
	}
	st.HitRate = maybe(float64(hits)/float64(len(whole)), len(whole) > 0)
	sd, ok = deviation(differences)
	st.TrackingError = maybe(sd*math.Sqrt(12), ok)
	st.UpCapture = maybe(mean(up)/mean(upBenchmark), len(up) > 0)
	st.DownCapture = maybe(mean(down)/mean(downBenchmark), len(down) > 0)
	st.Rolling12, st.Rolling36 = rolling(run, 12), rolling(run, 36)
	st.Drawdown = deepest(curve)

	bought, level := 0.0, 0.0
	for i, r := range rebalancings {
		for _, t := range r.Trades {
			st.Costs += t.Cost
			if t.Kind == "buy" && i > 0 {
				bought += t.Amount
			}
		}
	}
	for _, d := range curve {
		level += d.Value / float64(n)
	}
	st.Turnover = maybe(bought/level/(float64(n-1)/365), n > 1)
	return st, all
}

// rolling compounds each run of so many months.
func rolling(list []Month, length int) (runs []Month) {
	for i := length; i <= len(list); i++ {
		m := Month{End: list[i-1].End, From: list[i-length].From, Whole: true}
		own, benchmark := 1.0, 1.0
		for _, each := range list[i-length : i] {
			own *= 1 + each.Return
			if each.Benchmark != nil {
				benchmark *= 1 + *each.Benchmark
			}
		}
		m.Return = own - 1
		if list[0].Benchmark != nil {
			m.Benchmark = maybe(benchmark-1, true)
		}
		runs = append(runs, m)
	}
	return runs
}

// deepest returns the deepest fall of a curve: the first one, below the highest value of any day
// until then, on its last day. It is nil if the curve never fell.
func deepest(curve []Day) *Drawdown {
	var found *Drawdown
	for i, low := range curve {
		high := curve[0]
		for _, d := range curve[:i+1] {
			if d.Value >= high.Value {
				high = d
			}
		}
		fall := low.Value/high.Value - 1
		if fall == 0 || found != nil && fall >= found.Fall {
			continue
		}
		found = &Drawdown{Fall: fall, Peak: high.Date, Trough: low.Date}
		for _, d := range curve[i+1:] {
			if d.Value >= high.Value && found.Recovered.IsZero() {
				found.Recovered = d.Date
			}
		}
	}
	return found
}
