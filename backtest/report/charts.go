package report

import (
	"math"
	"slices"
	"strconv"

	"cuota/backtest"
	"cuota/internal/site/chart"
)

// tabledChart is a chart of the page with the values behind it.
type tabledChart struct {
	chart.Chart
	ThinnedNote string
	Table       grid
}

// The classes of lines in the style of the page.
const (
	portfolioLine = "portfolio"
	benchmarkLine = "benchmark"
)

// curve draws the value of the portfolio and its benchmark. It is nil without a curve.
func (p *page) curve(r *backtest.Result) *tabledChart {
	if len(r.Curve) == 0 {
		return nil
	}
	l := p.language
	own, other := chart.Line{Name: p.say("portfolio"), Class: portfolioLine}, chart.Line{Class: benchmarkLine}
	low, high := math.Inf(1), math.Inf(-1)
	for _, d := range r.Curve {
		own.Points = append(own.Points, chart.Point{Day: d.Date, Value: d.Value})
		low, high = min(low, d.Value), max(high, d.Value)
		if d.Benchmark != nil {
			other.Points = append(other.Points, chart.Point{Day: d.Date, Value: *d.Benchmark})
		}
	}
	first, last := r.Curve[0], r.Curve[len(r.Curve)-1]
	c := &tabledChart{Chart: chart.Chart{
		ID: "curve", Title: p.say("curve"), Unit: p.say("curve_unit"), Lines: p.withBenchmark(r, own, other),
		Axis: chart.Automatic, Language: l,
		Description: p.say("curve_description", l.Day(first.Date), l.Day(last.Date), l.Number(first.Value, 2),
			l.Number(last.Value, 2), l.Number(low, 2), l.Number(high, 2)),
		Label: chart.NumberLabels(l),
	}}
	c.Draw()
	c.ThinnedNote = p.thinnedNote(r, &c.Chart)
	ends, all := monthEnds(r.Curve, mostMonths)
	c.Table = grid{Caption: p.say("table_month_ends"),
		Columns: []string{p.say("date"), p.say("portfolio"), p.say("cash")}, Note: p.shortened(len(ends), all)}
	if len(c.Lines) > 1 {
		c.Table.Columns = append(c.Table.Columns, p.say("benchmark"))
	}
	for _, i := range ends {
		d := r.Curve[i]
		row := []string{l.Day(d.Date), l.Number(d.Value, 2), l.Number(d.Cash, 2)}
		if len(c.Lines) > 1 {
			row = append(row, l.Ratio(d.Benchmark))
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	return c
}

// withBenchmark adds the line of the benchmark, if it has points.
func (p *page) withBenchmark(r *backtest.Result, own, other chart.Line) []chart.Line {
	if len(other.Points) == 0 {
		return []chart.Line{own}
	}
	other.Name = p.say("benchmark")
	if r.Strategy.Benchmark != "" {
		other.Name += ": " + p.index(r.Strategy.Benchmark)
	}
	return []chart.Line{own, other}
}

// thinnedNote says that a chart of days has not all of them.
func (p *page) thinnedNote(r *backtest.Result, c *chart.Chart) string {
	if !c.Thinned() {
		return ""
	}
	return p.say("thinned", p.count(len(r.Curve)))
}

func (p *page) shortened(rows, all int) string {
	if rows == all {
		return ""
	}
	return p.say("table_shortened", p.count(rows), p.count(all))
}

// drawdown draws how far the portfolio is below its highest value so far.
func (p *page) drawdown(r *backtest.Result) *tabledChart {
	if len(r.Curve) == 0 {
		return nil
	}
	l := p.language
	own, other := chart.Line{Name: p.say("portfolio"), Class: portfolioLine}, chart.Line{Class: benchmarkLine}
	falls, otherFalls := make([]float64, len(r.Curve)), make([]*float64, len(r.Curve))
	var peak, otherPeak, deepest float64
	deepestDay := r.Curve[0].Date
	for i, d := range r.Curve {
		peak = max(peak, d.Value)
		falls[i] = fall(d.Value, peak)
		own.Points = append(own.Points, chart.Point{Day: d.Date, Value: falls[i]})
		if falls[i] < deepest {
			deepest, deepestDay = falls[i], d.Date
		}
		if d.Benchmark != nil {
			otherPeak = max(otherPeak, *d.Benchmark)
			f := fall(*d.Benchmark, otherPeak)
			otherFalls[i] = &f
			other.Points = append(other.Points, chart.Point{Day: d.Date, Value: f})
		}
	}
	c := &tabledChart{Chart: chart.Chart{
		ID: "drawdown", Title: p.say("drawdown"), Unit: p.say("drawdown_unit"), Lines: p.withBenchmark(r, own, other),
		FromZero: true, Language: l, Label: chart.PercentLabels(l),
		Description: p.say("drawdown_description", l.Day(r.Curve[0].Date), l.Day(r.Curve[len(r.Curve)-1].Date),
			l.Percent(deepest, 1), l.Day(deepestDay)),
	}}
	if d := r.Statistics.MaxDrawdown; d != nil && d.Fall < 0 {
		c.Marks = []chart.Mark{{At: chart.Point{Day: d.Trough, Value: d.Fall},
			Text: l.Percent(d.Fall, 1) + ", " + l.Day(d.Trough)}}
		p.DrawdownSays = p.say("drawdown_says", l.Percent(d.Fall, 1), p.drawdownDates(d))
	} else if deepest == 0 {
		p.DrawdownSays = p.say("drawdown_flat")
	}
	c.Draw()
	c.ThinnedNote = p.thinnedNote(r, &c.Chart)
	ends, all := monthEnds(r.Curve, mostMonths)
	c.Table = grid{Caption: p.say("table_month_ends"), Columns: []string{p.say("date"), p.say("portfolio")},
		Note: p.shortened(len(ends), all)}
	if len(c.Lines) > 1 {
		c.Table.Columns = append(c.Table.Columns, p.say("benchmark"))
	}
	for _, i := range ends {
		row := []string{l.Day(r.Curve[i].Date), l.Percent(falls[i], 1)}
		if len(c.Lines) > 1 {
			row = append(row, l.Share(otherFalls[i], 1))
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	return c
}

func fall(value, peak float64) float64 {
	if peak <= 0 {
		return 0
	}
	return value/peak - 1
}

// rolling draws the rolling returns, or says how many months are missing.
func (p *page) rolling(r *backtest.Result) {
	whole := 0
	for _, m := range r.Months {
		if m.Whole {
			whole++
		}
	}
	for _, runs := range []struct {
		length int
		of     []backtest.Month
	}{{12, r.Statistics.Rolling12}, {36, r.Statistics.Rolling36}} {
		if len(runs.of) == 0 {
			p.RollingNone = append(p.RollingNone, p.say("rolling_of", strconv.Itoa(runs.length))+". "+
				p.say("rolling_none", p.count(whole), p.count(runs.length)))
			continue
		}
		p.Rolling = append(p.Rolling, p.rollingChart(r, runs.length, runs.of))
	}
}

func (p *page) rollingChart(r *backtest.Result, length int, months []backtest.Month) *tabledChart {
	l, number := p.language, strconv.Itoa(length)
	own, other := chart.Line{Name: p.say("portfolio"), Class: portfolioLine}, chart.Line{Class: benchmarkLine}
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range months {
		own.Points = append(own.Points, chart.Point{Day: m.Month, Value: m.Return})
		low, high = min(low, m.Return), max(high, m.Return)
		if m.Benchmark != nil {
			other.Points = append(other.Points, chart.Point{Day: m.Month, Value: *m.Benchmark})
		}
	}
	c := &tabledChart{Chart: chart.Chart{
		ID: "rolling-" + number, Title: p.say("rolling_of", number), Unit: p.say("rolling_unit", number),
		Lines: p.withBenchmark(r, own, other), Language: l, Label: chart.PercentLabels(l),
		Description: p.say("rolling_describes", l.Day(months[0].Month), l.Day(months[len(months)-1].Month),
			l.Percent(low, 1), l.Percent(high, 1)),
	}}
	c.Draw()
	newest := months[max(0, len(months)-mostMonths):]
	c.Table = grid{Caption: p.say("table_months"), Columns: []string{p.say("date"), p.say("portfolio")},
		Note: p.shortened(len(newest), len(months))}
	if len(c.Lines) > 1 {
		c.Table.Columns = append(c.Table.Columns, p.say("benchmark"))
	}
	for _, m := range newest {
		row := []string{l.Day(m.Month), l.Percent(m.Return, 1)}
		if len(c.Lines) > 1 {
			row = append(row, l.Share(m.Benchmark, 1))
		}
		c.Table.Rows = append(c.Table.Rows, row)
	}
	return c
}

// calendar is the grid of monthly returns.
type calendar struct {
	Months       []string
	Years        []calendarYear
	Strong, Deep string // from these returns on colours are stronger
	Incomplete   bool
}

type calendarYear struct {
	Year  string
	Cells []calendarCell
	Total calendarCell
}

type calendarCell struct{ Month, Text, Class string }

// calendar puts the months into a grid.
func (p *page) calendar(months []backtest.Month) calendar {
	if len(months) == 0 {
		return calendar{}
	}
	l := p.language
	names := l.MonthNames()
	c := calendar{Months: names[:]}
	strong := strongFrom(months)
	c.Strong, c.Deep = l.Percent(strong, 1), l.Percent(2*strong, 1)
	years := map[int]*calendarYear{}
	totals := map[int]float64{}
	first, last := months[0].Month.Time().Year(), months[0].Month.Time().Year()
	for _, m := range months {
		year, month, _ := m.Month.Time().Date()
		first, last = min(first, year), max(last, year)
		if years[year] == nil {
			years[year] = &calendarYear{Year: strconv.Itoa(year), Cells: make([]calendarCell, 12)}
			for i := range years[year].Cells {
				years[year].Cells[i].Month = names[i]
			}
			totals[year] = 1
		}
		cell := &years[year].Cells[month-1]
		cell.Text, cell.Class = l.Number(m.Return*100, 1), shade(m.Return, strong)
		if !m.Whole {
			cell.Text += "*"
			c.Incomplete = true
		}
		totals[year] *= 1 + m.Return
	}
	for year := last; year >= first; year-- {
		if y := years[year]; y != nil {
			y.Total = calendarCell{Month: p.say("year"), Text: l.Number((totals[year]-1)*100, 1)}
			c.Years = append(c.Years, *y)
		}
	}
	return c
}

// strongFrom chooses from which return on colours are stronger: a round number that about half
// of the months reach.
func strongFrom(months []backtest.Month) float64 {
	sizes := make([]float64, len(months))
	for i, m := range months {
		sizes[i] = math.Abs(m.Return)
	}
	slices.Sort(sizes)
	median := sizes[len(sizes)/2]
	for _, strong := range []float64{.1, .05, .03, .02, .01, .005, .002} {
		if strong <= median {
			return strong
		}
	}
	return .001
}

// shade returns the class of a cell: down3 to up3, or none for what is shown as 0.
func shade(value, strong float64) string {
	direction := "up"
	if value < 0 {
		direction = "down"
	}
	switch size := math.Abs(value); {
	case size < .0005:
		return "level"
	case size < strong:
		return direction + "1"
	case size < 2*strong:
		return direction + "2"
	}
	return direction + "3"
}
