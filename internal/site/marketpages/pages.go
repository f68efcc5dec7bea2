// Package marketpages has the pages on which people see the market: funds, series, families,
// managers, and where each number comes from.
//
// It stands beside the API and computes no rule: each page shows the values that operations of the packages of query
// find, from which the API makes its replies. The address of a page holds all
// that it depends on besides the published batch and the language, so it can be shared, and a
// reply is cached until the next batch.
//
// A page is one value of type page in a file of its own: its path, the parameters that it reads,
// and a function that returns the data of its template in the folder templates. The frame around it is of package site.
package marketpages

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/chart"
	"cuota/internal/site/glossary"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/operation"
)

// Market returns the published batch, and false if there is none, or if it can't be read.
type Market func() (Batch, bool)

// MarketOf makes a market of a function that returns the published batch, and nil if there is none.
func MarketOf[T any, B interface {
	*T
	Batch
}](published func() B) Market {
	return func() (Batch, bool) {
		b := published()
		return b, b != nil
	}
}

// Published returns the batch for the frame.
func (m Market) Published() (site.Published, bool) { return m() }

// Batch is the batch that one page reads.
type Batch interface {
	site.Published
	// Ask returns what an operation finds, which path names as the document does: the R of its endpoint.
	// texts are its parameters. Its errors are those of httpapi.Server.Ask.
	Ask(ctx context.Context, path string, texts url.Values) (any, error)
	// Check returns the error of a page after its last Ask, or another one if the batch was lost
	// while it was read.
	Check(ctx context.Context, err error) error
	// Parameters returns the parameters of an operation.
	Parameters(path string) []httpapi.Parameter
}

// Config configures the pages.
type Config struct {
	Frame  *site.Frame
	Market Market
	// BaseURL is the public address of the service, for examples of requests; "" if it is
	// unknown.
	BaseURL string
}

// pages are all pages, in the order of the navigation.
var pages = []page{
	marketPage,
	searchPage,
	searchSuggestions,
	screenerPage,
	screenerCSV,
	screenerParquet,
	seriesPage,
	receiptPage,
	familyPage,
	managersPage,
	closedPage,
	costsPage,
	differencePage,
	dataPage,
	benchmarksPage,
	benchmarkPage,
	investmentsPage,
	investmentPage,
	fundPage,
	comparePage,
	portfolioPage,
	portfolioAnswer,
	valuesOf(seriesPage),
	valuesOf(familyPage),
	valuesOf(managersPage),
	valuesOf(benchmarkPage),
	valuesOf(investmentPage),
	valuesOf(comparePage),
}

// page is one page.
type page struct {
	path string
	// keys are the names of the parameters that it reads from the query string, besides lang.
	keys []string
	// more, if set, returns names of further ones, which the operations of the batch have.
	more func(Batch) []string
	// template is the name of the template that shows its data.
	template string
	// load returns the data of the template.
	load func(context.Context, *visit) (any, error)
	// minutely says that the page also shows what changes between batches, such as rejected rows.
	// It is made anew every minute.
	minutely bool
	// file, if set, says that the page is a file to keep, in place of template and load.
	file *fileType
	// fields, if set, are the names of the fields of the form that the page answers, in place of a request for its
	// address.
	fields []string
}

// fileType is a file that a page returns.
type fileType struct {
	name    string // for the reader's disk
	content string // Content-Type
	load    func(context.Context, *visit) ([]byte, error)
}

// body returns the rendered template, or the file. If the batch was dropped meanwhile, it fails (Batch.Check). A
// template asks for nothing more, so the check runs while it is rendered.
func (p page) body(ctx context.Context, v *visit) (body []byte, err error) {
	if p.file != nil {
		body, err = p.file.load(ctx, v)
		return body, v.Batch.Check(ctx, err)
	}
	data, err := p.load(ctx, v)
	if err != nil {
		return nil, v.Batch.Check(ctx, err)
	}
	if len(p.fields) == 0 { // the answer to a form has no address from which a file could be made
		data = v.offerFiles(data)
	}
	checked := make(chan error, 1)
	go func() { checked <- v.Batch.Check(ctx, nil) }()
	// not in the goroutine: the caller recovers from a panic
	body, err = templates.Render(v.Lang, p.template, view{visit: v, Data: data})
	return body, cmp.Or(<-checked, err)
}

