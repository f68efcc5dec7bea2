package site

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"cuota/internal/site/locale"
	"cuota/model"
)

// Published is the batch whose data the site shows.
type Published interface {
	// Version changes whenever a reply about the batch may change.
	Version() string
	// ID is the id of the batch.
	ID() string
	// Cutoff is its last complete day, and nil if it has none.
	Cutoff() *model.Date
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

// Config configures the frame.
type Config struct {
	// Published returns the published batch, and false if there is none, or if it can't be read. By default there is
	// none.
	Published func() (Published, bool)
	// Progress returns what is being loaded while there is no batch. By default nothing is shown.
	Progress func() []Step
	// Accounts says that the account area is served, to which the pages then link.
	Accounts bool
}

// Frame is what all pages of a server have in common.
type Frame struct{ config Config }

// New makes the frame of a server's pages.
func New(config Config) *Frame { return &Frame{config} }

// Visit is one request for a page.
type Visit struct {
	Lang locale.Language
	// Chosen reports whether the address names the language. Links then name it too.
	Chosen bool
	Path   string     // as the reader wrote it, percent-encoded
	Texts  url.Values // parameters of the path and of the query string
	Keys   []string   // names of the parameters that links to the same page keep, besides the language
	// Published is the batch that the foot of the page names; nil if it names none.
	Published Published
	// Accounts reports whether the account area is served.
	Accounts bool
	// Unlinked reports whether the page has no link to itself in the other language: it answers a form, or its
	// address has a secret.
	Unlinked bool
}

// Visit reads what every page needs of a request. texts are its parameters, and keys the names of those that links to
// the same page keep.
func (f *Frame) Visit(r *http.Request, texts url.Values, keys ...string) *Visit {
	v := &Visit{Path: (&url.URL{Path: r.URL.Path}).EscapedPath(), Texts: texts, Keys: keys, Accounts: f.config.Accounts}
	if strings.HasPrefix(v.Path, "//") {
		v.Path = "/" // a link to it would lead to another host
	}
	v.Lang, v.Chosen = languageOf(r.Header, texts)
	if f.config.Published != nil {
		if published, there := f.config.Published(); there {
			v.Published = published
		}
	}
	return v
}

// DateKey is the parameter with the past date that a page shows.
const DateKey = "fecha"

// PastDay returns the date that the page shows, and nil if that is the cutoff of its batch, or if it shows none.
func (v *Visit) PastDay() *model.Date {
	day, err := model.ParseDate(v.Text(DateKey))
	if err != nil || !slices.Contains(v.Keys, DateKey) || v.Published == nil {
		return nil
	}
	if cutoff := v.Published.Cutoff(); cutoff == nil || day.Compare(*cutoff) >= 0 {
		return nil
	}
	return &day
}

// View is what a template shows.
type View struct {
	*Visit
	Data any
}

// Text returns a parameter, and "" if it is absent.
func (v *Visit) Text(name string) string { return v.Texts.Get(name) }

// Say returns one of two texts.
func (v *Visit) Say(es, en string) string { return locale.Phrase{es, en}.In(v.Lang) }

// Day returns a date as text, and a dash for nil.
func (v *Visit) Day(date *model.Date) string {
	if date == nil {
		return locale.Dash
	}
	return v.Lang.Day(*date)
}

// Link returns the address of another page: its path, and the names and values of its parameters; empty values are left
// out. The language is kept if the address of this page names it.
func (v *Visit) Link(path string, pairs ...string) string {
	texts := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			texts.Add(pairs[i], pairs[i+1])
		}
	}
	return v.Address(path, texts)
}

// AccountLink returns the address of the account page.
func (v *Visit) AccountLink() string { return v.Link("/account") }

// Here returns the address of this page with some parameters changed; an empty value removes one.
func (v *Visit) Here(pairs ...string) string {
	texts := url.Values{}
	for _, key := range v.Keys {
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
	return v.Address(v.Path, texts)
}

// Address returns the address of a page with parameters, and with the language if the address of this page names it.
// It may change texts.
func (v *Visit) Address(path string, texts url.Values) string {
	if v.Chosen && !texts.Has(LanguageKey) {
		texts.Set(LanguageKey, string(v.Lang))
	}
	if len(texts) == 0 {
		return path
	}
	return path + "?" + texts.Encode()
}

// OtherLanguage returns the address of this page in the other language, and "" if it has none.
func (v *Visit) OtherLanguage() string {
	switch {
	case v.Unlinked:
		return ""
	case v.Lang == locale.English:
		return v.Here(LanguageKey, string(locale.Spanish))
	}
	return v.Here(LanguageKey, string(locale.English))
}

// In reports whether the page belongs to a part of the navigation.
func (v *Visit) In(path string) bool {
	return v.Path == path || strings.HasPrefix(v.Path, path+"/")
}
