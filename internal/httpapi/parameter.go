package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/julienschmidt/httprouter"
)

// Parameter describes one parameter of an operation. A struct declares the parameters, one
// for each field, in the order in which violations list them:
//
//	type daysParams struct {
//		Asset assetID   `path:"asset_id" example:"1161378270" doc:"Id of a series"`
//		From  dateParam `query:"from_date" doc:"First day, inclusive"`
//		Limit *int64    `query:"limit" min:"1" max:"5000" doc:"The most days of a page"`
//		batchParams
//	}
//
// The fields of an embedded struct count as fields of the struct. The tag path or query gives
// the name. A parameter in the path is required, one in the query string if it has the tag
// required:"true". The tag default gives the value of an absent parameter. The tag doc is the
// description in the document, and the tag example the value in the request of its example,
// which every required parameter has. The type of the field decides what is read:
//
//   - string: text of at most max characters. Empty text is the same as an absent parameter,
//     unless the tag min:"1" forbids it.
//   - string with the tag enum:"a,b,c", or a string type with a method Choices: one of these
//     words, written exactly so. The tag default:"first" makes the first one the default.
//   - []string: text that is given once for each value, at most most times. It is required.
//     A value that is given twice counts once.
//   - int64, or *int64 without a default: a decimal whole number from min to max.
//   - *bool: true or false, also as True and False or 1 and 0, which some languages write.
//   - a type whose pointer is a Value: whatever its method Read accepts. With the tag
//     empty:"absent", empty text is the same as an absent parameter.
//
// An absent parameter without a default leaves its field as it is. The document declares it as
// nullable, except with the tag null:"false", and other ones with the tag null:"true": the contract
// has both.
//
// As JSON it is a Parameter Object of OpenAPI 3.1.
type Parameter struct {
	Name        string          `json:"name"`
	In          string          `json:"in"` // path or query
	Required    bool            `json:"required,omitempty"`
	Description string          `json:"description"`
	Example     json.RawMessage `json:"example,omitempty"`
	Schema      Schema          `json:"schema"`
	Default     any             `json:"-"` // int64 or string, as in the schema; nil if there is none
	Dated       bool            `json:"-"` // it says of when the data are
}

// Schema is a schema of JSON Schema.
type Schema map[string]any

// Value is a parameter with a type of its own.
type Value interface {
	// Read sets the value from the text in a request. It returns what is wrong, with a
	// message and a type, or nil.
	Read(text string) *Violation
	// String returns the value as a caller would write it.
	String() string
	// Schema describes the form of the text. It does not depend on the value.
	Schema() Schema
}

// Dated is implemented by Values that say of when the data are. A keyed operation refuses a
// parameter that is dated in another operation and that it does not take itself: without its
// date, the reply would be about another one.
type Dated interface{ Dated() }

// Choices is implemented by string types that have a fixed list of values.
type Choices interface{ Choices() []string }

// ConstantNames is implemented by Choices of which some are not identifiers, such as 1m. It
// returns names for the constants that client generators make of them, in the same order.
type ConstantNames interface{ ConstantNames() []string }

// VersionParameter is the name of the parameter by which a caller names the version of the
// data, so that all pages of a list come from one version.
const VersionParameter = "batch_id"

// MomentParameter is the name of the parameter by which a caller chooses the version of the
// data that was current at a moment. Links name the version itself instead.
const MomentParameter = "known_at"

// limitParameter is the name of the parameter with the size of a page. Links repeat it even
// if it has its default, because defaults may change.
const limitParameter = "limit"

// The size of a request's head limits repeated parameters and the number of unknown ones.
// These constants limit how much of them a reply repeats.
const (
	maxEchoRunes    = 200
	maxIgnoredNames = 20
	maxIgnoredName  = 64
)

// value is a parameter of one call.
type value struct {
	given bool   // the request has it, or it has a default
	text  string // in the form in which equal values are equal texts
}

// field reads one parameter into the field of a struct.
type field struct {
	Parameter
	index         []int // in the struct
	emptyIsAbsent bool
	most          int // how often it may be given; 0 means once
	read          reader
}

// reader sets a field, and returns the text of the value.
type reader func(into reflect.Value, text string) (string, *Violation)

// fieldsOf reads the declarations of a struct. It panics if one is wrong, or if the path has
// a parameter that no field declares.
func fieldsOf[P any](path string) []field { return fieldsOfType(reflect.TypeFor[P](), path) }

