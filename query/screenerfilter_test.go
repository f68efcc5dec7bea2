package query_test

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/oracle"
	"cuota/model"
	"cuota/query"

	"golang.org/x/text/unicode/norm"
)

// filter is a filter of the screener, as the tags of its parameter declare it. This file
// computes from the declaration which rows must match, and draws requests.
type filter struct {
	name, match string
	columns     []string
	schema      httpapi.Schema
}

var filters = func() (all []filter) {
	at := slices.IndexFunc(query.Operations(), func(op httpapi.Operation) bool { return op.Path == "/api/screener" })
	for _, p := range query.Operations()[at].Parameters {
		for _, field := range reflect.VisibleFields(query.ScreenerParams) {
			if match := field.Tag.Get("match"); match != "" && field.Tag.Get("query") == p.Name {
				all = append(all, filter{p.Name, match, strings.Split(field.Tag.Get("column"), ","), p.Schema})
			}
		}
	}
	return all
}()

// otherWords are words that a parameter takes in any case, with the text in the column.
var otherWords = map[string]map[string]string{
	"currency": {"clp": "PESOS", "pesos": "PESOS", "usd": "DOLAR", "dolar": "DOLAR"},
}

// oddTexts are parts of names and RUNs that many or no rows have, and letters whose case or
// accents are special.
var oddTexts = []string{"renta fija", "9", "-k", "Ñ", "é", "e\u0301", "\u0301", ".", "ß", "ſ", "\u212a", "\x00", "\n"}

