package dryrun

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"cuota/model"
)

// mostCorrections is how many corrections a report names, and how many days that become void.
const mostCorrections = 1000

// Correction is a row that takes the place of another one with its key.
type Correction struct {
	Line uint32         `json:"line"` // in the file
	Key  map[string]any `json:"key"`
	// Old and New are the value that matters most, which Column names. They are those of the first column that
	// differs if the value is the same.
	Column string `json:"column"`
	Old    any    `json:"old"`
	New    any    `json:"new"`
	// Change is New relative to Old; null if one is no number, or if Old is 0.
	Change  *float64 `json:"change"`
	Columns []string `json:"columns"` // all columns that differ
	Void    bool     `json:"void"`    // the row is rejected, and its day has no value any more
	// OtherName says that the series has another name on the day, so that the row may not count.
	OtherName bool     `json:"under_another_name"`
	Counts    Counting `json:"counts_now"`

	id string
}

// Counting is the row that counts now.
type Counting struct {
	File      string    `json:"file"`
	SHA256    string    `json:"sha256"`
	Line      uint32    `json:"line"`
	Published time.Time `json:"published_at"`
}

// size orders corrections: a number that comes from 0 or from none, or goes to none, comes first, because it has no
// relative change. A change of words comes last.
func (c Correction) size() float64 {
	_, before := numberOf(c.Old)
	_, after := numberOf(c.New)
	switch {
	case c.Change != nil:
		return math.Abs(*c.Change)
	case before || after:
		return math.Inf(1)
	}
	return -1
}

// about says in one line what the correction is about.
func (c Correction) about() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.Key)) {
		if name == "run" {
			continue
		}
		parts = append(parts, fmt.Sprint(c.Key[name]))
	}
	if run, has := c.Key["run"]; has {
		parts = append([]string{fmt.Sprint(run)}, parts...)
	}
	return strings.Join(parts, " ")
}

// values reads the columns of both rows. They are nil unless the rows differ.
func (r comparedRow) values() (was, is map[string]any, err error) {
	for text, into := range map[string]*map[string]any{r.Counting: &was, r.Stated: &is} {
		if text == "" {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(into); err != nil {
			return nil, nil, fmt.Errorf("read a row that is compared: %w", err)
		}
	}
	return was, is, nil
}

// correct notes a correction, if it is among the largest so far.
func (c *comparison) correct(of rule, id string, row comparedRow, was, is map[string]any) {
	one := Correction{Line: row.Line, Key: map[string]any{}, Column: of.value, Void: is["void"] == true, id: id,
		Counts: Counting{row.File, row.SHA256, row.AtLine, row.Since.UTC()}}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		// A void row states nothing but its day.
		if !reflect.DeepEqual(is[name], was[name]) && (!one.Void || name == of.value) {
			one.Columns = append(one.Columns, name)
		}
	}
	if len(one.Columns) > 0 && !slices.Contains(one.Columns, one.Column) {
		one.Column = one.Columns[0]
	}
	for _, name := range of.key {
		one.Key[name] = is[name]
	}
	if run, number := numberOf(is["run"]); number && one.Key["run"] != nil {
		one.Key["run"] = model.RUN(run).String()
	}
	one.Old, one.New = was[one.Column], is[one.Column]
	before, numberBefore := numberOf(one.Old)
	after, numberAfter := numberOf(one.New)
	if numberBefore && numberAfter && before != 0 {
		change := after/before - 1
		one.Change = &change
	}
	list := &c.corrections
	if one.Void {
		list = &c.voids
	}
	if *list = append(*list, one); len(*list) >= 2*mostCorrections {
		*list = largest(*list)
	}
}

func numberOf(value any) (float64, bool) {
	text, is := value.(json.Number)
	if !is {
		return 0, false
	}
	number, err := text.Float64()
	return number, err == nil
}

// rejections are rejected rows by reason.
type rejections map[string]*Rejection

// Reasons differ where they name values of the row, so their number is bounded.
const (
	mostReasons    = 1000
	furtherReasons = "further reasons"
	firstRows      = 3
)

func (r rejections) add(reject model.Reject) {
	reason := reject.Reason
	if r[reason] == nil && len(r) >= mostReasons {
		reason = furtherReasons
	}
	if r[reason] == nil {
		r[reason] = &Rejection{Reason: reason}
	}
	of := r[reason]
	if of.Rows++; len(of.First) < firstRows {
		of.First = append(of.First, RejectedRow{reject.Line, reject.Raw})
	}
}

func (r rejections) list() []Rejection {
	list := make([]Rejection, 0, len(r))
	for _, of := range r {
		list = append(list, *of)
	}
	slices.SortFunc(list, func(one, other Rejection) int {
		return cmp.Or(cmp.Compare(other.Rows, one.Rows), cmp.Compare(one.First[0].Line, other.First[0].Line))
	})
	return list
}
