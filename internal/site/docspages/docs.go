// Package docspages has the pages of the documentation of the API: guides, a page for each operation with its
// example, and a console. The same is there as Markdown for programs. What they show is of package reference. They
// need no batch, and are there before the first one.
package docspages

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/docspages/reference"
	"cuota/internal/site/locale"
)

// The addresses of the documentation.
const (
	docsPath    = "/docs"
	guidesPath  = docsPath + "/guias"
	consolePath = docsPath + "/consola"
	indexPath   = "/llms.txt"
)

// markdownSuffix ends the address of the same page for programs.
const markdownSuffix = ".md"

// The media types of documentation.
const (
	pageType     = "text/html; charset=utf-8"
	markdownType = "text/markdown; charset=utf-8"
)

// onThisMachine is the address of the service in samples if the configuration names none: the
// one at which it listens by default.
const onThisMachine = "http://127.0.0.1:8080"

// Config configures the pages.
type Config struct {
	Frame *site.Frame
	// BaseURL is the public address of the service, for examples of requests; "" if it is unknown.
	BaseURL string
	// Document is the OpenAPI document, with examples.
	Document []byte
}

//go:embed templates/*.html
var templateFiles embed.FS

var templates = site.ParseTemplates(templateFiles, func(l locale.Language) template.FuncMap {
	return template.FuncMap{
		"fieldsOf":   func(caption string, fields []reference.Field) fieldTable { return fieldTable{caption, fields} },
		"absent":     func(f consoleField) string { return f.Absent().In(l) },
		"accessText": func(a reference.Access) string { return accessText(a).In(l) },
		"parts":      parts,
	}
})

// parts cuts a path of fields, or of an address, after each dot or slash, where a line may end. Names stay whole.
func parts(path string) (list []string) {
	for path != "" {
		end := strings.IndexAny(path, "./") + 1
		if end == 0 {
			end = len(path)
		}
		list, path = append(list, path[:end]), path[end:]
	}
	return list
}

// Operations returns the pages of the documentation as operations of the HTTP kernel. It panics if the document is not
// valid, because the document is a part of the program.
func Operations(config Config) []httpapi.Operation {
	d := &documentation{config.Frame, map[locale.Language]*reference.Reference{},
		cmp.Or(strings.TrimRight(config.BaseURL, "/"), onThisMachine)}
	for _, l := range []locale.Language{locale.Spanish, locale.English} {
		ref, err := reference.New(config.Document, l)
		if err != nil {
			panic(err)
		}
		d.references[l] = ref
	}
	// The router takes no names beside a parameter, so one operation has everything below /docs.
	return []httpapi.Operation{
		d.page(docsPath, nil, d.index),
		d.page(docsPath+"/{page}", d.consoleKeys(), d.below),
		d.page(docsPath+"/{page}/{name}", nil, d.guide),
		d.page(indexPath, nil, func(*site.Visit) (shown, error) {
			return shown{markdown: func() []byte { return d.references[locale.English].Index(d.base, docsPath) }}, nil
		}),
	}
}

// documentation is what the pages are made from.
type documentation struct {
	frame      *site.Frame
	references map[locale.Language]*reference.Reference
	base       string // address of the service, without a slash at its end
}

// shown is what a page of the documentation shows: data of a template, or Markdown. Neither is
// made for a page that is in the cache.
type shown struct {
	template string
	data     func() (any, error)
	markdown func() []byte // nil if the page has a template
}

// page makes the operation of a page.
func (d *documentation) page(path string, keys []string, load func(*site.Visit) (shown, error)) httpapi.Operation {
	return httpapi.NewWebPage(httpapi.WebPage{
		Path: path, Type: pageType, Keys: append([]string{site.LanguageKey}, keys...), Problem: d.frame.Problem,
		Answer: func(_ context.Context, c *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
			v := d.frame.Visit(c.Request, texts, keys...)
			version := "no batch"
			if v.Published != nil {
				version = v.Published.Version()
			}
			site.SetHeaders(c.Header)
			page, err := load(v)
			if err != nil {
				return httpapi.Answer{}, err
			}
			if page.markdown != nil {
				c.Header.Set("Content-Type", markdownType)
			}
			return httpapi.Answer{
				Version: version + " " + string(v.Lang) + " " + d.base,
				Make: func(context.Context) (httpapi.Reply, error) {
					if page.markdown != nil {
						return httpapi.Reply{Body: page.markdown()}, nil
					}
					data, err := page.data()
					if err != nil {
						return httpapi.Reply{}, err
					}
					body, err := templates.Render(v.Lang, page.template, site.View{Visit: v, Data: data})
					return httpapi.Reply{Body: body}, err
				},
			}, nil
		},
	})
}

// indexView is the data of the first page.
type indexView struct {
	Guides []reference.Guide
	Groups []reference.Group
}

func (d *documentation) index(v *site.Visit) (shown, error) {
	return shown{template: "docs", data: func() (any, error) {
		return indexView{reference.Guides(v.Lang, d.base), d.references[v.Lang].Groups}, nil
	}}, nil
}

