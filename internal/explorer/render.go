package explorer

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"cuota/internal/chart"
	"cuota/internal/explorer/reference"
	"cuota/internal/locale"
)

//go:embed templates/*.html
var templateFiles embed.FS

// view is what a template shows.
type view struct {
	*visit
	Data any
}

// templates are the templates of the pages by language and name. Each page is combined with the
// layout and the parts that several pages share.
var templates = map[locale.Language]map[string]*template.Template{
	locale.Spanish: parseTemplates(locale.Spanish),
	locale.English: parseTemplates(locale.English),
}

// shared begins the names of the files that every page may use.
const shared = "templates/shared_"

func parseTemplates(l locale.Language) map[string]*template.Template {
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	layout := template.New("layout.html").Funcs(template.FuncMap{
		"t":        func(es, en string) string { return phrase{es, en}.in(l) },
		"asset":    assetAddress,
		"name":     locale.Name,
		"lang":     func() string { return string(l) },
		"group":    func(title string, items []found) foundGroup { return foundGroup{title, items} },
		"fieldsOf": func(caption string, fields []reference.Field) fieldTable { return fieldTable{caption, fields} },
		"navItem":  func(v view, path, name string) navItem { return navItem{v.Link(path), name, v.In(path)} },
	})
	template.Must(layout.ParseFS(templateFiles, "templates/layout.html", shared+"*.html"))
	template.Must(layout.New("drawing.html").Parse(chart.Template))
	parsed := map[string]*template.Template{}
	for _, name := range names {
		if name == "templates/layout.html" || strings.HasPrefix(name, shared) {
			continue
		}
		page := template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, name))
		parsed[strings.TrimSuffix(path.Base(name), ".html")] = page
	}
	return parsed
}

// render returns a complete page.
func render(name string, v view) ([]byte, error) {
	var out bytes.Buffer
	if err := templates[v.Lang][name].Execute(&out, v); err != nil {
		return nil, fmt.Errorf("render the page %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// Link returns the address of another page: its path, and the names and values of its parameters.
// The language is kept if the address of this page names it, and so is the date.
func (v *visit) Link(path string, pairs ...string) string {
	texts := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			texts.Add(pairs[i], pairs[i+1])
		}
	}
	if !texts.Has(dateKey) && v.text(dateKey) != "" {
		texts.Set(dateKey, v.text(dateKey))
	}
	return v.address(path, texts)
}

// Here returns the address of this page with some parameters changed; an empty value removes one.
func (v *visit) Here(pairs ...string) string {
	texts := url.Values{}
	for _, key := range v.keys {
		if given := v.Texts[key]; len(given) > 0 {
			texts[key] = given
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		texts.Del(pairs[i])
		if pairs[i+1] != "" {
			texts.Set(pairs[i], pairs[i+1])
		}
	}
	return v.address(v.Path, texts)
}

func (v *visit) address(path string, texts url.Values) string {
	if v.chosen && !texts.Has(languageKey) {
		texts.Set(languageKey, string(v.Lang))
	}
	if len(texts) == 0 {
		return path
	}
	return path + "?" + texts.Encode()
}

// OtherLanguage returns the address of this page in the other language.
func (v *visit) OtherLanguage() string {
	other := locale.English
	if v.Lang == locale.English {
		other = locale.Spanish
	}
	return v.Here(languageKey, string(other))
}

// Newest returns the address of this page without its date.
func (v *visit) Newest() string { return v.Here(dateKey, "", pageKey, "") }

// namedText is a parameter.
type namedText struct{ Name, Text string }

// OtherTexts returns the parameters of this page other than the date, for the form of the date. A list
// of another date begins with its first page.
func (v *visit) OtherTexts() []namedText {
	var list []namedText
	for _, key := range v.keys {
		for _, text := range v.Texts[key] {
			if key != dateKey && key != pageKey {
				list = append(list, namedText{key, text})
			}
		}
	}
	if v.chosen {
		list = append(list, namedText{languageKey, string(v.Lang)})
	}
	return list
}

// Kept returns the parameters of this page without those that a form changes.
func (v *visit) Kept(changed ...string) []namedText {
	var list []namedText
	for _, key := range v.keys {
		if !slices.Contains(changed, key) {
			for _, text := range v.Texts[key] {
				list = append(list, namedText{key, text})
			}
		}
	}
	if v.chosen {
		list = append(list, namedText{languageKey, string(v.Lang)})
	}
	return list
}

// navItem is a link of the navigation.
type navItem struct {
	Link, Name string
	Here       bool
}

// Accounts reports whether the pages link to the account area.
func (v *visit) Accounts() bool { return v.config.Accounts }

// In reports whether the page belongs to a part of the navigation.
func (v *visit) In(path string) bool {
	return v.Path == path || strings.HasPrefix(v.Path, path+"/")
}

// Date returns the date of the page's data as the reader chose it, "" for the newest.
func (v *visit) Date() string { return v.text(dateKey) }

// dateKey is the parameter with the date of a page.
const dateKey = "fecha"
