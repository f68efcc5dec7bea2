package model

import (
	"fmt"
	"slices"
	"strings"
)

// Dataset names one kind of published file. The names must never change: they are
// arguments of commands, parts of topic names and values in tables.
type Dataset string

// The datasets that cuota reads.
const (
	Cartola           Dataset = "cartola"            // daily quota values and costs of every mutual-fund series
	Register          Dataset = "register"           // the regulator's register of mutual funds
	TACComparator     Dataset = "tac-comparator"     // synthetic TAC and investor class
	ReturnsComparator Dataset = "returns-comparator" // families, spheres (the regulator's scale of 1 to 5), official returns
	AAFM              Dataset = "aafm"               // the association's daily sheet: categories
	UF                Dataset = "uf"                 // unidad de fomento, CLP
	Dolar             Dataset = "dolar"              // dólar observado, CLP per USD
	FIRegister        Dataset = "fi-register"        // the register of investment funds
	TACMonthly        Dataset = "tac-monthly"        // real TAC of each series by month; the file has no RUN
	Holdings          Dataset = "holdings"           // portfolios at the close of a month
	FIValues          Dataset = "fi-values"          // daily book values of investment funds
	Benchmarks        Dataset = "benchmarks"         // families' indices, and their prices
	Article107s       Dataset = "article107"         // assessments of what regulations declare about article 107
	Events            Dataset = "events"             // factors, exchanges, renames, discontinuities, risk-free rates
	Vehicles          Dataset = "vehicles"           // which funds are exchange-traded
)

// Datasets lists every dataset in the order in which help texts show them.
var Datasets = []Dataset{
	Cartola, Register, TACComparator, ReturnsComparator, AAFM, UF, Dolar, FIRegister,
	TACMonthly, Holdings, FIValues, Benchmarks, Article107s, Events, Vehicles,
}

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
