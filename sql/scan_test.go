package sql_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/sql"
)

// dated is embedded, and has a field with the name of the struct that embeds it.
type dated struct {
	Day     uint32 `ch:"day"`
	Counted string `ch:"counted"`
}

type counted struct {
	dated
	Day   string   `ch:"shown_day"` // hides the field of dated
	Half  *float64 `ch:"half"`
	Lists []uint8  `ch:"lists"`
	Plain uint64
	note  string
}

// connected returns a connection to a new database.
func connected(t *testing.T) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(clickhousetest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestRowsAreReadIntoTheFieldsThatNameTheirColumns(t *testing.T) {
	t.Parallel()
	conn := connected(t)
	for _, n := range []int{0, 1, 4095, 4096, 4097, 20_000} {
		found, err := conn.Query(t.Context(),
			`SELECT number AS Plain, [toUInt8(number % 7)] AS lists, if(number % 2 = 1, NULL, number / 2) AS half,
			toString(number) AS counted, toUInt32(number) AS day, concat('day ', toString(number)) AS shown_day FROM numbers($1) ORDER BY number`, n)
		if err != nil {
			t.Fatal(err)
		}
		list, err := sql.ReadAll[counted](found)
		if err != nil || len(list) != n {
			t.Fatalf("%d rows of %d: %v", len(list), n, err)
		}
		for i, row := range list {
			text := strings.TrimPrefix(row.Day, "day ")
			if row.Plain != uint64(i) || row.dated.Day != uint32(i) || row.Counted != text ||
				!slices.Equal(row.Lists, []uint8{uint8(i % 7)}) ||
				(row.Half == nil) != (i%2 == 1) || row.Half != nil && *row.Half != float64(i)/2 || row.note != "" {
				t.Fatalf("row %d of %d is %+v", i, n, row)
			}
		}
	}
}

func TestAColumnThatNoFieldNamesIsAnErrorAndSoIsARowThatFails(t *testing.T) {
	t.Parallel()
	conn := connected(t)
	type one struct {
		N uint64 `ch:"n"`
	}
	for text, want := range map[string]string{
		"SELECT number AS n, 1 AS more FROM numbers(3)": `has the column "more"`,
		"SELECT 'x' AS n": "String",
		"SELECT number + throwIf(number = 150000) AS n FROM numbers(200000) SETTINGS max_block_size=1000": "Value passed to 'throwIf'",
	} {
		found, err := conn.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := sql.ReadAll[one](found); err == nil || !strings.Contains(err.Error(), want) || list != nil {
			t.Errorf("%s gives %d rows and %v, want %q", text, len(list), err, want)
		}
	}
}
