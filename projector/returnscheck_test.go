package projector_test

import (
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

func TestWrongStoredWindowsAreFoundBeforePublication(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	var rows []cartolaDay
	for n := range 60 {
		rows = append(rows, cartolaDay{run: 60099, serie: "A", day: date(t, "2025-05-01").AddDate(0, 0, n),
			quota: 1000 + float64(n), equity: 1e6})
	}
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	m.Build(t)
	violations := func() (found []string) {
		ctx := clickhouse.Context(t.Context(),
			clickhouse.WithParameters(clickhouse.Parameters{"batch": "1", "previous": "0", "as_of": "2025-06-29"}))
		for _, check := range sql.Checks() {
			if strings.HasSuffix(check.Name, "returns_by_day") {
				var rows []struct {
					Violation string `ch:"violation"`
				}
				if err := m.Conn.Select(ctx, &rows, check.Text); err != nil {
					t.Fatal(err)
				}
				for _, row := range rows {
					found = append(found, row.Violation)
				}
				return found
			}
		}
		t.Fatal("there is no such check")
		return nil
	}
	if found := violations(); len(found) != 0 {
		t.Fatalf("a right batch: %v", found)
	}
	for _, c := range []struct {
		damage []string
		want   string
	}{
		{[]string{ // the changed rows take the place of the right ones
			"INSERT INTO return_day SELECT * REPLACE (return_1m * 2 AS return_1m, 2 AS build) FROM return_day WHERE " +
				"date = '2025-06-29'",
			"DELETE FROM return_day WHERE date = '2025-06-29' AND build = 1",
			"INSERT INTO return_day SELECT * REPLACE (1 AS build) FROM return_day WHERE build = 2",
			"DELETE FROM return_day WHERE build = 2",
		}, "window 1m"},
		{[]string{"DELETE FROM return_day WHERE date = '2025-06-29'"},
			"nothing from null to null is stored for 2025-06-29"},
		{[]string{"DELETE FROM return_day WHERE date = '2025-05-20'"},
			"2025-05-20 is built by the batch and has no stored windows"},
	} {
		for _, statement := range c.damage {
			if err := m.Conn.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if found := violations(); !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("after %v: %v, want one with %q", c.damage, found, c.want)
		}
	}
}
