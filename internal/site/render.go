package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"cuota/internal/site/locale"
)

//go:embed templates/*.html
var templateFiles embed.FS

// Templates are the templates of a package of pages by language and name.
type Templates map[locale.Language]map[string]*template.Template

// shared begins the names of the files that every page of a package may use.
const shared = "templates/shared_"

// ParseTemplates reads the templates of a package: files in its folder templates, of which each is a page, except those
// whose name begins with shared_. A page is combined with the layout and with what is shared. functions are those that
// the templates call in a language, besides the ones that all pages have; texts define further templates. It panics
// if a template is wrong, because templates are a part of the program.
func ParseTemplates(files fs.FS, functions func(locale.Language) template.FuncMap, texts ...string) Templates {
	parsed := Templates{}
	for _, l := range []locale.Language{locale.Spanish, locale.English} {
		layout := template.New("layout.html").Funcs(template.FuncMap{
			"t":         func(es, en string) string { return locale.Phrase{es, en}.In(l) },
			"asset":     assetAddress,
			"name":      locale.Name,
			"breakable": locale.Breakable,
			"lang":      func() string { return string(l) },
			"navItem":   func(v linking, path, name string) navItem { return navItem{v.Link(path), name, v.In(path)} },
		})
		if functions != nil {
			layout.Funcs(functions(l))
		}
		template.Must(layout.ParseFS(templateFiles, "templates/layout.html"))
		for _, text := range texts {
			template.Must(layout.Parse(text))
		}
		parsed[l] = parsePages(layout, files)
	}
	return parsed
}

// parsePages combines each page of a package with the layout.
func parsePages(layout *template.Template, files fs.FS) map[string]*template.Template {
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		if strings.HasPrefix(name, shared) {
			template.Must(layout.ParseFS(files, name))
		}
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		if base := path.Base(name); !strings.HasPrefix(name, shared) && base != layout.Name() {
			pages[strings.TrimSuffix(base, ".html")] = template.Must(template.Must(layout.Clone()).ParseFS(files, name))
		}
	}
	return pages
}

// Render returns a complete page. data is a View, or has a Visit as a View has it.
func (t Templates) Render(l locale.Language, name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := t[l][name].Execute(&out, data); err != nil {
		return nil, fmt.Errorf("render the page %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// linking is a page that links to others.
type linking interface {
	Link(path string, pairs ...string) string
	In(path string) bool
}

// navItem is a link of the navigation.
type navItem struct {
	Link, Name string
	Here       bool
}
