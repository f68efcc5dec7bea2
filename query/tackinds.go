package query

import (
	"bytes"
	"strconv"
)

// tacKindWords are the quantities that a cost rate can be (RULES 2): synthetic
// ones are stated and count the costs of underlying funds; the others do not, and
// are stated by the regulator's monthly sheet or computed from daily costs.
var tacKindWords = []string{"synthetic", "stated", "computed"}

// tacKinds tells which quantity the cost rate of each row of a list is, as an object
// by series id in the order of the rows. Each entry is a member of the object,
// encoded; nil for a row without a rate, which the object leaves out.
type tacKinds [][]byte

// tacKindOf gives the member of a row.
func tacKindOf(id string, kind *string) []byte {
	if kind == nil {
		return nil
	}
	member := strconv.AppendQuote(nil, id)
	return strconv.AppendQuote(append(member, ':'), *kind)
}

// MarshalJSON writes the object.
func (kinds tacKinds) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, member := range kinds {
		out = appendTACKind(out, member)
	}
	return endTACKinds(out), nil
}

// appendTACKind appends a member and the comma behind it.
func appendTACKind(body, member []byte) []byte {
	if member == nil {
		return body
	}
	return append(append(body, member...), ',')
}

// endTACKinds closes the object.
func endTACKinds(body []byte) []byte {
	return append(bytes.TrimSuffix(body, []byte(",")), '}')
}
