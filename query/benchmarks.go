package query

import (
	"context"
	"net/http"
	"time"

	"cuota/model"

	"github.com/shopspring/decimal"
)

// benchmarksOperation lists the benchmarks with which families are compared, by family.
func (s *Server) benchmarksOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/benchmarks", access: keyed, reads: anyBatch,
		answer: s.benchmarks,
	}
}

// benchmarkPricesOperation gives the closing prices of a family's benchmark, oldest first,
// in the currency in which they were quoted. The caller converts them. The name of the
// family may be in any case, with or without accents.
func (s *Server) benchmarkPricesOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/benchmarks/{family_rar}/prices", access: keyed, reads: anyBatch,
		params: []param{inPath(exact("family_rar", 200)), day("from_date")},
		answer: s.benchmarkPrices,
	}
}

// benchmark is the index of a family, and the instrument whose price represents it.
type benchmark struct {
	Family     string  `ch:"family_rar" json:"family_rar"`
	Symbol     string  `ch:"symbol" json:"symbol"`
	Index      string  `ch:"index_name" json:"index_name"`
	Instrument *string `ch:"instrument_name" json:"instrument_name"` // nil when the index itself is priced
	Currency   string  `ch:"native_currency" json:"native_currency"` // USD or CLP
	AssetClass *string `ch:"asset_class" json:"asset_class"`
}

func (s *Server) benchmarks(ctx context.Context, c *call) (reply, error) {
	listed, err := rows[benchmark](ctx, s.reader, "benchmarks", arg("batch", c.batch.Number))
	if err != nil {
		return reply{}, err
	}
	type item struct { // a benchmark has no id
		Type       string    `json:"type"`
		Attributes benchmark `json:"attributes"`
	}
	data := make([]item, len(listed))
	for i, b := range listed {
		data[i] = item{"benchmark", b}
	}
	return ok(struct {
		Data []item `json:"data"`
	}{data})
}

// benchmarkPrice is a close in its native currency.
type benchmarkPrice struct {
	Date     model.Date `json:"date"`
	Close    amount     `json:"close"`
	Currency string     `json:"currency"`
}

// benchmarkMeta says which benchmark the prices are of. For a family without a benchmark it
// has only the requested name.
type benchmarkMeta struct {
	Family       string  `json:"family_rar"`
	Symbol       *string `json:"symbol"`
	Index        *string `json:"index_name"`
	Instrument   *string `json:"instrument_name"`
	Currency     *string `json:"native_currency"`
	HasBenchmark bool    `json:"has_benchmark"`
}

func (s *Server) benchmarkPrices(ctx context.Context, c *call) (reply, error) {
	found, err := rows[benchmark](ctx, s.reader, "benchmark_of_family",
		arg("batch", c.batch.Number), arg("family_rar", c.text("family_rar")))
	if err != nil {
		return reply{}, err
	}
	if len(found) == 0 {
		return okList([]benchmarkPrice{}, benchmarkMeta{Family: c.text("family_rar")})
	}
	of := found[0]

	from := firstDay
	if date, given := c.date("from_date"); given {
		from = storable(date)
	}
	type price struct {
		Date  time.Time       `ch:"date"`
		Close decimal.Decimal `ch:"close"`
	}
	prices, err := rows[price](ctx, s.reader, "benchmark_prices",
		arg("batch", c.batch.Number), arg("symbol", of.Symbol), arg("from_date", from.String()))
	if err != nil {
		return reply{}, err
	}
	data := make([]benchmarkPrice, len(prices))
	for i, p := range prices {
		data[i] = benchmarkPrice{model.DateOf(p.Date), amount{p.Close}, of.Currency}
	}
	return okList(data, benchmarkMeta{of.Family, &of.Symbol, &of.Index, of.Instrument, &of.Currency, true})
}
