package marketpages

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/operation"
	"cuota/query/summary"
)

// searchPage finds series, managers, families and categories by a text and its synonyms, and with typos if that finds
// nothing (RULES 6, how a text finds series). Closed series are found too, and marked.
var searchPage = page{
	path: "/buscar", keys: []string{"q"}, template: "search",
	load: func(ctx context.Context, v *visit) (any, error) {
		out, err := v.search(ctx, mostFound)
		if err != nil {
			return nil, err
		}
		out.File = v.foundTable(out.Funds)
		return out, nil
	},
}

// searchSuggestions is the file from which a script lists what a text finds while it is typed: the first of what the
// page of the search finds.
var searchSuggestions = page{
	path: "/buscar/sugerencias.json", keys: searchPage.keys,
	file: &fileType{name: "sugerencias.json", content: "application/json",
		load: func(ctx context.Context, v *visit) ([]byte, error) {
			if utf8.RuneCountInString(strings.TrimSpace(v.Text("q"))) < leastSuggested {
				return json.Marshal(suggestions{Items: []suggestion{}})
			}
			out, err := v.search(ctx, mostSuggestedSeries)
			if err != nil {
				return nil, err
			}
			return json.Marshal(v.suggestionsOf(out))
		}},
}

// search finds what a text means, and at most so many series.
func (v *visit) search(ctx context.Context, most int) (searchView, error) {
	out := searchView{Text: v.Text("q")}
	if strings.TrimSpace(out.Text) == "" {
		return out, nil
	}
	var series funds.SearchResult
	var managers httpapi.Items[funds.Provider]
	var today *summary.Summary
	loading, ctx := errgroup.WithContext(ctx)
	loading.Go(func() (err error) {
		series, err = find(ctx, v, funds.Search, "q", out.Text, "limit", strconv.Itoa(most))
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
		return out, err
	}
	search := model.NewSearch(out.Text)
	name := func(search model.Search) {
		for _, m := range managers.Data {
			if search.FindsName(m.Attributes.Name) {
				out.Managers = append(out.Managers, found{Name: m.Attributes.Name,
					Link: v.Link("/administradoras", "administradora", m.Attributes.Name)})
			}
		}
		for _, f := range today.Families {
			if search.FindsName(f.Family) {
				out.Families = append(out.Families, found{Name: familyname.Spelt(f.Family),
					Link: v.Link(familyPath(f.Family))})
			}
		}
		out.Categories = v.categories(search)
	}
	name(search.WithSynonyms())
	switch named := !out.None(); {
	case named && series.Typos: // the text is that name as it is written
		return out, nil
	case !named && (series.Typos || len(series.Data) == 0):
		name(search.WithTypos())
		out.Typos = series.Typos || !out.None()
	}
	out.Funds = v.fundsFound(series.Data)
	out.Total = series.Total
	out.More = out.Total > len(series.Data)
	return out, nil
}

// The bounds of suggestions.
const (
	leastSuggested       = 2  // characters of a text
	mostSuggestedSeries  = 20 // series that are searched for, of which several may be of one fund
	mostSuggestedFunds   = 6
	mostSuggestedOfAKind = 2 // categories, families and managers
)

// suggestions are what a text finds while it is typed.
type suggestions struct {
	Items []suggestion `json:"items"`
	// Count says how many there are, for readers who can't see the list.
	Count string `json:"count"`
}

// suggestion is one thing that a text finds: what it is, its name, what else tells it apart, and its page.
type suggestion struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Sub  string `json:"sub,omitempty"`
	Link string `json:"link"`
}

// suggestionsOf returns the first things of each kind, in the order of the page.
func (v *visit) suggestionsOf(of searchView) suggestions {
	out := suggestions{Items: []suggestion{}}
	add := func(kind string, list []found) {
		for _, f := range list[:min(len(list), mostSuggestedOfAKind)] {
			out.Items = append(out.Items, suggestion{kind, locale.Shown(f.Name), locale.Shown(f.Sub), f.Link})
		}
	}
	add(v.Say("Categoría", "Category"), of.Categories)
	add(v.Say("Familia", "Family"), of.Families)
	add(v.Say("Administradora", "Manager"), of.Managers)
	list := of.Funds
	if of.More && len(list) > 1 {
		list = list[:len(list)-1] // more of its series may be found
	}
	for _, f := range list[:min(len(list), mostSuggestedFunds)] {
		one := suggestion{v.Say("Fondo", "Fund"), locale.Shown(f.Name), "RUN " + f.RUN, f.Link}
		if len(f.Series) == 1 { // the text may name it
			one.Kind, one.Link = v.Say("Serie", "Series"), f.Series[0].Link
			one.Sub += " · " + locale.Shown(f.Series[0].Name)
		}
		if !slices.ContainsFunc(f.Series, func(s seriesFound) bool { return !s.Closed }) {
			one.Sub += " · " + v.Say("cerrado", "closed")
		}
		out.Items = append(out.Items, one)
	}
	switch n := len(out.Items); n {
	case 0:
		out.Count = v.Say("Sin sugerencias", "No suggestions")
	case 1:
		out.Count = v.Say("Una sugerencia", "One suggestion")
	default:
		out.Count = strconv.Itoa(n) + v.Say(" sugerencias", " suggestions")
	}
	return out
}

// mostFound is how many series the page shows.
const mostFound = 200

type searchView struct {
	Text                           string
	Funds                          []fundFound
	Managers, Families, Categories []found
	Total                          int // of series
	More                           bool
	Typos                          bool  // what was found only resembles the text
	File                           table // the funds as a file; the page has a form around them
}

