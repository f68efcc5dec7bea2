// Package oddfiles writes files of datasets with odd and hostile content, and states what
// must be read from each of their lines. The statement is made from the value before it is
// written, never by reading what was written.
package oddfiles

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"cuota/model"
)

// Published is when the files are published. Values of the day after it are the last ones that a file
// may state.
var Published = time.Date(2026, time.August, 15, 12, 0, 0, 0, time.UTC)

// Line is a line of a file and what must become of it.
type Line struct {
	Number uint32
	// Reason is a part of the reason for which the line is rejected; empty: it is kept.
	Reason string
	// Fields are the fields of its event by their names in JSON; nil: null or absent.
	Fields map[string]any
	// Key is what the row is about, in a form of its own.
	Key string
}

// File is a file with the statement of its lines. Lines that hold no row are not among
// them.
type File struct {
	Dataset model.Dataset
	Name    string
	Content []byte
	Lines   []Line
}

// Kept returns the lines that are kept, of several with one key the last.
func (f File) Kept() []Line {
	last := map[string]int{}
	for i, line := range f.Lines {
		if line.Reason == "" {
			last[line.Key] = i
		}
	}
	var kept []Line
	for i, line := range f.Lines {
		if line.Reason == "" && last[line.Key] == i {
			kept = append(kept, line)
		}
	}
	return kept
}

// Kinds are the names of the generators.
var Kinds = []string{"fi-register", "fi-values", "holdings-national", "holdings-investment", "tac-monthly",
	"benchmarks", "benchmark-prices"}

// rows is how many rows a file has.
const rows = 80

// New writes a file of a kind. The same seed gives the same file.
func New(kind string, seed uint64) File {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 35))}
	sheet := sheets[kind]
	return g.write(sheet)
}

// sheet is a form of a file.
type sheet struct {
	dataset   model.Dataset
	name      string
	above     []string // lines above the rows; the last one is the header
	separator string
	quoted    bool
	row       func(*generator) []cell
	key       []int // columns; none: each row has its own
}

// cell is a field: what is written, what must be read, and why it can't be.
type cell struct {
	text   string
	name   string // of the event's field; empty: none
	value  any
	reason string
}

// optional is a field on which no number depends: one that can't be read is null, and costs no
// row.
func optional(c cell) cell {
	c.reason = ""
	return c
}

type generator struct {
	*rand.Rand
	odd bool // the row may have one field that can't be read
}

func (g *generator) pick(texts ...string) string { return texts[g.IntN(len(texts))] }

// flawed says that the next field is to be one that can't be read. A row has at most one,
// so that its reason is known.
func (g *generator) flawed() bool {
	if !g.odd || g.IntN(4) > 0 {
		return false
	}
	g.odd = false
	return true
}

