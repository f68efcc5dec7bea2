package market

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"
)

// screenerFilter is one filter of the screener, as a field of ScreenerParams declares it.
type screenerFilter struct {
	name    string // of the parameter, in the request and in market.sql
	field   []int  // of ScreenerParams
	match   match
	columns [][]int // fields of marketRow, of which the first one that is not null is compared; a search compares all
}

// match is a way to compare the value of a filter with a column. market.sql compares in the
// same way.
type match string

const (
	matchExact   match = "exact"    // the text is equal
	matchAnyCase match = "any case" // the text is equal apart from case
	matchPart    match = "part"     // the column contains the text; neither case nor accents count
	matchAtLeast match = "at least" // the number is not smaller
	matchAtMost  match = "at most"  // the number is not greater
	matchFlag    match = "flag"     // the flag is the same; a null one is neither true nor false
	// all numbers are above zero, or with false one is zero; it is unknown if one is null and none is zero
	matchPositive match = "positive"
	// model.Search finds the series by its names, its RUN or an id; market.sql gets the ids of what was found
	matchSearch match = "search"
)

// screenerFilters are all filters of the screener.
var screenerFilters = filtersOf(reflect.TypeFor[ScreenerParams](), reflect.TypeFor[marketRow]())

// filtersOf reads the filters from the tags of a struct. It panics if a tag names an unknown
// match or column.
func filtersOf(params, row reflect.Type) (filters []screenerFilter) {
	columns := map[string][]int{}
	for _, column := range reflect.VisibleFields(row) {
		if name := column.Tag.Get("ch"); name != "" {
			columns[name] = column.Index
		}
	}
	for _, of := range reflect.VisibleFields(params) {
		tag := of.Tag
		kind, is := tag.Lookup("match")
		if !is {
			continue
		}
		f := screenerFilter{name: tag.Get("query"), field: of.Index, match: match(kind)}
		if !slices.Contains([]match{matchExact, matchAnyCase, matchPart, matchAtLeast, matchAtMost, matchFlag,
			matchPositive, matchSearch}, f.match) {
			panic(fmt.Sprintf("query: the filter %s has the unknown match %q", f.name, kind))
		}
		for _, name := range strings.Split(tag.Get("column"), ",") {
			index, known := columns[name]
			if !known {
				panic(fmt.Sprintf("query: the filter %s compares the unknown column %q", f.name, name))
			}
			f.columns = append(f.columns, index)
		}
		filters = append(filters, f)
	}
	return filters
}

// value returns the value of the filter: a string, an int64 or a bool, and nil if the request does not have it.
func (f screenerFilter) value(params *ScreenerParams) any {
	switch at := reflect.ValueOf(params).Elem().FieldByIndex(f.field); {
	case at.IsZero():
		return nil
	case f.match == matchSearch && model.NewSearch(at.String()).Empty():
		return nil
	case at.Kind() == reflect.String:
		return at.String()
	case f.isFlag():
		return at.Elem().Bool()
	default:
		return at.Elem().Int()
	}
}

// isFlag reports whether the value of the filter is true or false.
func (f screenerFilter) isFlag() bool { return f.match == matchFlag || f.match == matchPositive }

// Check refuses bounds between which nothing is.
func (f *Filters) Check() []httpapi.Violation {
	if f.SpheresMin == nil || f.SpheresMax == nil || *f.SpheresMin <= *f.SpheresMax {
		return nil
	}
	return []httpapi.Violation{{Loc: []string{"query", "cmf_spheres_min"}, Type: "value_error",
		Msg: "Must not be greater than cmf_spheres_max"}}
}

// Given reports whether the request has any of the filters.
func (f *Filters) Given() bool { return *f != Filters{} }

// Args returns the filters as arguments of parts.screener_filters. A filter that the request does not
// have is the empty text, or null for a number or a flag.
func (f *Filters) Args() []any { return filterArgs(&ScreenerParams{Filters: *f}) }

// filterArgs returns the filters as arguments of market.sql, but for the search.
func filterArgs(params *ScreenerParams) (args []any) {
	for _, f := range screenerFilters {
		if f.match == matchSearch {
			continue
		}
		value := f.value(params)
		if value == nil && !f.isFlag() && f.match != matchAtLeast && f.match != matchAtMost {
			value = ""
		}
		args = append(args, sql.Arg(f.name, value))
	}
	return args
}

// text returns what a row has in a column of the filter, and false if that is null.
func (f screenerFilter) text(row *marketRow, column []int) (string, bool) {
	at := reflect.ValueOf(row).Elem().FieldByIndex(column)
	if at.Kind() == reflect.Pointer {
		if at.IsNil() {
			return "", false
		}
		at = at.Elem()
	}
	return fmt.Sprint(at.Interface()), true
}

// positive reports whether all columns of the filter are above zero. It is nil if that is unknown: no column is zero,
// and one is null.
func (f screenerFilter) positive(row *marketRow) *bool {
	known := true
	for _, column := range f.columns {
		text, there := f.text(row, column)
		number, err := strconv.ParseFloat(text, 64)
		switch {
		case !there || err != nil:
			known = false
		case number <= 0:
			return new(false)
		}
	}
	if !known {
		return nil
	}
	return new(true)
}

// firstText returns the text of the first column that is not null.
func (f screenerFilter) firstText(row *marketRow) *string {
	for _, column := range f.columns {
		if text, there := f.text(row, column); there {
			return &text
		}
	}
	return nil
}
