package store

import (
	"fmt"

	"cuota/model"
)

// Stated are rows of one table of facts that messages would become, column by column.
type Stated struct {
	Table   string
	Rows    int
	Columns []StatedColumn
}

// StatedColumn has a value for each row. Values is a slice of what the driver takes for the column.
type StatedColumn struct {
	Name   string
	Values any
}

// FactsOf returns the facts that events of a dataset would become, and the void days that its rejected rows
// would, without storing them. Columns that void days do not state are missing. It fails if an event can never
// become a fact.
func FactsOf(dataset model.Dataset, events [][]byte, rejects []model.Reject) ([]Stated, error) {
	rows := map[string][]row{} // by table
	tables := factTables[dataset.Topic()]
	for _, event := range events {
		table, err := tableOf(tables, event)
		if err != nil {
			return nil, err
		}
		fact, err := table.decode(event)
		if err != nil {
			return nil, fmt.Errorf("make a fact of table %s: %w", table.table, err)
		}
		rows[table.table] = append(rows[table.table], fact)
	}
	var all []Stated
	for _, fact := range model.Facts {
		if of := rows[fact.Table]; fact.Dataset == dataset && len(of) > 0 {
			all = append(all, tables[fact.Kind].stated(of))
		}
	}
	var void []row
	days := voidDays[dataset]
	for _, reject := range rejects {
		if day, has := voidDayOf(reject); has && days != nil {
			void = append(void, days.row(day))
		}
	}
	if len(void) > 0 {
		all = append(all, days.stated(void))
	}
	return all, nil
}

func (t *rowType) stated(rows []row) Stated {
	of := Stated{Table: t.table, Rows: len(rows)}
	for _, c := range t.columns {
		of.Columns = append(of.Columns, StatedColumn{c.name, c.values(rows, c.offset)})
	}
	return of
}