// comparedColumns are the columns that the filters compare.
var comparedColumns = func() (all []string) {
	for _, f := range filters {
		all = append(all, f.columns...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}()

// screenerRow is a row of batch_screener, with what filters and sorts compare.
type screenerRow struct {
	ID            uint32     `ch:"series_id"`
	Aliases       []uint32   `ch:"alias_ids"`
	TAC           *float64   `ch:"tac"`
	TACKind       *string    `ch:"tac_kind"`
	Spheres       *uint8     `ch:"spheres"`
	WindowReturns []*float64 `ch:"window_returns"`
	Compared      []*string  `ch:"compared"` // in the order of comparedColumns
}

func (r *rig) screenerRows(t testing.TB, batch int) []screenerRow {
	t.Helper()
	var windows, compared []string
	for _, window := range model.Windows {
		windows = append(windows, "return_"+window)
	}
	for _, column := range comparedColumns {
		compared = append(compared, "CAST("+column+" AS Nullable(String))")
	}
	var all []screenerRow
	must(t, r.conn.Select(t.Context(), &all, "SELECT series_id, alias_ids, tac, tac_kind, spheres, ["+
		strings.Join(windows, ", ")+"] AS window_returns, ["+
		strings.Join(compared, ", ")+"] AS compared FROM batch_screener(batch = "+strconv.Itoa(batch)+")"))
	return all
}

// text returns the text of the first of the columns that is not null, and nil if there is none.
func (row screenerRow) text(columns ...string) *string {
	for _, column := range columns {
		if text := row.Compared[slices.Index(comparedColumns, column)]; text != nil {
			return text
		}
	}
	return nil
}

func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
}

// passes computes whether a row passes the filter with a value.
func (f filter) passes(row screenerRow, asked string) bool {
	if word, is := otherWords[f.name][strings.ToLower(asked)]; is {
		asked = word
	}
	if f.match == "positive" {
		return f.isPositive(row, asked)
	}
	has := row.text(f.columns...)
	if has == nil {
		return false
	}
	switch f.match {
	case "exact", "flag":
		return *has == asked
	case "any case":
		return strings.EqualFold(*has, asked)
	case "part":
		return strings.Contains(folded(*has), folded(asked))
	case "search":
		ids := []string{strconv.FormatUint(uint64(row.ID), 10)}
		for _, alias := range row.Aliases {
			ids = append(ids, strconv.FormatUint(uint64(alias), 10))
		}
		return strings.TrimSpace(asked) == "" ||
			oracle.Finds(asked, *row.text("fund"), *row.text("run"), *row.text("serie"), ids...)
	}
	value, err := strconv.Atoi(*has)
	bound, err2 := strconv.Atoi(asked)
	if err != nil || err2 != nil {
		panic(f.name + " compares no numbers")
	}
	switch f.match {
	case "at least":
		return value >= bound
	case "at most":
		return value <= bound
	}
	panic("the test can't compute the match " + f.match)
}

// isPositive computes whether a row passes a filter by numbers above zero.
func (f filter) isPositive(row screenerRow, asked string) bool {
	above, zero := 0, 0
	for _, column := range f.columns {
		if text := row.text(column); text != nil && strings.Trim(*text, "0.") == "" {
			zero++
		} else if text != nil {
			above++
		}
	}
	if asked == "false" {
		return zero > 0
	}
	return above == len(f.columns)
}

// selects computes whether a row passes all filters of a request.
func selects(v url.Values, row screenerRow) bool {
	for _, f := range filters {
		if asked := v.Get(f.name); asked != "" && !f.passes(row, asked) {
			return false
		}
	}
	return true
}

// isFlag reports whether the filter takes true and false.
func (f filter) isFlag() bool { return f.match == "positive" || f.match == "flag" }

// choices returns valid values of the filter. Many of them select the row. Some select nothing.
func (f filter) choices(pick func(n int) int, row screenerRow) (choices []string) {
	if f.isFlag() {
		return []string{"true", "false"}
	}
	words, isEnum := f.schema["enum"].([]string)
	least, isNumber := f.schema["minimum"].(int64)
	has := "nada"
	if text := row.text(f.columns...); text != nil {
		has, choices = *text, append(choices, *text, *text)
	}
	switch {
	case isEnum:
		return append(choices, words...)
	case isNumber:
		for most := f.schema["maximum"].(int64); least <= most; least++ {
			choices = append(choices, strconv.FormatInt(least, 10))
		}
		return choices
	case otherWords[f.name] != nil:
		for _, word := range slices.Sorted(maps.Keys(otherWords[f.name])) {
			choices = append(choices, word, strings.ToUpper(word))
		}
		return choices
	}
	choices = append(choices, has, strings.ToLower(has), strings.ToUpper(has))
	if f.match == "part" || f.match == "search" {
		for _, column := range f.columns {
			runes := []rune(*row.text(column))
			from := pick(len(runes))
			part := string(runes[from : from+1+pick(len(runes)-from)])
			choices = append(choices, string(runes), part, strings.ToLower(part))
		}
		choices = append(choices, oddTexts[pick(len(oddTexts))])
		if f.match == "search" {
			run, serie, name := *row.text("run"), *row.text("serie"), strings.Fields(has)
			slices.Reverse(name)
			choices = append(choices, run+" "+serie, serie+"\u00a0"+run, run+"\u2013"+serie, "00"+run+"-"+serie,
				strings.Join(name, " "), strings.Join(name, " ")+" "+run)
		}
	}
	return choices
}

// screenerRequest draws filters, a sort and a page. pick(n) returns a number from 0 to n-1.
func screenerRequest(pick func(n int) int, all []screenerRow) url.Values {
	v := url.Values{}
	maybe := func(percent int, name string, choices ...string) {
		if pick(100) < percent {
			v.Set(name, choices[pick(len(choices))])
		}
	}
	row := all[pick(len(all))]
	for _, f := range filters {
		maybe(20, f.name, f.choices(pick, row)...)
	}
	for _, least := range filters { // the server refuses a lower bound above the upper one
		for _, most := range filters {
			from, to := v.Get(least.name), v.Get(most.name)
			if least.match == "at least" && most.match == "at most" && slices.Equal(least.columns, most.columns) &&
				to != "" && from > to {
				v.Set(least.name, to)
			}
		}
	}
	sorts := []string{"id", "tac", "tac_by_kind"}
	if v.Has("currency") {
		sorts = append(sorts, model.Windows...)
	}
	if v.Has("cmf_family") && v.Has("cmf_investor_type") {
		sorts = append(sorts, "cmf_spheres", "cmf_spheres")
	}
	maybe(80, "sort", sorts...)
	maybe(60, "order", "asc", "desc")
	maybe(60, "limit", "1", "3", "17", "200")
	maybe(40, "offset", "0", "1", "50", "1000", "9007199254740991")
	return v
}
