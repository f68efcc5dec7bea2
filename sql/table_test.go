package sql_test

import (
	"strings"
	"testing"
	"time"

	"cuota/sql"
)

func TestColumnsOfASentTableAreChecked(t *testing.T) {
	t.Parallel()
	id, day := sql.Column{Type: "series_id UInt32", Values: []uint32{7, 8}},
		sql.Column{Type: "date Date", Values: []time.Time{time.Unix(0, 0).UTC()}}
	for want, columns := range map[string][]sql.Column{
		"": {id, {Type: "tac Float64", Values: []float64{.5, 1}},
			{Type: "quotas Array(String)", Values: [][]string{{"1", "2"}, nil}}},
		"1 values, another column 2":   {id, day},
		"series_id UInt32":             {{Type: "series_id UInt32", Values: []string{"x"}}},
		"table given of a statement: ": {{Type: "series_id Nothing64", Values: []uint32{1}}},
	} {
		table, err := sql.Table("given", columns...)
		switch {
		case want == "" && (err != nil || table.Block().Rows() != 2):
			t.Errorf("%v: %v", columns, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v: %v, want %q", columns, err, want)
		}
	}
}
