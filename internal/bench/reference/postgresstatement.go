package reference

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/sql"
)

// parameters finds the parameters of a statement, with their types.
var parameters = regexp.MustCompile(`\{(\w+):([^}]+)\}`)

// withoutFilters returns the arguments of market.sql that are not among the given ones. They are
// those of the filters: the empty text, null for a number, and no search, so that nothing is filtered.
func withoutFilters(given []any) (args []any) {
	named := map[string]bool{}
	for _, arg := range given {
		named[arg.(driver.NamedValue).Name] = true
	}
	for _, found := range parameters.FindAllStringSubmatch(sql.Query("market"), -1) {
		name, kind := found[1], found[2]
		if named[name] {
			continue
		}
		named[name] = true
		var absent any
		switch kind {
		case "String":
			absent = ""
		case "Bool":
			absent = false
		case "Array(UInt32)":
			absent = []uint32{}
		}
		args = append(args, clickhouse.Named(name, absent))
	}
	return args
}

// comparison is a filter of market.sql that compares a column with a value.
type comparison struct {
	filter, column, operator string
	anyCase                  bool // the value is compared in lower case
}

// The conditions of market.sql that are comparisons: with a text, and with a number.
var (
	textCondition   = regexp.MustCompile(`\(\{(\w+):String\} = '' OR (lowerUTF8\()?(coalesce\([\w, ]+\)|\w+)\)? = `)
	numberCondition = regexp.MustCompile(`\(\{(\w+):Nullable\(\w+\)\} IS NULL OR (\w+) (>=|<=) `)
)

// comparisons are read from market.sql, so that a new filter is found.
var comparisons = func() (all []comparison) {
	market := sql.Query("market")
	for _, found := range textCondition.FindAllStringSubmatch(market, -1) {
		c := comparison{found[1], found[3], "=", found[2] != ""}
		if stored, is := lowerColumns[c.column]; c.anyCase && is {
			c.column = stored
		} else if c.anyCase {
			c.column = "lower(" + c.column + ")"
		}
		all = append(all, c)
	}
	for _, found := range numberCondition.FindAllStringSubmatch(market, -1) {
		all = append(all, comparison{found[1], found[2], found[3], false})
	}
	return all
}()

// lowerColumns are the columns of the table that hold an expression of market.sql in lower case.
var lowerColumns = map[string]string{
	"category": "lower_category", "family_rar": "lower_family", "coalesce(class_dated, class_tac)": "lower_class",
}

// conditions returns the conditions of market.sql, but only those in use, so that
// PostgreSQL can plan for them.
func conditions(asked map[string]any) (where string, values []any) {
	var all []string
	text := func(name string) string { value, _ := asked[name].(string); return value }
	bind := func(value any) string {
		values = append(values, value)
		return fmt.Sprintf("$%d", len(values))
	}
	containing := func(column, part string) string { return column + " LIKE " + bind("%"+literally.Replace(part)+"%") }

	if searched, _ := asked["searched"].(bool); searched {
		all = append(all, "series_id = ANY("+bind(asked["found"])+")")
	}
	if administrator := text("administrator"); administrator != "" {
		all = append(all, containing("folded_manager", fold(administrator)))
	}
	for _, c := range comparisons {
		value := asked[c.filter]
		if value == nil || value == "" {
			continue
		}
		if c.anyCase {
			value = strings.ToLower(text(c.filter))
		}
		all = append(all, c.column+" "+c.operator+" "+bind(value))
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

// read appends the result of a statement with these columns to a list of structs whose fields are tagged
// with the names of columns. A field position gets the number of the row.
func (p *PostgresScreener) read(ctx context.Context, list reflect.Value, columns []string, statement string, values []any) error {
	rows, err := p.pool.Query(ctx, statement, values...)
	if err != nil {
		return err
	}
	defer rows.Close()
	fields := fieldsOf(list.Type().Elem())
	targets := make([]any, len(columns))
	for rows.Next() {
		n := list.Len()
		list.Grow(1)
		list.SetLen(n + 1)
		row := list.Index(n)
		row.SetZero()
		if position, has := fields["position"]; has {
			row.FieldByIndex(position).SetUint(uint64(n + 1))
		}
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
		*n.to = new(decimal.NewFromBigInt(value.Int, value.Exp))
	}
	return nil
}
