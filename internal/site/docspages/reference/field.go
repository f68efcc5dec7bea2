package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Field is a member of an object of an answer or of a body. An object inside comes right before
// its own members.
type Field struct {
	// Path is its place: data[].attributes.price, where [] stands for each element of a list.
	Path        string
	Type        string
	Required    bool
	Limits      string
	Description string // with the unit
}

// tables returns the fields of a schema: one table, or one for each form that it allows.
func (d *reader) tables(schema *object) []FieldTable {
	forms := d.resolved(schema).list("anyOf")
	if len(forms) == 0 {
		if fields := d.fields(schema); len(fields) > 0 {
			return []FieldTable{{Fields: fields}}
		}
		return nil
	}
	var list []FieldTable
	for _, form := range forms {
		form, _ := form.(*object)
		_, name, _ := strings.Cut(form.text("$ref"), "/schemas/")
		list = append(list, FieldTable{Name: name, Fields: d.fields(form)})
	}
	return list
}

func (d *reader) fields(schema *object) []Field {
	var list []Field
	d.walk(schema, "", map[string]string{}, &list)
	return list
}

// walk adds the members of a schema to a list. first says where the members of a named schema
// were listed: they are not repeated, because eight windows have the same members.
func (d *reader) walk(schema *object, path string, first map[string]string, list *[]Field) {
	name := schema.text("$ref")
	schema = d.resolved(schema)
	if before, listed := first[name]; listed && name != "" {
		if last := len(*list) - 1; last >= 0 && (*list)[last].Path == strings.TrimSuffix(path, "[]") &&
			len(schema.in("properties").members()) > 0 {
			(*list)[last].Description = strings.TrimSuffix((*list)[last].Description, ".") +
				d.say(". Los miembros son los de ", ". The members are those of ") + before + "."
		}
		return
	}
	if name != "" {
		first[name] = path
	}
	required := schema.list("required")
	properties := schema.in("properties")
	for _, member := range properties.members() {
		at := member
		if path != "" {
			at = path + "." + member
		}
		property := d.resolved(properties.in(member))
		*list = append(*list, Field{
			Path: at, Type: d.typeOf(property), Required: slices.Contains(required, any(member)),
			Limits: d.limits(property), Description: d.description(property),
		})
		d.walk(properties.in(member), at, first, list)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		for _, form := range schema.list(key) {
			form, _ := form.(*object)
			d.walk(form, path, first, list)
		}
	}
	if items := schema.in("items"); items != nil {
		d.walk(items, path+"[]", first, list)
	}
	if others := schema.in("additionalProperties"); others != nil {
		at := path + ".*"
		*list = append(*list, Field{Path: at, Type: d.typeOf(d.resolved(others)), Limits: d.limits(others),
			Description: d.description(d.resolved(others))})
		d.walk(others, at, first, list)
	}
}

// typeOf returns the type of a schema in words.
func (d *reader) typeOf(schema *object) string {
	types := d.types(schema)
	for i, english := range types {
		types[i] = d.text(english)
	}
	return strings.Join(types, d.say(" o ", " or "))
}

// types returns the types that a schema allows, in English.
func (d *reader) types(schema *object) []string {
	schema = d.resolved(schema)
	for _, key := range []string{"anyOf", "oneOf"} {
		var types []string
		for _, form := range schema.list(key) {
			form, _ := form.(*object)
			for _, text := range d.types(form) {
				if !slices.Contains(types, text) {
					types = append(types, text)
				}
			}
		}
		if len(types) > 0 {
			return types
		}
	}
	names := schema.list("type")
	if one := schema.text("type"); one != "" {
		names = []any{one}
	}
	var types []string
	for _, name := range names {
		text, _ := name.(string)
		switch format := schema.text("format"); {
		case text == "string" && format != "":
			text = format
		case text == "array":
			text = "list of " + strings.Join(d.types(schema.in("items")), " or ")
		}
		types = append(types, text)
	}
	if len(types) == 0 {
		return []string{"any"}
	}
	return types
}

// limits returns in words which values a schema allows.
func (d *reader) limits(schema *object) string {
	schema = d.resolved(schema)
	var parts []string
	for _, key := range []string{"anyOf", "oneOf"} {
		for _, form := range schema.list(key) {
			form, _ := form.(*object)
			if text := d.limits(form); text != "" {
				parts = append(parts, d.typeOf(form)+": "+text)
			}
		}
	}
	between := func(least, most, unit string) {
		low, high := schema.value(least), schema.value(most)
		switch {
		case low != nil && high != nil && low != json.Number("0"):
			parts = append(parts, fmt.Sprintf(d.say("de %v a %v%s", "%v to %v%s"), low, high, unit))
		case high == json.Number("0") && unit != "":
			parts = append(parts, d.say("siempre 0", "always 0")+unit)
		case high != nil:
			parts = append(parts, fmt.Sprintf(d.say("a lo más %v%s", "at most %v%s"), high, unit))
		case low != nil && low != json.Number("0"):
			parts = append(parts, fmt.Sprintf(d.say("al menos %v%s", "at least %v%s"), low, unit))
		case low != nil && unit == "":
			parts = append(parts, d.say("no negativo", "not negative"))
		}
	}
	if known := choices(schema); len(known) == 1 {
		parts = append(parts, d.say("siempre ", "always ")+known[0])
	} else if len(known) > 1 {
		parts = append(parts, d.say("uno de ", "one of ")+strings.Join(known, ", "))
	}
	between("minimum", "maximum", "")
	between("minLength", "maxLength", d.say(" caracteres", " characters"))
	between("minItems", "maxItems", d.say(" elementos", " elements"))
	if above := schema.value("exclusiveMinimum"); above != nil {
		parts = append(parts, fmt.Sprintf(d.say("mayor que %v", "greater than %v"), above))
	}
	if pattern := schema.text("pattern"); pattern != "" && schema.text("format") == "" {
		parts = append(parts, d.say("cumple ", "matches ")+pattern)
	}
	return strings.Join(parts, "; ")
}

// choices returns the values that a schema lists.
func choices(schema *object) []string {
	var list []string
	for _, value := range schema.list("enum") {
		if value != nil {
			list = append(list, written(value))
		}
	}
	if value := schema.value("const"); value != nil {
		list = append(list, written(value))
	}
	return list
}

// written returns a value as in an address.
func written(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// plain returns a value that json.Marshal writes in the order of the document.
func plain(value any) any {
	switch value := value.(type) {
	case *object:
		return ordered{value}
	case []any:
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = plain(one)
		}
		return list
	}
	return value
}

// ordered writes an object with its members in their order.
type ordered struct{ *object }

// MarshalJSON implements json.Marshaler.
func (o ordered) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, name := range o.names {
		if i > 0 {
			out = append(out, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(plain(o.values[name]))
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, quoted...), ':'), value...)
	}
	return append(out, '}'), nil
}
