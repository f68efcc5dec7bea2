package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// line is one line of the table.
type line struct {
	name             string
	value, reference quantity
	ratio            stat
	against          string // what the reference is, and other remarks
}

// quantity is a measured number with its unit. Without a unit there is no number.
type quantity struct {
	stat
	unit string
}

// compare makes a line that compares two sides by one measure.
func compare(name string, value, reference []reading, measure func(reading) float64, unit, against string) line {
	return line{
		name:  name,
		value: quantity{of(value, measure), unit}, reference: quantity{of(reference, measure), unit},
		ratio: ratio(value, reference, measure), against: against,
	}
}

func (q quantity) String() string {
	switch {
	case q.unit == "":
		return "–"
	case q.spread == 0:
		return significant(q.median) + " " + q.unit
	}
	return fmt.Sprintf("%s %s ±%.0f %%", significant(q.median), q.unit, 100*q.spread)
}

// significant formats a number with three significant digits, and larger integers in
// full.
func significant(x float64) string {
	switch magnitude := math.Abs(x); {
	case magnitude >= 1000:
		return thousands(x)
	case magnitude >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case magnitude >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case magnitude >= 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	default:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
}

func thousands(x float64) string {
	digits := strconv.FormatFloat(x, 'f', 0, 64)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// report is the output of a run.
type report struct {
	machine string
	config  config
	lines   []line
	took    time.Duration
	others  string // CPU share of other programs, if known
}

func (r report) print(out io.Writer) error {
	var text strings.Builder
	text.WriteString(r.machine)
	fmt.Fprintf(&text, "rounds of each: %d, in turns, after one to warm up; ± is half of the rounds' range; a ratio is the median of the rounds' ratios.\n\n", r.config.rounds)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "FIGURE\tVALUE\tREFERENCE\tRATIO\tREFERENCE IS") // a strings.Builder never fails
	for _, l := range r.lines {
		compared := "–"
		if l.ratio.median != 0 {
			compared = significant(l.ratio.median)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.name, l.value, l.reference, compared, l.against)
	}
	_ = table.Flush()
	fmt.Fprintf(&text, "\nMeasured in %s%s.\n", r.took.Round(time.Second), r.others)
	_, err := io.WriteString(out, text.String())
	return err
}
