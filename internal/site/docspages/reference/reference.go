package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"cuota/internal/site/locale"
)

// Reference is the reference of an API in one language.
type Reference struct {
	// Title, Summary and Description are those of the document. Only Index shows them, which is
	// in English, so they are in English in every reference.
	Title, Summary, Description string
	Groups                      []Group

	byID map[string]*Operation
}

// Group is the operations with one tag.
type Group struct {
	Name       string
	Operations []*Operation
}

// Access says what a request must carry.
type Access string

// What a request must carry.
const (
	Open    Access = "open"    // nothing
	Key     Access = "key"     // an API key
	Session Access = "session" // the cookie of somebody who is signed in
)

// Operation is one method on one path.
type Operation struct {
	ID, Method, Path, Tag string
	Group                 string // name of the group: the tag in the language of the reference
	Summary, Description  string
	Access                Access
	Parameters            []Parameter
	Body                  *Body // nil if requests have none
	Answers               []Answer
	Failures              []Failure
	Example               *Example // nil if the document shows no answer
}

// Parameter is a parameter of an operation.
type Parameter struct {
	Name, In    string // path or query
	Required    bool
	Type        string
	Limits      string
	Default     string
	Choices     []string
	Description string
	// Examples are the values that the example request has; nil if it leaves the parameter out.
	Examples []string

	quoted, several bool // in code a value is a text, and there may be several
}

// Body is the body of requests, in JSON.
type Body struct {
	Fields  []Field
	Example []byte // indented

	value any
}

// Answer is a response without an error: of success, a redirection, or 304.
type Answer struct {
	Status, Description string
	Types               []string // media types; empty if there is no body
	Tables              []FieldTable
	Headers             []Header
	// Table says which columns the answer has in the other formats; "" if there are none.
	Table string
}

// FieldTable is the fields of one form of an answer.
type FieldTable struct {
	Name   string // of the schema, or the media type; "" if there is only one form
	Fields []Field
}

// Header is a header of an answer.
type Header struct{ Name, Description string }

// Failure is a response with an error.
type Failure struct{ Status, Description string }

// Example is the answer to the example request.
type Example struct {
	Request string // method and address
	Note    string
	Answer  []byte // indented JSON
}

// New reads an OpenAPI document, which is in English, and returns its reference in a language. A
// text that has no Spanish one stays in English.
func New(document []byte, l locale.Language) (*Reference, error) {
	text := func(english string) string { return english }
	if l == locale.Spanish {
		known, err := spanishTexts()
		if err != nil {
			return nil, err
		}
		text = func(english string) string { return cmp.Or(known[english], english) }
	}
	return read(document, l, text)
}

// read reads a document. text returns a text of the document in the language.
func read(document []byte, l locale.Language, text func(english string) string) (*Reference, error) {
	root, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("read the document of the API: %w", err)
	}
	examples, err := readExamples(document)
	if err != nil {
		return nil, fmt.Errorf("read the examples of the API: %w", err)
	}
	d := &reader{root, l, text}
	ref := &Reference{
		Title: root.in("info").text("title"), Summary: root.in("info").text("summary"),
		Description: root.in("info").text("description"),
		byID:        map[string]*Operation{},
	}
	at := map[string]int{}
	for i, tag := range root.list("tags") {
		tag, _ := tag.(*object)
		ref.Groups = append(ref.Groups, Group{Name: text(tag.text("name"))})
		at[tag.text("name")] = i
	}
	paths := root.in("paths")
	for _, path := range paths.members() {
		for _, method := range paths.in(path).members() {
			o, err := d.operation(strings.ToUpper(method), path, paths.in(path, method))
			if err != nil {
				return nil, err
			}
			group, known := at[o.Tag]
			if !known || ref.byID[o.ID] != nil {
				return nil, fmt.Errorf("%s %s: no tag %q, or two operations %s", o.Method, o.Path, o.Tag, o.ID)
			}
			if example, there := examples[o.ID]; there {
				example.Note = text(example.Note)
				o.Example = &example
			}
			ref.byID[o.ID] = o
			ref.Groups[group].Operations = append(ref.Groups[group].Operations, o)
		}
	}
	return ref, nil
}

