package explorer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cuota/internal/httpapi"
	"cuota/internal/locale"
	"cuota/model"
)

// Market gives the published batch.
type Market interface {
	// Batch returns false if there is none, or if it can't be read.
	Batch() (Batch, bool)
}

// MarketOf makes a market of a function that gives the published batch, and nil if there is none.
func MarketOf[T any, B interface {
	*T
	Batch
}](published func() B) Market {
	return marketFunc(func() (Batch, bool) {
		b := published()
		return b, b != nil
	})
}

type marketFunc func() (Batch, bool)

// Batch implements Market.
func (f marketFunc) Batch() (Batch, bool) { return f() }

// Batch is the batch that one page reads.
type Batch interface {
	// Version changes whenever a reply about the batch may change.
	Version() string
	// ID is the id of the batch.
	ID() string
	// Cutoff is its last complete day, and nil if it has none.
	Cutoff() *model.Date
	// Ask returns what an operation finds, which path names as the document does: the R of its endpoint.
	// texts are its parameters. Its errors are those of httpapi.Server.Ask.
	Ask(ctx context.Context, path string, texts url.Values) (any, error)
	// Check returns the error of a page after its last Ask, or another one if the batch was lost
	// while it was read.
	Check(ctx context.Context, err error) error
	// Parameters returns the parameters of an operation.
	Parameters(path string) []httpapi.Parameter
}

// Step is a part of what is done before the first batch is there.
type Step struct {
	Name    string // files, facts, batch or serve
	Begun   bool
	Done    bool
	Percent int // of the work of the step, 0 to 100; -1 if it is not known
	Count   int // of files that are read
	Of      int // files to read; 0 if the step reads none
}

// Config configures the pages.
type Config struct {
	Market Market
	// Progress tells what is being loaded while there is no batch. By default nothing is told.
	Progress func() []Step
	// Accounts tells whether the account area is served, to which the pages then link.
	Accounts bool
	// BaseURL is the public address of the service, for examples of requests; "" if it is
	// unknown.
	BaseURL string
	// Document is the OpenAPI document, with examples. Without it there is no documentation.
	Document []byte
}

// Explorer makes the pages.
type Explorer struct {
	config Config
}

// New makes the pages for a market.
func New(config Config) *Explorer { return &Explorer{config} }

// pages are all pages, in the order of the navigation.
var pages = []page{
	marketPage,
	searchPage,
	screenerPage,
	screenerCSV,
	screenerParquet,
	seriesPage,
	familyPage,
	managersPage,
	costsPage,
	dataPage,
	benchmarksPage,
	benchmarkPage,
	investmentsPage,
	investmentPage,
	fundPage,
	comparePage,
}

// Operations returns the pages and their assets as operations of the HTTP kernel.
func (e *Explorer) Operations() []httpapi.Operation {
	var list []httpapi.Operation
	for _, p := range pages {
		list = append(list, e.operation(p))
	}
	return append(append(list, e.docsOperations()...), assetOperations()...)
}

// page is one page.
type page struct {
	path string
	// keys are the names of the parameters that it reads from the query string, besides lang.
	keys []string
	// more, if set, gives names of further ones, which the operations of the batch have.
	more func(Batch) []string
	// template is the name of the template that shows its data.
	template string
	// load gives the data of the template.
	load func(context.Context, *visit) (any, error)
	// minutely says that the page also shows what changes between batches, such as rejected rows.
	// It is made anew every minute.
	minutely bool
	// file, if set, says that the page is a file to keep, in place of template and load.
	file *fileType
}

// fileType is a file that a page gives.
type fileType struct {
	name    string // for the reader's disk
	content string // Content-Type
	load    func(context.Context, *visit) ([]byte, error)
}

// body returns the rendered template, or the file. If the batch was dropped meanwhile, it fails (Batch.Check). A template
// asks for nothing more, so the check runs while it is rendered.
func (p page) body(ctx context.Context, v *visit) (body []byte, err error) {
	if p.file != nil {
		body, err = p.file.load(ctx, v)
		return body, v.Batch.Check(ctx, err)
	}
	data, err := p.load(ctx, v)
	if err != nil {
		return nil, v.Batch.Check(ctx, err)
	}
	checked := make(chan error, 1)
	go func() { checked <- v.Batch.Check(ctx, nil) }()
	body, err = render(p.template, view{visit: v, Data: data}) // not in the goroutine: the caller recovers from a panic
	return body, cmp.Or(<-checked, err)
}

// visit is one request for a page.
type visit struct {
	Batch Batch
	Lang  locale.Language
	Path  string     // as the reader wrote it, percent-encoded
	Texts url.Values // parameters of the path and of the query string
	// chosen tells whether the address names the language. Links then name it too.
	chosen  bool
	pattern string
	keys    []string
	config  *Config
}

// Chosen reports whether the address names the language.
func (v *visit) Chosen() bool { return v.chosen }

// text returns a parameter, and "" if it is absent.
func (v *visit) text(name string) string { return v.Texts.Get(name) }

// languageKey is the parameter with the language of a page.
const languageKey = "lang"

func (e *Explorer) operation(p page) httpapi.Operation {
	more := func() []string {
		if batch, there := e.config.Market.Batch(); there && p.more != nil {
			return p.more(batch)
		}
		return nil
	}
	content := "text/html; charset=utf-8"
	if p.file != nil {
		content = p.file.content
	}
	return httpapi.NewWebPage(httpapi.WebPage{
		Path: p.path, Type: content, Keys: append([]string{languageKey}, p.keys...), More: more, Problem: e.Problem,
		Answer: func(_ context.Context, c *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
			pageHeaders(c.Header)
			v := e.visit(c.Request, texts)
			v.Path = addressOf(p.path, texts)
			v.pattern, v.keys = p.path, slices.Concat(p.keys, more())
			batch, there := e.config.Market.Batch()
			if !there {
				return httpapi.Answer{}, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: noBatch, RetryAfter: httpapi.RetrySoon,
					Detail: "No batch of data is published yet."}
			}
			v.Batch = batch
			if p.file != nil {
				c.Header.Set("Content-Disposition", `attachment; filename="`+p.file.name+`"`)
			}
			version := fmt.Sprintf("%s %s %q %t", batch.Version(), v.Lang, e.config.BaseURL, e.config.Accounts)
			if p.minutely {
				version += time.Now().Format(" 15:04")
			}
			return httpapi.Answer{
				Version: version,
				Make: func(ctx context.Context) (httpapi.Reply, error) {
					body, err := p.body(ctx, v)
					return httpapi.Reply{Body: body}, err
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

// visit reads what every page needs of a request.
func (e *Explorer) visit(r *http.Request, texts url.Values) *visit {
	v := &visit{Lang: preferred(r.Header), Path: (&url.URL{Path: r.URL.Path}).EscapedPath(), Texts: texts, config: &e.config}
	if strings.HasPrefix(v.Path, "//") {
		v.Path = "/" // a link to it would lead to another host
	}
	if given, err := locale.ParseLanguage(texts.Get(languageKey)); err == nil && texts.Has(languageKey) {
		v.Lang, v.chosen = given, true
	}
	return v
}

// contentPolicy allows a page to use only what this server sends. It forbids inline scripts and
// styles, frames around the page, and forms that post to another origin.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// pageHeaders sets the headers of every page. Browsers may keep a page for a minute; then they
// ask whether it has changed.
func pageHeaders(header http.Header) {
	header.Set("Cache-Control", "public, max-age=60")
	header.Add("Vary", "Accept-Language")
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY")
}
