package model

import "github.com/shopspring/decimal"

// Benchmarks is the dataset of families' indices and their prices.
const Benchmarks Dataset = "benchmarks"

// The kinds of event in dataset benchmarks.
const (
	KindBenchmark      = "benchmark"
	KindBenchmarkPrice = "price"
)

// Benchmark ties a family to the index that it is measured against and to the
// instrument whose price stands for the index.
type Benchmark struct {
	Source
	Kind           string `json:"kind" ch:"-" validate:"eq=benchmark"`
	FamilyRAR      string `json:"family_rar" validate:"required,max=200"` // as the return comparator spells it
	Symbol         string `json:"symbol" validate:"required,max=40"`
	IndexName      string `json:"index_name" validate:"required,max=200"`
	InstrumentName string `json:"instrument_name" validate:"max=200"`
	NativeCurrency string `json:"native_currency" validate:"oneof=USD CLP"`
	AssetClass     string `json:"asset_class" validate:"max=40"`
	Active         bool   `json:"active"`
}

// Key returns family:symbol. A symbol holds no colon.
func (b Benchmark) Key() string { return b.FamilyRAR + ":" + b.Symbol }

// BenchmarkPrice is the closing price of a benchmark's instrument on one day, in the
// instrument's native currency, not converted.
type BenchmarkPrice struct {
	Source
	Kind   string          `json:"kind" ch:"-" validate:"eq=price"`
	Symbol string          `json:"symbol" validate:"required,max=40"`
	Date   Date            `json:"date"`
	Close  decimal.Decimal `json:"close" decimals:"6" validate:"positive,quota"`
}

// Key returns symbol:date.
func (p BenchmarkPrice) Key() string { return p.Symbol + ":" + p.Date.String() }