// readExamples reads the examples by operation. Their numbers stay as they are written.
func readExamples(document []byte) (map[string]Example, error) {
	var parsed struct {
		Components struct {
			Examples map[string]struct {
				Summary, Description string
				Value                json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(document, &parsed); err != nil {
		return nil, err
	}
	examples := map[string]Example{}
	for id, e := range parsed.Components.Examples {
		answer, err := indented(e.Value)
		if err != nil {
			return nil, err
		}
		examples[id] = Example{Request: e.Summary, Note: e.Description, Answer: answer}
	}
	return examples, nil
}

func indented(text []byte) ([]byte, error) {
	var out bytes.Buffer
	err := json.Indent(&out, text, "", "  ")
	return out.Bytes(), err
}

// Operation returns an operation, and nil if there is none with this id.
func (r *Reference) Operation(id string) *Operation { return r.byID[id] }

// Operations returns all operations, in the order of the groups.
func (r *Reference) Operations() []*Operation {
	var list []*Operation
	for _, g := range r.Groups {
		list = append(list, g.Operations...)
	}
	return list
}

// reader reads a document for a reference in a language.
type reader struct {
	root     *object
	language locale.Language
	text     func(english string) string
}

// description returns the description of a part of the document in the language.
func (d *reader) description(part *object) string { return d.text(part.text("description")) }

// say returns one of two texts. It is for those that the document does not have.
func (d *reader) say(es, en string) string {
	if d.language == locale.Spanish {
		return es
	}
	return en
}

func (d *reader) operation(method, path string, from *object) (*Operation, error) {
	o := &Operation{
		ID: from.text("operationId"), Method: method, Path: path, Summary: d.text(from.text("summary")),
		Description: d.description(from), Access: d.access(from),
	}
	if tags := from.list("tags"); len(tags) > 0 {
		o.Tag, _ = tags[0].(string)
		o.Group = d.text(o.Tag)
	}
	for _, listed := range from.list("parameters") {
		p, _ := listed.(*object)
		o.Parameters = append(o.Parameters, d.parameter(p))
	}
	if body := from.in("requestBody", "content", "application/json"); body != nil {
		text, err := json.Marshal(plain(body.value("example")))
		if err != nil {
			return nil, err
		}
		if text, err = indented(text); err != nil {
			return nil, err
		}
		o.Body = &Body{Fields: d.fields(body.in("schema")), Example: text, value: body.value("example")}
	}
	responses := from.in("responses")
	for _, status := range responses.members() {
		response := d.resolved(responses.in(status))
		if status < "4" {
			o.Answers = append(o.Answers, d.answer(status, response))
		} else {
			o.Failures = append(o.Failures, Failure{status, d.description(response)})
		}
	}
	if len(o.Answers) == 0 {
		return nil, fmt.Errorf("%s %s has no response without an error", method, path)
	}
	slices.SortStableFunc(o.Answers, func(a, b Answer) int { return cmp.Compare(a.Status, b.Status) })
	slices.SortStableFunc(o.Failures, func(a, b Failure) int { return cmp.Compare(a.Status, b.Status) })
	return o, nil
}

func (d *reader) access(from *object) Access {
	security := from.list("security")
	if !from.has("security") {
		security = d.root.list("security")
	}
	for _, one := range security {
		one, _ := one.(*object)
		switch {
		case one.has("ApiKeyAuth"):
			return Key
		case one.has("SessionCookie"):
			return Session
		}
	}
	return Open
}

func (d *reader) parameter(from *object) Parameter {
	schema := d.resolved(from.in("schema"))
	p := Parameter{
		Name: from.text("name"), In: from.text("in"), Required: from.value("required") == true,
		Description: d.description(from),
		Type:        d.typeOf(schema), Limits: d.limits(schema), Choices: choices(schema),
	}
	if slices.Contains(d.types(schema), "boolean") {
		p.Choices = []string{"true", "false"}
	}
	p.quoted = !slices.Contains([]any{"integer", "number", "boolean"}, schema.value("type"))
	p.several = schema.value("type") == "array"
	if schema.has("default") {
		p.Default = written(schema.value("default"))
	}
	switch example := from.value("example").(type) {
	case nil:
	case []any:
		for _, one := range example {
			p.Examples = append(p.Examples, written(one))
		}
	default:
		p.Examples = []string{written(example)}
	}
	return p
}

func (d *reader) answer(status string, from *object) Answer {
	a := Answer{Status: status, Description: d.description(from)}
	for _, name := range from.in("headers").members() {
		a.Headers = append(a.Headers, Header{name, d.description(d.resolved(from.in("headers", name)))})
	}
	content := from.in("content")
	described := 0
	for _, media := range content.members() {
		a.Types = append(a.Types, media)
		tables := d.tables(content.in(media, "schema"))
		if len(tables) == 1 && tables[0].Name == "" {
			tables[0].Name = media
		}
		if len(tables) > 0 {
			described++
		}
		a.Tables = append(a.Tables, tables...)
	}
	if described == 1 && len(a.Tables) == 1 {
		a.Tables[0].Name = ""
	}
	if line := from.in("x-line"); line != nil { // of a body of lines, each of which is an object
		a.Tables = d.tables(line)
	}
	if columns := from.in("x-table"); columns != nil {
		a.Table = d.description(d.resolved(columns))
	}
	return a
}

// resolved follows references. A text beside a reference stays.
func (d *reader) resolved(o *object) *object {
	for range 10 { // more would be a circle
		target, is := o.value("$ref").(string)
		if !is {
			break
		}
		found := d.root.in(strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
		if beside := o.text("description"); beside != "" && found != nil {
			found = found.with("description", beside)
		}
		o = found
	}
	return o
}

// with returns a copy with another value of a member.
func (o *object) with(name string, value any) *object {
	other := &object{names: slices.Clone(o.names), values: map[string]any{}}
	for n, v := range o.values {
		other.values[n] = v
	}
	if !o.has(name) {
		other.names = append(other.names, name)
	}
	other.values[name] = value
	return other
}

// Target returns the path and the query of the example request.
func (o *Operation) Target() string {
	given := url.Values{}
	for _, p := range o.Parameters {
		given[p.Name] = p.Examples
	}
	return o.TargetWith(given)
}

// TargetWith returns the path and the query of a request with these values of parameters.
func (o *Operation) TargetWith(given url.Values) string {
	target, separator := o.Path, "?"
	for _, p := range o.Parameters {
		for _, text := range given[p.Name] {
			if p.In == "path" {
				target = strings.Replace(target, "{"+p.Name+"}", url.PathEscape(text), 1)
				continue
			}
			target += separator + p.Name + "=" + url.QueryEscape(text)
			separator = "&"
		}
	}
	return target
}
