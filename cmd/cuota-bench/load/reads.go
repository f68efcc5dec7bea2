package load

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"cuota/model"
)

// maxCompared is the most series that compare accepts.
const maxCompared = 10

// DrawCompares draws n requests that each compare 1 to 10 series, always the same for the
// same market.
func DrawCompares(series []Series, n int) []string {
	random := rand.New(rand.NewPCG(5, 6))
	paths := make([]string, n)
	for i := range paths {
		ids := make([]string, 0, maxCompared)
		for _, at := range random.Perm(len(series))[:1+random.IntN(min(maxCompared, len(series)))] {
			ids = append(ids, strconv.FormatUint(uint64(series[at].ID), 10))
		}
		paths[i] = "/api/compare?series=" + strings.Join(ids, ",")
	}
	return paths
}

// DrawReturns draws n requests for the returns of a series, always the same for the same
// market.
func DrawReturns(series []Series, n int) []string {
	random := rand.New(rand.NewPCG(7, 8))
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf("/api/real_assets/%d/returns", series[random.IntN(len(series))].ID)
	}
	return paths
}

// DrawPastReturns draws n requests for the returns of a series at one of the 60 month ends up
// to last, always the same for the same series.
func DrawPastReturns(series []uint32, last model.Date, n int) []string {
	random := rand.New(rand.NewPCG(9, 10))
	paths := make([]string, n)
	for i := range paths {
		y, m, _ := last.Time().Date()
		monthEnd := model.NewDate(y, m+1-time.Month(random.IntN(60)), 0)
		paths[i] = fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s", series[random.IntN(len(series))], monthEnd)
	}
	return paths
}

// BothRankings returns the requests for the latest ranking of managers, by equity and by
// shareholders.
func BothRankings([]Series, int) []string {
	return []string{"/api/agf_stats/ranking?metric=patrimony", "/api/agf_stats/ranking?metric=shareholders"}
}
