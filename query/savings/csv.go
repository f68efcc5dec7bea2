package savings

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuota/model"
)

// The faults of a line.
const (
	WrongColumns    = "columns"   // not four fields
	WrongDate       = "date"      // no calendar date
	WrongSeries     = "series"    // empty or too long
	WrongKind       = "kind"      // neither a purchase nor a sale
	WrongAmount     = "amount"    // no number above 0
	AmbiguousAmount = "ambiguous" // may be thousands or decimals
	BuyAll          = "buy_all"   // all can only be sold
	TooMany         = "too_many"  // more than MaxMovements
	TooManySeries   = "too_many_series"
	TooManyWrong    = "too_many_wrong" // the first one after MaxWrong others
)

// LineError says what is wrong with a line of a CSV. Lines are counted from 1, with the heading and empty ones.
type LineError struct {
	Line  int
	Fault string
	Text  string // the field in question
}

// Explain returns what is wrong, without the line and its text.
func (e LineError) Explain() string { return faultTexts[e.Fault] }

var faultTexts = map[string]string{
	WrongColumns: "needs four columns: date, series, kind, amount",
	WrongDate:    "needs a calendar date as 2024-03-15, 15-03-2024 or 15/03/2024",
	WrongSeries:  "needs the id of a series, or the RUN of its fund and its name, as in 9809-4 B",
	WrongKind:    "needs compra or venta (buy or sell)",
	WrongAmount: "needs an amount above 0 and at most 10.000.000.000.000, as in 1.500.000 or 1500000,50, " +
		"a number of cuotas, or todo for a sale",
	AmbiguousAmount: "may mean thousands or decimals: write it as in 1500, or with other decimals, as in 1,50",
	BuyAll:          "can't buy todo: state the amount",
	TooMany:         fmt.Sprintf("is one more than the %d movements that are computed", MaxMovements),
	TooManyWrong:    fmt.Sprintf("is wrong too, after %d others: later lines were not checked", MaxWrong),
	TooManySeries:   fmt.Sprintf("names one more than the %d series that are computed", MaxSeries),
}

// MaxWrong is how many wrong lines are reported. Reading ends at the next one, reported as TooManyWrong.
const MaxWrong = 50

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// ParseCSV reads movements from a text with the columns fecha, serie, tipo and monto, separated by ; or , or tabs. A
// heading may name them in another order. The decimal comma is accepted, and points between thousands. It returns
// the movements of good lines, and what is wrong with each other line, up to MaxWrong of them.
func ParseCSV(text string) (movements []Movement, wrong []LineError) {
	text = strings.TrimPrefix(text, "\ufeff")
	order, comma := []int{0, 1, 2, 3}, rune(0)
	named := map[string]bool{}
	for i, line := range strings.Split(lineEnds.Replace(text), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		first := comma == 0
		if first {
			comma = separatorOf(line)
		}
		at := i + 1
		fields, err := fieldsOf(line, comma)
		if first && err == nil {
			if columns, is := heading(fields); is {
				order = columns
				continue
			}
		}
		var m Movement
		fault, field := WrongColumns, line
		if err == nil && len(fields) == len(order) {
			m, fault, field = movementOf(fields, order)
			m.Line = at
		}
		switch {
		case fault != "" && len(wrong) == MaxWrong:
			return movements, append(wrong, LineError{at, TooManyWrong, ""})
		case fault != "":
			wrong = append(wrong, LineError{at, fault, cut(field)})
		case len(movements) == MaxMovements:
			return movements, append(wrong, LineError{at, TooMany, ""})
		case !named[m.Series] && len(named) == MaxSeries:
			return movements, append(wrong, LineError{at, TooManySeries, cut(m.Series)})
		default:
			named[m.Series] = true
			movements = append(movements, m)
		}
	}
	return movements, wrong
}

// separatorOf returns what separates the fields of the first line.
func separatorOf(line string) rune {
	for _, separator := range ";\t" {
		if strings.ContainsRune(line, separator) {
			return separator
		}
	}
	return ','
}

