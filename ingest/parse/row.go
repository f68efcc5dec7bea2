package parse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
	"cuota/internal/santiago"
	"cuota/model"
)

// row reads the fields of one line. The first field that cannot be read sets err; the
// values read after that are not used.
type row struct {
	format *format
	source model.Source
	fields []string
	latest model.Date // the last day that a row may be about
	cut    bool       // the payload ends here, so the last field may be incomplete
	err    error
	forms  numberForms
	failed uint64 // a bit for each column that can't be read; no format has more than 64
	// unknown lists the columns whose value is kept although it is not one that the program
	// knows.
	unknown []int
}

// fail records what is wrong with a column, unless an earlier column failed.
func (r *row) fail(column int, err error) {
	r.failed |= 1 << column
	if r.err == nil {
		r.err = fmt.Errorf("column %d, %s: %w", column+1, r.format.columns[column], err)
	}
}

func (r *row) number(column int, s shape) decimal.Decimal {
	if s.chilean {
		r.forms.of(column).note(r.fields[column])
	}
	n, err := parseDecimal(r.fields[column], s)
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// maybe reads a number, or blank as null.
func (r *row) maybe(column int, s shape) decimal.NullDecimal {
	if r.fields[column] == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(r.number(column, s))
}

func (r *row) count(column int) uint32 {
	n, err := parseCount(r.fields[column])
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// text reads a free text up to a number of bytes. A longer one is cut, and counted for the
// report.
func (r *row) text(column, limit int) string {
	text := r.name(column)
	if len(text) > limit {
		r.unknown = append(r.unknown, column)
		return strings.TrimSpace(excerpt.Cut(text, limit))
	}
	return text
}

// people reads a number of people.
func (r *row) people(column int) uint32 {
	n, err := parsePeople(r.fields[column])
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// maybePeople reads a number of people that may be blank.
func (r *row) maybePeople(column int) *uint32 {
	if r.fields[column] == "" {
		return nil
	}
	return new(r.people(column))
}

// name reads a free text: it cuts outer spaces and collapses inner ones.
func (r *row) name(column int) string {
	text := r.fields[column]
	if !strings.Contains(text, "  ") && strings.TrimSpace(text) == text && !strings.ContainsRune(text, '\t') {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// oneOf reads a word that must be in a fixed list.
func (r *row) oneOf(column int, words ...string) string {
	if slices.Contains(words, r.fields[column]) {
		return r.fields[column]
	}
	r.fail(column, fmt.Errorf(
		"%s is unknown, expected one of %q; download the file again, or report that the source has changed",
		excerpt.Quoted(r.fields[column]), words))
	return ""
}

// yes reads yes or no.
func (r *row) yes(column int) bool { return r.oneOf(column, "yes", "no") == "yes" }

// word reads a word that no number depends on. A word outside the list is kept as it is
// written, and counted for the report.
func (r *row) word(column int, words ...string) string {
	if slices.Contains(words, r.fields[column]) {
		return r.fields[column]
	}
	r.unknown = append(r.unknown, column)
	return excerpt.Cut(r.name(column), MaxWord)
}

// MaxWord bounds a word or a currency that is kept as written, in bytes.
const MaxWord = 40

// currency reads a currency. Values in an unknown one can't be converted or compared, and
// have the reason unknown_currency (RULES 1), but they are right in themselves.
func (r *row) currency(column int) string {
	word := r.word(column, "$$", "PROM", "EUR", "CLP", "USD", "PESOS", "DOLAR")
	if word == "" {
		r.fail(column, errors.New("is blank, expected a currency; download the file again"))
	}
	return word
}

// numberOrNull reads a number on which no other one depends. Anything else becomes null, and is
// counted for the report.
func (r *row) numberOrNull(column int, of shape) decimal.NullDecimal {
	number, err := parseDecimal(r.fields[column], of)
	if err != nil {
		r.unknown = append(r.unknown, column)
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(number)
}

// peopleOrNull is numberOrNull for a number of people.
func (r *row) peopleOrNull(column int) *uint32 {
	people, err := parsePeople(r.fields[column])
	if err != nil {
		r.unknown = append(r.unknown, column)
		return nil
	}
	return &people
}

// optional reads a column on which no number depends. What can't be read becomes null, and is
// counted for the report.
func optional[T any](r *row, column int, read func(int) T) T {
	err, failed := r.err, r.failed
	value := read(column)
	if r.failed == failed {
		return value
	}
	r.err, r.failed = err, failed
	r.unknown = append(r.unknown, column)
	var null T
	return null
}

// parsed reads a field. remedy says what to do if it can't be read.
func parsed[T any](r *row, column int, parse func(string) (T, error), remedy string) T {
	value, err := parse(r.fields[column])
	if err != nil {
		r.fail(column, fmt.Errorf("%w; %s", err, remedy))
	}
	return value
}

// rol reads a RUN or RUT, with or without dots between thousands. It rejects other dots and
// spaces, which model would accept: they could join two numbers into one, and a
// spreadsheet may have made 8011.0 of 8011.
func rol[T any](r *row, column int, parse func(string) (T, error)) (none T) {
	text := r.fields[column]
	number, _, _ := strings.Cut(text, "-")
	if number == "" || !Digits(number) && !grouped(number) || strings.ContainsRune(text, ' ') {
		r.fail(column, fmt.Errorf("%s is not a RUN or RUT, expected one to eight digits; download the file again",
			excerpt.Quoted(text)))
		return none
	}
	return parsed(r, column, parse, "compare it with the register")
}

func (r *row) run(column int) model.RUN { return rol(r, column, model.ParseRUN) }

func (r *row) rut(column int) model.RUT { return rol(r, column, model.ParseRUT) }

func (r *row) serie(column int) string {
	return parsed(r, column, model.NormalSerie, compareWithSource)
}

// compareWithSource is the remedy for a value that the source may have written wrong.
const compareWithSource = "compare it with the source"

// FirstDay is before the first day of any source.
var FirstDay = model.NewDate(1971, time.January, 1)

// day reads the day that the row is about. It fails for a day outside the range.
func (r *row) day(column int, parse func(string) (model.Date, error)) model.Date {
	date := parsed(r, column, parse, compareWithSource)
	if err := r.inRange(date); err != nil {
		r.fail(column, err) // unless it could not be parsed
	}
	return date
}

// inRange fails if the day is before FirstDay or after the latest day that a row may be
// about.
func (r *row) inRange(day model.Date) error {
	switch {
	case day.Compare(FirstDay) < 0:
		return fmt.Errorf("%s is before %s, the earliest day that is accepted; compare it with the source", day,
			FirstDay)
	case day.Compare(r.latest) > 0:
		return fmt.Errorf("%s lies in the future, the latest day accepted from this file is %s; have the source "+
			"correct it", day, r.latest)
	}
	return nil
}

// maybeDate reads DD/MM/YYYY, or blank as the zero date. It may be in the future, as the
// end of a fund that is being liquidated.
func (r *row) maybeDate(column int) model.Date {
	if r.fields[column] == "" {
		return model.Date{}
	}
	return parsed(r, column, model.ParseSlashDate, compareWithSource)
}

// Readers that the curated files share. These files are written by people or by their
// own programs: dates and instants in ISO form, yes and no, and the evidence of each
// row.

// evidence reads the address and the hash of the document that proves a row.
func (r *row) evidence(url, hash int) model.Evidence {
	return model.Evidence{EvidenceURL: r.fields[url], EvidenceSHA256: r.fields[hash]}
}

// maybeDay reads YYYY-MM-DD, or blank as the zero date.
func (r *row) maybeDay(column int) model.Date {
	if r.fields[column] == "" {
		return model.Date{}
	}
	return r.day(column, model.ParseDate)
}

// maybeInstant reads an RFC 3339 instant, or blank as the zero time. It rejects anything
// finer than microseconds, because storage would lose it.
func (r *row) maybeInstant(column int) time.Time {
	text := r.fields[column]
	if text == "" {
		return time.Time{}
	}
	instant, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		r.fail(column, fmt.Errorf("%s is not an instant such as 2026-05-31T18:00:00Z; correct the row",
			excerpt.Quoted(text)))
	case !instant.Equal(instant.Truncate(time.Microsecond)):
		r.fail(column, fmt.Errorf("%s has more than six decimals of a second; cut it to microseconds",
			excerpt.Quoted(text)))
	default:
		if err := r.inRange(model.DateOf(instant.In(santiago.Zone))); err != nil {
			r.fail(column, err)
		}
	}
	return instant.UTC()
}
