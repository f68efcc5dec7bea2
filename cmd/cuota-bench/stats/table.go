package stats

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Line is one line of the table.
type Line struct {
	Name             string
	Value, Reference Quantity
	Ratio            Stat
	Against          string // what the reference is, and other remarks
}

// Quantity is a measured number with its unit. Without a unit there is no number.
type Quantity struct {
	Stat
	Unit string
}

// Number returns a quantity that was measured once.
func Number(value float64, unit string) Quantity { return Quantity{Stat{Median: value}, unit} }

// Compare makes a line that compares two sides by one measure, which returns its numbers in
// unit.
func Compare(name string, value, reference []Reading, measure func(Reading) float64, unit, against string) Line {
	return Line{
		Name:  name,
		Value: Quantity{Of(value, measure), unit}, Reference: Quantity{Of(reference, measure), unit},
		Ratio: ratio(value, reference, measure), Against: against,
	}
}

// CompareMedians makes a line that compares two quantities that were not measured in the
// same rounds.
func CompareMedians(name string, value, reference Quantity, against string) Line {
	return Line{Name: name, Value: value, Reference: reference, Ratio: Stat{Median: value.Median / reference.Median},
		Against: against}
}

// CompareLatencies makes a line for the median and one for the 99th percentile of sorted
// latencies. name is given "p50" or "p99".
func CompareLatencies(value, reference []time.Duration, name func(quantile string) string, against string) []Line {
	var lines []Line
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50", 0.50}, {"p99", 0.99}} {
		millis := func(sorted []time.Duration) Quantity { return Number(1e3*Quantile(sorted, q.at).Seconds(), "ms") }
		lines = append(lines, CompareMedians(name(q.name), millis(value), millis(reference), against))
	}
	return lines
}

// String writes the median and the spread, in percent.
func (q Quantity) String() string {
	switch {
	case q.Unit == "":
		return "–"
	case q.Spread == 0:
		return Significant(q.Median) + " " + q.Unit
	}
	return fmt.Sprintf("%s %s ±%.0f %%", Significant(q.Median), q.Unit, 100*q.Spread)
}

// Significant formats a number with three significant digits, and larger integers in
// full.
func Significant(x float64) string {
	switch magnitude := math.Abs(x); {
	case magnitude >= 1000:
		return Thousands(x)
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

// Thousands formats a number without decimals, with commas between thousands.
func Thousands(x float64) string {
	digits := strconv.FormatFloat(x, 'f', 0, 64)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Report is the output of a run.
type Report struct {
	Machine string // lines about the machine and the load
	Rounds  int    // measured rounds of each side
	Lines   []Line
	Took    time.Duration
	Others  string // CPU share of other programs, if known
}

// Print writes the report. It fails if out does.
func (r Report) Print(out io.Writer) error {
	var text strings.Builder
	text.WriteString(r.Machine)
	fmt.Fprintf(&text, "rounds of each: %d, in turns, after one to warm up; ± is half of the rounds' range; a ratio "+
		"is the median of the rounds' ratios.\n\n", r.Rounds)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "FIGURE\tVALUE\tREFERENCE\tRATIO\tREFERENCE IS") // a strings.Builder never fails
	for _, l := range r.Lines {
		compared := "–"
		if l.Ratio.Median != 0 {
			compared = Significant(l.Ratio.Median)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.Value, l.Reference, compared, l.Against)
	}
	_ = table.Flush()
	fmt.Fprintf(&text, "\nMeasured in %s%s.\n", r.Took.Round(time.Second), r.Others)
	_, err := io.WriteString(out, text.String())
	return err
}