func (g *generator) write(s sheet) File {
	f := File{Dataset: s.dataset, Name: s.name}
	latin, end := g.IntN(3) == 0, g.pick("\n", "\r\n")
	var content strings.Builder
	if !latin && g.IntN(2) == 0 {
		content.WriteString("\ufeff")
	}
	number := uint32(0)
	put := func(text string) {
		number++
		content.WriteString(text)
		content.WriteString(end)
	}
	for _, text := range s.above {
		put(text)
	}
	var whole []string // the text of good rows, to be written again
	var wholeLines []Line
	for i := range rows {
		if g.IntN(12) == 0 { // lines without a row
			empty := []string{"", "   "}
			if s.quoted {
				empty = append(empty, strings.Repeat(s.separator, len(s.row(g))-1))
			}
			put(g.pick(empty...))
		}
		g.odd = g.IntN(5) == 0
		cells := s.row(g)
		line := Line{Fields: map[string]any{}}
		var texts, key []string
		for n, c := range cells {
			if line.Reason == "" {
				line.Reason = c.reason
			}
			if c.name != "" {
				line.Fields[c.name] = c.value
			}
			if slices.Contains(s.key, n) {
				key = append(key, fmt.Sprint(c.value))
			}
			texts = append(texts, g.field(s, c.text))
		}
		if line.Key = strings.Join(key, " "); len(s.key) == 0 {
			line.Key = fmt.Sprint("row ", i)
		}
		text := strings.Join(texts, s.separator)
		switch n := g.IntN(24); {
		case line.Reason != "":
		case n == 0:
			text, line.Reason = text+s.separator+"1", "columns"
		case n == 1:
			text, line.Reason = text+"\x01", "control characters"
		case n == 2:
			text, line.Reason = text+strings.Repeat("x", 70<<10), "longer than 64 KiB"
		case n == 3:
			text, line.Reason = strings.Join(texts[:len(texts)-1], s.separator), "columns"
		case n == 4 && s.quoted:
			text, line.Reason = `"`+text, "quotes"
			text = strings.ReplaceAll(text, `""`, "")
			if strings.Count(text, `"`)%2 == 0 {
				text += `x"`
			}
		case n == 5 && len(whole) > 0 && len(s.key) > 0: // a row again
			at := g.IntN(len(whole))
			text, line = whole[at], wholeLines[at]
		}
		put(text)
		line.Number = number
		f.Lines = append(f.Lines, line)
		if line.Reason == "" {
			whole, wholeLines = append(whole, text), append(wholeLines, line)
		}
	}
	f.Content = []byte(content.String())
	if latin {
		encoded, err := charmap.Windows1252.NewEncoder().String(content.String())
		if err != nil {
			panic(err) // the generator's texts have no letter outside it
		}
		f.Content = []byte(encoded)
	}
	return f
}

