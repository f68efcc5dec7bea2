package receipt

import (
	"fmt"
	"strings"
)

// Notation says how a formula is written.
type Notation struct {
	Minus, Times, Over string
	Names              map[string]string   // of operations that are written before their parts, as deviation
	Value              func(*Input) string // of an input that has a value
}

// mostParts is how many parts of a sum, a product or a deviation are written. Of more, the first and the last stand
// for all.
const mostParts = 6

// Left stands for the parts of a formula that are not written.
const Left = "…"

// binds says how much an operation binds. One that binds no more than the operation around it stands in parentheses.
var binds = map[string]int{"sum": 1, "product": 2, "quotient": 2, "power": 3}

// Written writes the formula of a receipt with the numbers of its inputs. It fails if the formula contradicts the
// inputs.
func (r *Receipt) Written(as Notation) (string, error) { return r.Formula.written(r.Inputs, as, 0) }

func (f *Formula) written(inputs []Input, as Notation, around int) (string, error) {
	switch {
	case f.Op == "number":
		return strings.Replace(f.Number, "-", as.Minus, 1), nil
	case f.Op == "input" && f.Input != nil && *f.Input >= 0 && *f.Input < len(inputs) && inputs[*f.Input].Value != nil:
		return as.Value(&inputs[*f.Input]), nil
	case binds[f.Op] == 0 && as.Names[f.Op] == "":
		return "", fmt.Errorf("its formula has the operation %q without what it needs", f.Op)
	}
	sign := map[string]string{"sum": " +", "product": " " + as.Times, "quotient": " " + as.Over, "power": " ^", "deviation": ";"}[f.Op]
	var text strings.Builder
	for i := range f.Of {
		if skipped := len(f.Of) > mostParts && i > 1 && i < len(f.Of)-1; skipped {
			if i == 2 {
				text.WriteString(sign + " " + Left)
			}
			continue
		}
		part, err := f.Of[i].written(inputs, as, binds[f.Op])
		if err != nil {
			return "", err
		}
		switch rest, negative := strings.CutPrefix(part, as.Minus); {
		case i == 0:
			text.WriteString(part)
		case negative && f.Op == "sum":
			text.WriteString(" " + as.Minus + " " + rest)
		default:
			text.WriteString(sign + " " + part)
		}
	}
	switch {
	case binds[f.Op] == 0:
		return as.Names[f.Op] + "(" + text.String() + ")", nil
	case binds[f.Op] <= around:
		return "(" + text.String() + ")", nil
	}
	return text.String(), nil
}

// Alike is how many inputs, from the first on, are of the same kind, and of the same series on several days or of
// several members of a family, so that they can be shown as one. It is 1 of an input that has its own name.
func Alike(inputs []Input) int {
	first := &inputs[0]
	n := 1
	for ; n < len(inputs); n++ {
		of := &inputs[n]
		if of.Name == first.Name && OfMember(of) {
			continue
		}
		if of.Name != first.Name || (of.Held == nil) != (first.Held == nil) ||
			of.Held != nil && of.Held.Series != first.Held.Series {
			break
		}
	}
	return n
}

// OfMember reports whether an input is of a member of a family.
func OfMember(of *Input) bool { return strings.HasPrefix(of.Name, "member_") }
