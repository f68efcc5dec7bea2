package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cuota/client"
)

type screenArguments struct {
	Query         string `json:"query"`
	Family        string `json:"family"`
	Category      string `json:"category"`
	Currency      string `json:"currency"`
	Manager       string `json:"manager"`
	InvestorClass string `json:"investor_class"`
	APV           *bool  `json:"apv"`
	Digital       *bool  `json:"digital"`
	Qualified     *bool  `json:"qualified"`
	TACKind       string `json:"tac_kind"`
	SpheresMin    int    `json:"spheres_min"`
	Sort          string `json:"sort"`
	Order         string `json:"order"`
	Fields        list   `json:"fields"`
	Limit         int    `json:"limit"`
	Offset        int    `json:"offset"`
	Date          string `json:"date"`
	BatchID       string `json:"batch_id"`
}

// column is a field of the tool screen.
type column struct {
	unit   string
	fields []string // attributes of the API
	value  func(*client.Series) any
}

// columns are the fields besides the windows.
var columns = map[string]column{
	"tac":          {"fraction a year", []string{"tac"}, func(s *client.Series) any { return s.TAC }},
	"equity":       {"millions of the currency", []string{"patrimony"}, func(s *client.Series) any { return s.Equity }},
	"quota":        {"the currency", []string{"price"}, func(s *client.Series) any { return s.Price }},
	"shareholders": {"number", []string{"shareholders"}, func(s *client.Series) any { return s.Shareholders }},
	"volatility": {"fraction a year, of 12 months", []string{"volatility_annualized_12m"},
		func(s *client.Series) any { return s.Volatility12m }},
	"drawdown": {
		"fraction, of 36 months",
		[]string{"max_drawdown_36m"},
		func(s *client.Series) any { return s.Drawdown36m },
	},
	"spheres": {"1 to 5, 5 is best", []string{"cmf_spheres"}, func(s *client.Series) any {
		if s.Rating == nil {
			return nil
		}
		return s.Rating.Value
	}},
	"currency":       {"", []string{"currency"}, func(s *client.Series) any { return s.Currency }},
	"family":         {"", []string{"fundFamily"}, func(s *client.Series) any { return s.Family }},
	"category":       {"", []string{"category"}, func(s *client.Series) any { return s.Category }},
	"manager":        {"", []string{"agf"}, func(s *client.Series) any { return s.Manager }},
	"investor_class": {"", []string{"investorClass"}, func(s *client.Series) any { return s.InvestorClass }},
}

// columnWords are all fields, with other words for them.
var columnWords = slices.Concat(windowWords, slices.DeleteFunc(slices.Clone(figureWords),
	func(w word) bool { return w.value == "return" || w.value == "risk" }), words{
	{"volatility", []string{"volatilidad", "risk", "riesgo"}},
	{"drawdown", []string{"max drawdown", "caida"}},
	{"currency", []string{"moneda"}}, {"family", []string{"familia"}}, {"category", []string{"categoria"}},
	{"manager", []string{"administradora", "agf"}}, {"investor_class", []string{"clase"}},
})

// sortWords are what series can be sorted by.
var sortWords = slices.Concat(words{{"id", nil}, figureWords[1], figureWords[6]}, windowWords)

// columnOf returns a field: of columns, or a window.
func columnOf(name string) column {
	if of, is := columns[name]; is {
		return of
	}
	unit := "fraction"
	if strings.HasSuffix(name, "_ann") {
		unit = "fraction a year"
	}
	return column{unit, []string{"returns.periods." + name}, func(s *client.Series) any {
		if s.Returns == nil {
			return nil
		}
		return s.Returns.Windows[name].Value
	}}
}

func (s *server) screen() tool {
	return tool{name: "screen", run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var given screenArguments
		if err := readArguments(arguments, &given); err != nil {
			return "", err
		}
		screen, fields, err := newScreen(given)
		if err != nil {
			return "", err
		}
		return s.list(ctx, screen, fields)
	}}
}

