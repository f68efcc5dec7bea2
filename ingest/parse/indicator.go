package parse

import "cuota/model"

// Both indicators are published before the days on which they apply, at most so many
// days.
const (
	ufAhead    = 40 // days; on the 9th of a month, up to the 9th of the next
	dolarAhead = 7  // days; on the business day before, over long holidays
)

// indicatorFormat reads the UF or the dólar observado, in CLP.
func indicatorFormat(dataset model.Dataset, ahead int) *format {
	return &format{
		columns:   []string{"fecha", "valor"},
		key:       []int{0},
		separator: ',',
		ahead:     ahead,
		parse: func(r *row) (model.Event, model.Date) {
			indicator := &model.Indicator{
				Source: r.source,
				Code:   string(dataset),
				Date:   r.day(0, model.ParseDate),
				Value:  r.number(1, indicatorShape),
			}
			return indicator, indicator.Date
		},
	}
}
