package marketpages

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuota/internal/site/chart"
	"cuota/internal/site/glossary"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
)

// table is a table of a page. One template shows all of them.
type table struct {
	ID      string // in the page; parameters that sort it begin with it if the page has several
	Caption string
	Columns []column
	Rows    []row
	Note    string
	Cards   bool   // on narrow screens each row is a card
	Empty   string // what is said in place of a table without rows
	Files   []tableFile
}

// column is a column of a table.
type column struct {
	Key     string // of the parameter that sorts by it; "" if nothing does
	Title   string
	Hint    string // what the column means, in a sentence
	Unit    string // of its values, shown under the title; "" if each value has its own
	Numeric bool
	Long    bool // its values have long or many words
	Rank    bool // the place of the row; the cell after it names what the row is about
	// Set by sort:
	Link   string
	Sorted string // ascending, descending, or "" if the table is not sorted by it
}

// NameColumn is the column whose cells name what the rows are about: the first one that is no rank.
func (t table) NameColumn() int {
	return max(0, slices.IndexFunc(t.Columns, func(of column) bool { return !of.Rank }))
}

// Fits returns the class of a table of cards that fits windows from some width on, "" if it is too wide for all. Where
// it fits, nothing scrolls but the page, and the header stays in the window (site.css).
func (t table) Fits() string {
	room := 0.0
	for i, c := range t.Columns {
		room += c.room(i == t.NameColumn())
	}
	switch {
	case room <= 74:
		return "fits-80"
	case room <= 113:
		return "fits-120"
	}
	return ""
}

// room returns the width in rem that a column of a table of cards needs: what site.css gives it at least, or that of
// its longest word.
func (c column) room(name bool) float64 {
	least := 4.5
	switch {
	case name:
		least = 13
	case c.Long:
		least = 8
	case !c.Numeric:
		least = 5.5
	}
	words := strings.Fields(c.Title + " " + c.Unit)
	if c.Short() {
		words = append(words, c.Title)
	}
	for _, word := range words {
		least = max(least, 0.55*float64(utf8.RuneCountInString(word))+0.6)
	}
	return least
}

// mostShort is how many characters a title has that is never broken into lines, as 12 meses.
const mostShort = 8

// Short reports whether the title stays on one line.
func (c column) Short() bool { return utf8.RuneCountInString(c.Title) <= mostShort }

// row is a row of a table.
type row struct {
	Cells []cell
	Day   string // of a table behind a chart, for the script: YYYY-MM-DD
	Quiet bool   // its values count less than those of other rows: of a series that nobody holds
}

// cell is a cell of a table.
type cell struct {
	Text string
	Sub  string // second line, smaller
	Link string
	// Series is the id of an open series to which Link leads. Scripts offer it for the comparison.
	Series string
	// Narrow is a further line that only narrow screens show, where the column that has it is hidden.
	Narrow string
	// Full and FullSub are the texts that Text and Sub may shorten, shown on hover; "" if they never do.
	Full, FullSub string
	// Reason says why there is no value. It is shown on hover, read aloud, and listed under the table.
	Reason string
	// English marks a text that is in English on every page.
	English bool
	// Breaks lets lines end after each _ and / of the texts, as in the name of a file.
	Breaks bool
	Class  string // gain, loss, or ""
	// Value sorts: numbers and texts. nil comes last in both orders.
	Number *float64
	Word   string
	// Shown is how a file shows Number, as in Column.Shown of package tablefile, or shownDay. A cell without it is
	// written as its text.
	Shown string
}

// The parameters that sort a table.
const (
	sortKey  = "orden"
	orderKey = "dir"
)

// sort sorts the rows as the address says, and gives the columns their links. A table that is
// not sorted by the address keeps its order.
func (t *table) sort(v *visit) {
	by, descending := v.Text(sortKey), v.Text(orderKey) == "desc"
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Key == "" {
			continue
		}
		// The first click on a number shows the greatest, on a text the first of the alphabet.
		next := ""
		if c.Numeric {
			next = "desc"
		}
		if c.Key == by {
			c.Sorted = "ascending"
			if next = "desc"; descending {
				c.Sorted, next = "descending", ""
			}
			slices.SortStableFunc(t.Rows, func(a, b row) int {
				return compareCells(a.Cells[i], b.Cells[i], descending)
			})
		}
		c.Link = v.Here(sortKey, c.Key, orderKey, next, "pagina", "") + "#" + t.ID
	}
}

// mostFoldedReasons is how many reasons the note of fold has for one column; it has none of a column with more.
const mostFoldedReasons = 3

