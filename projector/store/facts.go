package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"cuota/model"
)

// factTable says how one kind of event becomes a row of a table.
type factTable struct {
	*rowType
	event reflect.Type
}

// factTables has the table for each topic and kind of event.
var factTables = func() map[string]map[string]factTable {
	tables := map[string]map[string]factTable{}
	for _, fact := range model.Facts {
		topic := fact.Dataset.Topic()
		if tables[topic] == nil {
			tables[topic] = map[string]factTable{}
		}
		row := any(fact.Event)
		if stored, other := row.(model.Stored); other {
			row = stored.Row()
		}
		tables[topic][fact.Kind] = factTable{newRowType(fact.Table, row), reflect.TypeOf(fact.Event)}
	}
	return tables
}()

// onlyKind is the kind of the events of a topic that has only one kind.
const onlyKind = ""

// tableOf returns the table for an event. It fails if the event has an unknown kind.
func tableOf(tables map[string]factTable, value []byte) (factTable, error) {
	if table, one := tables[onlyKind]; one {
		return table, nil
	}
	var event struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(value, &event); err != nil {
		return factTable{}, fmt.Errorf("decode: %w", err)
	}
	table, known := tables[event.Kind]
	if !known {
		return factTable{}, fmt.Errorf("no table for events of kind %q", event.Kind)
	}
	return table, nil
}

// decode makes the row of an event. It fails if the message can never become a fact.
func (t factTable) decode(value []byte) (row, error) {
	event := reflect.New(t.event)
	if err := decodeEvent(value, event.Interface()); err != nil {
		return nil, err
	}
	if err := sourced(event.Interface().(model.Event).From()); err != nil {
		return nil, err
	}
	r := row(event.UnsafePointer())
	if stored, other := event.Interface().(model.Stored); other {
		r = t.row(stored.Row())
	}
	return r, t.storable(r)
}

// decodeEvent decodes an event. Nearly all events are quotas, so they have a decoder of
// their own.
func decodeEvent(value []byte, event any) error {
	if quota, is := event.(*model.Quota); is {
		return decodeQuota(value, quota)
	}
	if err := json.Unmarshal(value, event); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}

// sourced fails if an event does not say from which line of which file it comes, or when
// that was published.
func sourced(source model.Source) error {
	if !isHash(source.SHA256) || source.Line == 0 || source.Revision <= 0 {
		return errors.New("the event has no source")
	}
	return nil
}

// voidDay records a day whose row was rejected. The day counts as an invalid quote, so that
// no older quote takes its place. Its other columns have their defaults.
type voidDay struct {
	model.Source
	RUN   model.RUN  `ch:"run"`
	Serie string     `ch:"serie"`
	Date  model.Date `ch:"date"`
	Void  bool       `ch:"void"`
}

// voidDays has the table for the void days of each dataset that has them.
var voidDays = map[model.Dataset]*rowType{
	model.Cartola:  newRowType("fact_quota", voidDay{}),
	model.FIValues: newRowType("fact_investment_value", voidDay{}),
}

// voidDayOf returns the void day of a rejected row. A row whose series or day can't be read has none.
func voidDayOf(reject model.Reject) (day voidDay, has bool) {
	return voidDay{reject.Source, reject.RUN, reject.Serie, reject.Date, true}, reject.HasDay()
}

// rejectedRow is a row of a file that was not accepted, or a message that is not an event.
type rejectedRow struct {
	model.Source
	Dataset model.Dataset `ch:"dataset"`
	File    string        `ch:"file"`
	Reason  string        `ch:"reason"`
	Raw     string        `ch:"raw"`
	Arrived time.Time     `ch:"arrived_at"`
}

// judgementRow is how a file compares with the files before it. The columns of findings have
// an element for each.
type judgementRow struct {
	Dataset  model.Dataset   `ch:"dataset"`
	SHA256   string          `ch:"sha256"`
	Revision int64           `ch:"revision"`
	File     string          `ch:"file"`
	State    model.FileState `ch:"state"`
	Judged   int64           `ch:"judged_at"`
	Compared string          `ch:"compared_with"`
	Kinds    []string        `ch:"finding_kind"`
	Columns  []string        `ch:"finding_column"`
	Before   []string        `ch:"finding_before"`
	Now      []string        `ch:"finding_now"`
	Lines    []uint32        `ch:"finding_line"`
	AtStake  []bool          `ch:"finding_at_stake"`
}

// maxFindings bounds the findings about a file. Ingest makes a few for each column.
const maxFindings = 1000

func newJudgementRow(of model.Judgement) row {
	r := judgementRow{
		Dataset: of.Dataset, SHA256: of.SHA256, Revision: of.Revision, File: of.File,
		State: of.State, Judged: of.Judged, Compared: of.Compared,
	}
	for _, finding := range of.Findings[:min(len(of.Findings), maxFindings)] {
		r.Kinds = append(r.Kinds, string(finding.Kind))
		r.Columns = append(r.Columns, finding.Column)
		r.Before = append(r.Before, finding.Before)
		r.Now = append(r.Now, finding.Now)
		r.Lines = append(r.Lines, finding.Line)
		r.AtStake = append(r.AtStake, finding.AtStake)
	}
	return judgementRows.row(r)
}

var (
	judgementRows = newRowType("file_judgement", judgementRow{})
	rejectedRows  = newRowType("rejected_row", rejectedRow{})
	manifestRows  = newRowType("manifest", model.Manifest{})
	planRows      = newRowType("batch_plan", model.BatchPlan{})
	builtRows     = newRowType("plan_built", builtRow{})
)
