package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"cuota/model"

	"golang.org/x/text/unicode/norm"
)

// columns is what a snapshot's rows are filtered by, in the forms that
// market.sql compares.
type columns struct {
	fund, manager  coded // without case and accents
	run, plainRUN  coded // lower case; the latter without the dash
	family         coded // lower case
	class          coded // lower case; that of the cutoff, else the one dated with the TAC
	category       coded // lower case
	currency       coded // exact
	ratedFamily    coded // exact
	ratedClass     coded // exact
	spheres        []uint8
	withoutSpheres []bool
}

// coded is a column of few distinct texts.
type coded struct {
	values []string // values[0] stands for null
	codes  []uint32 // of each row, in values
}

func columnsOf(rows []marketRow) columns {
	column := func(text func(marketRow) *string) coded {
		c := coded{values: []string{""}, codes: make([]uint32, len(rows))}
		known := map[string]uint32{}
		for i, row := range rows {
			value := text(row)
			if value == nil {
				continue
			}
			code, there := known[*value]
			if !there {
				code = uint32(len(c.values))
				known[*value] = code
				c.values = append(c.values, *value)
			}
			c.codes[i] = code
		}
		return c
	}
	lower := func(text *string) *string {
		if text == nil {
			return nil
		}
		lowered := strings.ToLower(*text)
		return &lowered
	}
	c := columns{
		fund:    column(func(row marketRow) *string { name := fold(row.Fund); return &name }),
		manager: column(func(row marketRow) *string { name := fold(row.Manager); return &name }),
		run:     column(func(row marketRow) *string { run := lowerASCII(row.RUN); return &run }),
		plainRUN: column(func(row marketRow) *string {
			run := lowerASCII(strings.ReplaceAll(row.RUN, "-", ""))
			return &run
		}),
		family: column(func(row marketRow) *string { return lower(row.Family) }),
		class: column(func(row marketRow) *string {
			if row.Class != nil {
				return lower(row.Class)
			}
			return lower(row.ClassTAC)
		}),
		category:       column(func(row marketRow) *string { return lower(row.Category) }),
		currency:       column(func(row marketRow) *string { return row.Currency }),
		ratedFamily:    column(func(row marketRow) *string { return row.Family }),
		ratedClass:     column(func(row marketRow) *string { return row.Class }),
		spheres:        make([]uint8, len(rows)),
		withoutSpheres: make([]bool, len(rows)),
	}
	for i, row := range rows {
		c.spheres[i], c.withoutSpheres[i] = value(row.Value), row.Value == nil
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

// lowerASCII leaves all but A to Z as it is.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

// equal selects the rows with exactly that text.
func (c coded) equal(text string) func(row int32) bool {
	at := slices.Index(c.values[1:], text)
	if at < 0 {
		return func(int32) bool { return false }
	}
	code := uint32(1 + at)
	return func(row int32) bool { return c.codes[row] == code }
}

// containing tells for each distinct text whether a part occurs in it.
func (c coded) containing(part string) []bool {
	found := make([]bool, len(c.values))
	for code, text := range c.values[1:] {
		found[code+1] = strings.Contains(text, part)
	}
	return found
}

// order is the rows' positions by a sort value: those without one come last in
// both directions, ties break by ascending id.
type order struct{ ascending, descending []int32 }

func ordersOf(rows []marketRow) map[string]order {
	orders := map[string]order{
		"id":          orderBy(rows, func(row marketRow) *float64 { id := float64(row.SeriesID); return &id }),
		"tac":         orderBy(rows, func(row marketRow) *float64 { return row.TAC }),
		"cmf_spheres": orderBy(rows, func(row marketRow) *float64 { return floatOf(row.Value) }),
	}
	for i, window := range model.Windows {
		orders[window] = orderBy(rows, func(row marketRow) *float64 { return row.Returns[i] })
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
				return cmp.Compare(a, b) // rows are in the order of ids
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

// page gives the positions of the rows of a page, and how many match before
// paging, as market.sql does.
func (shot *snapshot) page(m marketSelection, into []int32) (page []int32, total int) {
	filters := shot.columns.filters(m)
	order := shot.orders[m.sort].ascending
	if m.order == "desc" {
		order = shot.orders[m.sort].descending
	}
rows:
	for _, row := range order {
		for _, keeps := range filters {
			if !keeps(row) {
				continue rows
			}
		}
		if int64(total) >= m.offset && int64(len(into)) < m.limit {
			into = append(into, row)
		}
		total++
	}
	return into, total
}

// filters gives what a row must pass; none for a selection of everything.
func (c *columns) filters(m marketSelection) []func(row int32) bool {
	var filters []func(row int32) bool
	add := func(f func(row int32) bool) { filters = append(filters, f) }
	equals := func(column coded, text string) {
		if text != "" {
			add(column.equal(text))
		}
	}
	equals(c.currency, m.currency)
	equals(c.category, strings.ToLower(m.category))
	equals(c.family, strings.ToLower(m.family))
	equals(c.class, strings.ToLower(m.class))
	equals(c.ratedFamily, m.ratedFamily)
	equals(c.ratedClass, m.ratedClass)
	if least, given := m.spheresMin.(int64); given {
		add(func(row int32) bool { return !c.withoutSpheres[row] && int64(c.spheres[row]) >= least })
	}
	if most, given := m.spheresMax.(int64); given {
		add(func(row int32) bool { return !c.withoutSpheres[row] && int64(c.spheres[row]) <= most })
	}
	if m.administrator != "" {
		managers := c.manager.containing(fold(m.administrator))
		add(func(row int32) bool { return managers[c.manager.codes[row]] })
	}
	if m.text != "" {
		funds := c.fund.containing(fold(m.text))
		undotted := lowerASCII(strings.ReplaceAll(m.text, ".", ""))
		if undotted == "" {
			add(func(row int32) bool { return funds[c.fund.codes[row]] })
			return filters
		}
		runs, plain := c.run.containing(undotted), c.plainRUN.containing(undotted)
		add(func(row int32) bool {
			return funds[c.fund.codes[row]] || runs[c.run.codes[row]] || plain[c.plainRUN.codes[row]]
		})
	}
	return filters
}