// fieldsOf reads the fields of one line.
func fieldsOf(line string, comma rune) ([]string, error) {
	reader := csv.NewReader(strings.NewReader(line))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = comma, -1, true
	fields, err := reader.Read()
	if err != nil {
		return nil, err
	}
	if _, err := reader.Read(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one line")
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	for len(fields) > 4 && fields[len(fields)-1] == "" { // a separator at the end of the line
		fields = fields[:len(fields)-1]
	}
	return fields, nil
}

// columns are the names of each column.
var columns = [4][]string{
	{"fecha", "date"},
	{"serie", "series", "serie_id", "series_id", "fondo", "fund"},
	{"tipo", "kind", "type", "operacion"},
	{"monto", "amount", "cantidad"},
}

// heading returns the order of the columns if a line names them.
func heading(fields []string) (order []int, is bool) {
	if len(fields) != len(columns) {
		return nil, false
	}
	order = make([]int, len(columns))
	for i, names := range columns {
		order[i] = slices.IndexFunc(fields, func(field string) bool {
			return slices.Contains(names, model.Fold(field))
		})
		if order[i] < 0 {
			return nil, false
		}
	}
	return order, true
}

// movementOf reads the fields of a line. It returns the fault, and the field that has it.
func movementOf(fields []string, order []int) (m Movement, fault, field string) {
	day, series, kind, amount := fields[order[0]], fields[order[1]], fields[order[2]], fields[order[3]]
	var err error
	if m.Date, err = parseDay(day); err != nil {
		return m, WrongDate, day
	}
	if m.Series = series; series == "" || len(series) > MaxSeriesText || !utf8.ValidString(series) {
		return m, WrongSeries, series
	}
	switch model.Fold(kind) {
	case "compra", "aporte", "inversion", "suscripcion", "buy", "purchase":
		m.Kind = Buy
	case "venta", "rescate", "retiro", "sell", "sale":
		m.Kind = Sell
	default:
		return m, WrongKind, kind
	}
	text, inQuotas := model.Fold(amount), false
	switch text {
	case "todo", "todas", "total", "all":
		if m.All = true; m.Kind == Buy {
			return m, BuyAll, amount
		}
		return m, "", ""
	}
	for _, unit := range []string{"cuotas", "cuota", "quotas", "units", "unit"} {
		if rest, is := strings.CutSuffix(text, unit); is {
			text, inQuotas = strings.TrimSpace(rest), true
			break
		}
	}
	number, fault := ParseAmount(text, inQuotas)
	if fault != "" {
		return m, fault, amount
	}
	if m.Amount = number; inQuotas {
		m.Amount, m.Quotas = 0, number
	}
	return m, "", ""
}

// parseDay reads a date as Chileans and programs write it.
func parseDay(text string) (model.Date, error) {
	day, err := model.ParseDate(text)
	if err != nil {
		return model.ParseSlashDate(strings.ReplaceAll(text, "-", "/"))
	}
	return day, nil
}

var (
	grouped   = regexp.MustCompile(`^[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?$`) // 1.500.000,50
	withComma = regexp.MustCompile(`^[0-9]+,[0-9]+$`)                          // 1500000,50
	plain     = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)                      // 1500000.50
	oneGroup  = regexp.MustCompile(`^[1-9][0-9]{0,2}[.,][0-9]{3}$`)            // 1.500 and 1,500
)

// ParseAmount reads a number as Chileans and programs write it, and returns what is wrong with it. A point between
// groups of three digits is one of thousands. 1,500 is refused, because others write a thousand so. Of quotas, which
// mostly have decimals, 1.500 is refused too.
func ParseAmount(text string, inQuotas bool) (number float64, fault string) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "$"))
	if oneGroup.MatchString(text) && (inQuotas || strings.Contains(text, ",")) {
		return 0, AmbiguousAmount
	}
	switch {
	case grouped.MatchString(text):
		text = strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", ".")
	case withComma.MatchString(text):
		text = strings.ReplaceAll(text, ",", ".")
	case !plain.MatchString(text):
		return 0, WrongAmount
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number <= 0 || number > maxAmount {
		return 0, WrongAmount
	}
	return number, ""
}

// cut returns the beginning of a text, for a message.
func cut(text string) string {
	const most = 60
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
