package reference

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"cuota/model"
)

// conditions returns the conditions of market.sql, but only those in use, so that
// PostgreSQL can plan for them.
func conditions(asked map[string]any) (where string, values []any) {
	var all []string
	text := func(name string) string { value, _ := asked[name].(string); return value }
	bind := func(value any) string {
		values = append(values, value)
		return fmt.Sprintf("$%d", len(values))
	}
	equal := func(column, value string) {
		if value != "" {
			all = append(all, column+" = "+bind(value))
		}
	}
	containing := func(column, part string) string { return column + " LIKE " + bind("%"+literally.Replace(part)+"%") }

	if q := text("q"); q != "" {
		either := []string{containing("folded_fund", fold(q))}
		if undotted := strings.ToLower(strings.ReplaceAll(q, ".", "")); undotted != "" {
			either = append(either, containing("lower_run", undotted), containing("plain_run", undotted))
		}
		all = append(all, "("+strings.Join(either, " OR ")+")")
	}
	if administrator := text("administrator"); administrator != "" {
		all = append(all, containing("folded_manager", fold(administrator)))
	}
	equal("lower_family", strings.ToLower(text("fund_family")))
	equal("lower_class", strings.ToLower(text("investor_class")))
	equal("lower_category", strings.ToLower(text("category")))
	equal("currency", text("currency"))
	equal("family_rar", text("cmf_family"))
	equal("class_dated", text("cmf_investor_type"))
	equal("tac_kind", text("tac_kind"))
	if least := asked["cmf_spheres_min"]; least != nil {
		all = append(all, "spheres >= "+bind(least))
	}
	if most := asked["cmf_spheres_max"]; most != nil {
		all = append(all, "spheres <= "+bind(most))
	}
	if len(all) > 0 {
		where = " WHERE " + strings.Join(all, " AND ")
	}
	return where, values
}

// literally escapes the wildcards of LIKE.
var literally = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// sortColumns are the columns that the parameter sort names.
var sortColumns = func() map[string]string {
	columns := map[string]string{"id": "series_id", "tac": "tac", "cmf_spheres": "spheres"}
	for _, window := range model.Windows {
		columns[window] = "return_" + window
	}
	return columns
}()

// statement returns the statement for a page. Each row also has the number of matches
// before paging. They are counted in a subquery, because a window function over the rows
// would read all matches and take twice as long.
func (p *PostgresScreener) statement(asked map[string]any) (statement string, values []any) {
	where, values := conditions(asked)
	sort, _ := asked["sort"].(string)
	by := sortColumns[sort]
	if order, _ := asked["order"].(string); order == "desc" {
		by += " DESC"
	}
	by += " NULLS LAST"
	if sort != "id" {
		by += ", series_id"
	}
	values = append(values, asked["limit"], asked["offset"])
	return fmt.Sprintf("SELECT (SELECT count(*) FROM screener%s), %s FROM screener%s ORDER BY %s LIMIT $%d OFFSET $%d",
		where, strings.Join(p.columns, ", "), where, by, len(values)-1, len(values)), values
}

// read appends the result of the statement to a list of structs whose fields are tagged
// with the names of columns.
func (p *PostgresScreener) read(ctx context.Context, list reflect.Value, statement string, values []any) error {
	rows, err := p.pool.Query(ctx, statement, values...)
	if err != nil {
		return err
	}
	defer rows.Close()
	fields := fieldsOf(list.Type().Elem())
	columns := append([]string{"total"}, p.columns...)
	targets := make([]any, len(columns))
	for rows.Next() {
		n := list.Len()
		list.Grow(1)
		list.SetLen(n + 1)
		row := list.Index(n)
		row.SetZero()
		row.FieldByIndex(fields["position"]).SetUint(uint64(n + 1))
		for i, column := range columns {
			at, known := fields[column]
			if !known {
				return fmt.Errorf("no field takes the column %s", column)
			}
			targets[i] = row.FieldByIndex(at).Addr().Interface()
			if number, is := targets[i].(**decimal.Decimal); is {
				targets[i] = numeric{number}
			}
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
	}
	return rows.Err()
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

// numeric reads a number without converting it to text.
type numeric struct{ to **decimal.Decimal }

// ScanNumeric implements pgtype.NumericScanner.
func (n numeric) ScanNumeric(value pgtype.Numeric) error {
	*n.to = nil
	if value.Valid {
		number := decimal.NewFromBigInt(value.Int, value.Exp)
		*n.to = &number
	}
	return nil
}
