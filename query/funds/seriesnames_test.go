package funds

import (
	"strings"
	"testing"

	"cuota/model"
)

func TestWhatASearchFindsIsSortedByLikenessOfTheFundThenByEquity(t *testing.T) {
	var hits []hit
	for _, h := range []struct {
		fund, serie string
		like        model.Likeness
		equity      float64 // 0: unknown
	}{
		{"small", "A", 2, 5}, {"large", "A", 2, 4}, {"closed", "A", 2, 0}, {"large", "B", 2, 6}, {"closed too", "A", 2, 0},
		{"meant", "A", 3, 1}, {"meant", "B", 2, 9}, {"small", "C", 2, 0},
	} {
		one := hit{&Searched{SeriesName: model.SeriesName{Fund: h.fund, Serie: h.serie}}, h.like}
		if h.equity > 0 {
			one.of.EquityCLP = &h.equity
		}
		hits = append(hits, one)
	}
	byFund(hits)
	var got []string
	for _, h := range hits {
		got = append(got, h.of.Fund+" "+h.of.Serie)
	}
	const want = "meant A, meant B, large B, large A, small A, small C, closed A, closed too A"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}