// newScreen checks and translates arguments. fields are the columns of the answer.
func newScreen(given screenArguments) (screen client.Screen, fields []string, err error) {
	screen = client.Screen{
		Text:          given.Query,
		Family:        given.Family,
		InvestorClass: given.InvestorClass,
		APV:           given.APV,
		Digital:       given.Digital,
		Qualified:     given.Qualified,
		Manager:       given.Manager,
		TACKind:       given.TACKind,
		SpheresMin:    given.SpheresMin,
		AsOfDate:      given.Date,
		BatchID:       given.BatchID,
	}
	if given.SpheresMin < 0 || given.SpheresMin > 5 {
		return screen, nil, errors.New("spheres_min must be from 1 to 5")
	}
	if err := checkCount("limit", &given.Limit, 10, 200); err != nil {
		return screen, nil, err
	}
	if given.Offset < 0 {
		return screen, nil, errors.New("offset must not be negative")
	}
	screen.Limit, screen.Offset = given.Limit, given.Offset
	if err := checkDates(map[string]string{"date": given.Date}); err != nil {
		return screen, nil, err
	}
	for _, translated := range []struct {
		argument, text string
		words          words
		into           *string
	}{
		{"category", given.Category, categoryWords, &screen.Category},
		{"currency", given.Currency, currencyWords, &screen.Currency},
		{"sort", given.Sort, sortWords, &screen.Sort},
		{"order", given.Order, orderWords, &screen.Order},
	} {
		if *translated.into, err = translated.words.read(translated.argument, translated.text); err != nil {
			return screen, nil, err
		}
	}
	for _, text := range given.Fields {
		field, err := columnWords.read("fields", text)
		if err != nil {
			return screen, nil, err
		}
		if field != "" && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if len(fields) == 0 {
		fields = []string{"currency", "tac"}
	}
	if screen.Sort != "" && screen.Sort != "id" && !slices.Contains(fields, screen.Sort) {
		fields = append(fields, screen.Sort)
	}
	amounts := slices.Contains(fields, "equity") || slices.Contains(fields, "quota")
	if amounts && !slices.Contains(fields, "currency") { // in which they are
		fields = append(fields, "currency")
	}
	if slices.Contains(windowWords.values(), screen.Sort) && screen.Currency == "" {
		return screen, nil, fmt.Errorf(
			"currency: returns in different currencies do not compare, so the sort %s needs PESOS "+
				"or DOLAR",
			screen.Sort,
		)
	}
	if screen.Sort == "spheres" {
		if screen.Family == "" || screen.InvestorClass == "" {
			return screen, nil, errors.New(
				"the sort spheres needs family and investor_class: spheres rate series among those " +
					"of the same family and class",
			)
		}
		screen.Sort, screen.RatedClass = "cmf_spheres", screen.InvestorClass
	}
	screen.Fields = []string{"run", "serie", "fundName"}
	for _, field := range fields {
		screen.Fields = append(screen.Fields, columnOf(field).fields...)
	}
	return screen, fields, nil
}

// list asks for a screen and returns its rows as a table.
func (s *server) list(ctx context.Context, screen client.Screen, fields []string) (string, error) {
	if screen.RatedClass != "" { // the API takes these names exactly
		family, err := s.family(ctx, screen.Family)
		if err != nil {
			return "", err
		}
		screen.Family, screen.RatedFamily = family, family
	}
	page, err := s.api.Screener(ctx, screen)
	if err == nil && page.Total == 0 && screen.Family != "" {
		written := screen.Family
		if screen.Family, err = s.family(ctx, written); err == nil && screen.Family != written {
			page, err = s.api.Screener(ctx, screen)
		}
	}
	if err != nil {
		return "", err
	}
	if page.Total == 0 {
		return "", s.nothingMatches(ctx, screen)
	}
	if len(page.Series) == 0 {
		return "", fmt.Errorf("offset: there are only %d series", page.Total)
	}
	names, units := []string{"id", "series", "fund"}, map[string]string{}
	for _, field := range fields {
		names = append(names, field)
		if unit := columnOf(field).unit; unit != "" {
			units[field] = unit
		}
		if field == "tac" {
			names = append(names, "tac_kind")
		}
	}
	var rows [][]any
	for i := range page.Series {
		series := &page.Series[i]
		row := []any{series.ID, series.Run + " " + series.Serie, series.FundName}
		for _, field := range fields {
			row = append(row, columnOf(field).value(series))
			if field == "tac" {
				row = append(row, page.TACKinds[series.ID])
			}
		}
		rows = append(rows, row)
	}
	of := origin{BatchID: page.BatchID, AsOfDate: page.AsOfDate, Source: "GET /api/screener"}
	return fitting(len(rows), func(n int) any {
		of := of
		if after := screen.Offset + n; after < page.Total {
			of.Left = fmt.Sprintf(
				"%d more: call again with offset %d and batch_id %s",
				page.Total-after,
				after,
				page.BatchID,
			)
		}
		return struct {
			Total   int               `json:"total"`
			Columns []string          `json:"columns"`
			Units   map[string]string `json:"units"`
			Rows    [][]any           `json:"rows"`
			origin
		}{page.Total, names, units, rows[:n], of}
	})
}

// family returns the name of a family as the API has it. Accents, case and signs do not count.
func (s *server) family(ctx context.Context, text string) (string, error) {
	summary, err := s.api.MarketSummary(ctx, "")
	if err != nil {
		return "", err
	}
	var names []string
	for _, family := range summary.Families {
		if fold(family.Name) == fold(text) {
			return family.Name, nil
		}
		names = append(names, family.Name)
	}
	return "", fmt.Errorf("family: %q is none. %s", short(text), theNearest(text, names))
}

// nothingMatches is the error for filters that no series passes.
func (s *server) nothingMatches(ctx context.Context, screen client.Screen) error {
	if screen.Manager != "" {
		ranking, err := s.api.Ranking(ctx, "")
		if err != nil {
			return err
		}
		var names []string
		for _, each := range ranking.Managers {
			if containsWords(each.Name, screen.Manager) {
				return errors.New("no series passes all filters: leave one out")
			}
			names = append(names, each.Name)
		}
		return fmt.Errorf("manager: %q is none. %s", short(screen.Manager), theNearest(screen.Manager, names))
	}
	if screen.Text != "" {
		return fmt.Errorf("no series passes all filters: leave one out, or search for %q", short(screen.Text))
	}
	return errors.New("no series passes all filters: leave one out")
}
