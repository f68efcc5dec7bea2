package query_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
)

// setting sets a parameter of a target.
func setting(t *testing.T, target, name, value string) string {
	t.Helper()
	address, err := url.Parse(target)
	must(t, err)
	values := address.Query()
	values.Set(name, value)
	address.RawQuery = values.Encode()
	return address.String()
}

// follow asks for a target and for the pages to which the header Link leads. It returns the number
// of rows of all of them, as count finds them in a body. Each page must state the total, except days of one series,
// whose next page begins later.
func follow(t *testing.T, r *rig, target string, total uint64, count func([]byte) int) (rows, pages int) {
	t.Helper()
	for target != "" {
		got := r.get(t, target)
		wantStatus(t, got, http.StatusOK)
		if stated := got.header.Get("X-Total-Count"); stated != strconv.FormatUint(total, 10) &&
			!strings.HasPrefix(target, "/api/real_assets/") {
			t.Fatalf("%s states %q rows, the first page %d", target, stated, total)
		}
		rows, pages = rows+count(got.body), pages+1
		if pages > 500 {
			t.Fatalf("%s: the pages have no end", target)
		}
		target = next(t, got)
	}
	return rows, pages
}

// next returns the target of the header Link, and "" if there is none.
func next(t *testing.T, got answer) string {
	t.Helper()
	link := got.header.Get("Link")
	if link == "" {
		return ""
	}
	target, is := strings.CutSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
	if !is || !strings.HasPrefix(target, "/api/") {
		t.Fatalf("Link is %q", link)
	}
	return target
}

// listed is a reply in JSON that may be a list.
type listed struct {
	Data  json.RawMessage
	Meta  struct{ Total *uint64 }
	Links *struct{ Next string }
}

func itemsIn(body []byte) int {
	var page struct{ Data []json.RawMessage }
	if json.Unmarshal(body, &page) != nil {
		return -1
	}
	return len(page.Data)
}

func linesIn(body []byte) int { return strings.Count(string(body), "\n") }

func TestEveryListStatesItsTotalAndItsNextPageInHeaders(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	rigs := map[string]*rig{"memory": newRig(t, options, unlimited),
		"SQL": newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})}
	lists, tables := 0, 0
	for _, o := range ours.Operations(t, func(tag string) bool {
		return tag != "Account" && tag != "Bulk" && tag != "Backtests"
	}) {
		if o.Method != http.MethodGet {
			continue
		}
		targets := []string{o.Target()}
		if o.Takes("limit") {
			targets = append(targets, setting(t, o.Target(), "limit", "97"))
		}
		for name, r := range rigs {
			for _, target := range targets {
				got := r.get(t, target)
				var page listed
				if got.status != http.StatusOK || json.Unmarshal(got.body, &page) != nil {
					continue
				}
				stated := got.header.Get("X-Total-Count")
				if !strings.HasPrefix(string(page.Data), "[") {
					if stated != "" || got.header.Get("Link") != "" {
						t.Errorf("%s from %s is no list, but has the headers of one: %v", target, name, got.header)
					}
					continue
				}
				lists++
				total, err := strconv.ParseUint(stated, 10, 64)
				if err != nil || got.header.Get("X-Batch-Id") == "" {
					t.Errorf("%s from %s: %v", target, name, got.header)
					continue
				}
				if page.Meta.Total != nil && *page.Meta.Total != total {
					t.Errorf("%s from %s states %d rows, its meta %d", target, name, total, *page.Meta.Total)
				}
				if page.Links != nil && page.Links.Next != next(t, got) || page.Links == nil && next(t, got) != "" {
					t.Errorf("%s from %s links to %q, its body to %v", target, name, next(t, got), page.Links)
				}
				if again := r.get(t, target); again.header.Get("X-Total-Count") != stated ||
					again.header.Get("Link") != got.header.Get("Link") {
					t.Errorf("%s from %s: asked again: %v", target, name, again.header)
				}
				if head := r.do(t, r.request(http.MethodHead, target)); head.header.Get("X-Total-Count") != stated {
					t.Errorf("%s from %s: HEAD: %v", target, name, head.header)
				}
			}
			// All pages together have as many rows as each of them states, whatever the format.
			longest := targets[len(targets)-1]
			got := r.get(t, longest)
			total, err := strconv.ParseUint(got.header.Get("X-Total-Count"), 10, 64)
			if err != nil {
				continue // no list, or nothing of it in the demo market
			}
			if o.Path != "/api/reports/tac-changes" { // whose limit is a part of the question, not of a page
				if rows, _ := follow(t, r, longest, total, itemsIn); uint64(rows) != total {
					t.Errorf("%s from %s: %d rows on all pages, %d stated", longest, name, rows, total)
				}
			}
			if !o.Takes("format") || name == "SQL" { // a table is always read from ClickHouse
				continue
			}
			tables++
			table := setting(t, longest, "format", "ndjson")
			of, err := strconv.ParseUint(r.get(t, table).header.Get("X-Total-Count"), 10, 64)
			must(t, err)
			if rows, _ := follow(t, r, table, of, linesIn); uint64(rows) != of {
				t.Errorf("%s: %d rows on all pages, %d stated", table, rows, of)
			}
			address, err := url.Parse(table)
			must(t, err)
			values := address.Query()
			values.Del("limit")
			values.Del("offset")
			address.RawQuery = values.Encode()
			whole := r.get(t, address.String())
			if stated := whole.header.Get("X-Total-Count"); stated != strconv.Itoa(linesIn(whole.body)) ||
				next(t, whole) != "" {
				t.Errorf("%s has %d rows, and states %q and %q", address, linesIn(whole.body), stated, next(t, whole))
			}
			if head := r.do(t, r.request(http.MethodHead, address.String())); head.header.Get(
				"X-Total-Count") != whole.header.Get("X-Total-Count") {
				t.Errorf("%s: HEAD: %v", address, head.header)
			}
		}
	}
	if lists < 20 || tables < 8 {
		t.Errorf("the document has %d lists and %d tables with data in the demo market", lists, tables)
	}
}
