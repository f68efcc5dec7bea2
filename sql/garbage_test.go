package sql

import (
	"slices"
	"testing"

	sqltext "cuota/sql/text"
)

func TestEachStatementThatDropsRowsHasATable(t *testing.T) {
	kinds := map[string]int{}
	for _, script := range slices.Concat(RetiredGarbage(), AbandonedGarbage(), SupersededGarbage()) {
		kind := script.EachTable()
		kinds[kind]++
		if sqltext.HasParameter(script.Text, "table") != (kind != "") {
			t.Errorf("%s runs for each table of kind %q: %s", script.Name, kind, script.Text)
		}
	}
	if len(kinds) != 4 {
		t.Errorf("the statements run for the tables %v", kinds)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown kind is no error")
		}
	}()
	Script{Text: "-- each: month\nDELETE FROM {table:Identifier} WHERE true"}.EachTable()
}

func TestEveryStatementOfGarbageIsRunForOneKindOfRows(t *testing.T) {
	var want []string
	for _, script := range scripts("garbage") {
		want = append(want, script.Name)
	}
	var got []string
	for _, list := range [][]Script{AbandonedGarbage(), RetiredGarbage(), SupersededGarbage(), DoubledGarbage()} {
		for _, script := range list {
			got = append(got, script.Name)
		}
	}
	if len(want) < 15 || !slices.Equal(got, want) {
		t.Errorf("%v are run, want %v", got, want)
	}
}
