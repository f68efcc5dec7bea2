package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// Links is the member of a reply that links to the next page (JSON:API).
type Links struct {
	Next string `json:"next"`
}

// Listing is what the headers of a reply with a list state, so that a client of a table knows it too.
type Listing struct {
	// Total counts the items of the whole list: after the filters, of all pages.
	Total uint64
	// Next is the link to the next page, or "" if there is none.
	Next string
}

// listingOf returns the listing of a body whose member data is a complete list, and nil for any
// other body.
func listingOf(body any) *Listing {
	value := reflect.Indirect(reflect.ValueOf(body))
	if value.Kind() != reflect.Struct {
		return nil
	}
	for i := range value.NumField() {
		if value.Type().Field(i).Tag.Get("json") != "data" {
			continue
		}
		if list := value.Field(i); list.Kind() == reflect.Slice {
			return &Listing{Total: uint64(list.Len())}
		}
		return nil
	}
	return nil
}

// state sets the headers X-Total-Count and Link.
func (l *Listing) state(header http.Header) {
	if l == nil {
		return
	}
	header.Set("X-Total-Count", strconv.FormatUint(l.Total, 10))
	if l.Next != "" {
		header.Set("Link", "<"+l.Next+`>; rel="next"`)
	}
}

// NextPage returns the link to the page after this one, which has the given number of rows and
// begins at offset. It returns "" if this is the last page.
func (c *Call) NextPage(offset int64, rows int, total uint64, version string) string {
	offset += int64(rows)
	if rows == 0 || uint64(offset) >= total {
		return ""
	}
	return c.LinkTo("offset", strconv.FormatInt(offset, 10), version)
}

// LinkTo returns the path and query of this call with one parameter changed; the address of
// the service goes before it. It repeats the parameters that the caller gave, and names the
// version of the data, so that all pages come from one version.
func (c *Call) LinkTo(name, text, version string) string {
	link := make([]byte, 0, 256)
	link = append(link, c.path()...)
	separator := byte('?')
	for i, p := range c.op.Parameters {
		given := c.values[i]
		switch {
		case p.In == "path", p.Name == MomentParameter:
			continue
		case p.Name == name:
			given.text = text
		case p.Name == VersionParameter:
			given.text = version
		case !given.given, p.Default != nil && given.text == fmt.Sprint(p.Default) && p.Name != limitParameter:
			continue
		}
		link = append(link, separator)
		link = append(link, p.Name...)
		link = append(link, '=')
		link = append(link, url.QueryEscape(given.text)...)
		separator = '&'
	}
	return string(link)
}

// FileName returns a name for a file with the reply of this call, without an ending: the path below
// /api, of letters, digits and a few other characters.
func (c *Call) FileName() string {
	path, err := url.PathUnescape(strings.TrimPrefix(c.path(), "/api/"))
	if err != nil {
		path = "cuota"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '-'
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, path)
	return name[:min(len(name), maxFileName)]
}

// maxFileName bounds the names of files.
const maxFileName = 100

// path returns the path of the operation with the caller's values in it.
func (c *Call) path() string {
	path := c.op.Path
	for i, p := range c.op.Parameters {
		if p.In == "path" {
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(c.values[i].text), 1)
		}
	}
	return path
}
