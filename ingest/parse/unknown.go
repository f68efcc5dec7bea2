package parse

import (
	"fmt"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// UnknownValue is a value that the program does not know, in a column that no number
// depends on. A source that adds a word to a column costs no row.
type UnknownValue struct {
	Column    string
	Value     string // as written, shortened; empty: blank, or any other value if Others
	Others    bool   // the count is of all values of the column that are not listed
	Rows      uint64
	FirstLine uint32
}

// String says what was found and what became of it.
func (u UnknownValue) String() string {
	value := excerpt.Quoted(u.Value)
	if u.Others {
		value = "other values"
	}
	return fmt.Sprintf("%s has %s in %d rows, which is unknown; the rows were published", u.Column, value, u.Rows)
}

// Finding says the same among the findings about the file.
func (u UnknownValue) Finding() model.Finding {
	value := u.Value
	if u.Others {
		value = "other values"
	}
	return model.Finding{Kind: model.FindingUnknownValue, Column: u.Column, Now: fmt.Sprintf("%s (%d)", value, u.Rows),
		Line: u.FirstLine}
}

// maxUnknownValues bounds the values of one column that are listed by themselves. A column
// that holds amounts where words were expected has as many values as rows.
const maxUnknownValues = 10

// unknownValues counts unknown values. Its memory is bounded by the number of columns.
type unknownValues struct {
	counted []UnknownValue
}

func (u *unknownValues) add(column, value string, line uint32) {
	value = excerpt.Cut(value, MaxWord)
	listed := 0
	var others *UnknownValue
	for i := range u.counted {
		c := &u.counted[i]
		switch {
		case c.Column != column:
		case c.Others:
			others = c
		case c.Value == value:
			c.Rows++
			return
		default:
			listed++
		}
	}
	switch {
	case others != nil:
		others.Rows++
	case listed == maxUnknownValues:
		u.counted = append(u.counted, UnknownValue{Column: column, Others: true, Rows: 1, FirstLine: line})
	default:
		u.counted = append(u.counted, UnknownValue{Column: column, Value: value, Rows: 1, FirstLine: line})
	}
}

// list returns the values in the order in which they first occur.
func (u *unknownValues) list() []UnknownValue { return u.counted }
