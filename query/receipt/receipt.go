// Package receipt describes how a published number follows from lines of files: a rule, a formula, and inputs
// with the lines that state them. Packages of query make receipts of their own numbers, query/explain answers with
// them, and verify/receipt.py, which shares no code with this program, recomputes them.
package receipt

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"cuota/model"
)

// Receipt tells how a number follows from lines of files, or why there is no number.
type Receipt struct {
	Subject Subject `json:"subject"`
	Value   *string `json:"value"` // decimal text; nil where there is none
	Unit    string  `json:"unit"`
	Reason  *string `json:"reason"` // why Value is nil
	Rule    Rule    `json:"rule"`
	// Formula gives the value from the inputs. It is nil where there is no value.
	Formula *Formula `json:"formula"`
	Inputs  []Input  `json:"inputs"`
	// Peers are the series among which the value is a place or a rank; nil of other numbers.
	Peers *Peers `json:"peers,omitempty"`
}

// Identity says which series something is about.
type Identity struct {
	Series string `json:"series"` // id, of a subject as it was asked for
	RUN    string `json:"run"`    // of the fund, with check digit
	Names  []Name `json:"names"`  // of the series, the newest first
}

// Subject is the number that a receipt is of. It is about a series or, if Family is set, about a family, and its
// identity is then empty.
type Subject struct {
	Identity
	Family   *string    `json:"family"`
	Currency *string    `json:"currency"` // of an index: PESOS or DOLAR
	Field    string     `json:"field"`
	Date     model.Date `json:"date"`
	Window   *string    `json:"window"` // of a return
	// Of a return: accounting, the currency of the series; clp, pesos; or real_uf, pesos deflated by UF.
	Valuation *string `json:"valuation"`
	Basis     *string `json:"basis"` // of a return: price, or total with distributions reinvested
	Kind      *string `json:"kind"`  // of a cost rate: synthetic, stated or computed
}

// whose says of what the number is, for messages.
func (s Subject) whose() string {
	if s.Family != nil {
		return "family " + *s.Family
	}
	return "series " + s.Series
}

// Name is a name that a series has or had.
type Name struct {
	Serie string      `json:"serie"`
	From  *model.Date `json:"valid_from"`  // nil of the first name
	Until *model.Date `json:"valid_until"` // nil of the newest name
}

// Rule is the rule by which a number is computed.
type Rule struct {
	ID   string `json:"id"`   // anchor in docs/rules.md
	Text string `json:"text"` // in a sentence
	SQL  string `json:"sql"`  // statement that computes it
}

// Input is a value that a formula needs, with the lines that state it. Value is nil where no line states one that can
// be used.
type Input struct {
	Name   string      `json:"name"`
	Target *model.Date `json:"target"` // day for which a value was looked for; nil if only Date counts
	Date   *model.Date `json:"date"`   // of the value that stands for the target; nil if there is none
	Value  *string     `json:"value"`  // decimal text, as the line has it
	Unit   string      `json:"unit"`
	// The series that the value is of: of a return the one that is held on the day, where an exchange led to another
	// one, and of an index one of its members. nil: that of the subject.
	Held  *Identity `json:"held"`
	Lines []Line    `json:"lines"` // all that state the day, by publication; one counts
}

// NotFollowed reports whether an input is an exchange that the rule does not follow. What is held after it is not
// judged.
func (i *Input) NotFollowed() bool { return i.Name == "exchange" && i.Held == nil }

// Stop is the day of the exchange that is not followed; nil if there is none.
func Stop(inputs []Input) *model.Date {
	for i := range inputs {
		if inputs[i].NotFollowed() {
			return inputs[i].Date
		}
	}
	return nil
}

// Line is a line of a file.
type Line struct {
	Dataset   string     `json:"dataset"`
	File      *string    `json:"file"`
	SHA256    string     `json:"sha256"`
	Line      uint32     `json:"line"`
	Serie     *string    `json:"serie"` // name in the line; nil of a line about no series
	Value     *string    `json:"value"` // decimal text; nil where the line has none
	Void      bool       `json:"void"`  // its value can't be used
	Counts    bool       `json:"counts"`
	Published time.Time  `json:"published_at"` // UTC
	Seen      *time.Time `json:"seen_at"`      // UTC
}

