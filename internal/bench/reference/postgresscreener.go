package reference

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/text/unicode/norm"

	"cuota/sql"
)

//go:embed postgres.sql
var postgresTable string

//go:embed postgresindexes.sql
var postgresIndexes string

// PostgresScreener is a connection to ClickHouse, except that PostgreSQL, with the same
// rows, answers the statement behind the screener. So the same server of the product
// encodes the answers of both databases.
type PostgresScreener struct {
	driver.Conn
	Version string // name and version of PostgreSQL
	pool    *pgxpool.Pool
	columns []string // columns of the statement, without total and position
}

// NewPostgresScreener loads the market's rows into a PostgreSQL.
func NewPostgresScreener(ctx context.Context, conn driver.Conn, pool *pgxpool.Pool) (*PostgresScreener, error) {
	p := &PostgresScreener{Conn: Unretired{conn}, pool: pool}
	if err := p.load(ctx); err != nil {
		return nil, fmt.Errorf("load the screener into PostgreSQL: %w", err)
	}
	return p, pool.QueryRow(ctx, "SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)").Scan(&p.Version)
}

// load copies the rows and makes the indexes.
func (p *PostgresScreener) load(ctx context.Context) error {
	var batch, series uint64
	if err := p.QueryRow(ctx, "SELECT batch, toUInt64(series_count) FROM batch ORDER BY batch DESC LIMIT 1").Scan(&batch, &series); err != nil {
		return err
	}
	args := []any{clickhouse.Named("batch", batch), clickhouse.Named("series", []uint32{}), clickhouse.Named("sort", "id"),
		clickhouse.Named("order", "asc"), clickhouse.Named("limit", series), clickhouse.Named("offset", 0)}
	args = append(args, withoutFilters(args)...)
	rows, err := p.Query(ctx, sql.Query("market"), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	names := rows.Columns()
	p.columns = names[2:] // without total and position
	var table [][]any
	for rows.Next() {
		values := make([]any, len(names))
		for i, column := range rows.ColumnTypes() {
			values[i] = reflect.New(column.ScanType()).Interface()
		}
		if err := rows.Scan(values...); err != nil {
			return err
		}
		row := values[2:]
		for i, value := range row {
			row[i] = reflect.ValueOf(value).Elem().Interface()
		}
		table = append(table, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if _, err := p.pool.Exec(ctx, postgresTable); err != nil {
		return err
	}
	if _, err := p.pool.CopyFrom(ctx, pgx.Identifier{"screener"}, p.columns, pgx.CopyFromRows(table)); err != nil {
		return err
	}
	if _, err := p.pool.Exec(ctx, postgresIndexes); err != nil {
		return err
	}
	_, err = p.pool.Exec(ctx, "VACUUM ANALYZE screener")
	return err
}

// fold removes case and accents.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
}

// nameColumns are the columns of market_names.sql.
var nameColumns = []string{"series_id", "alias_ids", "fund", "run", "serie"}

// Select implements driver.Conn.
func (p *PostgresScreener) Select(ctx context.Context, into any, query string, args ...any) error {
	switch query {
	case sql.Query("market_names"): // what a search compares
		list := reflect.ValueOf(into).Elem()
		list.SetZero()
		return p.read(ctx, list, nameColumns, "SELECT "+strings.Join(nameColumns, ", ")+" FROM screener ORDER BY series_id", nil)
	case sql.Query("market"):
	default:
		return p.Conn.Select(ctx, into, query, args...)
	}
	asked := map[string]any{}
	for _, arg := range args {
		named, ok := arg.(driver.NamedValue)
		if !ok {
			return fmt.Errorf("the argument %v has no name", arg)
		}
		asked[named.Name] = named.Value
	}
	if ids, _ := asked["series"].([]uint32); len(ids) > 0 {
		return errors.New("PostgreSQL is not asked for series by their ids")
	}
	statement, values := p.statement(asked)
	list := reflect.ValueOf(into).Elem()
	list.SetZero()
	if err := p.read(ctx, list, append([]string{"total"}, p.columns...), statement, values); err != nil || list.Len() > 0 {
		return err
	}
	// After the last page, a row without position carries only the total.
	where, values := conditions(asked)
	var total uint64
	if err := p.pool.QueryRow(ctx, "SELECT count(*) FROM screener"+where, values...).Scan(&total); err != nil {
		return err
	}
	only := reflect.New(list.Type().Elem()).Elem()
	only.FieldByIndex(fieldsOf(only.Type())["total"]).SetUint(total)
	list.Set(reflect.Append(list, only))
	return nil
}