//go:embed templates/*.html
var templateFiles embed.FS

var templates = site.ParseTemplates(templateFiles, func(l locale.Language) template.FuncMap {
	return template.FuncMap{
		"group":   func(title string, items []found) foundGroup { return foundGroup{title, items} },
		"meaning": func(title string) string { return glossary.Meaning(title, l) },
		"terms":   func(data any) []term { return termsOf(data, l) },
	}
}, chart.Template)

// view is what a template shows.
type view struct {
	*visit
	Data any
}

// visit is one request for a page of the market.
type visit struct {
	site.Visit
	Batch Batch
	base  string // the public address of the service, "" if it is unknown
}

// Operations returns the pages as operations of the HTTP kernel.
func Operations(config Config) []httpapi.Operation {
	var list []httpapi.Operation
	for _, p := range pages {
		list = append(list, p.operation(config))
	}
	return list
}

func (p page) operation(config Config) httpapi.Operation {
	more := func() []string {
		if batch, there := config.Market(); there && p.more != nil {
			return p.more(batch)
		}
		return nil
	}
	content := "text/html; charset=utf-8"
	if p.file != nil {
		content = p.file.content
	}
	read := append([]string{site.LanguageKey}, p.keys...)
	if p.file == nil && len(p.fields) == 0 {
		read = append(read, fileKey)
	}
	return httpapi.NewWebPage(httpapi.WebPage{
		Path: p.path, Type: content, Keys: read, More: more,
		Problem: config.Frame.Problem, Fields: p.fields,
		Answer: func(_ context.Context, c *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
			site.SetHeaders(c.Header)
			batch, there := config.Market()
			if !there {
				return httpapi.Answer{}, site.NoBatch()
			}
			v := &visit{*config.Frame.Visit(c.Request, texts, slices.Concat(p.keys, more())...), batch, config.BaseURL}
			v.Path, v.Published = addressOf(p.path, texts), batch
			if p.file != nil {
				c.Header.Set("Content-Disposition", `attachment; filename="`+p.file.name+`"`)
			}
			v.Unlinked = len(p.fields) > 0
			version := fmt.Sprintf("%s %s %q %t", batch.Version(), v.Lang, v.base, v.Accounts)
			table, format, asked, err := askedFile(texts.Get(fileKey))
			if err != nil {
				return httpapi.Answer{}, err
			}
			body := p.body
			if asked {
				c.Header.Set("Content-Disposition", mime.FormatMediaType("attachment",
					map[string]string{"filename": v.fileName(table, format)}))
				c.Header.Set("Content-Type", tableFormats[format].content)
				body = func(ctx context.Context, v *visit) ([]byte, error) { return p.keptFile(ctx, v, table, format) }
			}
			if p.minutely {
				version += time.Now().Format(" 15:04")
			}
			return httpapi.Answer{
				Version: version,
				Make: func(ctx context.Context) (out httpapi.Reply, err error) {
					render := func() (err error) {
						out.Body, err = body(ctx, v)
						return err
					}
					if len(p.fields) > 0 { // nothing else limits replies that are not cached
						err = c.Wait(ctx, render)
					} else {
						err = render()
					}
					return out, err
				},
			}, nil
		},
	})
}

// addressOf returns the path of a page with its parameters, each percent-encoded in the same way
// however the reader wrote it, because the page is cached for all readers.
func addressOf(pattern string, texts url.Values) string {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if name, is := strings.CutPrefix(segment, "{"); is {
			segments[i] = url.PathEscape(texts.Get(strings.TrimSuffix(name, "}")))
		}
	}
	return strings.Join(segments, "/")
}

