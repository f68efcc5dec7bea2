package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"cuota/client"
)

type searchArguments struct {
	Query  string `json:"query"`
	Kind   string `json:"kind"`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

var kindWords = words{
	{"series", []string{"serie"}},
	{"fund", []string{"fondo", "fondos", "funds"}},
	{"manager", []string{"administradora", "administradoras", "managers", "agf"}},
}

func (s *server) search() tool {
	return tool{name: "search", run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var given searchArguments
		if err := readArguments(arguments, &given); err != nil {
			return "", err
		}
		kind, err := kindWords.read("kind", given.Kind)
		if err != nil {
			return "", err
		}
		if err := checkCount("limit", &given.Limit, 20, 100); err != nil {
			return "", err
		}
		if given.Offset < 0 {
			return "", errors.New("offset must not be negative")
		}
		switch kind {
		case "manager":
			return s.searchManagers(ctx, given)
		case "fund":
			return s.searchFunds(ctx, given)
		}
		return s.searchSeries(ctx, given)
	}}
}

// seriesFound is a series in the answer of a search.
type seriesFound struct {
	ID       string `json:"id"`
	Series   string `json:"series"` // RUN and series
	Fund     string `json:"fund"`
	Manager  string `json:"manager,omitempty"`
	Family   string `json:"family,omitempty"`
	Currency string `json:"currency,omitempty"`
	Status   string `json:"status"`
	First    string `json:"first_date,omitempty"`
	Last     string `json:"last_date,omitempty"`
}

func newSeriesFound(k client.Known) seriesFound {
	return seriesFound{ID: k.ID, Series: k.Run + " " + k.Serie, Fund: k.FundName, Manager: deref(k.Manager),
		Family: deref(k.Family), Currency: deref(k.Currency), Status: k.Status, First: deref(k.FirstDate),
		Last: deref(k.LastDate)}
}

// found is the answer of a search.
type found struct {
	Total int `json:"total"`
	Found any `json:"found"`
	Units any `json:"units,omitempty"`
	origin
}

func (s *server) searchSeries(ctx context.Context, given searchArguments) (string, error) {
	list, err := s.api.Search(ctx, given.Query, given.Limit, given.Offset, "")
	if err != nil {
		return "", err
	}
	if list.Total == 0 {
		return "", s.nothingNamed(ctx, given.Query)
	}
	var rows []seriesFound
	for _, each := range list.Series {
		rows = append(rows, newSeriesFound(each))
	}
	return listed(rows, list.Total, given, origin{BatchID: list.BatchID, AsOfDate: list.AsOfDate,
		Source: "GET /api/series"}, nil)
}

// listed returns the answer with the rows of a page.
func listed[T any](rows []T, total int, given searchArguments, of origin, units any) (string, error) {
	if len(rows) == 0 {
		return "", fmt.Errorf("offset: there are only %d", total)
	}
	return fitting(len(rows), func(n int) any {
		of := of
		if after := given.Offset + n; after < total {
			of.Left = fmt.Sprintf("%d more: call again with offset %d", total-after, after)
		}
		return found{Total: total, Found: rows[:n], Units: units, origin: of}
	})
}

// fundFound is a fund in the answer of a search.
type fundFound struct {
	ID      string `json:"id"`
	Run     string `json:"run"`
	Fund    string `json:"fund"`
	Manager string `json:"manager,omitempty"`
	Series  list   `json:"series"`
}

// searchFunds finds the funds of the series that are found. A fund of which many series are found costs no more rows.
func (s *server) searchFunds(ctx context.Context, given searchArguments) (string, error) {
	const page, most = 1000, 20 // of requests: more than the series that there are
	var funds []fundFound
	at := map[string]int{}
	var of origin
	more := true
	for offset, pages := 0, 0; more && pages < most; pages++ {
		list, err := s.api.Search(ctx, given.Query, page, offset, of.BatchID)
		if err != nil {
			return "", err
		}
		of = origin{BatchID: list.BatchID, AsOfDate: list.AsOfDate, Source: "GET /api/series"}
		for _, each := range list.Series {
			i, known := at[each.FundID]
			if !known {
				i = len(funds)
				at[each.FundID] = i
				funds = append(funds, fundFound{ID: each.FundID, Run: each.Run, Fund: each.FundName,
					Manager: deref(each.Manager)})
			}
			name := each.Serie
			if each.Status == "closed" {
				name += " (closed)"
			}
			funds[i].Series = append(funds[i].Series, name)
		}
		offset += len(list.Series)
		more = offset < list.Total && len(list.Series) > 0
	}
	if len(funds) == 0 {
		return "", s.nothingNamed(ctx, given.Query)
	}
	if more {
		return "", fmt.Errorf("query: more than %d series are found; give more words", page*most)
	}
	return listed(funds[min(given.Offset, len(funds)):min(given.Offset+given.Limit, len(funds))], len(funds), given, of,
		nil)
}

// managerFound is a manager in the answer of a search.
type managerFound struct {
	ID           string   `json:"id"`
	Manager      string   `json:"manager"`
	Rank         int      `json:"rank"`
	Equity       *float64 `json:"equity"`
	Shareholders *float64 `json:"shareholders"`
	Funds        int      `json:"funds"`
}

func (s *server) searchManagers(ctx context.Context, given searchArguments) (string, error) {
	ranking, err := s.api.Ranking(ctx, "")
	if err != nil {
		return "", err
	}
	var rows []managerFound
	var names []string
	for _, each := range ranking.Managers {
		names = append(names, each.Name)
		if containsWords(each.Name, given.Query) {
			rows = append(rows, managerFound{each.ID, each.Name, each.Rank, each.Equity, each.Shareholders, each.Funds})
		}
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("no manager is named %q. %s", short(given.Query), theNearest(given.Query, names))
	}
	total := len(rows)
	return listed(rows[min(given.Offset, total):min(given.Offset+given.Limit, total)], total, given,
		origin{BatchID: ranking.BatchID, AsOfDate: ranking.Date, Source: "GET /api/agf_stats/ranking"},
		map[string]string{"equity": "pesos", "shareholders": "number, summed over series"})
}

// containsWords reports whether a name has every word of a text, in any order.
func containsWords(name, text string) bool {
	name = fold(name)
	for word := range strings.FieldsSeq(fold(text)) {
		if !strings.Contains(name, word) {
			return false
		}
	}
	return true
}

// nothingNamed is the error for a name that no series has. It names the nearest funds.
func (s *server) nothingNamed(ctx context.Context, text string) error {
	funds, err := s.api.Funds(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, fund := range funds {
		names = append(names, fund.Run+" "+strings.TrimPrefix(fund.Name, "FONDO MUTUO "))
	}
	return fmt.Errorf(
		"no series is named %q. %s Words are searched in the names of fund and series; a RUN or an id is "+
			"found too",
		short(text),
		theNearest(text, names),
	)
}

// theNearest is a sentence with the names that are most like a text.
func theNearest(text string, names []string) string {
	if best := nearest(text, names, 5); len(best) > 0 {
		return "The nearest names: " + strings.Join(best, "; ") + "."
	}
	return "No name is like it."
}