// field writes a field, in quotes where it must or may have them.
func (g *generator) field(s sheet, text string) string {
	if s.quoted && (strings.ContainsAny(text, s.separator+`"`) || text != "" && g.IntN(6) == 0) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// number writes a number of up to so many digits and decimals. mark is the decimal sign;
// group is the sign between thousands.
func (g *generator) number(digits, decimals int, mark, group string) (text, value string) {
	whole := fmt.Sprint(1 + g.Int64N(pow10(1+g.IntN(digits))))
	fraction := ""
	if decimals > 0 && g.IntN(5) > 0 {
		for range 1 + g.IntN(decimals) {
			fraction += fmt.Sprint(g.IntN(10))
		}
	}
	value = whole
	if cut := strings.TrimRight(fraction, "0"); cut != "" {
		value += "." + cut
	}
	written := whole
	if group != "" && (g.IntN(4) > 0 || fraction == "") {
		written = ""
		for i, digit := range whole {
			if i > 0 && (len(whole)-i)%3 == 0 {
				written += group
			}
			written += string(digit)
		}
	}
	if fraction != "" {
		written += mark + fraction
	}
	return written, value
}

func pow10(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// chilean writes 1.234.567,89, and sometimes what is no such number.
func (g *generator) chilean(name, column string, digits, decimals int, blank bool) cell {
	if g.flawed() {
		return cell{text: g.pick("=1+1", "(5)", "+5", "$ 5", "5 %", " 5", "5 ", "NaN", "1 234", "1.23.456", "5,", ",",
			"--5", "5-", "1e5", "1.234.56,7",
			"1"+strings.Repeat("0", 40)), name: name, reason: column}
	}
	if blank && g.IntN(5) == 0 {
		return cell{name: name}
	}
	text, value := g.number(digits, decimals, ",", ".")
	switch g.IntN(12) {
	case 0:
		return cell{text: "-" + text, name: name, value: "-" + value}
	case 1:
		return cell{text: g.pick("0", "-0", "0,00"), name: name, value: "0"}
	}
	return cell{text: text, name: name, value: value}
}

// people writes a number of people, with or without points between thousands.
func (g *generator) people(name, column string) cell {
	if g.flawed() {
		return cell{text: g.pick("-1", "1,5", "=2", "12.0", "12.34", "100000001", "4.294.967.297"), name: name,
			reason: column}
	}
	if g.IntN(5) == 0 {
		return cell{name: name}
	}
	text, value := g.number(5, 0, "", ".")
	return cell{text: text, name: name, value: value}
}

// plain writes a number with a decimal point.
func (g *generator) plain(name, column string, digits, decimals int, signed, blank bool) cell {
	if g.flawed() {
		flaws := []string{"=1+1", "(5)", "+5", "1,234.5", "1,5", "5.", "NaN", "Inf", "0x1F", "1_000", "5%", " 5"}
		if !signed {
			flaws = append(flaws, "-5")
		}
		return cell{text: g.pick(flaws...), name: name, reason: column}
	}
	if blank && g.IntN(5) == 0 {
		return cell{name: name}
	}
	text, value := g.number(digits, decimals, ".", "")
	if signed && g.IntN(8) == 0 {
		return cell{text: "-" + text, name: name, value: "-" + value}
	}
	return cell{text: text, name: name, value: value}
}

// day writes a day in a form, given as that of package time.
func (g *generator) day(name, column string, write func(year, month, day int) string) cell {
	if g.flawed() {
		wrong := []string{"45838", "", "=HOY()", "2025/06/30", "ayer", write(2025, 2, 30), write(1969, 6, 30),
			write(1970, 1, 1), write(2026, 8, 17), write(2062, 6, 30)}
		return cell{text: g.pick(wrong...), name: name, reason: column}
	}
	if g.IntN(20) == 0 {
		return cell{text: write(2026, 8, 16), name: name, value: "2026-08-16"} // the day after publication
	}
	year, month, day := 2009+g.IntN(17), 1+g.IntN(12), 1+g.IntN(28)
	return cell{text: write(year, month, day), name: name, value: fmt.Sprintf("%04d-%02d-%02d", year, month, day)}
}

// text writes a free text that may be one which a spreadsheet would run.
func (g *generator) text(name string) cell {
	plain := g.pick("=1+1", "@SUM(A1)", "+56 2 1234", "-cmd 1", "Móvil Ñuñoa", "a 'b' 1", "O’Higgins “1”", "<b>1</b>",
		"NULL 0", "Renta 100 %", "\\N 1")
	text := plain
	if g.IntN(4) == 0 {
		text = "  " + strings.Replace(plain, " ", "   ", 1) + " "
	}
	return cell{text: text, name: name, value: plain}
}

// needed writes a text that may not be blank.
func (g *generator) needed(name string) cell {
	if g.flawed() {
		return cell{text: g.pick("", "   "), name: name, reason: name}
	}
	return g.text(name)
}

// run writes a RUN or a RUT.
func (g *generator) run(name, column string) cell {
	if g.flawed() {
		return cell{text: g.pick("9278-1", "8011.0", "", "0", "-9278", "=9278", "123456789", "9 278", "92.78-9"),
			name: name, reason: column}
	}
	n := 1000 + g.IntN(9000)
	text := fmt.Sprint(n)
	switch g.IntN(4) {
	case 0:
		text = fmt.Sprintf("%d.%03d", n/1000, n%1000)
	case 1:
		text = fmt.Sprintf("%d-%s", n, checkDigit(n))
	case 2:
		text = fmt.Sprintf("%06d", n)
	}
	return cell{text: text, name: name, value: fmt.Sprint(n)}
}

// checkDigit is the remainder of eleven that the civil registry puts behind a number.
func checkDigit(n int) string {
	sum := 0
	for weight := 2; n > 0; n, weight = n/10, weight+1 {
		if weight == 8 {
			weight = 2
		}
		sum += n % 10 * weight
	}
	return strings.Split("0 K 9 8 7 6 5 4 3 2 1", " ")[sum%11]
}
