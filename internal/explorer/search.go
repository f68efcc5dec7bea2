package explorer

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/model"
)

// searchPage finds series, managers, families and categories by a text: words of a name, or a RUN.
var searchPage = page{
	path: "/buscar", keys: []string{"q"}, template: "search",
	load: func(ctx context.Context, v *visit) (any, error) {
		out := searchView{Text: v.text("q")}
		if strings.TrimSpace(out.Text) == "" {
			return out, nil
		}
		var series foundSeries
		var managers namedManagers
		var summary marketSummary
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			series, err = ask[foundSeries](ctx, v, "/api/screener", "q", out.Text, "limit", strconv.Itoa(mostFound))
			return err
		})
		loading.Go(func() (err error) {
			managers, err = ask[namedManagers](ctx, v, "/api/asset_providers")
			return err
		})
		loading.Go(func() (err error) {
			summary, err = ask[marketSummary](ctx, v, "/api/market-summary")
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		for _, m := range managers.Data {
			if contains(m.Attributes.Name, out.Text) {
				out.Managers = append(out.Managers, found{Name: m.Attributes.Name, Link: v.Link("/administradoras", "administradora", m.Attributes.Name)})
			}
		}
		for _, f := range summary.Families {
			if contains(f.Family, out.Text) {
				out.Families = append(out.Families, found{Name: f.Family, Link: v.Link(familyPath(f.Family))})
			}
		}
		out.Categories = v.categories(out.Text)
		for _, s := range series.Data {
			out.Series = append(out.Series, seriesFound{
				found: found{Name: s.Attributes.Fund + " · " + s.Attributes.Serie, Sub: s.Attributes.Manager, Link: v.Link(seriesPath(s.ID))},
				ID:    s.ID, RUN: s.Attributes.RUN, FundLink: v.Link(fundPath(s.Attributes.RUN)),
			})
		}
		out.More = series.Meta.Total > len(out.Series)
		out.Total = series.Meta.Total
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

// seriesFound is a series that was found. It can be ticked, to be compared.
type seriesFound struct {
	found
	ID, RUN, FundLink string
}

// foundGroup is a list of things of one kind.
type foundGroup struct {
	Title string
	Items []found
}

// None tells whether nothing was found.
func (s searchView) None() bool {
	return len(s.Series)+len(s.Managers)+len(s.Families)+len(s.Categories) == 0
}

// categories gives the categories whose name has the text in either language, with links to their series.
func (v *visit) categories(text string) (list []found) {
	for key, name := range categoryWords {
		if contains(name.es, text) || contains(name.en, text) {
			list = append(list, found{Name: name.in(v.Lang), Link: v.Link("/fondos", "category", key) + "#resultado"})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

type foundSeries struct {
	Data []struct {
		ID         string `json:"id"`
		Attributes struct {
			Fund    string `json:"fundName"`
			RUN     string `json:"run"`
			Serie   string `json:"serie"`
			Manager string `json:"agf"`
		} `json:"attributes"`
	} `json:"data"`
	Meta struct {
		Total int `json:"total"`
	} `json:"meta"`
}

type namedManagers struct {
	Data []struct {
		Attributes struct {
			Name string `json:"name"`
		} `json:"attributes"`
	} `json:"data"`
}

// contains tells whether every word of a text is in a name, whatever case and accents.
func contains(name, text string) bool {
	name = model.Fold(name)
	for _, word := range strings.Fields(model.Fold(text)) {
		if !strings.Contains(name, word) {
			return false
		}
	}
	return true
}