// Formula is a closed expression over the inputs of a receipt.
type Formula struct {
	// input, number, sum, product, quotient, power, deviation, rounded, place or midrank
	Op     string    `json:"op"`
	Input  *int      `json:"input,omitempty"`  // position in the inputs
	Number string    `json:"number,omitempty"` // decimal text
	Field  string    `json:"field,omitempty"`  // of place and midrank: which values of the peers are compared
	Of     []Formula `json:"of,omitempty"`     // what the operation is applied to, in order
}

// In is the value of an input.
func In(position int) Formula { return Formula{Op: "input", Input: &position} }

// Number is a constant.
func Number(n int) Formula { return Formula{Op: "number", Number: strconv.Itoa(n)} }

// Decimal is a number as decimal text.
func Decimal(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// Sum is the sum of its parts.
func Sum(of ...Formula) Formula { return Formula{Op: "sum", Of: of} }

// Product is the product of its parts.
func Product(of ...Formula) Formula { return Formula{Op: "product", Of: of} }

// Quotient is a divided by b.
func Quotient(a, b Formula) Formula { return Formula{Op: "quotient", Of: []Formula{a, b}} }

// Power is a to the power of b.
func Power(a, b Formula) Formula { return Formula{Op: "power", Of: []Formula{a, b}} }

// Deviation is the sample standard deviation of its parts.
func Deviation(of ...Formula) Formula { return Formula{Op: "deviation", Of: of} }

// Rounded is a number rounded to a whole one, a half up.
func Rounded(of Formula) Formula { return Formula{Op: "rounded", Of: []Formula{of}} }

// Eval computes a formula over the inputs of a receipt, and its peers.
func (r *Receipt) Eval(f Formula) (float64, error) {
	var of []float64
	for _, part := range f.Of {
		value, err := r.Eval(part)
		if err != nil {
			return 0, err
		}
		of = append(of, value)
	}
	switch {
	case f.Op == "number":
		return strconv.ParseFloat(f.Number, 64)
	case f.Op == "input" && f.Input != nil && *f.Input >= 0 && *f.Input < len(r.Inputs):
		input := r.Inputs[*f.Input]
		if input.Value == nil {
			return 0, fmt.Errorf("the input %q has no value", input.Name)
		}
		return strconv.ParseFloat(*input.Value, 64)
	case f.Op == "sum":
		sum := 0.0
		for _, value := range of {
			sum += value
		}
		return sum, nil
	case f.Op == "product":
		product := 1.0
		for _, value := range of {
			product *= value
		}
		return product, nil
	case f.Op == "quotient" && len(of) == 2:
		return of[0] / of[1], nil
	case f.Op == "power" && len(of) == 2:
		return math.Pow(of[0], of[1]), nil
	case f.Op == "deviation" && len(of) > 1:
		return deviation(of), nil
	case f.Op == "rounded" && len(of) == 1:
		return math.Floor(of[0] + 0.5), nil
	case f.Op == "place" && len(of) == 1 && r.Peers != nil:
		place, _, err := r.Peers.compared(f.Field, of[0])
		return float64(place), err
	case f.Op == "midrank" && len(of) == 1 && r.Peers != nil:
		_, rank, err := r.Peers.compared(f.Field, of[0])
		return rank, err
	}
	return 0, fmt.Errorf("no formula: %s of %d", f.Op, len(of))
}

// deviation is the sample standard deviation of values.
func deviation(values []float64) float64 {
	mean, squares, n := 0.0, 0.0, float64(len(values))
	for _, value := range values {
		mean += value / n
	}
	for _, value := range values {
		squares += (value - mean) * (value - mean)
	}
	return math.Sqrt(squares / (n - 1))
}

// tolerance is by how much a receipt may differ from the number that it is of, as a fraction of it; below 1, as it is.
const tolerance = 1e-12

// SetValue sets the value of a receipt to a published number. It fails if the formula comes to another number.
func (r *Receipt) SetValue(published float64, by Formula) error {
	found, err := r.Eval(by)
	if err != nil {
		return fmt.Errorf("receipt of %s of %s at %s: %w", r.Subject.Field, r.Subject.whose(), r.Subject.Date, err)
	}
	if !near(found, published) {
		return fmt.Errorf("the receipt of %s of %s at %s comes to %v, and %v was published", r.Subject.Field,
			r.Subject.whose(), r.Subject.Date, found, published)
	}
	r.Value, r.Formula = new(Decimal(published)), &by
	return nil
}
