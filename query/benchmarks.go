package query

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// benchmarks lists the benchmarks with which families are compared, by family.
var benchmarks = endpoint[struct{}]{
	path:   "/api/benchmarks",
	answer: answerBenchmarks,
}

// benchmarkPrices gives the closing prices of a family's benchmark, oldest first, in the
// currency in which they were quoted. The caller converts them. The name of the family may be
// in any case, with or without accents.
var benchmarkPrices = endpoint[benchmarkPricesParams]{
	path:   "/api/benchmarks/{family_rar}/prices",
	answer: answerBenchmarkPrices,
}

type benchmarkPricesParams struct {
	Family string    `path:"family_rar" max:"200" example:"Accionario eeuu" doc:"familia_rar, percent-encoded, whatever case and accents"`
	From   dateParam `query:"from_date" null:"false" example:"2026-05-28" doc:"First day, inclusive, YYYY-MM-DD"`
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

func answerBenchmarks(ctx context.Context, r *request[struct{}]) (httpapi.Reply, error) {
	listed, err := rows[benchmark](ctx, r.pinned, "benchmarks")
	if err != nil {
		return httpapi.Reply{}, err
	}
	type item struct { // a benchmark has no id
		Type       string    `json:"type"`
		Attributes benchmark `json:"attributes"`
	}
	data := make([]item, len(listed))
	for i, b := range listed {
		data[i] = item{"benchmark", b}
	}
	return httpapi.JSON(struct {
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

func answerBenchmarkPrices(ctx context.Context, r *request[benchmarkPricesParams]) (httpapi.Reply, error) {
	found, err := rows[benchmark](ctx, r.pinned, "benchmark_of_family", sql.Arg("family_rar", r.params.Family))
	if err != nil {
		return httpapi.Reply{}, err
	}
	if len(found) == 0 {
		return httpapi.List([]benchmarkPrice{}, benchmarkMeta{Family: r.params.Family})
	}
	of := found[0]

	from := r.params.From.or(firstDay)
	type price struct {
		Date  time.Time       `ch:"date"`
		Close decimal.Decimal `ch:"close"`
	}
	prices, err := rows[price](ctx, r.pinned, "benchmark_prices", sql.Arg("symbol", of.Symbol), sql.Arg("from_date", from.String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	data := make([]benchmarkPrice, len(prices))
	for i, p := range prices {
		data[i] = benchmarkPrice{model.DateOf(p.Date), amount{p.Close}, of.Currency}
	}
	return httpapi.List(data, benchmarkMeta{of.Family, &of.Symbol, &of.Index, of.Instrument, &of.Currency, true})
}