// Link returns the address of another page: its path, and the names and values of its parameters; empty values are left
// out. The language is kept if the address of this page names it, and so is the date.
func (v *visit) Link(path string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == dateKey && pairs[i+1] != "" {
			return v.Visit.Link(path, pairs...)
		}
	}
	return v.Visit.Link(path, append(slices.Clone(pairs), dateKey, v.Date())...)
}

// Newest returns the address of this page without its date.
func (v *visit) Newest() string { return v.Here(dateKey, "", pageKey, "") }

// namedText is a parameter.
type namedText struct{ Name, Text string }

// OtherTexts returns the parameters of this page other than the date, for the form of the date. A list
// of another date begins with its first page.
func (v *visit) OtherTexts() []namedText {
	var list []namedText
	for _, key := range v.Keys {
		for _, text := range v.Texts[key] {
			if key != dateKey && key != pageKey {
				list = append(list, namedText{key, text})
			}
		}
	}
	if v.Chosen {
		list = append(list, namedText{site.LanguageKey, string(v.Lang)})
	}
	return list
}

// Kept returns the parameters of this page without those that a form changes.
func (v *visit) Kept(changed ...string) []namedText {
	var list []namedText
	for _, key := range v.Keys {
		if !slices.Contains(changed, key) {
			for _, text := range v.Texts[key] {
				list = append(list, namedText{key, text})
			}
		}
	}
	if v.Chosen {
		list = append(list, namedText{site.LanguageKey, string(v.Lang)})
	}
	return list
}

// Date returns the date of the page's data as the reader chose it, "" for the newest.
func (v *visit) Date() string { return v.Text(dateKey) }

// ShownDay returns the day of which the page shows the market, as text: the given one, else the cutoff; "" if neither
// is known.
func (v *visit) ShownDay() string {
	if day, err := model.ParseDate(v.Date()); err == nil {
		return v.Lang.Day(day)
	}
	if cutoff := v.Batch.Cutoff(); cutoff != nil {
		return v.Lang.Day(*cutoff)
	}
	return ""
}

// dateKey is the parameter with the date of a page.
const dateKey = site.DateKey

// find returns what an operation finds, in the batch of the page. pairs are names and values of parameters;
// empty values are left out.
func find[P, R any](ctx context.Context, v *visit, of operation.Endpoint[P, R], pairs ...string) (R, error) {
	texts := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			texts.Add(pairs[i], pairs[i+1])
		}
	}
	return findTexts(ctx, v, of, texts)
}

// findKept is find for what is kept in memory with its JSON.
func findKept[P, R any](ctx context.Context, v *visit, of operation.Endpoint[P, operation.Kept[R]],
	pairs ...string) (R, error) {
	kept, err := find(ctx, v, of, pairs...)
	return kept.Found, err
}

func findTexts[P, R any](ctx context.Context, v *visit, of operation.Endpoint[P, R], texts url.Values) (R, error) {
	found, err := v.Batch.Ask(ctx, of.Path, texts)
	if err != nil {
		return *new(R), err
	}
	values, is := found.(R)
	if !is {
		return values, fmt.Errorf("%s finds a %T, want a %T", of.Path, found, values)
	}
	return values, nil
}

// amount returns an amount as a double, and nil for nil.
func amount(of *operation.Amount) *float64 {
	return operation.Mapped(of, func(a operation.Amount) float64 { return a.InexactFloat64() })
}

// whole returns a whole number as a double, and nil for nil.
func whole[N uint8 | uint32 | uint64](of *N) *float64 {
	return operation.Mapped(of, func(n N) float64 { return float64(n) })
}

// isUnknown reports whether an operation answered that there is no such thing.
func isUnknown(err error) bool {
	var p *httpapi.Problem
	return errors.As(err, &p) && p.Status == http.StatusNotFound
}

// violationsOf returns what an operation found wrong with the parameters.
func violationsOf(err error) []httpapi.Violation {
	var wrong httpapi.Invalid
	if errors.As(err, &wrong) {
		return wrong
	}
	return nil
}
