package marketpages

import (
	"slices"
	"strconv"

	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
)

// This file has what the pages with lists share.

// pageKey is the parameter with the number of the page of a list, from 1.
const pageKey = "pagina"

// pageSize is how many rows a page of a list has.
const pageSize = 50

// pageNumber returns the chosen page of a list, which is the first one if the address names none.
func (v *visit) pageNumber() int {
	n, err := strconv.Atoi(v.Text(pageKey))
	if err != nil || n < 1 || n > 1e6 {
		return 1
	}
	return n
}

// pageOffset returns how many rows stand before the chosen page, as operations read it.
func (v *visit) pageOffset() string { return strconv.Itoa((v.pageNumber() - 1) * pageSize) }

// listPager leads to the pages before and after the shown one.
type listPager struct{ From, To, Total, Previous, Next string }

// pagerOf returns the pager of a page with so many rows, of a list of so many. It is nil if the list
// has one page.
func (v *visit) pagerOf(rows, total int, id string) *listPager {
	n := v.pageNumber()
	before := (n - 1) * pageSize
	if total <= pageSize && n == 1 {
		return nil
	}
	p := &listPager{From: v.count(min(before+1, before+rows)).Text, To: v.count(before + rows).Text,
		Total: v.count(total).Text}
	if n > 1 {
		p.Previous = v.Here(pageKey, pageText(min(n-1, max(1, (total+pageSize-1)/pageSize)))) + "#" + id
	}
	if before+rows < total && rows > 0 {
		p.Next = v.Here(pageKey, pageText(n+1)) + "#" + id
	}
	return p
}

// pageText returns the number of a page for an address. The first one has none.
func pageText(n int) string {
	if n == 1 {
		return ""
	}
	return strconv.Itoa(n)
}

// fact is a value with its name.
type fact struct {
	Name string
	Cell cell
}

// choice is a link among others, of which one is chosen.
type choice struct {
	Text, Link string
	Here       bool
}

// moneyNames names the currencies of series and of investment funds.
var moneyNames = map[string]locale.Phrase{
	"PESOS": {"pesos", "pesos"}, "CLP": {"pesos", "pesos"}, "DOLAR": {"dólares", "dollars"},
	"USD": {"dólares", "dollars"}, "EUR": {"euros", "euros"},
}

// namedCell is a cell with the words for a value. A nil value is a dash with the reason.
func (v *visit) namedCell(words map[string]locale.Phrase, value *string, reason string) cell {
	if value == nil || *value == "" {
		return missing(reason)
	}
	return word(worded(words, *value).In(v.Lang))
}

// runCell is a cell with a RUN, which stays on one line.
func runCell(run string) cell {
	c := word(run)
	c.Class = "whole"
	return c
}

// millionsOf returns an amount in millions.
func millionsOf(amount *float64) *float64 {
	if amount == nil {
		return nil
	}
	millions := *amount / 1e6
	return &millions
}

// listedSeries is a series as a list names it.
type listedSeries struct{ ID, RUN, Fund, Serie, Manager string }

// seriesCells returns the cells that name series in a list, under short names.
func (v *visit) seriesCells(list []listedSeries) []cell {
	of := make([]shortname.Fund, len(list))
	for i, s := range list {
		of[i] = shortname.Fund{RUN: s.RUN, Name: s.Fund, Manager: s.Manager}
	}
	cells := make([]cell, len(list))
	for i, name := range shortname.Of(of) {
		s := list[i]
		cells[i] = linked(name+" · "+s.Serie, v.Link(seriesPath(s.ID)))
		cells[i].Full = locale.Shown(s.Fund + " · " + s.Serie)
		cells[i].Sub, cells[i].FullSub = locale.Shown(shortname.Manager(s.Manager)), locale.Shown(s.Manager)
	}
	return cells
}

// managerCell is a cell with the short name of a manager, which leads to its page.
func (v *visit) managerCell(name string) cell {
	c := linked(shortname.Manager(name), v.Link("/administradoras", managerKey, name))
	c.Full = locale.Shown(name)
	return c
}

// signed is a number with its sign.
func (v *visit) signed(value *float64, decimals int, reason string) cell {
	c := v.number(value, decimals, reason)
	if value != nil {
		c.Text = locale.Signed(*value, c.Text)
	}
	return c
}

// until leaves the points up to a day. All are left if there is no day.
func until(points []chart.Point, day *model.Date) []chart.Point {
	if day == nil {
		return points
	}
	return slices.DeleteFunc(points, func(p chart.Point) bool { return p.Day.Compare(*day) > 0 })
}

// span says from when to when a line goes, for readers who do not see it.
func (v *visit) span(points []chart.Point, decimals int) string {
	if len(points) == 0 {
		return ""
	}
	first, last := points[0], points[len(points)-1]
	return v.Say("De ", "From ") + v.Lang.Number(first.Value, decimals) + v.Say(" el ", " on ") +
		v.Lang.Day(first.Day) +
		v.Say(" a ", " to ") + v.Lang.Number(last.Value, decimals) + v.Say(" el ", " on ") + v.Lang.Day(last.Day) + "."
}

// endsTable is the table behind a chart of lines on the same days: the ends of months, the newest
// first.
func (v *visit) endsTable(id, caption string, decimals int, lines ...chart.Line) table {
	t := table{ID: id, Caption: caption, Columns: []column{{Title: v.Say("Fecha", "Date")}},
		Empty: v.Say("Sin valores.", "No values.")}
	values := make([]map[model.Date]float64, len(lines))
	for i, l := range lines {
		t.Columns = append(t.Columns, column{Title: l.Name, Numeric: true})
		values[i] = map[model.Date]float64{}
		for _, p := range l.Points {
			values[i][p.Day] = p.Value
		}
	}
	if len(lines) == 0 {
		return t
	}
	ends := endsOf(lines[0].Points)
	slices.Reverse(ends)
	for _, end := range ends {
		p := lines[0].Points[end]
		cells := []cell{v.day(&p.Day, "")}
		for i := range lines {
			var value *float64
			if of, there := values[i][p.Day]; there {
				value = &of
			}
			cells = append(cells, v.number(value, decimals,
				v.Say("no hay valor de ese día", "there is no value of that day")))
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	return t
}
