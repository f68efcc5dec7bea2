package dryrun

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"cuota/ingest"
	"cuota/model"
	"cuota/projector/store"
	"cuota/sql"
)

// rowsTogether is how many rows are compared in one statement, and bytesTogether how many bytes of events.
const rowsTogether, bytesTogether = 16384, 16 << 20

// comparison takes the messages of one file in place of the log, and compares what they state with what counts.
// It holds about 150 bytes for each key of the file.
type comparison struct {
	*DryRun
	with    batch // with which the file is compared
	dataset model.Dataset

	asked, held bool // whether the batch has the file, once it is asked

	events  [][]byte // not compared yet
	bytes   int
	rejects []model.Reject

	columns     map[string][]tableColumn // of a table
	keys        map[string]statedKey
	series      names
	notCompared uint64
	rejections  rejections
	corrections []Correction
	voids       []Correction
	quotes      map[string]quote    // that would count from now on, by key
	tooMany     bool                // quotes
	after       map[model.Date]bool // days after the cutoff that have a new quote
}

func newComparison(d *DryRun, with batch, dataset model.Dataset) *comparison {
	return &comparison{DryRun: d, with: with, dataset: dataset, columns: map[string][]tableColumn{},
		keys: map[string]statedKey{}, series: names{}, rejections: rejections{}, quotes: map[string]quote{},
		after: map[model.Date]bool{}}
}

// statedKey is what the file does to a key. Of several rows with one key, the last one counts.
type statedKey struct {
	line    uint32
	series  uint32 // number of the name; 0: none
	day     model.Date
	outcome outcome // 0: it changes nothing
	listed  bool    // among the corrections, or the days that lose their value
}

type outcome uint8

const (
	isNew outcome = iota + 1
	isEqual
	isCorrected
	isOlder
	isVoided // a rejected row would count, so that the day has no value
)

// changes reports whether another row counts for the key from now on.
func (o outcome) changes() bool { return o == isNew || o == isCorrected || o == isVoided }

var outcomes = map[string]outcome{"new": isNew, "equal": isEqual, "corrected": isCorrected, "older": isOlder}

// names numbers the names of series from 1.
type names map[seriesName]uint32

func (n names) number(name seriesName) uint32 {
	if name == (seriesName{}) {
		return 0
	}
	number, known := n[name]
	if !known {
		number = uint32(len(n) + 1)
		n[name] = number
	}
	return number
}

// byNumber returns the name of each number.
func (n names) byNumber() map[uint32]seriesName {
	of := make(map[uint32]seriesName, len(n))
	for name, number := range n {
		of[number] = name
	}
	return of
}

// Publish implements ingest.Publisher.
func (c *comparison) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	switch topic {
	case c.dataset.Topic():
		for _, message := range messages {
			c.events = append(c.events, message.Value)
			c.bytes += len(message.Value)
		}
	case c.dataset.RejectTopic():
		for _, message := range messages {
			var reject model.Reject
			if err := json.Unmarshal(message.Value, &reject); err != nil {
				return fmt.Errorf("read a rejected row: %w", err)
			}
			c.rejections.add(reject)
			reject.Raw = "" // only the first ones are shown
			c.rejects = append(c.rejects, reject)
		}
	default: // a manifest or a judgement
		return nil
	}
	if len(c.events)+len(c.rejects) >= rowsTogether || c.bytes >= bytesTogether {
		return c.flush(ctx)
	}
	return nil
}

// stated is what an event or a void day says of itself.
type stated struct {
	model.Source
	RUN   model.RUN  `json:"run"`
	Serie string     `json:"serie"`
	Date  model.Date `json:"date"`
	// of a quote
	Quota     decimal.NullDecimal `json:"quota"`
	BookValue decimal.NullDecimal `json:"book_value"`
	Currency  string              `json:"currency"`
	Equity    decimal.NullDecimal `json:"equity"`
	// Adjustment and Distribution are the factors that a cartola states.
	Adjustment   decimal.NullDecimal `json:"adjustment_factor"`
	Distribution decimal.NullDecimal `json:"distribution_factor"`
	void         bool
}

// name returns the name of the series; zero: the row is about none.
func (s stated) name() seriesName {
	if s.RUN == 0 || s.Serie == "" {
		return seriesName{}
	}
	return seriesName{s.RUN, s.Serie}
}