// fold removes the columns that have no value in any row, and says so in the note. The one that sorts stays.
func (t *table) fold(v *visit) {
	if len(t.Rows) == 0 {
		return
	}
	var folded []string
	for i := len(t.Columns) - 1; i > 0; i-- {
		if t.Columns[i].Sorted != "" ||
			slices.ContainsFunc(t.Rows, func(r row) bool { return r.Cells[i].Reason == "" }) {
			continue
		}
		title := t.Columns[i].Title
		var reasons []string
		for _, r := range t.Rows {
			if reason := r.Cells[i].Reason; !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
		if len(reasons) <= mostFoldedReasons {
			title += " (" + strings.Join(reasons, "; ") + ")"
		}
		folded = append(folded, title)
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for j := range t.Rows {
			t.Rows[j].Cells = slices.Delete(slices.Clone(t.Rows[j].Cells), i, i+1)
		}
	}
	if len(folded) > 0 {
		slices.Reverse(folded)
		spanish := "Sin ningún valor, y por eso no se muestran: "
		if len(folded) == 1 {
			spanish = "Sin ningún valor, y por eso no se muestra: "
		}
		t.Note = strings.TrimSpace(t.Note + " " + v.Say(spanish, "Without any value, and so not shown: ") +
			strings.Join(folded, "; ") + ".")
	}
}

// foldSame removes those columns with one of the titles that have one value in all of at least three rows, and says it
// in the caption.
func (t *table) foldSame(titles ...string) {
	if len(t.Rows) < 3 {
		return
	}
	for i := len(t.Columns) - 1; i > 0; i-- {
		first := t.Rows[0].Cells[i]
		if !slices.Contains(titles, t.Columns[i].Title) || first.Reason != "" ||
			slices.ContainsFunc(t.Rows, func(r row) bool { return r.Cells[i].Text != first.Text }) {
			continue
		}
		t.Caption += "; " + strings.ToLower(t.Columns[i].Title) + ": " + first.Text
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for j := range t.Rows {
			t.Rows[j].Cells = slices.Delete(slices.Clone(t.Rows[j].Cells), i, i+1)
		}
	}
}

// foldEqual removes those of the columns that have the same text in every row, and says so in the note. The columns are
// given in their order.
func (t *table) foldEqual(v *visit, columns ...int) {
	if len(t.Rows) < 2 {
		return
	}
	var folded []string
	for _, i := range slices.Backward(columns) {
		same := t.Rows[0].Cells[i].Text
		if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Cells[i].Text != same || r.Cells[i].Reason != "" }) {
			continue
		}
		folded = append(folded, t.Columns[i].Title+" ("+same+")")
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for j := range t.Rows {
			t.Rows[j].Cells = slices.Delete(t.Rows[j].Cells, i, i+1)
		}
	}
	if len(folded) > 0 {
		slices.Reverse(folded)
		t.Note = strings.TrimSpace(t.Note + " " + v.Say("Igual en todas las filas, y por eso no se muestra: ",
			"The same in every row, and so not shown: ") + strings.Join(folded, "; ") + ".")
	}
}

func compareCells(a, b cell, descending bool) int {
	numeric := a.Number != nil || b.Number != nil
	switch {
	case numeric && a.Number == nil:
		return 1
	case numeric && b.Number == nil:
		return -1
	}
	order := strings.Compare(strings.ToLower(a.Word), strings.ToLower(b.Word))
	if numeric {
		order = cmp.Compare(*a.Number, *b.Number)
	}
	if descending {
		return -order
	}
	return order
}

// missingValues says in which columns values are missing for one reason.
type missingValues struct{ Reason, Columns string }

// Missing lists the reasons why cells have no value. Not every reader can see the reason in the cell: a
// screen that is touched does not show it.
func (t table) Missing() (list []missingValues) {
	var reasons []string
	counts := map[string][]int{}
	for _, r := range t.Rows {
		for i, c := range r.Cells {
			if c.Reason == "" {
				continue
			}
			if counts[c.Reason] == nil {
				reasons = append(reasons, c.Reason)
				counts[c.Reason] = make([]int, len(t.Columns))
			}
			counts[c.Reason][i]++
		}
	}
	for _, reason := range reasons {
		var columns []string
		for i, n := range counts[reason] {
			if n > 0 {
				columns = append(columns, fmt.Sprintf("%s (%d)", t.Columns[i].Title, n))
			}
		}
		list = append(list, missingValues{reason, strings.Join(columns, ", ")})
	}
	return list
}

// term is a word of a page and what it means.
type term struct{ Word, Meaning string }

// termsOf returns the words of the tables of a page, and beside its facts, that have a meaning. The title of an element
// shows it too, but not to readers who can't point at it.
func termsOf(data any, in locale.Language) (list []term) {
	add := func(title string) {
		meaning := glossary.Meaning(title, in)
		same := func(of term) bool { return of.Meaning == meaning }
		if meaning != "" && !slices.ContainsFunc(list, same) {
			word, _, _ := strings.Cut(title, ", ")
			list = append(list, term{word, meaning})
		}
	}
	whole := reflect.New(reflect.TypeOf(data)).Elem()
	whole.Set(reflect.ValueOf(data))
	eachShown(whole, func(shown any) {
		switch of := shown.(type) {
		case *table:
			if len(of.Rows) == 0 {
				return
			}
			add(of.Caption)
			for _, c := range of.Columns {
				add(c.Title)
			}
			name := of.NameColumn()
			for _, row := range of.Rows {
				for i, c := range row.Cells {
					if i == name && c.Link == "" {
						add(c.Text)
					}
					add(c.Sub)
				}
			}
		case []fact:
			for _, f := range of {
				add(f.Name)
				add(f.Cell.Sub)
			}
		}
	})
	return list
}

// What follows is what the pages with lists share.

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
		cells[i].Text = locale.Together(locale.Shown(name), locale.Shown(s.Serie))
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
