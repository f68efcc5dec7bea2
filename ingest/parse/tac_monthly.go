package parse

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/encoding/charmap"

	"cuota/model"
)

// sheetDay is the first cell of a row: a date that a spreadsheet may have turned into a
// number.
var sheetDay = regexp.MustCompile(`^(\d{8})([.,]0+)?$`)

// sheetCost is a rate, which no title has.
var sheetCost = regexp.MustCompile(`^\s*-?\d{0,3}[.,]\d+\s*$`)

// footnoteMark matches the mark after the name of a fund that has a footnote.
var footnoteMark = regexp.MustCompile(`\s*\(\d{1,2}\)$`)

// tacMonthlyFormat reads the regulator's monthly cost sheet, saved as CSV. The titles
// above the rows change their wording often, so the rows are recognised by their first
// cell. The footnotes below fill only the first two cells.
func tacMonthlyFormat(separator rune) *format {
	columns := []string{
		"periodo", "administradora", "nombre_fondo", "tipo_fondo", "moneda", "serie", "caracteristicas", "rem_fija",
		"rem_var", "gastos_op", "tac_rem_fija", "tac_rem_var", "tac_gastos_op", "tac_total", "cond_colocacion",
		"com_colocacion", "cond_diferida", "com_diferida",
	}
	return &format{
		columns:   columns,
		key:       []int{0, 5},
		separator: separator,
		quoted:    true,
		ahead:     oneDayAhead,
		// A row whose day can't be read, or that has a field too many or too few, is no title: it is
		// rejected, and not passed over. Titles have few fields, or neither a day nor a rate.
		starts: func(fields []string) bool {
			return len(fields) > len(columns)/2 &&
				(sheetDay.MatchString(fields[0]) ||
					slices.ContainsFunc(fields[min(10, len(fields)):min(14, len(fields))], sheetCost.MatchString))
		},
		startsAs: regexp.MustCompile(`^"?\d{8}([.,]0+)?"?` + regexp.QuoteMeta(string(separator))),
		aside: func(fields []string) bool {
			return len(fields) > 0 && !sheetDay.MatchString(fields[0]) && allBlank(fields[min(2, len(fields)):])
		},
		parse: func(r *row) (model.Event, model.Date) {
			tac := &model.MonthlyTAC{
				Source:            r.source,
				Date:              r.day(0, parseSheetDay),
				Manager:           r.repaired(1),
				Fund:              footnoteMark.ReplaceAllString(r.repaired(2), ""),
				FundType:          r.repairedText(3, 200),
				Currency:          r.repairedText(4, 40),
				Serie:             r.repairedSerie(5),
				Features:          r.repairedText(6, 2000),
				FixedFee:          r.repairedText(7, 500),
				VariableFee:       r.repairedText(8, 500),
				OperatingExpenses: r.repairedText(9, 500),
				FixedPercent:      optional(r, 10, r.cost),
				VariablePercent:   optional(r, 11, r.cost),
				ExpensesPercent:   optional(r, 12, r.cost),
				TotalPercent:      r.cost(13),
				PlacementTerms:    r.repairedText(14, 2000),
				PlacementFee:      r.repairedText(15, 500),
				DeferredTerms:     r.repairedText(16, 2000),
				DeferredFee:       r.repairedText(17, 500),
			}
			return tac, tac.Date
		},
	}
}

func parseSheetDay(text string) (model.Date, error) {
	if match := sheetDay.FindStringSubmatch(text); match != nil {
		text = match[1]
	}
	return model.ParseCompactDate(text)
}

func allBlank(fields []string) bool {
	return !slices.ContainsFunc(fields, func(field string) bool { return strings.TrimSpace(field) != "" })
}

// cost reads a rate in percent a year; NA says that the sheet states none. The decimal
// sign is that of the program that saved the sheet.
func (r *row) cost(column int) decimal.NullDecimal {
	text := r.fields[column]
	switch {
	case text == "NA", text == "N/A":
		return decimal.NullDecimal{}
	case text != "" && !strings.ContainsAny(text, "0123456789"):
		r.unknown = append(r.unknown, column) // a word that says in another way that there is none
		return decimal.NullDecimal{}
	case strings.Count(text, ",") == 1 && !strings.Contains(text, "."):
		r.fields[column] = strings.Replace(text, ",", ".", 1)
	}
	return r.maybe(column, returnShape)
}

// repaired reads a text in which UTF-8 bytes may have been decoded as Latin-1.
func (r *row) repaired(column int) string {
	r.fields[column] = unmangled(r.fields[column])
	return r.name(column)
}

func (r *row) repairedText(column, limit int) string {
	r.fields[column] = unmangled(r.fields[column])
	return r.text(column, limit)
}

func (r *row) repairedSerie(column int) string {
	r.fields[column] = unmangled(r.fields[column])
	return r.serie(column)
}

// unmangled restores letters whose two or three bytes of UTF-8 were each decoded as a
// letter: MÃ³vil becomes Móvil. It decides about each run of non-ASCII letters
// alone, because one text may hold both right and wrong ones.
func unmangled(text string) string {
	var repaired strings.Builder
	for rest := text; rest != ""; {
		start := strings.IndexFunc(rest, func(r rune) bool { return r >= utf8.RuneSelf })
		if start < 0 {
			if repaired.Len() == 0 {
				return text
			}
			repaired.WriteString(rest)
			break
		}
		repaired.WriteString(rest[:start])
		rest = rest[start:]
		end := strings.IndexFunc(rest, func(r rune) bool { return r < utf8.RuneSelf })
		if end < 0 {
			end = len(rest)
		}
		if stretch, ok := asBytes(rest[:end]); ok && utf8.Valid(stretch) {
			repaired.Write(stretch)
		} else {
			repaired.WriteString(rest[:end])
		}
		rest = rest[end:]
	}
	return repaired.String()
}

// asBytes returns the bytes that Latin-1, or Windows-1252, encodes as the text, and
// false if there are none.
func asBytes(text string) ([]byte, bool) {
	raw := make([]byte, 0, len(text))
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		switch {
		case ok:
		case r <= 0xff:
			b = byte(r)
		default:
			return nil, false
		}
		raw = append(raw, b)
	}
	return raw, true
}