// flush compares the rows that came since the last time.
func (c *comparison) flush(ctx context.Context) error {
	events, rejects := c.events, c.rejects
	c.events, c.bytes, c.rejects = nil, 0, nil
	rows := make(map[uint32]stated, len(events)+len(rejects)) // by line
	for _, event := range events {
		var of stated
		if err := json.Unmarshal(event, &of); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		rows[of.Line] = of
	}
	for _, reject := range rejects {
		rows[reject.Line] = stated{Source: reject.Source, RUN: reject.RUN, Serie: reject.Serie, Date: reject.Date,
			void: true}
	}
	for _, of := range rows { // all are of one file
		if err := c.ask(ctx, of.SHA256); err != nil {
			return err
		}
		break
	}
	if c.held { // what counts has these rows already
		return nil
	}
	facts, err := store.FactsOf(c.dataset, events, rejects)
	if err != nil {
		return err
	}
	for _, of := range facts {
		if err := c.compare(ctx, of, rows); err != nil {
			return err
		}
	}
	return nil
}

// ask asks once whether the batch has the file.
func (c *comparison) ask(ctx context.Context, sha string) (err error) {
	if c.asked {
		return nil
	}
	c.held, err = c.holds(ctx, c.with, sha)
	c.asked = err == nil
	return err
}

// tableColumn is a column of a table of facts.
type tableColumn struct {
	Name string `ch:"name"`
	Type string `ch:"type"`
}

// comparedRow is a row of stated_facts.sql.
type comparedRow struct {
	Line     uint32    `ch:"line"`
	Key      string    `ch:"row_key"`
	Outcome  string    `ch:"outcome"`
	Stated   string    `ch:"stated_row"`
	Counting string    `ch:"counting_row"`
	SHA256   string    `ch:"counting_sha256"`
	AtLine   uint32    `ch:"counting_line"`
	Since    time.Time `ch:"counting_since"`
	File     string    `ch:"counting_file"`
}

// compare compares facts of one table with those that count.
func (c *comparison) compare(ctx context.Context, facts store.Stated, rows map[uint32]stated) error {
	of, compared := rules[facts.Table]
	if !compared {
		c.notCompared += uint64(facts.Rows)
		return nil
	}
	table, err := c.table(ctx, facts)
	if err != nil {
		return err
	}
	found, err := sql.ManyRows[comparedRow](ctx, c.reader, "stated_facts", table, sql.Arg("batch", c.with.Number),
		sql.Arg("table", facts.Table), sql.Arg("key_1", of.keyColumn(0)), sql.Arg("key_2", of.keyColumn(1)),
		sql.Arg("key_3", of.keyColumn(2)), sql.Arg("key_4", of.keyColumn(3)))
	if err != nil {
		return err
	}
	for _, row := range found {
		if err := c.note(of, facts.Table, row, rows[row.Line]); err != nil {
			return err
		}
	}
	return nil
}

// table makes the external table of facts, with the columns of their table.
func (c *comparison) table(ctx context.Context, facts store.Stated) (table any, err error) {
	columns := c.columns[facts.Table]
	if columns == nil {
		if columns, err = sql.Rows[tableColumn](ctx, c.reader, "stated_columns",
			sql.Arg("table", facts.Table)); err != nil {
			return nil, err
		}
		c.columns[facts.Table] = columns
	}
	var given []sql.Column
	for _, column := range columns {
		at := slices.IndexFunc(facts.Columns, func(of store.StatedColumn) bool { return of.Name == column.Name })
		of := sql.Column{Type: column.Name + " " + column.Type}
		if at >= 0 {
			of.Values = facts.Columns[at].Values
		} else if of.Values, err = defaults(column.Type, facts.Rows); err != nil {
			return nil, fmt.Errorf("column %s of %s: %w", column.Name, facts.Table, err)
		}
		given = append(given, of)
	}
	return sql.Table("stated", given...)
}

// defaults returns the values of a column that the rows do not state: those of a void day, and whether a row is one.
func defaults(kind string, rows int) (any, error) {
	kind = strings.TrimSuffix(strings.TrimPrefix(kind, "LowCardinality("), ")")
	switch {
	case strings.HasPrefix(kind, "Nullable(Decimal"):
		return make([]*decimal.Decimal, rows), nil
	case strings.HasPrefix(kind, "Nullable(UInt32"):
		return make([]*uint32, rows), nil
	case kind == "String":
		return make([]string, rows), nil
	case kind == "UInt32":
		return make([]uint32, rows), nil
	case kind == "Bool":
		return make([]bool, rows), nil
	}
	return nil, fmt.Errorf("there is no default of type %s", kind)
}

