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
var Benchmarks = operation.Endpoint[struct{}, BenchmarkList]{
	Path: "/api/benchmarks",
	Find: findBenchmarks,
}

// BenchmarkPrices answers with the closing prices of a family's benchmark, oldest first, in the
// currency in which they were quoted. The caller converts them. The name of the family may be
// in any case, with or without accents.
var BenchmarkPrices = operation.Endpoint[benchmarkPricesParams, BenchmarkHistory]{
	Path: "/api/benchmarks/{family_rar}/prices",
	Find: findBenchmarkPrices, Known: knownBenchmarkPrices, Table: benchmarkPricesTable,
	Parts: []batch.Loader{benchmarksPart},
}

type benchmarkPricesParams struct {
	Family string              `path:"family_rar" max:"200" example:"Accionario eeuu" doc:"Family of the regulator (familia_rar), percent-encoded, ignoring case and accents"`
	From   operation.DateParam `query:"from_date" null:"false" example:"2026-05-28" doc:"First day, inclusive, YYYY-MM-DD"`
	operation.FormatParams
}

// Benchmark is the index of a family, and the instrument whose price represents it.
type Benchmark struct {
	Family     string  `ch:"family_rar" json:"family_rar"`
	Symbol     string  `ch:"symbol" json:"symbol"`
	Index      string  `ch:"index_name" json:"index_name"`
	Instrument *string `ch:"instrument_name" json:"instrument_name"` // nil when the index itself is priced
	Currency   string  `ch:"native_currency" json:"native_currency"` // USD or CLP
	AssetClass *string `ch:"asset_class" json:"asset_class"`
}

// Entry is an item that has no id. A is the type of its attributes.
type Entry[A any] struct {
	Type       string `json:"type"`
	Attributes A      `json:"attributes"`
}

// BenchmarkList is the reply of Benchmarks.
type BenchmarkList struct {
	Data []Entry[Benchmark] `json:"data"`
}

func findBenchmarks(ctx context.Context, r *operation.Request[struct{}]) (BenchmarkList, error) {
	listed, err := operation.Rows[Benchmark](ctx, r.Pinned, "benchmarks")
	list := BenchmarkList{make([]Entry[Benchmark], len(listed))}
	for i, b := range listed {
		list.Data[i] = Entry[Benchmark]{"benchmark", b}
	}
	return list, err
}

// BenchmarkHistory is the reply of BenchmarkPrices.
type BenchmarkHistory = httpapi.List[BenchmarkPrice, BenchmarkMeta]

// BenchmarkPrice is a close in its native currency.
type BenchmarkPrice struct {
	Date     model.Date       `json:"date"`
	Close    operation.Amount `json:"close"`
	Currency string           `json:"currency"`
}

// BenchmarkMeta says which benchmark the prices are of. For a family without a benchmark it
// has only the requested name.
type BenchmarkMeta struct {
	Family       string  `json:"family_rar"`
	Symbol       *string `json:"symbol"`
	Index        *string `json:"index_name"`
	Instrument   *string `json:"instrument_name"`
	Currency     *string `json:"native_currency"`
	HasBenchmark bool    `json:"has_benchmark"`
}

func findBenchmarkPrices(ctx context.Context, r *operation.Request[benchmarkPricesParams]) (BenchmarkHistory, error) {
	found, err := operation.Rows[Benchmark](ctx, r.Pinned, "benchmark_of_family",
		sql.Arg("family_rar", r.Params.Family))
	if err != nil {
		return BenchmarkHistory{}, err
	}
	if len(found) == 0 {
		return httpapi.ListOf([]BenchmarkPrice{}, BenchmarkMeta{Family: r.Params.Family}), nil
	}
	of := found[0]

	from := r.Params.From.Or(operation.FirstDay)
	type price struct {
		Date  time.Time       `ch:"date"`
		Close decimal.Decimal `ch:"close"`
	}
	prices, err := operation.Rows[price](ctx, r.Pinned, "benchmark_prices", sql.Arg("symbol", of.Symbol),
		sql.Arg("from_date", from.String()))
	if err != nil {
		return BenchmarkHistory{}, err
	}
	data := make([]BenchmarkPrice, len(prices))
	for i, p := range prices {
		data[i] = BenchmarkPrice{model.DateOf(p.Date), operation.Amount{Decimal: p.Close}, of.Currency}
	}
	return httpapi.ListOf(data, of.meta()), nil
}

