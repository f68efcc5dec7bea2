package backtest

import (
	"fmt"
	"math/rand/v2"
)

// drawnCategories are the categories of which Random takes one, none more often than one.
var drawnCategories = []string{"", "", "", "money_market", "fixed_income", "balanced", "equity"}

// Random draws strategies that differ from a base in what is selected and how it is weighted: sort,
// order, number, groups, category, weights and the dates of rebalancing. The rest, as period, costs
// and benchmark, stays that of the base. Equal arguments give equal strategies, and a larger count
// begins with those of a smaller one. It fails with an *InvalidStrategy if the base does not fit
// any draw.
func Random(base Strategy, seed uint64, count int) ([]Strategy, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	drawn := make([]Strategy, 0, count)
	for i := range count {
		s := base
		s.Name = fmt.Sprintf("random %d of seed %d", i+1, seed)
		s.Sort = pick(random, Sorts[:len(Sorts)-1]) // the last one is id
		s.Order = pick(random, []string{"asc", "desc"})
		s.Top, s.Quantile = 1+random.IntN(30), 0
		if random.IntN(3) == 0 {
			s.Top, s.Quantile = 0, float64(1+random.IntN(10))/20
		}
		s.Within = ""
		if random.IntN(4) == 0 {
			s.Within, s.Top, s.Quantile = pick(random, []string{"family", "manager"}), 1+random.IntN(2), 0
		}
		s.Weights = pick(random, []string{"equal", "equal", "equity", "inverse_volatility"})
		s.Filter.Category = pick(random, drawnCategories)
		if random.IntN(3) == 0 && s.Rebalance == monthly {
			s.Rebalance = quarterly
		}
		complete, err := s.Complete()
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, complete)
	}
	return drawn, nil
}

func pick[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }
