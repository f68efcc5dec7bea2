package ingest

import "cuota/model"

// Both indicators are published ahead of the days they hold for.
const (
	ufAhead    = 40 // on the 9th of a month up to the 9th of the next
	dolarAhead = 7  // on the business day before, over long holidays
)

// indicatorFormat reads the UF or the dólar observado, in pesos.
func indicatorFormat(dataset model.Dataset, ahead int) *format {
	return &format{
		columns:   []string{"fecha", "valor"},
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
