// Package figures measures the product and what it is compared with. Each figure has a
// file that says its name, how it is measured and its goal, if it has one; figures that
// differ only in their data share one. The other files are what figures have in common: the engine, the
// markets, the server and the program that are measured.
//
// To add a figure, write it in a new file and add it to All.
package figures

import (
	"context"
	"regexp"
	"strings"

	"cuota/internal/bench/report"
)

// Figure is one measurement.
type Figure struct {
	Name    string // by which -only selects it
	About   string // for the help
	measure func(context.Context, *bench) ([]report.Line, error)
}

// All lists all figures in the order in which they are measured. The stages come after
// the whole path because they are shown as shares of it.
func All() []Figure {
	return []Figure{
		fileToFacts, stageParse, stageWrite, stageRead, stageDecode, stageInsert,
		batchOfDemo, batchOfGenerated,
		batchOfYears, startOfYears, dayOfYears, walkOfYears, backtestOfYears, pastOfYears,
		daysOfSeries, idle,
		screener, compare, returns, pastReturns, ranking, pages,
		hostile, leases, overload, halfRate,
	}
}

// Selected returns the figures whose names match.
func Selected(only *regexp.Regexp) []Figure {
	var list []Figure
	for _, f := range All() {
		if only.MatchString(f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// Help describes each figure on a line.
func Help() string {
	var text strings.Builder
	for _, f := range All() {
		text.WriteString("  " + f.Name + strings.Repeat(" ", max(1, 17-len(f.Name))) + f.About + "\n")
	}
	return text.String()
}
