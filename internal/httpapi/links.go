package httpapi

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Links is the member of a reply that links to the next page (JSON:API).
type Links struct {
	Next string `json:"next"`
}

// NextPage gives the link to the page after this one, which has the given number of rows and
// begins at offset. It returns "" if this is the last page.
func (c *Call) NextPage(offset int64, rows int, total uint64, version string) string {
	offset += int64(rows)
	if rows == 0 || uint64(offset) >= total {
		return ""
	}
	return c.LinkTo("offset", strconv.FormatInt(offset, 10), version)
}

// LinkTo gives the path and query of this call with one parameter changed; the address of
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

// FileName gives a name for a file with the reply of this call, without an ending: the path below
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

// path gives the path of the operation with the caller's values in it.
func (c *Call) path() string {
	path := c.op.Path
	for i, p := range c.op.Parameters {
		if p.In == "path" {
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(c.values[i].text), 1)
		}
	}
	return path
}
