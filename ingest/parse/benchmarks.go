package parse

import (
	"errors"
	"regexp"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// symbolForm allows no colon, because a colon separates family and symbol in a key.
var symbolForm = regexp.MustCompile(`^[A-Za-z0-9.^=_/-]{1,40}$`)

// benchmarkFormat reads the catalogue: the benchmark index of each family.
func benchmarkFormat() *format {
	return &format{
		columns: []string{
			"family_rar", "symbol", "index_name", "instrument_name", "native_currency", "asset_class", "active",
		},
		key:       []int{0, 1},
		separator: ',',
		parse: func(r *row) (model.Event, model.Date) {
			return &model.Benchmark{
				Source:         r.source,
				Kind:           model.KindBenchmark,
				FamilyRAR:      r.repaired(0),
				Symbol:         r.symbol(1),
				IndexName:      r.repairedText(2, 200),
				InstrumentName: r.repairedText(3, 200),
				NativeCurrency: r.oneOf(4, "USD", "CLP"),
				AssetClass:     r.repairedText(5, 40),
				Active:         r.yes(6),
			}, model.Date{}
		},
	}
}

// benchmarkPriceFormat reads closing prices, in the instruments' own currencies.
func benchmarkPriceFormat() *format {
	return &format{
		columns:   []string{"symbol", "date", "close"},
		key:       []int{0, 1},
		separator: ',',
		ahead:     oneDayAhead,
		parse: func(r *row) (model.Event, model.Date) {
			price := &model.BenchmarkPrice{
				Source: r.source,
				Kind:   model.KindBenchmarkPrice,
				Symbol: r.symbol(0),
				Date:   r.day(1, model.ParseDate),
				Close:  r.number(2, priceShape),
			}
			return price, price.Date
		},
	}
}

func (r *row) symbol(column int) string {
	if !symbolForm.MatchString(r.fields[column]) {
		r.fail(column, errors.New(excerpt.Quoted(r.fields[column])+
			" is not a symbol, expected 1 to 40 characters of letters, digits and . ^ = _ / -; correct the row"))
		return ""
	}
	return r.fields[column]
}
