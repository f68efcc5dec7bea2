package market

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cuota/internal/bounded"
	"cuota/model"
	"cuota/query/operation"
)

// selector filters, sorts and pages rows by the parameters of the screener.
type selector struct {
	index  filterIndex
	orders map[string]func() order // by the values of the parameter sort
}

// selectorOf makes the selector of rows, which are in the order of their ids. An order or an index is made when it
// is used first: of a past date often only one is used.
func selectorOf(rows []marketRow) selector { return selector{filterIndexOf(rows), ordersOf(rows)} }

// filterIndex finds the rows that pass the filters of the screener, as market.sql does.
type filterIndex struct {
	rows int
	// by filter: the rows with each text; lower case if the filter compares in any case
	sets  map[string]func() rowsByText
	coded map[string]func() coded // by filter: the column that contains texts, without case and accents
	flags map[string]func() map[bool]rowSet

	names    func() *model.SearchIndex // what a search compares
	searched func() bounded.Cache[string, rowSet]
}

// mostSearched is how many texts an index remembers with the rows that each finds. Clients repeat the same few
// texts, and a search compares the names of all funds: it took 22 % of the processor time of the screener.
const mostSearched = 1000

// rowSet is a set of rows, one bit each.
type rowSet []uint64

func newRowSet(rows int) rowSet { return make(rowSet, (rows+63)/64) }

func (s rowSet) add(row int)             { s[row/64] |= 1 << (row % 64) }
func (s rowSet) contains(row int32) bool { return s[row/64]>>(row%64)&1 == 1 }

// keep removes the rows that are not in other. A nil set is empty.
func (s rowSet) keep(other rowSet) {
	if other == nil {
		clear(s)
		return
	}
	for i := range s {
		s[i] &= other[i]
	}
}

// join adds the rows of other.
func (s rowSet) join(other rowSet) {
	for i, word := range other {
		s[i] |= word
	}
}

