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

// TACKind is the kind of cost rate of a series; "" if it has no rate.
type TACKind struct{ SeriesID, Kind string }

// TACKindOf returns the kind of a series with this id.
func TACKindOf(id string, kind *string) TACKind { return TACKind{id, Value(kind)} }

// Encoded returns the member of a JSON object with the kind under the id, and nil for a series without a rate.
func (k TACKind) Encoded() []byte {
	if k.Kind == "" {
		return nil
	}
	member := strconv.AppendQuote(nil, k.SeriesID)
	return strconv.AppendQuote(append(member, ':'), k.Kind)
}

// TACKinds are the kinds of cost rate of the rows of a list. They are a JSON object by series id in the order of the
// rows. Rows without a rate have no member.
type TACKinds []TACKind

// ByID returns the kinds of the series that have a rate.
func (kinds TACKinds) ByID() map[string]string {
	byID := map[string]string{}
	for _, of := range kinds {
		if of.Kind != "" {
			byID[of.SeriesID] = of.Kind
		}
	}
	return byID
}

// MarshalJSON implements json.Marshaler.
func (kinds TACKinds) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, of := range kinds {
		out = AppendTACKind(out, of.Encoded())
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
