package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"cuota/internal/httpapi"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of the parameter fields: its characters, and the paths in it.
const (
	maxFieldsText = 1000
	maxFields     = 50
)

// FieldsParams are the parameters of lists that answer with chosen attributes only.
type FieldsParams struct {
	Fields FieldsParam `query:"fields" empty:"absent" null:"false" doc:"Only these attributes of each item, in this order: names with commas between them, and a part of an attribute after a dot, as in tac,returns.periods.1y.value. At most 50. id and type are always there. Absent: all attributes. Only of the format json; the Content-Type is then application/vnd.cuota.fields+json. An extension of this service."`
}

// fieldsMedia is the Content-Type of replies with chosen attributes, whose schema is not that of whole ones.
const fieldsMedia = "application/vnd.cuota.fields+json"

// ContentType returns the media type of a reply with chosen attributes, and "" for all.
func (p *FieldsParams) ContentType() string {
	if p.Fields.Given() {
		return fieldsMedia
	}
	return ""
}

// NameContent sets the Content-Type of the reply to a request whose parameters ask for another schema than that of
// application/json.
func NameContent(header http.Header, params any) {
	if p, may := params.(interface{ ContentType() string }); may && p.ContentType() != "" {
		header.Set("Content-Type", p.ContentType())
	}
}

// FieldsParam is a choice of attributes of items. The zero value chooses all.
type FieldsParam struct {
	text string
	tree []chosenField
}

// chosenField is an attribute that was chosen: whole, or parts of it.
type chosenField struct {
	name  string
	parts []chosenField // empty: whole
}

// Given reports whether attributes were chosen.
func (f FieldsParam) Given() bool { return f.text != "" }

// Read implements httpapi.Value.
func (f *FieldsParam) Read(text string) *httpapi.Violation {
	paths := strings.Split(text, ",")
	switch {
	case len(text) > maxFieldsText:
		return &httpapi.Violation{Type: "string_too_long",
			Msg: fmt.Sprintf("Must have at most %d characters", maxFieldsText)}
	case len(paths) > maxFields:
		return &httpapi.Violation{Type: "too_long", Msg: fmt.Sprintf("Must have at most %d names", maxFields)}
	}
	f.text = text
	for _, path := range paths {
		names := strings.Split(path, ".")
		if slices.Contains(names, "") {
			return &httpapi.Violation{Type: "value_error", Msg: "Must be names with commas between them, without blanks"}
		}
		if !addField(&f.tree, names) {
			return &httpapi.Violation{Type: "duplicate", Msg: "Must not name " + httpapi.Echo(path) + " twice"}
		}
	}
	return nil
}

// addField adds a path to chosen fields. It returns false if it, or a field that contains it, was chosen before.
func addField(fields *[]chosenField, path []string) bool {
	at := slices.IndexFunc(*fields, func(f chosenField) bool { return f.name == path[0] })
	if at < 0 {
		*fields = append(*fields, chosenField{name: path[0]})
		at = len(*fields) - 1
	} else if len((*fields)[at].parts) == 0 {
		return false
	}
	if len(path) == 1 {
		return len((*fields)[at].parts) == 0
	}
	return addField(&(*fields)[at].parts, path[1:])
}

// String implements httpapi.Value.
func (f *FieldsParam) String() string { return f.text }

// Schema implements httpapi.Value.
func (FieldsParam) Schema() httpapi.Schema {
	const path = `[^,.]+(\.[^,.]+)*`
	return httpapi.Schema{"type": "string", "maxLength": maxFieldsText,
		"pattern": fmt.Sprintf("^%s(,%[1]s){0,%d}$", path, maxFields-1)}
}

// Attributes are the names of the attributes of an item, and of their parts.
type Attributes map[string]Attributes

// AttributesOf returns the names in the JSON of a value. Each part of it that has parts of its own must be set, because
// null shows none.
func AttributesOf(attributes any) Attributes {
	text, err := json.Marshal(attributes)
	var found any
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		panic(fmt.Sprintf("query: attributes of %T: %v", attributes, err)) // a mistake in this program
	}
	return attributesIn(found)
}

func attributesIn(found any) Attributes {
	members, _ := found.(map[string]any)
	names := make(Attributes, len(members))
	for name, member := range members {
		names[name] = attributesIn(member)
	}
	return names
}

// Check refuses chosen attributes that there are not.
func (f FieldsParam) Check(there Attributes) []httpapi.Violation {
	if unknown := unknownField(f.tree, there); unknown != "" {
		return []httpapi.Violation{{Loc: []string{"query", "fields"}, Type: "unknown_field", Input: httpapi.Echo(unknown),
			Msg: "There is no attribute " + httpapi.Echo(unknown)}}
	}
	return nil
}

// unknownField returns the first path that there is not; "" if there are all.
func unknownField(fields []chosenField, there Attributes) string {
	for _, f := range fields {
		parts, known := there[f.name]
		if !known {
			return f.name
		}
		if part := unknownField(f.parts, parts); part != "" {
			return f.name + "." + part
		}
	}
	return ""
}

// Item returns an item of a list, of which it gets the JSON, with the chosen attributes only.
func (f FieldsParam) Item(item []byte) ([]byte, error) {
	whole := []chosenField{{name: "id"}, {name: "type"}, {name: "attributes", parts: f.tree}}
	out, err := chosenMembers(nil, jsontext.NewDecoder(bytes.NewBuffer(item)), whole)
	if err != nil {
		return nil, fmt.Errorf("choose fields: %w", err)
	}
	return out, nil
}

// chosenMembers appends the object that a decoder is about to read, with the chosen members only. A part of null is
// null.
func chosenMembers(out []byte, from *jsontext.Decoder, fields []chosenField) ([]byte, error) {
	begin, err := from.ReadToken()
	if err != nil || begin.Kind() == 'n' {
		return append(out, "null"...), err
	}
	values := make([][]byte, len(fields))
	for from.PeekKind() != '}' {
		name, err := from.ReadToken()
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(fields, func(f chosenField) bool { return f.name == name.String() })
		switch {
		case at < 0:
			err = from.SkipValue()
		case len(fields[at].parts) > 0:
			values[at], err = chosenMembers(nil, from, fields[at].parts)
		default:
			var value jsontext.Value
			value, err = from.ReadValue()
			values[at] = value.Clone() // it is overwritten by the next read
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := from.ReadToken(); err != nil { // the end of the object
		return nil, err
	}
	for i, f := range fields {
		if i == 0 {
			out = append(out, '{')
		} else {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, f.name); err != nil {
			return nil, err
		}
		out = append(append(out, ':'), values[i]...)
	}
	return append(out, '}'), nil
}
