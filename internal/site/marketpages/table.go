package marketpages

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"cuota/internal/site/glossary"
	"cuota/internal/site/locale"
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
}

// cell is a cell of a table.
type cell struct {
	Text string
	Sub  string // second line, smaller
	Link string
	// Series is the id of an open series to which Link leads. Scripts offer it for the comparison.
	Series string
	// Full and FullSub are the texts that Text and Sub may shorten, shown on hover; "" if they never do.
	Full, FullSub string
	// Reason says why there is no value. It is shown on hover, read aloud, and listed under the table.
	Reason string
	// English marks a text that is in English on every page.
	English bool
	Class   string // gain, loss, or ""
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

// fold removes the columns that have no value in any row, and says so in the note.
func (t *table) fold(v *visit) {
	if len(t.Rows) == 0 {
		return
	}
	var folded []string
	for i := len(t.Columns) - 1; i > 0; i-- {
		if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Cells[i].Reason == "" }) {
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
		t.Note = strings.TrimSpace(t.Note + " " + v.Say("Sin ningún valor, y por eso no se muestran: ",
			"Without any value, and so not shown: ") + strings.Join(folded, "; ") + ".")
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

// termsOf returns the words over the columns of the tables of a page, and beside its facts, that have a meaning. The
// title of an element shows it too, but not to readers who can't point at it.
func termsOf(data any, in locale.Language) (list []term) {
	add := func(title string) {
		meaning := glossary.Meaning(title, in)
		same := func(of term) bool { return of.Meaning == meaning }
		if meaning != "" && !slices.ContainsFunc(list, same) {
			list = append(list, term{title, meaning})
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
			for _, c := range of.Columns {
				add(c.Title)
			}
		case []fact:
			for _, f := range of {
				add(f.Name)
			}
		}
	})
	return list
}
