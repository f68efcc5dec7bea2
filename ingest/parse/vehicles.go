package parse

import "cuota/model"

// vehiclesFormat reads the curated list of funds that are known to be exchange-traded,
// and of funds that are known not to be.
func vehiclesFormat() *format {
	return &format{
		columns:   []string{"run", "is_etf", "source_url", "source_sha256", "note"},
		key:       []int{0},
		separator: ',',
		parse: func(r *row) (model.Event, model.Date) {
			return &model.Vehicle{
				Source:   r.source,
				RUN:      r.run(0),
				ETF:      r.yes(1),
				Evidence: r.evidence(2, 3),
				Note:     r.text(4, 1000),
			}, model.Date{}
		},
	}
}
