package query

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// links is the member of a reply that links to the next page (JSON:API).
type links struct {
	Next string `json:"next"`
}

// nextPage gives the link to the page after this one, which has the given number of rows.
// It returns "" if this is the last page.
func (c *call) nextPage(rows int, total uint64) string {
	offset := c.integer("offset") + int64(rows)
	if rows == 0 || uint64(offset) >= total {
		return ""
	}
	return c.linkTo("offset", strconv.FormatInt(offset, 10))
}

// linkTo gives the path and query of this call with one parameter changed; the address of
// the service goes before it. It repeats the parameters that the caller gave, and names the
// batch, so that all pages come from one batch.
func (c *call) linkTo(name, value string) string {
	link := make([]byte, 0, 256)
	link = append(link, c.path()...)
	separator := byte('?')
	put := func(name, text string) {
		link = append(link, separator)
		link = append(link, name...)
		link = append(link, '=')
		link = append(link, url.QueryEscape(text)...)
		separator = '&'
	}
	for _, p := range c.op.params {
		given := c.values[p.name]
		switch {
		case p.in == "path":
		case p.name == name:
			put(name, value)
		case p.name == "batch_id":
			put("batch_id", c.batch.ID)
		case given != nil && (given != p.fallback || p.name == "limit"):
			put(p.name, textOf(given))
		}
	}
	return string(link)
}

// path gives the path of the operation with the caller's values in it.
func (c *call) path() string {
	path := c.op.path
	for _, p := range c.op.params {
		if p.in == "path" {
			path = strings.Replace(path, "{"+p.name+"}", url.PathEscape(textOf(c.values[p.name])), 1)
		}
	}
	return path
}

// textOf writes the value of a parameter as a caller would write it.
func textOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case int64:
		return strconv.FormatInt(value, 10)
	}
	return fmt.Sprint(value)
}