// fieldsOfType is fieldsOf for a type that the compiler need not know.
func fieldsOfType(kind reflect.Type, path string) []field {
	var fields []field
	for _, of := range reflect.VisibleFields(kind) {
		if of.Anonymous { // its own fields follow
			continue
		}
		f, err := fieldOf(of)
		if err != nil {
			panic(fmt.Sprintf("httpapi: %s: field %s of %v: %v", path, of.Name, kind, err))
		}
		if slices.ContainsFunc(fields, func(other field) bool { return other.Name == f.Name }) {
			panic(fmt.Sprintf("httpapi: %s: two fields of %v declare %s", path, kind, f.Name))
		}
		fields = append(fields, f)
		if f.In == "path" && !strings.Contains(path, "{"+f.Name+"}") {
			panic(fmt.Sprintf("httpapi: %s has no parameter %s", path, f.Name))
		}
	}
	for _, segment := range strings.Split(path, "/") {
		if name, is := strings.CutPrefix(segment, "{"); is && !slices.ContainsFunc(fields, func(f field) bool {
			return f.In == "path" && f.Name+"}" == name
		}) {
			panic(fmt.Sprintf("httpapi: no field of %v declares %s of %s", kind, segment, path))
		}
	}
	return fields
}

// fieldOf reads the declaration of one field.
func fieldOf(of reflect.StructField) (f field, err error) {
	f.Name, f.In = of.Tag.Get("query"), "query"
	if name, inPath := of.Tag.Lookup("path"); inPath {
		f.Name, f.In, f.Required = name, "path", true
	}
	if f.Name == "" {
		return f, errors.New("want a tag path or query with a name")
	}
	f.Required = f.Required || of.Tag.Get("required") == "true"
	f.Description, f.index = of.Tag.Get("doc"), of.Index
	f.emptyIsAbsent = of.Tag.Get("empty") == "absent"
	fallback, hasDefault := of.Tag.Lookup("default")
	if hasDefault && f.Required {
		return f, errors.New("a required parameter has no default")
	}
	switch at := reflect.New(of.Type).Interface().(type) {
	case Value:
		f.read, f.Schema = readValue, at.Schema()
		_, f.Dated = at.(Dated)
	case *int64, **int64:
		if _, may := at.(**int64); !may && !hasDefault && !f.Required {
			return f, errors.New("a number without a default may be absent: want *int64")
		}
		if f.read, f.Schema, err = readInteger(of.Tag.Get("min"), of.Tag.Get("max")); err != nil {
			return f, err
		}
	case **bool:
		f.read, f.Schema = readTruth, Schema{"type": "boolean"}
	case *[]string:
		if f.most, err = strconv.Atoi(of.Tag.Get("most")); err != nil {
			return f, fmt.Errorf("tag most: %w", err)
		}
		f.Required = true
		var each Schema
		if f.read, each, err = readText(of.Tag.Get("max"), true); err != nil {
			return f, err
		}
		f.Schema = Schema{"type": "array", "items": each, "minItems": 1, "maxItems": f.most}
	default:
		var choices []string
		if list, has := at.(Choices); has {
			choices = list.Choices()
		} else if list, has := of.Tag.Lookup("enum"); has {
			choices = strings.Split(list, ",")
		}
		switch {
		case of.Type.Kind() != reflect.String:
			return f, fmt.Errorf("no parameter has the type %v", of.Type)
		case choices != nil:
			f.read, f.Schema = readChoice(choices), Schema{"type": "string", "enum": choices}
			if names, has := at.(ConstantNames); has {
				f.Schema["x-enum-varnames"] = names.ConstantNames()
			}
			if fallback == "first" {
				fallback = choices[0]
			}
		default:
			least := of.Tag.Get("min")
			if least != "" && least != "1" {
				return f, fmt.Errorf("the tag min of a text is 1 or absent, not %s", least)
			}
			notEmpty := least == "1" || f.In == "path"
			f.emptyIsAbsent = !notEmpty
			if f.read, f.Schema, err = readText(of.Tag.Get("max"), notEmpty); err != nil {
				return f, err
			}
		}
	}
	if hasDefault {
		into := reflect.New(of.Type).Elem()
		if _, wrong := f.read(into, fallback); wrong != nil {
			return f, fmt.Errorf("default %q: %s", fallback, wrong.Msg)
		}
		if f.Default = any(fallback); into.Kind() == reflect.Int64 {
			f.Default = into.Int()
		}
		f.Schema["default"] = f.Default
	}
	return f, f.describe(of.Tag)
}

