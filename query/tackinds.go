package query

import (
	"bytes"
	"strconv"
)

// tacKindWords are the kinds of cost rates (RULES 2). Only synthetic rates include the
// costs of underlying funds; a source states them. The regulator's monthly sheet states the
// rates of kind stated. Rates of kind computed come from daily costs.
var tacKindWords = []string{"synthetic", "stated", "computed"}

// tacKindParam is one of these kinds, or empty if absent.
type tacKindParam string

// Choices implements httpapi.Choices.
func (tacKindParam) Choices() []string { return tacKindWords }

// tacKinds gives the kind of cost rate of each row of a list, as a JSON object by series id
// in the order of the rows. Each item is an encoded member of the object, or nil for a row
// without a rate, which has no member.
type tacKinds [][]byte

// tacKindOf encodes the member of one row.
func tacKindOf(id string, kind *string) []byte {
	if kind == nil {
		return nil
	}
	member := strconv.AppendQuote(nil, id)
	return strconv.AppendQuote(append(member, ':'), *kind)
}

// MarshalJSON implements json.Marshaler.
func (kinds tacKinds) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, member := range kinds {
		out = appendTACKind(out, member)
	}
	return endTACKinds(out), nil
}

// appendTACKind appends a member and a comma.
func appendTACKind(body, member []byte) []byte {
	if member == nil {
		return body
	}
	return append(append(body, member...), ',')
}

// endTACKinds removes the last comma and closes the object.
func endTACKinds(body []byte) []byte {
	return append(bytes.TrimSuffix(body, []byte(",")), '}')
}
