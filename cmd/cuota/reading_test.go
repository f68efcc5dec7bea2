package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/cmd/cuota/datadir"
	embedded "cuota/internal/embedded/clickhouse"
)

// ask sends a request and returns status and body.
func ask(t *testing.T, address, key string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("X-Api-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// sqlOver runs a query on the tables, as other commands of cuota do. It returns lines of values
// with tabs between them.
func sqlOver(t *testing.T, r *running, query string) string {
	t.Helper()
	conn, err := clickhouse.Open(tablesOf(t, r.greeting))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		values := make([]any, len(rows.ColumnTypes()))
		for i, column := range rows.ColumnTypes() {
			values[i] = reflect.New(column.ScanType()).Interface()
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatalf("%s\n%v", query, err)
		}
		for i, value := range values {
			field := reflect.ValueOf(value).Elem()
			if field.Kind() == reflect.Pointer && !field.IsNil() { // a column that may be null
				field = field.Elem()
			}
			values[i] = fmt.Sprint(field.Interface())
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf(strings.Repeat("%s\t", len(values)), values...)))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	return strings.Join(lines, "\n")
}

// peopleOver runs a query over the ClickHouse HTTP interface, as people do.
func peopleOver(t *testing.T, r *running, query string) string {
	t.Helper()
	status, body := ask(t, r.clickhouse+"/?query="+url.QueryEscape(query), "")
	if status != http.StatusOK {
		t.Fatalf("%s\n%d: %s", query, status, body)
	}
	return strings.TrimSpace(body)
}

var greetedData = regexp.MustCompile(`(?m)^  data +(\S.*)$`)

// tablesOf returns the options with which other commands of cuota read the tables of the "cuota up"
// that has printed a greeting.
func tablesOf(t *testing.T, greeting string) *clickhouse.Options {
	t.Helper()
	found := greetedData.FindStringSubmatch(greeting)
	if found == nil {
		t.Fatalf("no data directory in the greeting:\n%s", greeting)
	}
	return tablesIn(t, found[1])
}

// tablesIn is tablesOf, for a data directory.
func tablesIn(t *testing.T, dir string) *clickhouse.Options {
	t.Helper()
	at, err := (&datadir.Directory{Path: dir}).Holder()
	if err != nil {
		t.Fatal(err)
	}
	return embedded.CommandOptions(at.Native, datadir.Database, at.Key)
}

// checksums returns the checksums of every projection of the published batch, over all
// columns except the numbers of batches.
func checksums(t *testing.T, r *running) string {
	t.Helper()
	return sqlOver(t, r, checksumQuery())
}

// checksumQuery returns one row for each projection of the published batch: its name,
// its number of rows, and their checksum.
func checksumQuery() string {
	var parts []string
	for _, table := range []string{"discontinuity", "market_completeness", "manager", "fund", "series", "series_latest",
		"series_return", "window_target", "screener"} {
		parts = append(parts, fmt.Sprintf(
			"SELECT '%s' AS name, count() AS rows, sum(cityHash64(toString(tuple(*)))) AS hash FROM (SELECT * EXCEPT "+
				"(batch) FROM %s WHERE batch = (SELECT max(batch) FROM batch))", table, table))
	}
	parts = append(parts, "SELECT 'series_day' AS name, count() AS rows, sum(cityHash64(toString(tuple(*)))) AS hash "+
		"FROM (SELECT * FROM batch_series_day(batch = (SELECT max(batch) FROM batch), series = [], all_series = true))")
	return "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") ORDER BY name"
}