func (s rowSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// rowsByText has the set of rows for each text. A row without a text is in no set.
type rowsByText map[string]rowSet

func rowsByTextOf[R any](rows []R, text func(*R) *string) rowsByText {
	sets := rowsByText{}
	for i := range rows {
		if value := text(&rows[i]); value != nil {
			if sets[*value] == nil {
				sets[*value] = newRowSet(len(rows))
			}
			sets[*value].add(i)
		}
	}
	return sets
}

// idTexts returns all ids that find a series, as replies show them.
func idTexts(id uint32, aliases []uint32) []string {
	texts := []string{operation.IDText(id)}
	for _, alias := range aliases {
		if alias != id {
			texts = append(texts, operation.IDText(alias))
		}
	}
	return texts
}

// lower returns a text in lower case, like lowerUTF8 of ClickHouse.
func lower(text *string) *string { return operation.Mapped(text, strings.ToLower) }

// coded is a column in which many rows share a text.
type coded struct {
	values []string
	codes  []uint32 // for each row, the index in values
}

func codedOf(rows []marketRow, text func(*marketRow) string) coded {
	c, known := coded{codes: make([]uint32, len(rows))}, map[string]uint32{}
	for i := range rows {
		value := text(&rows[i])
		code, there := known[value]
		if !there {
			code = uint32(len(c.values))
			known[value] = code
			c.values = append(c.values, value)
		}
		c.codes[i] = code
	}
	return c
}

func filterIndexOf(rows []marketRow) filterIndex {
	index := filterIndex{rows: len(rows), sets: map[string]func() rowsByText{}, coded: map[string]func() coded{},
		flags: map[string]func() map[bool]rowSet{}}
	index.names = sync.OnceValue(func() *model.SearchIndex {
		names := &model.SearchIndex{}
		for i := range rows {
			of := &rows[i].SeriesFacts
			names.Add(of.Fund, of.RUN, of.Serie, idTexts(of.SeriesID, of.AliasIDs)...)
		}
		return names
	})
	index.searched = sync.OnceValue(func() bounded.Cache[string, rowSet] {
		return bounded.OfEntries[string, rowSet](mostSearched)
	})
	for _, f := range screenerFilters {
		switch f.match {
		case matchPart:
			index.coded[f.name] = sync.OnceValue(func() coded {
				return codedOf(rows, func(row *marketRow) string {
					text, _ := f.text(row, f.columns[0])
					return model.Fold(text)
				})
			})
		case matchPositive:
			index.flags[f.name] = sync.OnceValue(func() map[bool]rowSet {
				sets := map[bool]rowSet{true: newRowSet(len(rows)), false: newRowSet(len(rows))}
				for i := range rows {
					if flag := f.positive(&rows[i]); flag != nil {
						sets[*flag].add(i)
					}
				}
				return sets
			})
		case matchSearch: // names
		default:
			index.sets[f.name] = sync.OnceValue(func() rowsByText {
				return rowsByTextOf(rows, func(row *marketRow) *string {
					if f.match == matchAnyCase {
						return lower(f.firstText(row))
					}
					return f.firstText(row)
				})
			})
		}
	}
	return index
}

// containing returns the rows whose text contains the part.
func (c coded) containing(part string) rowSet {
	matches := make([]bool, len(c.values))
	for code, text := range c.values {
		matches[code] = strings.Contains(text, part)
	}
	found := newRowSet(len(c.codes))
	for row, code := range c.codes {
		if matches[code] {
			found.add(row)
		}
	}
	return found
}

// order holds the rows sorted by a value, as indexes. In both directions, rows without a
// value come last, and equal values are sorted by ascending id.
type order struct{ ascending, descending []int32 }

func ordersOf(rows []marketRow) map[string]func() order {
	orders := map[string]func() order{
		"id":          orderBy(rows, func(row *marketRow) *float64 { return new(float64(row.SeriesID)) }),
		"tac":         orderBy(rows, func(row *marketRow) *float64 { return row.TAC }),
		"tac_by_kind": orderWithin(rows, kindPlace, func(row *marketRow) *float64 { return row.TAC }),
		"cmf_spheres": orderBy(rows, func(row *marketRow) *float64 { return floatOf(row.Value) }),
	}
	for i, window := range model.Windows {
		orders[window] = orderBy(rows, func(row *marketRow) *float64 {
			// a return in another currency does not compare
			if operation.Value(row.currencyOf(window)) != operation.Value(row.Currency) {
				return nil
			}
			return row.Returns[i]
		})
	}
	return orders
}

func floatOf(n *uint8) *float64 {
	return operation.Mapped(n, func(n uint8) float64 { return float64(n) })
}

// kindPlace is the place of the kind of a cost rate among the kinds, which do not compare (RULES 2).
func kindPlace(row *marketRow) int {
	return slices.Index([]string{"synthetic", "stated", "computed"}, operation.Value(row.TACKind))
}

// orderBy sorts the rows, which are in the order of their ids, when the order is used first.
func orderBy(rows []marketRow, by func(*marketRow) *float64) func() order {
	return orderWithin(rows, func(*marketRow) int { return 0 }, by)
}

// orderWithin is orderBy within each group of rows. The groups are in the same order in both directions.
func orderWithin(rows []marketRow, group func(*marketRow) int, by func(*marketRow) *float64) func() order {
	return sync.OnceValue(func() order {
		groups, keys := make([]int, len(rows)), make([]float64, len(rows))
		known, unknown := make([]int32, 0, len(rows)), []int32(nil)
		for i := range rows {
			if key := by(&rows[i]); key != nil {
				groups[i], keys[i], known = group(&rows[i]), *key, append(known, int32(i))
			} else {
				unknown = append(unknown, int32(i))
			}
		}
		sorted := func(sign int) []int32 {
			list := slices.Grow(slices.Clone(known), len(unknown))
			slices.SortFunc(list, func(a, b int32) int {
				return cmp.Or(groups[a]-groups[b], sign*cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
			})
			return append(list, unknown...)
		}
		return order{sorted(1), sorted(-1)}
	})
}

// page appends the indexes of the rows of one page to into. It returns them and how many
// rows match before paging. It selects like market.sql.
func (s *selector) page(params *ScreenerParams, into []int32) (page []int32, total int) {
	sorted := s.orders[string(params.Sort)]()
	order := sorted.ascending
	if params.Order == "desc" {
		order = sorted.descending
	}
	matching := s.index.matching(params)
	if matching == nil { // there is no filter
		from := min(params.Offset, int64(len(order)))
		return append(into, order[from:min(from+params.Limit, int64(len(order)))]...), len(order)
	}
	total = matching.count()
	skip, want := min(params.Offset, int64(total)), min(params.Limit, max(0, int64(total)-params.Offset))
	for _, row := range order {
		switch {
		case want == 0:
			return into, total
		case !matching.contains(row):
		case skip > 0:
			skip--
		default:
			into, want = append(into, row), want-1
		}
	}
	return into, total
}

// matching returns the rows that pass every filter, and nil if there is no filter.
func (index *filterIndex) matching(params *ScreenerParams) rowSet {
	var matching rowSet
	for _, f := range screenerFilters {
		value := f.value(params)
		if value == nil {
			continue
		}
		passed := index.passed(f, value)
		if matching == nil {
			matching = newRowSet(index.rows)
			copy(matching, passed)
			continue
		}
		matching.keep(passed)
	}
	return matching
}

// passed returns the rows that pass one filter with a value.
func (index *filterIndex) passed(f screenerFilter, value any) rowSet {
	text, _ := value.(string)
	number, _ := value.(int64)
	switch f.match {
	case matchExact:
		return index.sets[f.name]()[text]
	case matchAnyCase:
		return index.sets[f.name]()[strings.ToLower(text)]
	case matchPart:
		return index.coded[f.name]().containing(model.Fold(text))
	case matchSearch:
		return index.finds(text)
	case matchFlag:
		flag, _ := value.(bool)
		return index.sets[f.name]()[strconv.FormatBool(flag)]
	case matchPositive:
		flag, _ := value.(bool)
		return index.flags[f.name]()[flag]
	}
	found := newRowSet(index.rows)
	for of, rows := range index.sets[f.name]() {
		n, err := strconv.ParseInt(of, 10, 64) // the column is a number
		if err == nil && (f.match == matchAtLeast && n >= number || f.match == matchAtMost && n <= number) {
			found.join(rows)
		}
	}
	return found
}

// finds returns the rows that a search finds. Callers don't change the set.
func (index *filterIndex) finds(text string) rowSet {
	if known, there := index.searched().Known(text); there {
		return known
	}
	found := newRowSet(index.rows)
	index.names().Find(model.NewSearch(text), func(row int, _ model.Likeness) { found.add(row) })
	index.searched().Keep(text, found)
	return found
}
