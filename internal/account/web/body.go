package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

// body is the JSON object that an operation was sent. Its fields are read one by one,
// so that all that is wrong with them is told at once. Fields that nobody reads are
// ignored, as the interface contract, section 4, leaves its bodies open; null is the
// same as no field.
type body struct {
	fields map[string]json.RawMessage
	wrong  invalid
}

// readBody reads the body of an operation, none of its fields yet.
func readBody(x *exchange) (*body, error) {
	kind, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		// Forms of other sites can't say that they are JSON.
		return nil, invalid{{Loc: []string{"body"}, Type: "content_type", Msg: "Must be sent as application/json"}}
	}
	b := &body{}
	decoder := json.NewDecoder(x.r.Body)
	err = decoder.Decode(&b.fields)
	if err == nil {
		if _, err = decoder.Token(); err == nil {
			err = errors.New("more than one value")
		} else if errors.Is(err, io.EOF) {
			return b, nil
		}
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, errTooLarge
	}
	return nil, invalid{{Loc: []string{"body"}, Type: "json_invalid", Msg: "Must be one JSON object"}}
}

// has tells whether a field is there and not null.
func (b *body) has(name string) bool {
	text, there := b.fields[name]
	return there && string(text) != "null"
}

// field reads a field as its type, nil when it is not there or is of another type.
func field[T any](b *body, name, kind string) *T {
	if !b.has(name) {
		return nil
	}
	value := new(T)
	if err := json.Unmarshal(b.fields[name], value); err != nil {
		b.wrong = append(b.wrong, violation{Loc: []string{"body", name}, Type: kind + "_type", Msg: "Must be a " + kind})
		return nil
	}
	return value
}

// flag reads true or false, nil for neither.
func (b *body) flag(name string) *bool { return field[bool](b, name, "bool") }

// text reads a text that must be there and have at most maxRunes characters. ok tells
// whether it is and has, so that it can be judged further.
func (b *body) text(name string, maxRunes int) (text string, ok bool) {
	value := field[string](b, name, "string")
	if value == nil && b.has(name) {
		return "", false // of another type, which is told
	}
	text, err := required("body", name, value, maxRunes)
	b.wrong.add(err)
	return text, err == nil
}

// problems gives all that is wrong with the fields that were read.
func (b *body) problems() error { return b.wrong.orNil() }
