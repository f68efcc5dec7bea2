package baseline

import (
	"context"
	"reflect"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
)

// Unretired is a connection to a database from which no batch is retired. After each
// page, a server of the product checks with a statement that the batch was not retired
// while it was read. This connection answers that statement itself, because the
// reference side has no such check.
type Unretired struct{ driver.Conn }

// Select implements driver.Conn.
func (u Unretired) Select(ctx context.Context, into any, query string, args ...any) error {
	if query != sql.Query("batch_readable") {
		return u.Conn.Select(ctx, into, query, args...)
	}
	list := reflect.ValueOf(into).Elem()
	row := reflect.New(list.Type().Elem()).Elem()
	row.FieldByIndex(fieldsOf(row.Type())["kept"]).SetUint(1)
	list.Set(reflect.Append(list, row))
	return nil
}

// fieldsOf finds fields by the names of their columns, including those of embedded
// structs.
func fieldsOf(of reflect.Type) map[string][]int {
	fields := map[string][]int{}
	for _, field := range reflect.VisibleFields(of) {
		if column := field.Tag.Get("ch"); column != "" {
			fields[column] = field.Index
		}
	}
	return fields
}
