package operation

import (
	"bytes"
	"strconv"
)

// TACKindWords are the kinds of cost rates (RULES 2). Only synthetic rates include the
// costs of underlying funds; a source states them. The regulator's monthly sheet states the
// rates of kind stated. Rates of kind computed come from daily costs.
var TACKindWords = []string{"synthetic", "stated", "computed"}

// TACKindParam is one of these kinds, or empty if absent.
type TACKindParam string

// Choices implements httpapi.Choices.
func (TACKindParam) Choices() []string { return TACKindWords }

// TACKinds gives the kind of cost rate of each row of a list, as a JSON object by series id
// in the order of the rows. Each item is an encoded member of the object, or nil for a row
// without a rate, which has no member.
type TACKinds [][]byte

// TACKindOf encodes the member of one row.
func TACKindOf(id string, kind *string) []byte {
	if kind == nil {
		return nil
	}
	member := strconv.AppendQuote(nil, id)
	return strconv.AppendQuote(append(member, ':'), *kind)
}

// MarshalJSON implements json.Marshaler.
func (kinds TACKinds) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, member := range kinds {
		out = AppendTACKind(out, member)
	}
	return EndTACKinds(out), nil
}

// AppendTACKind appends a member and a comma.
func AppendTACKind(body, member []byte) []byte {
	if member == nil {
		return body
	}
	return append(append(body, member...), ',')
}

// EndTACKinds removes the last comma and closes the object.
func EndTACKinds(body []byte) []byte {
	return append(bytes.TrimSuffix(body, []byte(",")), '}')
}
