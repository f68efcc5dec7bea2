package funds

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// Benchmarks lists the benchmarks with which families are compared, by family.
var Benchmarks = operation.Endpoint[struct{}]{
	Path:   "/api/benchmarks",
	Answer: answerBenchmarks,
}

// BenchmarkPrices gives the closing prices of a family's benchmark, oldest first, in the
// currency in which they were quoted. The caller converts them. The name of the family may be
// in any case, with or without accents.
var BenchmarkPrices = operation.Endpoint[benchmarkPricesParams]{
	Path:   "/api/benchmarks/{family_rar}/prices",
	Answer: answerBenchmarkPrices, Table: benchmarkPricesTable, FromMemory: benchmarkPricesFromMemory, Parts: []batch.Loader{benchmarksPart},
}

type benchmarkPricesParams struct {
	Family string              `path:"family_rar" max:"200" example:"Accionario eeuu" doc:"familia_rar, percent-encoded, whatever case and accents"`
	From   operation.DateParam `query:"from_date" null:"false" example:"2026-05-28" doc:"First day, inclusive, YYYY-MM-DD"`
	operation.FormatParams
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

func answerBenchmarks(ctx context.Context, r *operation.Request[struct{}]) (httpapi.Reply, error) {
	listed, err := operation.Rows[benchmark](ctx, r.Pinned, "benchmarks")
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
	Date     model.Date       `json:"date"`
	Close    operation.Amount `json:"close"`
	Currency string           `json:"currency"`
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

func answerBenchmarkPrices(ctx context.Context, r *operation.Request[benchmarkPricesParams]) (httpapi.Reply, error) {
	found, err := operation.Rows[benchmark](ctx, r.Pinned, "benchmark_of_family", sql.Arg("family_rar", r.Params.Family))
	if err != nil {
		return httpapi.Reply{}, err
	}
	if len(found) == 0 {
		return httpapi.List([]benchmarkPrice{}, benchmarkMeta{Family: r.Params.Family})
	}
	of := found[0]

	from := r.Params.From.Or(operation.FirstDay)
	type price struct {
		Date  time.Time       `ch:"date"`
		Close decimal.Decimal `ch:"close"`
	}
	prices, err := operation.Rows[price](ctx, r.Pinned, "benchmark_prices", sql.Arg("symbol", of.Symbol), sql.Arg("from_date", from.String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	data := make([]benchmarkPrice, len(prices))
	for i, p := range prices {
		data[i] = benchmarkPrice{model.DateOf(p.Date), operation.Amount{Decimal: p.Close}, of.Currency}
	}
	return httpapi.List(data, of.meta())
}

// benchmarkPricesTable is the prices as a table, which has no rows for a family without a benchmark.
func benchmarkPricesTable(ctx context.Context, r *operation.Request[benchmarkPricesParams]) (operation.Table, error) {
	found, err := operation.Rows[benchmark](ctx, r.Pinned, "benchmark_of_family", sql.Arg("family_rar", r.Params.Family))
	var of benchmark
	if len(found) > 0 {
		of = found[0]
	}
	return operation.Table{Statement: "rows_benchmark_prices", Args: []any{sql.Arg("symbol", of.Symbol), sql.Arg("currency", of.Currency),
		sql.Arg("from_date", r.Params.From.Or(operation.FirstDay).String())}}, err
}

// meta says of which benchmark prices are.
func (b *benchmark) meta() benchmarkMeta {
	return benchmarkMeta{b.Family, &b.Symbol, &b.Index, b.Instrument, &b.Currency, true}
}

// closing is the closing price of a day, in millionths of its currency.
type closing struct {
	on         model.Date
	millionths int64
}

// heldBenchmarks are the benchmarks that are kept in memory.
type heldBenchmarks struct {
	families map[string]*benchmark // by the name of the family as it is written in the catalogue
	prices   map[string][]closing  // by symbol, in the order of days
}

// benchmarksPart keeps the benchmarks of families and their prices.
var benchmarksPart = batch.NewOptionalPart("benchmarks", func(ctx context.Context, s batch.Source) (heldBenchmarks, int, error) {
	type written struct {
		Written string `ch:"written"`
		benchmark
	}
	type history struct {
		Symbol string `ch:"symbol"`
		Lines  string `ch:"lines"`
	}
	held, size := heldBenchmarks{map[string]*benchmark{}, map[string][]closing{}}, 0
	families, err := operation.Rows[written](ctx, operation.PinnedBy(s), "benchmark_families")
	if err != nil {
		return held, 0, err
	}
	for _, of := range families {
		held.families[of.Written] = &of.benchmark
		size += 2 * int(unsafe.Sizeof(of)) // about half of it is behind pointers
	}
	histories, err := operation.Rows[history](ctx, operation.PinnedBy(s), "benchmark_histories")
	if err != nil {
		return held, 0, err
	}
	for _, of := range histories {
		line := rowbinary.NewReader(of.Lines)
		var prices []closing
		for line.More() {
			prices = append(prices, closing{line.Date(), line.Int64()})
		}
		if !slices.IsSortedFunc(prices, func(a, b closing) int { return a.on.Compare(b.on) }) {
			line.Fail(fmt.Errorf("the prices of %s do not ascend by day", of.Symbol))
		}
		if line.Err() != nil {
			return held, 0, &sql.ReadError{Statement: "benchmark_histories", Err: line.Err()}
		}
		held.prices[of.Symbol] = slices.Clip(prices)
		size += len(prices) * int(unsafe.Sizeof(closing{}))
	}
	return held, size, nil
})

// benchmarkPricesFromMemory answers for a family whose name is written as in the catalogue.
func benchmarkPricesFromMemory(r *operation.Request[benchmarkPricesParams]) (httpapi.Reply, bool, error) {
	held, there := benchmarksPart.Of(r.Batch)
	of, listed := held.families[r.Params.Family]
	if !there || !listed {
		return httpapi.Reply{}, false, nil
	}
	prices := held.prices[of.Symbol]
	first, _ := slices.BinarySearchFunc(prices, r.Params.From.Or(operation.FirstDay), func(p closing, from model.Date) int { return p.on.Compare(from) })
	data := make([]benchmarkPrice, len(prices)-first)
	for i, p := range prices[first:] {
		data[i] = benchmarkPrice{p.on, operation.Amount{Decimal: decimal.New(p.millionths, -6)}, of.Currency}
	}
	reply, err := httpapi.List(data, of.meta())
	return reply, true, err
}
