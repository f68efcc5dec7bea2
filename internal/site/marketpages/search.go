package marketpages

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/summary"
)

// searchPage finds series, managers, families and categories by a text (RULES 6, how a text finds series). Closed
// series are found too, and marked.
var searchPage = page{
	path: "/buscar", keys: []string{"q"}, template: "search",
	load: func(ctx context.Context, v *visit) (any, error) {
		out := searchView{Text: v.Text("q")}
		if strings.TrimSpace(out.Text) == "" {
			return out, nil
		}
		var series funds.SearchResult
		var managers httpapi.Items[funds.Provider]
		var today *summary.Summary
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			series, err = find(ctx, v, funds.Search, "q", out.Text, "limit", strconv.Itoa(mostFound))
			return err
		})
		loading.Go(func() (err error) {
			managers, err = findKept(ctx, v, funds.AssetProviders)
			return err
		})
		loading.Go(func() (err error) {
			today, err = findKept(ctx, v, summary.OfDay)
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		search := model.NewSearch(out.Text)
		for _, m := range managers.Data {
			if search.FindsName(m.Attributes.Name) {
				out.Managers = append(out.Managers,
					found{Name: m.Attributes.Name, Link: v.Link("/administradoras", "administradora",
						m.Attributes.Name)})
			}
		}
		for _, f := range today.Families {
			if search.FindsName(f.Family) {
				out.Families = append(out.Families, found{Name: f.Family, Link: v.Link(familyPath(f.Family))})
			}
		}
		out.Categories = v.categories(search)
		for _, s := range series.Data {
			link := seriesPath(s.ID)
			if s.Book {
				link = instrumentPath(s.ID)
			}
			out.Series = append(out.Series, seriesFound{
				found: found{Name: s.Fund + " · " + s.Serie, Sub: s.Manager, Link: v.Link(link)},
				ID:    s.ID, RUN: s.RUN, FundLink: v.Link(fundPath(s.RUN)), Closed: s.Closed, Comparable: !s.Closed &&
					!s.Book,
			})
		}
		out.Total = series.Total
		out.More = out.Total > len(out.Series)
		return out, nil
	},
}

// mostFound is how many series the page shows.
const mostFound = 50

type searchView struct {
	Text                           string
	Series                         []seriesFound
	Managers, Families, Categories []found
	Total                          int
	More                           bool
}

// found is a thing that was found.
type found struct{ Name, Sub, Link string }

// seriesFound is a series that was found. One that is comparable can be ticked, to be compared.
type seriesFound struct {
	found
	ID, RUN, FundLink  string
	Closed, Comparable bool
}

// foundGroup is a list of things of one kind.
type foundGroup struct {
	Title string
	Items []found
}

// None reports whether nothing was found.
func (s searchView) None() bool {
	return len(s.Series)+len(s.Managers)+len(s.Families)+len(s.Categories) == 0
}

// categories returns the categories whose name is found in either language, with links to their series.
func (v *visit) categories(search model.Search) (list []found) {
	for key, name := range categoryWords {
		if search.FindsName(name[0]) || search.FindsName(name[1]) {
			list = append(list, found{Name: name.In(v.Lang), Link: v.Link("/fondos", "category", key) + "#resultado"})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
