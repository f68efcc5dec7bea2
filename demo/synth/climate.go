package synth

import (
	"math"
	"math/rand/v2"

	"cuota/model"
)

// climate is what all funds have in common: the indicators, and each family's daily returns
// before costs.
type climate struct {
	families [][]gross // by day, by family
	uf       []indicator
	dolar    []indicator
	ufOn     map[model.Date]int64 // hundredths of a peso
	dolarOn  map[model.Date]int64 // the value of each day, or the last one before it
}

// gross is the return of a family on a day, for its funds in pesos and for those in dollars.
type gross struct{ pesos, dollars float64 }

type indicator struct {
	date  model.Date
	cents int64
}

const (
	firstUF, firstDolar = 30_000_00, 900_00
	// dolarLead is how many days before the market the dólar begins, so that the first days of
	// the market have a value even after a long weekend.
	dolarLead = 10
	// common is the correlation of a family's daily return with its mover. The rest is the
	// family's own.
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
		shocks[santos] = .5*shocks[world] + .866*shocks[santos] // the Santiago market partly follows the world market
		for f := range families {
			row[f] = families[f].day(days[d], shocks, rng.NormFloat64(), changes[d])
		}
		c.families[d] = row
	}
	return c
}

// day returns the family's return on a day.
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

// drawUF draws the UF, which grows each day from one 9th to the next by the inflation of a
// month. It goes up to the last day whose UF would be known.
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

// drawDolar draws the dólar observado of working days and returns its change on each day of the
// market. The value slowly returns to its start.
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