// benchmarkPricesTable is the prices as a table, which has no rows for a family without a benchmark.
func benchmarkPricesTable(ctx context.Context, r *operation.Request[benchmarkPricesParams]) (operation.Table, error) {
	found, err := operation.Rows[Benchmark](ctx, r.Pinned, "benchmark_of_family",
		sql.Arg("family_rar", r.Params.Family))
	var of Benchmark
	if len(found) > 0 {
		of = found[0]
	}
	return operation.Table{Statement: "rows_benchmark_prices",
		Args: []any{sql.Arg("symbol", of.Symbol), sql.Arg("currency", of.Currency),
			sql.Arg("from_date", r.Params.From.Or(operation.FirstDay).String())}}, err
}

// meta says of which benchmark prices are.
func (b *Benchmark) meta() BenchmarkMeta {
	return BenchmarkMeta{b.Family, &b.Symbol, &b.Index, b.Instrument, &b.Currency, true}
}

// closing is the closing price of a day, in millionths of its currency.
type closing struct {
	on         model.Date
	millionths int64
}

// keptBenchmarks are the benchmarks that are kept in memory.
type keptBenchmarks struct {
	families map[string]*Benchmark // by the name of the family as it is written in the catalogue
	prices   map[string][]closing  // by symbol, in the order of days
}

// benchmarksPart keeps the benchmarks of families and their prices.
var benchmarksPart = batch.NewOptionalPart("benchmarks",
	func(ctx context.Context, s batch.Source) (keptBenchmarks, int, error) {
		type written struct {
			Written string `ch:"written"`
			Benchmark
		}
		type history struct {
			Symbol string `ch:"symbol"`
			Lines  string `ch:"lines"`
		}
		kept, size := keptBenchmarks{map[string]*Benchmark{}, map[string][]closing{}}, 0
		families, err := operation.Rows[written](ctx, operation.PinnedBy(s), "benchmark_families")
		if err != nil {
			return kept, 0, err
		}
		for _, of := range families {
			kept.families[of.Written] = &of.Benchmark
			size += 2 * int(unsafe.Sizeof(of)) // about half of it is behind pointers
		}
		histories, err := operation.Rows[history](ctx, operation.PinnedBy(s), "benchmark_histories")
		if err != nil {
			return kept, 0, err
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
				return kept, 0, &sql.ReadError{Statement: "benchmark_histories", Err: line.Err()}
			}
			kept.prices[of.Symbol] = slices.Clip(prices)
			size += len(prices) * int(unsafe.Sizeof(closing{}))
		}
		return kept, size, nil
	})

// knownBenchmarkPrices answers for a family whose name is written as in the catalogue.
func knownBenchmarkPrices(r *operation.Request[benchmarkPricesParams]) (BenchmarkHistory, bool, error) {
	kept, there := benchmarksPart.Of(r.Batch)
	of, listed := kept.families[r.Params.Family]
	if !there || !listed {
		return BenchmarkHistory{}, false, nil
	}
	prices := kept.prices[of.Symbol]
	first, _ := slices.BinarySearchFunc(prices, r.Params.From.Or(operation.FirstDay),
		func(p closing, from model.Date) int {
			return p.on.Compare(from)
		})
	data := make([]BenchmarkPrice, len(prices)-first)
	for i, p := range prices[first:] {
		data[i] = BenchmarkPrice{p.on, operation.Amount{Decimal: decimal.New(p.millionths, -6)}, of.Currency}
	}
	return httpapi.ListOf(data, of.meta()), true, nil
}
