package reference

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"cuota/internal/site/locale"
)

//go:embed guides/*.md
var guideFiles embed.FS

// guideNames are the guides in the order in which they are read. The files of a guide are
// guides/NAME.es.md and guides/NAME.en.md. Each begins with its title as a heading and a
// paragraph that says what it is about.
var guideNames = []string{
	"primeros-pasos", "autenticacion", "limites", "paginas", "fechas", "unidades", "razones", "formatos",
	"planillas", "clientes", "cambios", "webhooks", "sql",
}

// Guide is a page that explains what several operations have in common.
type Guide struct {
	Name    string
	Title   string
	Summary string
	// Markdown is the whole text.
	Markdown []byte
}

// addressMark is the place in guides where the address of the service goes.
const addressMark = "{base}"

// Guides returns the guides in a language for the service at an address.
func Guides(l locale.Language, base string) []Guide {
	list := make([]Guide, len(guideNames))
	for i, name := range guideNames {
		file := fmt.Sprintf("guides/%s.%s.md", name, l)
		markdown, err := guideFiles.ReadFile(file)
		if err != nil {
			panic(err) // the files are embedded, and a test reads all of them
		}
		markdown = bytes.ReplaceAll(markdown, []byte(addressMark), []byte(base))
		title, rest, _ := strings.Cut(strings.TrimPrefix(string(markdown), "# "), "\n\n")
		summary, _, _ := strings.Cut(rest, "\n\n")
		list[i] = Guide{Name: name, Title: title, Summary: strings.Join(strings.Fields(summary), " "),
			Markdown: markdown}
	}
	return list
}

// FindGuide returns a guide by its name.
func FindGuide(name string, l locale.Language, base string) (Guide, bool) {
	for _, g := range Guides(l, base) {
		if g.Name == name {
			return g, true
		}
	}
	return Guide{}, false
}

// renderer reads tables besides what is common to all Markdown. It leaves out HTML.
var renderer = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// HTML returns the text as HTML. link returns the address of a link to a page of this server, which
// begins with a slash.
func (g Guide) HTML(link func(path string) string) ([]byte, error) {
	tree := renderer.Parser().Parse(text.NewReader(g.Markdown))
	err := ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if to, is := node.(*ast.Link); is && entering && bytes.HasPrefix(to.Destination, []byte("/")) {
			to.Destination = []byte(link(string(to.Destination)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = renderer.Renderer().Render(&out, g.Markdown, tree)
	return g.withScrollingTables(out.Bytes()), err
}

// withScrollingTables puts each table into a region that scrolls, and gives it a caption. The
// renderer writes both tags in one form, and escapes them in texts.
func (g Guide) withScrollingTables(page []byte) []byte {
	title := html.EscapeString(g.Title)
	page = bytes.ReplaceAll(page, []byte("<table>"), fmt.Appendf(nil,
		`<div class="scroll" role="region" tabindex="0" aria-label="%s"><table><caption class="hidden">%s</caption>`,
		title, title))
	page = bytes.ReplaceAll(page, []byte("</table>"), []byte("</table></div>"))
	return bytes.ReplaceAll(page, []byte("<pre>"), []byte(`<pre tabindex="0">`))
}