// below returns the pages of operations and the console. Markdown is for programs, and in English
// whatever language is asked for.
func (d *documentation) below(v *site.Visit) (shown, error) {
	name := v.Text("page")
	if docsPath+"/"+name == consolePath {
		return shown{template: "console", data: func() (any, error) { return d.console(v), nil }}, nil
	}
	id, markdown := strings.CutSuffix(name, markdownSuffix)
	o := d.references[v.Lang].Operation(id)
	switch {
	case o == nil:
		return shown{}, httpapi.NotFound("The documentation has no such operation.")
	case markdown:
		return shown{markdown: func() []byte {
			return d.references[locale.English].Operation(id).Markdown(d.base)
		}}, nil
	}
	return shown{template: "operation", data: func() (any, error) {
		return operationView{o, o.Samples(d.base), slices.Contains(d.tried(v.Lang), o)}, nil
	}}, nil
}

// operationView is the data of the page of an operation.
type operationView struct {
	*reference.Operation
	Samples []reference.Sample
	Tried   bool // whether the console has it
}

// fieldTable is a table of fields of a body or an answer.
type fieldTable struct {
	Caption string
	Fields  []reference.Field
}

func (d *documentation) guide(v *site.Visit) (shown, error) {
	name, markdown := strings.CutSuffix(v.Text("name"), markdownSuffix)
	g, found := reference.FindGuide(name, v.Lang, d.base)
	switch {
	case !found || docsPath+"/"+v.Text("page") != guidesPath:
		return shown{}, httpapi.NotFound("The documentation has no such guide.")
	case markdown:
		return shown{markdown: func() []byte { return g.Markdown }}, nil
	}
	return shown{template: "guide", data: func() (any, error) {
		text, err := g.HTML(func(path string) string { return v.Link(path) })
		return guideView{g, template.HTML(text)}, err
	}}, nil
}

// guideView is the data of the page of a guide.
type guideView struct {
	reference.Guide
	Text template.HTML // from a file of the program, without HTML of its own
}

// These are the parameters of the console: the operation, and its parameters with a prefix.
const (
	operationKey = "operacion"
	givenPrefix  = "p."
)

// consoleView is the data of the console.
type consoleView struct {
	Choices   []reference.Group
	Operation *reference.Operation
	Fields    []consoleField
	Body      string // example of a body; "" if there is none
	Curl      string
}

// consoleField is the field of a parameter in the form.
type consoleField struct {
	reference.Parameter
	Key   string // name in the form
	Value string
}

// Short returns the first sentence of the description. The page of the operation has all of it.
func (f consoleField) Short() string {
	first, _, _ := strings.Cut(f.Description, ". ")
	return first
}

// Absent says what a select of the console shows while the parameter is not given. Without a default, such a parameter
// filters, except those that say what the reply has in it.
func (f consoleField) Absent() locale.Phrase {
	switch {
	case f.Required:
		return locale.Phrase{"elija", "choose"}
	case f.Default != "":
		return locale.Phrase{"por omisión: " + f.Default, "default: " + f.Default}
	case f.Name == "format" || f.Name == "revisions":
		return locale.Phrase{"sin indicar", "not given"}
	}
	return locale.Phrase{"cualquiera", "any"}
}

// tried are the operations that the console can send: those for which a key is enough, and whose
// answer is text.
func (d *documentation) tried(l locale.Language) []*reference.Operation {
	return slices.DeleteFunc(d.references[l].Operations(), func(o *reference.Operation) bool {
		return o.Tag == "Account" || !slices.Contains(o.Answers[0].Types, "application/json")
	})
}

// consoleKeys are the names of the parameters of the console, which are the same in every language.
func (d *documentation) consoleKeys() []string {
	keys := []string{operationKey}
	for _, o := range d.tried(locale.English) {
		for _, p := range o.Parameters {
			if key := givenPrefix + p.Name; !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// firstTried is the operation that the console shows at first.
const firstTried = "get_screener"

// console returns the form of an operation. With the example's values it is filled in at first;
// then the address says what was filled in.
func (d *documentation) console(v *site.Visit) consoleView {
	tried := d.tried(v.Lang)
	chosen := slices.IndexFunc(tried, func(o *reference.Operation) bool {
		return o.ID == cmp.Or(v.Text(operationKey), firstTried)
	})
	o := tried[max(0, chosen)]
	out := consoleView{Operation: o}
	for _, g := range d.references[v.Lang].Groups {
		g.Operations = slices.DeleteFunc(slices.Clone(g.Operations), func(o *reference.Operation) bool {
			return !slices.Contains(tried, o)
		})
		if len(g.Operations) > 0 {
			out.Choices = append(out.Choices, g)
		}
	}
	filled := slices.ContainsFunc(o.Parameters, func(p reference.Parameter) bool {
		return v.Text(givenPrefix+p.Name) != ""
	})
	given := url.Values{}
	for _, p := range o.Parameters {
		field := consoleField{Parameter: p, Key: givenPrefix + p.Name, Value: v.Text(givenPrefix + p.Name)}
		if !filled && len(p.Examples) > 0 {
			field.Value = p.Examples[0]
		}
		if field.Value != "" {
			given.Set(p.Name, field.Value)
		}
		out.Fields = append(out.Fields, field)
	}
	if o.Body != nil {
		out.Body = string(o.Body.Example)
	}
	out.Curl = o.CurlWith(d.base, given)
	return out
}

// accessText says what a request must carry.
func accessText(a reference.Access) locale.Phrase {
	switch a {
	case reference.Key:
		return locale.Phrase{"Requiere una clave en el encabezado X-Api-Key.", "Needs a key, in the header X-Api-Key."}
	case reference.Session:
		return locale.Phrase{"Requiere la sesión de quien inició sesión en un navegador.",
			"Needs the session of somebody who signed in with a browser."}
	}
	return locale.Phrase{"No requiere clave.", "No key is needed."}
}