// found is a thing that was found.
type found struct{ Name, Sub, Link string }

// fundFound is a fund with those of its series that were found. Cost and Size are those of its open series.
type fundFound struct {
	found
	RUN        string
	Manager    string // short
	Series     []seriesFound
	Costs      []string // a line for each kind of cost rate
	Cost, Size cell     // Cost has the lines of Costs
}

// seriesFound is a series that was found. One that is comparable can be ticked, to be compared.
type seriesFound struct {
	ID, Name, Link     string
	Closed, Comparable bool
	Unheld             bool // nobody holds it
}

// fundsFound returns what was found by funds, in the order of their first series.
func (v *visit) fundsFound(series []funds.FoundSeries) (list []fundFound) {
	for from := 0; from < len(series); {
		first := series[from]
		to := from + 1
		for to < len(series) && series[to].RUN == first.RUN && series[to].Fund == first.Fund {
			to++
		}
		list = append(list, v.fundFound(series[from:to]))
		from = to
	}
	return list
}

// foundTable has the funds that were found with the columns of the page.
func (v *visit) foundTable(of []fundFound) table {
	t := table{ID: "fondos", Caption: v.Say("Fondos encontrados, con sus series", "Funds found, with their series"),
		Columns: []column{{Title: v.Say("Fondo", "Fund")}, {Title: "RUN"},
			{Title: v.Say("Administradora", "Manager")}, {Title: "Series"}, {Title: "TAC", Unit: v.Say("al año", "a year")},
			{Title: v.Say("Patrimonio", "Equity"), Unit: v.millions()}}}
	for _, f := range of {
		var names []string
		for _, s := range f.Series {
			names = append(names, s.Name)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{word(f.Name), word(f.RUN), word(f.Sub),
			word(strings.Join(names, ", ")), f.Cost, f.Size}})
	}
	return t
}

func (v *visit) fundFound(series []funds.FoundSeries) fundFound {
	first := series[0]
	out := fundFound{found: found{first.Fund, first.Manager, v.Link(fundPath(first.RUN))}, RUN: first.RUN,
		Manager: locale.Shown(shortname.Manager(first.Manager))}
	var open []funds.FoundSeries
	for _, s := range series {
		link := seriesPath(s.ID)
		if s.Book {
			link = instrumentPath(s.ID)
		}
		out.Series = append(out.Series, seriesFound{ID: s.ID, Name: s.Serie, Link: v.Link(link), Closed: s.Closed,
			Comparable: !s.Closed && !s.Book, Unheld: s.Unheld})
		if !s.Closed {
			open = append(open, s)
		}
	}
	out.Costs, out.Size = v.costRanges(open), v.sizeOf(open)
	out.Cost = word(strings.Join(out.Costs, "; "))
	if len(out.Costs) == 0 {
		out.Cost = missing(v.Say("sin TAC informada", "no TAC was stated"))
	}
	return out
}

// costRanges returns the cost rates of series, from the lowest to the highest. Rates of different kinds do not compare
// (RULES 2), so each kind has a line of its own.
func (v *visit) costRanges(series []funds.FoundSeries) (lines []string) {
	ofKind := map[string][]float64{}
	for _, s := range series {
		if s.TAC != nil {
			ofKind[s.TACKind] = append(ofKind[s.TACKind], *s.TAC)
		}
	}
	for _, kind := range slices.SortedFunc(maps.Keys(ofKind), byKind) {
		lowest, highest := slices.Min(ofKind[kind]), slices.Max(ofKind[kind])
		rates := v.Lang.Percent(highest, 2)
		if from := v.Lang.Number(100*lowest, 2); from != v.Lang.Number(100*highest, 2) {
			rates = from + "–" + rates
		}
		lines = append(lines, strings.TrimSpace(worded(tacKinds, kind).In(v.Lang)+" "+rates))
	}
	return lines
}

// byKind orders kinds of cost rates as kindOrder does, and others after them.
func byKind(a, b string) int {
	place := func(kind string) int {
		if at := slices.Index(kindOrder, kind); at >= 0 {
			return at
		}
		return len(kindOrder)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// sizeOf returns the equity of series in millions of pesos, and says how many of them it lacks.
func (v *visit) sizeOf(series []funds.FoundSeries) cell {
	var equity *float64
	without := 0
	for _, s := range series {
		if s.EquityCLP == nil {
			without++
			continue
		}
		equity = new(*s.EquityCLP + operation.Value(equity))
	}
	out := v.millionsCell(millionsOf(equity), 0, v.Say("sin patrimonio en pesos", "no equity in pesos"))
	switch {
	case equity == nil || without == 0:
	case without == 1:
		out.Sub = v.Say("sin el de una serie", "without that of one series")
	default:
		n := strconv.Itoa(without)
		out.Sub = v.Say("sin el de "+n+" series", "without that of "+n+" series")
	}
	return out
}

// foundGroup is a list of things of one kind.
type foundGroup struct {
	Title string
	Items []found
}

// None reports whether nothing was found.
func (s searchView) None() bool {
	return len(s.Funds)+len(s.Managers)+len(s.Families)+len(s.Categories) == 0
}

// categories returns the categories whose name is found in either language, or as the API has it, with links to their
// series.
func (v *visit) categories(search model.Search) (list []found) {
	for key, name := range categoryWords {
		if search.FindsName(name[0]) || search.FindsName(name[1]) || search.FindsName(strings.ReplaceAll(key, "_", " ")) {
			list = append(list, found{Name: name.In(v.Lang), Link: v.Link("/fondos", "category", key) + "#resultado"})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
