package backtest

import (
	"math"

	"cuota/model"
)

// yearDays is the length of a year in growth rates.
const yearDays = 365

// period is the return of one calendar month of a run, with those of its references.
type period struct {
	Month
	first, last int     // indexes in the curve
	riskFree    float64 // return of the risk-free investment
}

// periods divides a curve into calendar months (section 6). benchmark and riskFree are levels
// by day, or nil.
func periods(curve []Day, riskFree []float64) (list []period) {
	for begin := 0; begin < len(curve)-1; {
		end := begin + 1
		for end < len(curve)-1 && !isMonthEnd(curve[end].Date) {
			end++
		}
		of := period{first: begin, last: end, Month: Month{
			Month: curve[end].Date, Return: curve[end].Value/curve[begin].Value - 1,
			Whole: isMonthEnd(curve[begin].Date) && isMonthEnd(curve[end].Date),
		}}
		if from, to := curve[begin].Benchmark, curve[end].Benchmark; from != nil && to != nil {
			change := *to / *from - 1
			of.Benchmark = &change
		}
		if riskFree != nil {
			of.riskFree = riskFree[end]/riskFree[begin] - 1
		}
		list = append(list, of)
		begin = end
	}
	return list
}

func isMonthEnd(day model.Date) bool { return day.AddDays(1).Time().Day() == 1 }

// statisticsOf computes the figures of section 6 from a curve that has at least one day.
func statisticsOf(run *performance, riskFree []float64) (Statistics, []Month) {
	curve := run.curve
	first, last := curve[0], curve[len(curve)-1]
	years := float64(last.Date.DaysSince(first.Date)) / yearDays
	out := Statistics{
		First: first.Date, Last: last.Date, TotalReturn: finiteOrNil(last.Value/first.Value - 1),
		CAGR:        growth(last.Value/first.Value, years),
		MaxDrawdown: drawdown(curve), Rolling12: []Month{}, Rolling36: []Month{}, Costs: run.portfolio.costs,
	}
	if first.Benchmark != nil && last.Benchmark != nil {
		out.BenchmarkTotal = finiteOrNil(*last.Benchmark / *first.Benchmark - 1)
		out.BenchmarkCAGR = growth(*last.Benchmark / *first.Benchmark, years)
	}
	out.Turnover = turnover(run, years)
	all := periods(curve, riskFree)
	months := make([]Month, len(all))
	var whole []period
	for i, of := range all {
		months[i] = of.Month
		if of.Whole {
			whole = append(whole, of)
		}
	}
	out.months(whole)
	return out, months
}

// months fills in the figures that are computed from whole months.
func (out *Statistics) months(whole []period) {
	n := len(whole)
	if n == 0 {
		return
	}
	returns, excess := make([]float64, n), make([]float64, n)
	var differences, up, upBenchmark, down, downBenchmark []float64
	hits := 0
	best, worst := whole[0].Month, whole[0].Month
	compared := true
	for i, of := range whole {
		returns[i], excess[i] = of.Return, of.Return-of.riskFree
		if of.Return > best.Return {
			best = of.Month
		}
		if of.Return < worst.Return {
			worst = of.Month
		}
		goal := 0.0
		if of.Benchmark == nil {
			compared = false
		} else {
			goal = *of.Benchmark
			differences = append(differences, of.Return-goal)
			switch {
			case goal > 0:
				up, upBenchmark = append(up, of.Return), append(upBenchmark, goal)
			case goal < 0:
				down, downBenchmark = append(down, of.Return), append(downBenchmark, goal)
			}
		}
		if of.Return > goal {
			hits++
		}
	}
	out.BestMonth, out.WorstMonth = &best, &worst
	out.HitRate = finiteOrNil(float64(hits) / float64(n))
	out.Volatility = finiteOrNil(deviation(returns) * math.Sqrt(12))
	if n >= 12 {
		out.Sharpe = finiteOrNil(mean(excess) / deviation(excess) * math.Sqrt(12))
		squares := 0.0
		for _, e := range excess {
			squares += min(e, 0) * min(e, 0)
		}
		out.Sortino = finiteOrNil(mean(excess) / math.Sqrt(squares/float64(n)) * math.Sqrt(12))
	}
	if compared {
		out.TrackingError = finiteOrNil(deviation(differences) * math.Sqrt(12))
		out.UpCapture = finiteOrNil(mean(up) / mean(upBenchmark))
		out.DownCapture = finiteOrNil(mean(down) / mean(downBenchmark))
	}
	out.Rolling12, out.Rolling36 = rolling(whole, 12), rolling(whole, 36)
}

// rolling returns the compounded return of each run of so many months.
func rolling(whole []period, months int) []Month {
	out := []Month{}
	for end := months; end <= len(whole); end++ {
		product, benchmark, compared := 1.0, 1.0, true
		for _, of := range whole[end-months : end] {
			product *= 1 + of.Return
			if of.Benchmark == nil {
				compared = false
				continue
			}
			benchmark *= 1 + *of.Benchmark
		}
		month := Month{Month: whole[end-1].Month.Month, Return: product - 1, Whole: true}
		if compared {
			month.Benchmark = finiteOrNil(benchmark - 1)
		}
		out = append(out, month)
	}
	return out
}

// drawdown returns the deepest fall of a curve; nil if it never fell.
func drawdown(curve []Day) *Drawdown {
	var out *Drawdown
	peak := curve[0]
	for _, day := range curve {
		if day.Value >= peak.Value {
			peak = day
			continue
		}
		if fall := day.Value/peak.Value - 1; out == nil || fall < out.Fall {
			out = &Drawdown{Fall: fall, Peak: peak.Date, Trough: day.Date}
		}
	}
	if out == nil {
		return nil
	}
	high := 0.0
	for _, day := range curve {
		switch {
		case day.Date == out.Peak:
			high = day.Value
		case day.Date.Compare(out.Trough) > 0 && day.Value >= high:
			recovered := day.Date
			out.Recovered = &recovered
			return out
		}
	}
	return out
}

// turnover is what was bought per year after the first rebalancing, as a part of the mean value.
func turnover(run *performance, years float64) *float64 {
	whole, values := 0.0, make([]float64, len(run.curve))
	for _, purchase := range run.portfolio.bought {
		if purchase.rebalancing > 0 {
			whole += purchase.amount
		}
	}
	for i, day := range run.curve {
		values[i] = day.Value
	}
	return finiteOrNil(whole / mean(values) / years)
}

// growth is the growth per year; nil below a year.
func growth(factor, years float64) *float64 {
	if years < 1 {
		return nil
	}
	return finiteOrNil(math.Pow(factor, 1/years) - 1)
}

// finiteOrNil returns nil for what is no finite number.
func finiteOrNil(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// mean is NaN for an empty list.
func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// deviation is the sample standard deviation; NaN for less than two numbers.
func deviation(list []float64) float64 {
	if len(list) < 2 {
		return math.NaN()
	}
	center, squares := mean(list), 0.0
	for _, x := range list {
		squares += (x - center) * (x - center)
	}
	return math.Sqrt(squares / float64(len(list)-1))
}
