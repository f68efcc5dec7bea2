package area

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

// body is the JSON object in a request. Fields are read one by one, and all their errors are
// collected into one response. Unknown fields are ignored, because the interface contract,
// section 4, allows them. null is the same as a missing field.
type body struct {
	fields map[string]json.RawMessage
	wrong  invalid
}

// readBody parses the body of a request, but not its fields. It fails if the body is not one
// JSON object, is too large, or has another content type.
func readBody(x *exchange) (*body, error) {
	kind, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		// Forms of other sites can't send JSON's content type.
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
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, errTooLarge
	}
	return nil, invalid{{Loc: []string{"body"}, Type: "json_invalid", Msg: "Must be one JSON object"}}
}

// has reports whether a field exists and is not null.
func (b *body) has(name string) bool {
	text, there := b.fields[name]
	return there && string(text) != "null"
}

// field reads a field as type T. It returns nil if the field is missing or has another type;
// the wrong type is noted as a violation.
func field[T any](b *body, name, kind string) *T {
	if !b.has(name) {
		return nil
	}
	value := new(T)
	if err := json.Unmarshal(b.fields[name], value); err != nil {
		b.wrong = append(b.wrong, violation{Loc: []string{"body", name}, Type: kind + "_type",
			Msg: "Must be a " + kind})
		return nil
	}
	return value
}

// flag reads a boolean field. It returns nil as field does.
func (b *body) flag(name string) *bool { return field[bool](b, name, "bool") }

// text reads a required text of at most maxRunes characters. ok is false if it is missing, too
// long or of another type, which is noted as a violation.
func (b *body) text(name string, maxRunes int) (text string, ok bool) {
	value := field[string](b, name, "string")
	if value == nil && b.has(name) {
		return "", false // wrong type, already noted as a violation
	}
	text, err := required("body", name, value, maxRunes)
	b.wrong.add(err)
	return text, err == nil
}

// problems returns all violations of the fields that were read, or nil.
func (b *body) problems() error { return b.wrong.orNil() }
