package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Objects reads calls of one operation from JSON objects, for an operation that answers many of them at once. The
// members of an object have the names of the parameters in the query string; P declares them.
type Objects[P any] struct {
	op      *Operation
	fields  []field
	check   func(*P) []Violation
	outside []string
}

// ObjectsOf reads calls of the operation on a path. check is as in NewOperation. An object may not have the parameters
// that are named outside, because they are chosen for the whole request.
func ObjectsOf[P any](path string, check func(*P) []Violation, outside ...string) Objects[P] {
	o := Objects[P]{op: &Operation{Path: path}, fields: fieldsOf[P](path), check: check, outside: outside}
	for _, f := range o.fields {
		o.op.Parameters = append(o.op.Parameters, f.Parameter)
	}
	return o
}

// Read reads one call from the text of a JSON object. It is a part of the whole call, with the same request and the
// same headers of the response. The place of each violation begins with at. A member that is null counts as absent. An
// unknown member is refused, because a misspelt filter would give a longer list.
func (o Objects[P]) Read(whole *Call, text json.RawMessage, at ...string) (*Call, *P, Invalid) {
	members, problem := membersOf(text)
	if problem != nil {
		problem.Loc = append(slices.Clone(at), problem.Loc...)
		return nil, nil, Invalid{*problem}
	}
	call := &Call{op: o.op, Request: whole.Request, Header: whole.Header, capacity: whole.capacity,
		values: make([]value, len(o.fields))}
	params := new(P)
	into := reflect.ValueOf(params).Elem()
	var wrong Invalid
	for i := range o.fields {
		f := &o.fields[i]
		member, there := members[f.Name]
		if slices.Contains(o.outside, f.Name) {
			continue
		}
		delete(members, f.Name)
		var texts []string
		var problem *Violation
		if there {
			texts, problem = textsOf(member, f.most > 0)
		}
		if problem == nil {
			call.values[i].text, call.values[i].given, problem = f.set(into.FieldByIndex(f.index), texts)
		}
		if problem != nil {
			problem.Loc = append(slices.Clone(at), f.Name)
			if len(texts) > 0 && problem.Input == "" {
				problem.Input = Echo(texts[0])
			}
			wrong = append(wrong, *problem)
		}
	}
	wrong = append(wrong, o.unknown(members, at)...)
	if len(wrong) == 0 && o.check != nil {
		for _, violation := range o.check(params) {
			violation.Loc = append(slices.Clone(at), violation.Loc[1:]...) // it has query before the name
			wrong = append(wrong, violation)
		}
	}
	return call, params, wrong
}

// Schema describes an object.
func (o Objects[P]) Schema() Schema {
	properties, required := Schema{}, []string{}
	for _, f := range o.fields {
		if slices.Contains(o.outside, f.Name) {
			continue
		}
		property := maps.Clone(f.Schema)
		property["description"] = f.Description
		if properties[f.Name] = property; f.Required {
			required = append(required, f.Name)
		}
	}
	out := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// membersOf returns the members of a JSON object. One that is given twice is refused, as in a query string.
func membersOf(text json.RawMessage) (map[string]jsontext.Value, *Violation) {
	from := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if begin, err := from.ReadToken(); err != nil || begin.Kind() != '{' {
		return nil, &Violation{Type: "value_error", Msg: "Must be a JSON object"}
	}
	members := map[string]jsontext.Value{}
	for from.PeekKind() != '}' {
		token, err := from.ReadToken()
		if err != nil {
			return nil, &Violation{Type: "value_error", Msg: "Must be a JSON object"}
		}
		name := token.String()
		member, err := from.ReadValue()
		if err != nil {
			return nil, &Violation{Type: "value_error", Msg: "Must be a JSON object"}
		}
		if _, twice := members[name]; twice {
			return nil, &Violation{Loc: []string{Echo(name)}, Type: "repeated", Msg: "Must be given only once"}
		}
		members[name] = member.Clone() // it is overwritten by the next read
	}
	return members, nil
}

// unknown refuses the members of an object that are no parameters.
func (o Objects[P]) unknown(members map[string]jsontext.Value, at []string) (wrong Invalid) {
	for name := range members {
		violation := Violation{Loc: append(slices.Clone(at), Echo(name)), Type: "unknown_field"}
		if slices.Contains(o.outside, name) {
			violation.Msg = "Belongs to the whole request, not to a part of it"
		} else {
			violation.Msg = "There is no parameter of this name. There are: " + strings.Join(o.names(), ", ")
		}
		wrong = append(wrong, violation)
	}
	slices.SortFunc(wrong, func(a, b Violation) int { return slices.Compare(a.Loc, b.Loc) })
	return wrong[:min(len(wrong), maxIgnoredNames)]
}

// names returns the names of the parameters.
func (o Objects[P]) names() (names []string) {
	for _, f := range o.fields {
		if !slices.Contains(o.outside, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// textsOf returns the texts of a member, as a query string has them: a text, a number and a truth value are one, null
// is none, and a list, where the parameter takes one, is each of its items.
func textsOf(member jsontext.Value, list bool) ([]string, *Violation) {
	switch member.Kind() {
	case 'n':
		return nil, nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, member)
		if err != nil {
			return nil, &Violation{Type: "value_error", Msg: "Must be a JSON text"}
		}
		return []string{string(text)}, nil
	case '{':
		return nil, &Violation{Type: "value_error", Msg: "Must not be a JSON object"}
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(member, &items); err != nil || !list {
			return nil, &Violation{Type: "value_error", Msg: "Must not be a JSON list"}
		}
		var texts []string
		for i, item := range items {
			one, wrong := textsOf(jsontext.Value(item), false)
			if wrong != nil || len(one) != 1 {
				return nil, &Violation{Type: "value_error", Msg: fmt.Sprintf("Item %d must be a JSON text", i)}
			}
			texts = append(texts, one...)
		}
		return texts, nil
	}
	return []string{string(member)}, nil
}