// describe completes what the document says of a parameter.
func (f *field) describe(tag reflect.StructTag) (err error) {
	example, hasExample := tag.Lookup("example")
	kind, _ := f.Schema["type"].(string)
	switch {
	case !hasExample:
	case kind == "string":
		f.Example, err = json.Marshal(example)
	case kind == "array":
		f.Example, err = json.Marshal([]string{example})
	case !json.Valid([]byte(example)):
		return fmt.Errorf("the example %s is not a value of JSON", example)
	default:
		f.Example = json.RawMessage(example)
	}
	nullable := !f.Required && f.Default == nil && f.Schema["enum"] == nil && kind != ""
	if null := tag.Get("null"); null != "" {
		nullable = null == "true"
	}
	if !nullable {
		return err
	}
	f.Schema["type"] = []string{kind, "null"} // the interface contract, section 3; the service refuses the word null
	if words, listed := f.Schema["enum"].([]string); listed {
		either := make([]any, len(words)+1) // the last of them is null
		for i, word := range words {
			either[i] = word
		}
		f.Schema["enum"] = either
	}
	return err
}

func readValue(into reflect.Value, text string) (string, *Violation) {
	at := into.Addr().Interface().(Value)
	if wrong := at.Read(text); wrong != nil {
		return "", wrong
	}
	return at.String(), nil
}

// readInteger reads a decimal whole number from least to most.
func readInteger(least, most string) (reader, Schema, error) {
	from, err := strconv.ParseInt(least, 10, 64)
	if err != nil {
		return nil, nil, fmt.Errorf("tag min: %w", err)
	}
	to, err := strconv.ParseInt(most, 10, 64)
	if err != nil {
		return nil, nil, fmt.Errorf("tag max: %w", err)
	}
	return func(into reflect.Value, text string) (string, *Violation) {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return "", &Violation{Type: "int_parsing",
				Msg: fmt.Sprintf("Must be a whole number from %d to %d", from, to)}
		case n < from:
			return "", &Violation{Type: "greater_than_equal", Msg: fmt.Sprintf("Must be at least %d", from)}
		case n > to:
			return "", &Violation{Type: "less_than_equal", Msg: fmt.Sprintf("Must be at most %d", to)}
		}
		switch at := into.Addr().Interface().(type) {
		case *int64:
			*at = n
		case **int64:
			*at = &n
		}
		return strconv.FormatInt(n, 10), nil
	}, Schema{"type": "integer", "minimum": from, "maximum": to}, nil
}

func readTruth(into reflect.Value, text string) (string, *Violation) {
	var truth bool
	switch text {
	case "true", "True", "1":
		truth = true
	case "false", "False", "0":
	default:
		return "", &Violation{Type: "bool_parsing", Msg: "Must be true or false"}
	}
	*into.Addr().Interface().(**bool) = &truth
	return strconv.FormatBool(truth), nil
}

// readChoice reads one of several words, written exactly so.
func readChoice(choices []string) reader {
	return func(into reflect.Value, text string) (string, *Violation) {
		if !slices.Contains(choices, text) {
			return "", &Violation{Type: "literal_error", Msg: "Must be one of: " + strings.Join(choices, ", ")}
		}
		into.SetString(text)
		return text, nil
	}
}

// readText reads text of at most so many characters. A list gets each text once.
func readText(most string, notEmpty bool) (reader, Schema, error) {
	maxRunes, err := strconv.Atoi(most)
	if err != nil {
		return nil, nil, fmt.Errorf("tag max: %w", err)
	}
	schema := Schema{"type": "string", "maxLength": maxRunes}
	if notEmpty {
		schema["minLength"] = 1
	}
	return func(into reflect.Value, text string) (string, *Violation) {
		switch n := utf8.RuneCountInString(text); {
		case !utf8.ValidString(text):
			return "", &Violation{Type: "string_unicode", Msg: "Must be UTF-8 text, percent-encoded"}
		case n == 0 && notEmpty:
			return "", &Violation{Type: "string_too_short", Msg: "Must have at least 1 character"}
		case n > maxRunes:
			return "", &Violation{Type: "string_too_long",
				Msg: fmt.Sprintf("Must have at most %d characters", maxRunes)}
		}
		if list, isList := into.Addr().Interface().(*[]string); !isList {
			into.SetString(text)
		} else if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
		return text, nil
	}, schema, nil
}

