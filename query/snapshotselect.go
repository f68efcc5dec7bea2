package query

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"cuota/model"

	"golang.org/x/text/unicode/norm"
)

// columns are the values by which a snapshot's rows are filtered, in the forms that
// market.sql compares.
type columns struct {
	rows                    int
	fund, manager           coded      // lower case, without accents
	run, plainRUN           coded      // lower case; plainRUN without the dash
	family, category        rowsByText // lower case
	class                   rowsByText // lower case; the class at the cutoff, else the one of the TAC
	currency                rowsByText // exact text
	ratedFamily, ratedClass rowsByText // exact text
	tacKind                 rowsByText // exact text
	spheres                 [6]rowSet  // index is the rating, 1 to 5
}

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

// rowsByText gives the set of rows for each text. A row without a text is in no set.
type rowsByText map[string]rowSet

func rowsByTextOf[R any](rows []R, text func(R) *string) rowsByText {
	sets := rowsByText{}
	for i, row := range rows {
		if value := text(row); value != nil {
			if sets[*value] == nil {
				sets[*value] = newRowSet(len(rows))
			}
			sets[*value].add(i)
		}
	}
	return sets
}

// lower gives a text in lower case, like lowerUTF8 of ClickHouse.
func lower(text *string) *string {
	if text == nil {
		return nil
	}
	lowered := strings.ToLower(*text)
	return &lowered
}

// coded is a column in which many rows share a text.
type coded struct {
	values []string
	codes  []uint32 // for each row, the index in values
}

func columnsOf(rows []marketRow) columns {
	byText := func(text func(marketRow) *string) rowsByText { return rowsByTextOf(rows, text) }
	column := func(text func(marketRow) string) coded {
		c, known := coded{codes: make([]uint32, len(rows))}, map[string]uint32{}
		for i, row := range rows {
			value := text(row)
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
	c := columns{
		rows:     len(rows),
		fund:     column(func(row marketRow) string { return fold(row.Fund) }),
		manager:  column(func(row marketRow) string { return fold(row.Manager) }),
		run:      column(func(row marketRow) string { return lowerASCII(row.RUN) }),
		plainRUN: column(func(row marketRow) string { return lowerASCII(strings.ReplaceAll(row.RUN, "-", "")) }),
		family:   byText(func(row marketRow) *string { return lower(row.Family) }),
		category: byText(func(row marketRow) *string { return lower(row.Category) }),
		class: byText(func(row marketRow) *string {
			if row.Class != nil {
				return lower(row.Class)
			}
			return lower(row.ClassTAC)
		}),
		currency:    byText(func(row marketRow) *string { return row.Currency }),
		ratedFamily: byText(func(row marketRow) *string { return row.Family }),
		ratedClass:  byText(func(row marketRow) *string { return row.Class }),
		tacKind:     byText(func(row marketRow) *string { return row.TACKind }),
	}
	for rating := range c.spheres {
		c.spheres[rating] = newRowSet(len(rows))
	}
	for i, row := range rows {
		if row.Value != nil && int(*row.Value) < len(c.spheres) {
			c.spheres[*row.Value].add(i)
		}
	}
	return c
}

// fold removes case and accents.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
}

// lowerASCII changes only the letters A to Z.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

// containing gives the rows whose text contains the part.
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

func ordersOf(rows []marketRow) map[string]order {
	orders := map[string]order{
		"id":          orderBy(rows, func(row marketRow) *float64 { id := float64(row.SeriesID); return &id }),
		"tac":         orderBy(rows, func(row marketRow) *float64 { return row.TAC }),
		"cmf_spheres": orderBy(rows, func(row marketRow) *float64 { return floatOf(row.Value) }),
	}
	for i, window := range model.Windows {
		orders[window] = orderBy(rows, func(row marketRow) *float64 {
			if value(row.currencyOf(window)) != value(row.Currency) { // a return in another currency does not compare
				return nil
			}
			return row.Returns[i]
		})
	}
	return orders
}

func floatOf(n *uint8) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func orderBy(rows []marketRow, by func(marketRow) *float64) order {
	keys := make([]*float64, len(rows))
	ascending := make([]int32, len(rows))
	for i, row := range rows {
		keys[i], ascending[i] = by(row), int32(i)
	}
	descending := slices.Clone(ascending)
	sorter := func(sign int) func(a, b int32) int {
		return func(a, b int32) int {
			x, y := keys[a], keys[b]
			switch {
			case x == nil && y == nil:
				return cmp.Compare(a, b) // rows are sorted by id
			case x == nil:
				return 1
			case y == nil:
				return -1
			}
			return cmp.Or(sign*cmp.Compare(*x, *y), cmp.Compare(a, b))
		}
	}
	slices.SortFunc(ascending, sorter(1))
	slices.SortFunc(descending, sorter(-1))
	return order{ascending, descending}
}

// page appends the indexes of the rows of one page to into. It returns them and how many
// rows match before paging. It selects like market.sql.
func (shot *snapshot) page(m marketSelection, into []int32) (page []int32, total int) {
	order := shot.orders[m.sort].ascending
	if m.order == "desc" {
		order = shot.orders[m.sort].descending
	}
	matching := shot.columns.matching(m)
	if matching == nil { // there is no filter
		from := min(m.offset, int64(len(order)))
		return append(into, order[from:min(from+m.limit, int64(len(order)))]...), len(order)
	}
	total = matching.count()
	skip, want := min(m.offset, int64(total)), min(m.limit, max(0, int64(total)-m.offset))
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

// matching gives the rows that pass every filter, and nil if there is no filter.
func (c *columns) matching(m marketSelection) rowSet {
	var matching rowSet
	keep := func(set rowSet) {
		if matching == nil {
			matching = newRowSet(c.rows)
			copy(matching, set)
			return
		}
		matching.keep(set)
	}
	equal := func(rows rowsByText, text string) {
		if text != "" {
			keep(rows[text])
		}
	}
	equal(c.currency, m.currency)
	equal(c.category, strings.ToLower(m.category))
	equal(c.family, strings.ToLower(m.family))
	equal(c.class, strings.ToLower(m.class))
	equal(c.ratedFamily, m.ratedFamily)
	equal(c.ratedClass, m.ratedClass)
	equal(c.tacKind, m.tacKind)
	least, bounded := m.spheresMin.(int64)
	most, boundedAbove := m.spheresMax.(int64)
	if bounded || boundedAbove {
		rated := newRowSet(c.rows)
		for rating, set := range c.spheres {
			if (!bounded || int64(rating) >= least) && (!boundedAbove || int64(rating) <= most) {
				rated.join(set)
			}
		}
		keep(rated)
	}
	if m.administrator != "" {
		keep(c.manager.containing(fold(m.administrator)))
	}
	if m.text != "" {
		found := c.fund.containing(fold(m.text))
		if undotted := lowerASCII(strings.ReplaceAll(m.text, ".", "")); undotted != "" {
			found.join(c.run.containing(undotted))
			found.join(c.plainRUN.containing(undotted))
		}
		keep(found)
	}
	return matching
}
