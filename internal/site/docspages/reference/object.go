package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a JSON object that keeps the order of its members, because people read fields in the
// order of the document. Its values are *object, []any, json.Number, string, bool or nil.
type object struct {
	names  []string
	values map[string]any
}

// parse reads a JSON object.
func parse(text []byte) (*object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := readValue(decoder)
	if err != nil {
		return nil, err
	}
	o, is := value.(*object)
	if !is {
		return nil, fmt.Errorf("%.20q is no JSON object", text)
	}
	return o, nil
}

func readValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := &object{values: map[string]any{}}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			o.names = append(o.names, name.(string)) // the decoder returns nothing else here
			o.values[name.(string)] = value
		}
		_, err := decoder.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := decoder.Token()
		return list, err
	}
	return token, nil
}

// in returns the object under the names. It is nil if there is none; a nil object has no members.
func (o *object) in(names ...string) *object {
	for _, name := range names {
		o, _ = o.value(name).(*object)
	}
	return o
}

func (o *object) value(name string) any {
	if o == nil {
		return nil
	}
	return o.values[name]
}

func (o *object) has(name string) bool {
	if o == nil {
		return false
	}
	_, there := o.values[name]
	return there
}

func (o *object) text(name string) string {
	text, _ := o.value(name).(string)
	return text
}

func (o *object) list(name string) []any {
	list, _ := o.value(name).([]any)
	return list
}

// members returns the names in their order.
func (o *object) members() []string {
	if o == nil {
		return nil
	}
	return o.names
}