// parse reads the parameters of a call into a struct. It names unknown query parameters in
// a header. It fails with Invalid, which lists everything that is wrong with the request.
func (c *Call) parse(fields []field, params any, segments httprouter.Params) error {
	if c.malformed != nil {
		return malformedQuery()
	}
	into := reflect.ValueOf(params).Elem()
	c.values = make([]value, len(fields))
	var wrong Invalid
	for i := range fields {
		f := &fields[i]
		texts := c.query[f.Name]
		if f.In == "path" {
			texts = []string{unescaped(segments.ByName(f.Name))}
		}
		delete(c.query, f.Name)
		text, given, problem := f.set(into.FieldByIndex(f.index), texts)
		if problem != nil {
			problem.Loc = []string{f.In, f.Name}
			if len(texts) > 0 && problem.Input == "" {
				problem.Input = Echo(texts[0])
			}
			wrong = append(wrong, *problem)
		}
		c.values[i] = value{given, text}
	}
	wrong = append(wrong, c.refusedDates()...)
	if ignored := ignoredNames(c.query); ignored != "" {
		c.Header.Set("X-Ignored-Parameters", ignored)
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// refusedDates returns a violation for each date that another operation takes and this one does not,
// and takes it out of the query.
func (c *Call) refusedDates() (wrong []Violation) {
	if len(c.query) == 0 || c.op.Access == Open {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.query)) {
		if !c.dates[name] {
			continue
		}
		var taken []string
		for _, p := range c.op.Parameters {
			if p.Dated {
				taken = append(taken, p.Name)
			}
		}
		msg := "This operation takes no date"
		if len(taken) > 0 {
			msg = "This operation takes no date of this name. Its dates are: " + strings.Join(taken, ", ")
		}
		if c.op.OfPeriod != "" {
			msg += ". For each day of a period, ask " + c.op.OfPeriod
		}
		wrong = append(wrong, Violation{Loc: []string{"query", name}, Type: "unknown_date", Msg: msg,
			Input: Echo(c.query.Get(name))})
		delete(c.query, name)
	}
	return wrong
}

// datesOf returns the names of the dates of all operations.
func datesOf(operations []Operation) map[string]bool {
	names := map[string]bool{}
	for _, op := range operations {
		for _, p := range op.Parameters {
			if p.Dated && op.Access != Internal {
				names[p.Name] = true
			}
		}
	}
	return names
}

func malformedQuery() error {
	return Invalid{{Loc: []string{"query"}, Type: "query_parsing",
		Msg: "The query string is not well-formed: percent-encode %, & and ; in values"}}
}

// set sets a field from the texts that a request has for its parameter.
func (f *field) set(into reflect.Value, texts []string) (text string, given bool, wrong *Violation) {
	switch {
	case len(texts) > max(1, f.most):
		if f.most > 0 {
			return "", false, &Violation{Type: "too_long", Msg: fmt.Sprintf("Must be given at most %d times", f.most)}
		}
		return "", false, &Violation{Type: "repeated", Msg: "Must be given only once"}
	case f.most > 0 && len(texts) > 0:
		for _, one := range texts {
			if _, wrong := f.read(into, one); wrong != nil {
				wrong.Input = Echo(one)
				return "", false, wrong
			}
		}
		// Each text is quoted, so that lists which differ only in where a text ends differ.
		return fmt.Sprintf("%q", into.Interface()), true, nil
	case len(texts) == 1 && (texts[0] != "" || !f.emptyIsAbsent):
		text, wrong = f.read(into, texts[0])
		return text, wrong == nil, wrong
	case f.Required:
		return "", false, &Violation{Type: "missing", Msg: "Field required"}
	case f.Default != nil:
		text, _ = f.read(into, fmt.Sprint(f.Default)) // fieldOf has read it once
		return text, true, nil
	}
	return "", false, nil
}

// Echo returns a text for a reply: cut to maxEchoRunes, and valid UTF-8.
func Echo(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > maxEchoRunes {
		text = string(runes[:maxEchoRunes]) + "…"
	}
	return text
}

// ignoredNames lists names in alphabetical order. It percent-encodes them, so that no name
// can add to the header, and limits their length and number.
func ignoredNames(given url.Values) string {
	names := make([]string, 0, len(given))
	for name := range given {
		name = url.QueryEscape(name)
		names = append(names, name[:min(len(name), maxIgnoredName)])
	}
	slices.Sort(names)
	if more := len(names) - maxIgnoredNames; more > 0 {
		names = append(names[:maxIgnoredNames], fmt.Sprintf("and+%d+more", more))
	}
	return strings.Join(names, ", ")
}
