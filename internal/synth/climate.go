package synth

import (
	"math"
	"math/rand/v2"

	"cuota/model"
)

// climate is what happens to all funds alike: the indicators, and each family's
// return of each day before costs.
type climate struct {
	families [][]gross // by day, by family
	uf       []indicator
	dolar    []indicator
	ufOn     map[model.Date]int64 // hundredths of a peso
	dolarOn  map[model.Date]int64 // each day's, or the last one before
}

// gross is a family's return of a day as its funds in pesos and those in
// dollars have it.
type gross struct{ pesos, dollars float64 }

type indicator struct {
	date  model.Date
	cents int64
}

const (
	firstUF, firstDolar = 30_000_00, 900_00
	// dolarLead is how many days the dólar begins before the market, so that its
	// first days have one even over a long weekend.
	dolarLead = 10
	// common is how much of a family's day is its mover's, the rest its own.
	common     = .8
	workedDays = 252
)

var rootOfYear = math.Sqrt(workedDays)

func newClimate(rng *rand.Rand, days []day) *climate {
	c := &climate{ufOn: map[model.Date]int64{}, dolarOn: map[model.Date]int64{}}
	c.drawUF(rng, days)
	changes := c.drawDolar(rng, days)
	c.families = make([][]gross, len(days))
	all := make([]gross, len(days)*len(families))
	for d := range days {
		row := all[d*len(families) : (d+1)*len(families)]
		var shocks [movers]float64
		for i := range shocks {
			shocks[i] = rng.NormFloat64()
		}
		shocks[santos] = .5*shocks[world] + .866*shocks[santos] // Santiago looks at the world
		for f := range families {
			row[f] = families[f].day(days[d], shocks, rng.NormFloat64(), changes[d])
		}
		c.families[d] = row
	}
	return c
}

// day gives the family's return of a day.
func (f *family) day(on day, shocks [movers]float64, own, dolar float64) gross {
	year := math.Log1p((f.year + f.tac) / 100)
	r := 0.
	switch {
	case f.mover == rates:
		r = year / on.yearDays
	case on.working:
		r = year / workedDays
	}
	if !on.working {
		return gross{r, r}
	}
	move := common*shocks[f.mover] + math.Sqrt(1-common*common)*own
	r += f.volatility / 100 / rootOfYear * move
	return gross{pesos: r + f.abroad*dolar, dollars: r}
}

// drawUF moves the UF by the inflation of a month, from each 9th to the next, up
// to the last day that would be known.
func (c *climate) drawUF(rng *rand.Rand, days []day) {
	last := days[len(days)-1].date
	if last.Time().Day() > 9 {
		last = last.AddDays(31)
	}
	last = last.AddDays(9 - last.Time().Day())
	value, month := float64(firstUF), inflation(rng)
	for date := days[0].date; date.Compare(last) <= 0; date = date.AddDays(1) {
		if date.Time().Day() == 10 {
			month = inflation(rng)
		}
		cents := int64(math.Round(value))
		c.uf = append(c.uf, indicator{date, cents})
		c.ufOn[date] = cents
		value *= 1 + month/30
	}
}

func inflation(rng *rand.Rand) float64 { return .003 + .0025*rng.NormFloat64() }

// drawDolar draws the dólar observado of working days and gives its change on
// each day of the market. It is drawn back to where it began, slowly.
func (c *climate) drawDolar(rng *rand.Rand, days []day) []float64 {
	changes := make([]float64, len(days))
	first := days[0].date.AddDays(-dolarLead)
	level, before := 0., int64(0)
	for i := range dolarLead + len(days) {
		date := first.AddDays(i)
		if working(date.Time()) {
			level += dolarVolatility*rng.NormFloat64() - .001*level
			cents := int64(math.Round(firstDolar * math.Exp(level)))
			c.dolar = append(c.dolar, indicator{date, cents})
			if before > 0 && i >= dolarLead {
				changes[i-dolarLead] = float64(cents)/float64(before) - 1
			}
			before = cents
		}
		c.dolarOn[date] = before
	}
	return changes
}