// note counts what a row does to its key.
func (c *comparison) note(of rule, table string, row comparedRow, from stated) error {
	key := table + row.Key
	earlier, again := c.keys[key]
	if again && earlier.line > row.Line {
		return nil
	}
	now := statedKey{line: row.Line, series: c.series.number(from.name()), day: from.Date,
		outcome: outcomes[row.Outcome]}
	was, is, err := row.values()
	if err != nil {
		return err
	}
	switch {
	case !from.void:
	case now.outcome == isNew, now.outcome == isCorrected && was["void"] != true:
		now.outcome = isVoided
	default:
		now.outcome = 0 // a rejected row that changes nothing
	}
	if again {
		delete(c.quotes, key)
		same := func(one Correction) bool { return one.id == key }
		c.corrections, c.voids = slices.DeleteFunc(c.corrections, same), slices.DeleteFunc(c.voids, same)
	}
	if was != nil && (now.outcome == isCorrected || now.outcome == isVoided) {
		c.correct(of, key, row, was, is)
		now.listed = true
	}
	c.keys[key] = now
	if now.outcome.changes() && (now.outcome != isCorrected || slices.ContainsFunc(quoteColumns,
		func(column string) bool { return was[column] != is[column] })) {
		c.quoted(key, from)
	}
	return nil
}

// quoteColumns are the columns on which price returns and breaks depend.
var quoteColumns = []string{"quota", "book_value", "moneda", "void", "equity", "adjustment_factor",
	"distribution_factor", "units_outstanding", "units_contributed", "units_redeemed"}

// finish fills in what the rows would change.
func (c *comparison) finish(ctx context.Context, report *Report) error {
	report.Compared = c.notCompared == 0 && (report.State == Unpublished || report.State == Waiting)
	report.Rows.NotCompared = c.notCompared
	known, err := c.known(ctx)
	if err != nil {
		return err
	}
	series, days := map[uint32]bool{}, map[model.Date]bool{}
	other := map[string]bool{} // keys under a name that is not the one of their day
	renamed := map[uint32]seriesName{}
	numbered := c.series.byNumber()
	for key, of := range c.keys {
		under, has := known[numbered[of.series]]
		elsewhere := has && !of.day.IsZero() && !under.at(of.day)
		if elsewhere && of.outcome != isEqual {
			// It may also end or move the rename, whether it is after the cutoff or not.
			renamed[under.ID] = numbered[of.series]
		}
		if of.listed && of.outcome == isVoided {
			report.allVoids++
		} else if of.listed {
			report.allCorrections++
		}
		switch {
		case of.outcome.changes() && elsewhere:
			report.Rows.OtherName++
			other[key] = true
		case of.outcome == isNew:
			report.Rows.New++
		case of.outcome == isEqual:
			report.Rows.Equal++
		case of.outcome == isOlder:
			report.Rows.Older++
		case of.outcome == isCorrected:
			report.Rows.Corrected++
		case of.outcome == isVoided:
			report.Rows.Voided++
		}
		if !of.outcome.changes() || other[key] {
			continue
		}
		if of.series != 0 {
			series[of.series] = true
		}
		if of.day.IsZero() {
			continue
		}
		days[of.day] = true
		if report.FirstDay.IsZero() || of.day.Compare(report.FirstDay) < 0 {
			report.FirstDay = of.day
		}
		if of.day.Compare(report.LastDay) > 0 {
			report.LastDay = of.day
		}
	}
	report.Series, report.Days = len(series), len(days)
	report.Rejected = c.rejections.list()
	report.Corrections, report.Voids = largest(c.corrections), largest(c.voids)
	for _, list := range [][]Correction{report.Corrections, report.Voids} {
		for i := range list {
			list[i].OtherName = other[list[i].id]
		}
	}
	return c.returns(ctx, report, known, renamed)
}

// largest returns the corrections that are kept of a list, the largest first.
func largest(of []Correction) []Correction {
	slices.SortFunc(of, func(one, other Correction) int {
		return cmp.Or(cmp.Compare(other.size(), one.size()), cmp.Compare(one.Line, other.Line))
	})
	return append([]Correction{}, of[:min(len(of), mostCorrections)]...)
}
