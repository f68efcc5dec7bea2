package model

import (
	"fmt"
	"slices"
	"strings"
)

// Dataset names one kind of published file. The names must never change: they are
// arguments of commands, parts of topic names and values in tables. The constant of a
// dataset stands beside the type of its events.
type Dataset string

// Fact says which table holds the events of a dataset. A dataset with several kinds of
// events has one Fact for each kind.
type Fact struct {
	Dataset Dataset
	Kind    string // what the events state as their kind; empty if the dataset has only one
	Table   string
	Event   Event // the zero value of the events' type
}

// Facts lists the events of every dataset, in the order in which help texts show the
// datasets.
var Facts = []Fact{
	{Cartola, "", "fact_quota", Quota{}},
	{Register, "", "fact_fund", Fund{}},
	{TACComparator, "", "fact_tac", SyntheticTAC{}},
	{ReturnsComparator, "", "fact_official_return", OfficialReturn{}},
	{AAFM, "", "fact_aafm_daily", AAFMDaily{}},
	{UF, "", "fact_indicator", Indicator{}},
	{Dolar, "", "fact_indicator", Indicator{}},
	{FIRegister, "", "fact_investment_fund", InvestmentFund{}},
	{TACMonthly, "", "fact_monthly_tac", MonthlyTAC{}},
	{Holdings, "", "fact_holding", Holding{}},
	{FIValues, "", "fact_investment_value", InvestmentValue{}},
	{Benchmarks, KindBenchmark, "fact_benchmark", Benchmark{}},
	{Benchmarks, KindBenchmarkPrice, "fact_benchmark_price", BenchmarkPrice{}},
	{Article107s, "", "fact_article107", Article107{}},
	{Events, KindFactor, "fact_factor", Factor{}},
	{Events, KindExchange, "fact_exchange", Exchange{}},
	{Events, KindRename, "fact_rename", Rename{}},
	{Events, KindDiscontinuity, "fact_discontinuity", Discontinuity{}},
	{Events, KindRiskFree, "fact_risk_free", RiskFree{}},
	{Events, KindEnd, "fact_end", End{}},
	{Vehicles, "", "fact_vehicle", Vehicle{}},
}

// Datasets lists every dataset in the order of Facts.
var Datasets = func() (list []Dataset) {
	for _, fact := range Facts {
		if !slices.Contains(list, fact.Dataset) {
			list = append(list, fact.Dataset)
		}
	}
	return list
}()

// ParseDataset returns the dataset of that name. For an unknown name it fails, and the
// error lists the known ones.
func ParseDataset(name string) (Dataset, error) {
	if d := Dataset(name); slices.Contains(Datasets, d) {
		return d, nil
	}
	names := make([]string, len(Datasets))
	for i, d := range Datasets {
		names[i] = string(d)
	}
	return "", fmt.Errorf("unknown dataset %q; known are %s", name, strings.Join(names, ", "))
}

// Topic is the Kafka topic of the dataset's events: one message for each row, keyed by
// the row's natural key.
func (d Dataset) Topic() string { return "cuota." + string(d) }

// RejectTopic is the Kafka topic of the dataset's rejected rows, one message for each
// row.
func (d Dataset) RejectTopic() string { return d.Topic() + ".dlq" }

// ControlTopic is the Kafka topic of manifests and commands.
const ControlTopic = "cuota.control"
