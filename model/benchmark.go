package model

import "github.com/shopspring/decimal"

// The kinds of event that dataset benchmarks has.
const (
	KindBenchmark      = "benchmark"
	KindBenchmarkPrice = "price"
)

// Benchmark ties a family to the index that it is measured against and to the
// instrument whose price stands for the index.
type Benchmark struct {
	Source
	Kind           string `json:"kind" validate:"eq=benchmark"`
	FamilyRAR      string `json:"family_rar" validate:"required,max=200"` // as the return comparator writes it
	Symbol         string `json:"symbol" validate:"required,max=40"`
	IndexName      string `json:"index_name" validate:"required,max=200"`
	InstrumentName string `json:"instrument_name" validate:"max=200"`
	NativeCurrency string `json:"native_currency" validate:"oneof=USD CLP"`
	AssetClass     string `json:"asset_class" validate:"max=40"`
	Active         bool   `json:"active"`
}

// Key is the family and the symbol, which holds no colon.
func (b Benchmark) Key() string { return b.FamilyRAR + ":" + b.Symbol }

// BenchmarkPrice is the price of a benchmark's instrument at the close of a
// day, in its native currency and without any conversion.
type BenchmarkPrice struct {
	Source
	Kind   string          `json:"kind" validate:"eq=price"`
	Symbol string          `json:"symbol" validate:"required,max=40"`
	Date   Date            `json:"date"`
	Close  decimal.Decimal `json:"close" validate:"positive,quota"`
}

// Key is the symbol and the day.
func (p BenchmarkPrice) Key() string { return p.Symbol + ":" + p.Date.String() }
