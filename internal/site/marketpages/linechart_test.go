package marketpages

import (
	"testing"

	"cuota/internal/site/chart"
	"cuota/model"
)

func TestTheTableBehindAChartHasAtMostAHundredRows(t *testing.T) {
	first := model.NewDate(1990, 1, 15)
	for days, want := range map[int]int{0: 0, 1: 1, 17: 1, 18: 2, 400: 14, 3000: 100, 9000: 99, 20000: 55} {
		var points []chart.Point
		for i := range days {
			points = append(points, chart.Point{Day: first.AddDays(i), Value: 1})
		}
		ends := endsOf(points)
		if len(ends) != want || len(ends) > mostEnds {
			t.Errorf("%d days have %d rows, want %d", days, len(ends), want)
		}
		for i, end := range ends {
			if i+1 < len(ends) && points[end].Day.AddDays(1).Time().Day() != 1 {
				t.Errorf("%d days: %s is no end of a month", days, points[end].Day)
			}
		}
		if days > 0 && ends[len(ends)-1] != days-1 {
			t.Errorf("%d days: the last day is missing", days)
		}
	}
}
