package sql

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// readAll reads all rows of a result into structs, by the tag ch of their fields, and closes it. The driver can do that
// too, but looks up the fields of each row by the names of the columns, and copies each row several times.
func readAll[T any](rows driver.Rows) ([]T, error) {
	defer func() { _ = rows.Close() }() // closed already, unless a row could not be read
	places, err := placesOf(reflect.TypeFor[T](), rows.Columns())
	if err != nil {
		return nil, err
	}
	var full [][]T // so that rows are not copied again and again as the list grows
	var list []T
	fields := make([]any, len(places))
	for rows.Next() {
		if len(list) == rowsTogether {
			full = append(full, list)
			list = make([]T, 0, rowsTogether)
		}
		list = append(list, *new(T))
		row := reflect.ValueOf(&list[len(list)-1]).Elem()
		for i, place := range places {
			fields[i] = row.FieldByIndex(place).Addr().Interface()
		}
		if err := rows.Scan(fields...); err != nil {
			return nil, err
		}
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	if len(full) > 0 {
		list = slices.Concat(append(full, list)...)
	}
	return list, rows.Err()
}

// rowsTogether is how many rows readAll keeps in one piece until it has all.
const rowsTogether = 4096

// placesOf returns the field of a struct for each column. It fails if there is none.
func placesOf(of reflect.Type, columns []string) ([][]int, error) {
	byName := map[string][]int{}
	addFields(byName, of, nil)
	places := make([][]int, len(columns))
	for i, name := range columns {
		place, there := byName[name]
		if !there {
			return nil, fmt.Errorf("no field of %s has the column %q", of, name)
		}
		places[i] = place
	}
	return places, nil
}

// addFields adds the exported fields of a struct, and those of the structs that it embeds. A field counts before one
// of an embedded struct.
func addFields(byName map[string][]int, of reflect.Type, path []int) {
	for _, embedded := range []bool{true, false} {
		for i := range of.NumField() {
			field := of.Field(i)
			at := append(slices.Clone(path), i)
			switch {
			case field.Anonymous != embedded:
			case embedded && field.Type.Kind() == reflect.Struct:
				addFields(byName, field.Type, at)
			case !embedded && field.IsExported():
				byName[cmp.Or(field.Tag.Get("ch"), field.Name)] = at
			}
		}
	}
}
