package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"

	"cuota/sql"
)

// Copy is a batch in one of several databases that have the same batches.
type Copy struct {
	Conn  driver.Conn
	Batch uint64 // its number there
}

// Shared returns the public name of the newest batch whose rows two databases keep, and that batch in each. It fails
// if there is none.
func Shared(ctx context.Context, here, there driver.Conn) (id string, a, b Copy, err error) {
	kept, others, err := both(ctx, Copy{Conn: here}, Copy{Conn: there}, batchesOf)
	if err != nil {
		return "", a, b, err
	}
	for _, batch := range kept {
		same := func(other keptBatch) bool { return other.ID == batch.ID }
		if i := slices.IndexFunc(others, same); i >= 0 {
			return batch.ID, Copy{here, batch.Number}, Copy{there, others[i].Number}, nil
		}
	}
	newest := func(list []keptBatch) string {
		if len(list) == 0 {
			return "none"
		}
		return list[0].ID
	}
	return "", a, b, fmt.Errorf("the copies keep no batch of the same name; the newest batch here is %s, and there %s",
		newest(kept), newest(others))
}

// both reads the same of two copies at the same time.
func both[T any](ctx context.Context, here, there Copy, read func(context.Context, Copy) (T, error)) (a, b T,
	err error) {
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() (err error) {
		a, err = read(ctx, here)
		return err
	})
	work.Go(func() (err error) {
		if b, err = read(ctx, there); err != nil {
			return fmt.Errorf("in the other copy: %w", err)
		}
		return nil
	})
	err = work.Wait()
	return a, b, err
}

// TableDifference says how the rows of a table differ between two copies of a batch.
type TableDifference struct {
	Table   string
	Columns []string // in the order of the table, without the number of the batch or build
	Key     []string // those that identify a row, the day first
	Changed uint64   // rows with other values: both copies have the key
	Here    uint64   // rows that only the first copy has
	There   uint64   // rows that only the second copy has
	// Rows are the first ones that differ, in the order of the text of their keys: at most MostShown of each kind.
	Rows []RowDifference
}

// RowDifference is a row as the first copy has it, and as the second one does: JSON objects. One is empty if the row is
// missing there.
type RowDifference [2]string

// MostShown is how many rows of a kind Compare returns of a table.
const MostShown = 5

// Compare returns the tables whose rows differ between two copies of a batch, sorted by their names, and how many
// tables were compared. Each server sums up its rows: first those of each table, then those of each bucket of a table
// that differs, which holds a few days or keys. Only rows of buckets that differ are compared one by one, by their
// hashes, as both servers send them in the same order. So the memory that this takes does not depend on the tables.
func Compare(ctx context.Context, here, there Copy) (differences []TableDifference, compared int, err error) {
	tables, others, err := both(ctx, here, there, comparedTables)
	if err != nil {
		return nil, 0, err
	}
	if err := sameTables(tables, others); err != nil {
		return nil, 0, err
	}
	sums, otherSums, err := both(ctx, here, there, sumsByTable)
	if err != nil {
		return nil, 0, err
	}
	for _, table := range tables {
		if sums[table.Name] == otherSums[table.Name] {
			continue
		}
		difference, err := table.compare(ctx, here, there)
		if err != nil {
			return nil, 0, err
		}
		differences = append(differences, difference)
	}
	_, _, err = both(ctx, here, there, stillKept)
	return differences, len(tables), err
}

// batchesOf lists the batches whose rows a copy keeps, the newest first.
func batchesOf(ctx context.Context, of Copy) ([]keptBatch, error) { return keptBatches(ctx, of.Conn) }

func sumsByTable(ctx context.Context, of Copy) (map[string]TableSum, error) {
	list, err := Sums(ctx, of.Conn, of.Batch)
	byTable := map[string]TableSum{}
	for _, sum := range list {
		byTable[sum.Table] = sum
	}
	return byTable, err
}

// stillKept fails if a batch was retired while it was compared, so that rows were missing.
func stillKept(ctx context.Context, of Copy) (kept bool, err error) {
	list, err := batchesOf(ctx, of)
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(list, func(batch keptBatch) bool { return batch.Number == of.Batch }) {
		return false, fmt.Errorf("batch %d was retired while it was compared: compare again", of.Batch)
	}
	return true, nil
}

// comparedTable is a table that batches fill.
type comparedTable struct {
	Name    string   `ch:"table"`
	Kind    string   `ch:"kind"`
	List    string   `ch:"list"`
	Columns []string `ch:"columns"` // each with its type
	Key     []string `ch:"key"`
}

// mostKeyColumns is how many parameters the statements have for the columns of a key.
const mostKeyColumns = 4

func comparedTables(ctx context.Context, of Copy) ([]comparedTable, error) {
	tables, err := sql.Select[comparedTable](ctx, of.Conn, "compared_tables", nil, "list the tables to compare")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		if len(table.Key) == 0 || len(table.Key) > mostKeyColumns {
			return nil, fmt.Errorf("the key of %s has %d columns, and rows are compared by 1 to %d", table.Name,
				len(table.Key), mostKeyColumns)
		}
	}
	return tables, nil
}

// sameTables fails if two copies have other tables or columns.
func sameTables(here, there []comparedTable) error {
	const advice = "run the same version of the program on both"
	for i, table := range here {
		if i == len(there) || there[i].Name != table.Name {
			return fmt.Errorf("the copies do not have the same tables; the first that differs is %s: %s", table.Name, advice)
		}
		if !slices.Equal(table.Columns, there[i].Columns) || !slices.Equal(table.Key, there[i].Key) {
			return fmt.Errorf("the columns of %s are not the same in both copies: %s", table.Name, advice)
		}
	}
	if len(there) > len(here) {
		return fmt.Errorf("only the other copy has the table %s: %s", there[len(here)].Name, advice)
	}
	return nil
}

// read runs a statement over the rows of a table, of which there is one for each kind of table.
func (t *comparedTable) read(ctx context.Context, of Copy, statement string,
	values clickhouse.Parameters) (driver.Rows, error) {
	kind := "batch"
	if t.Kind == sql.TablesOfDays {
		kind = "days"
	}
	values["table"], values["list"], values["batch"] = t.Name, t.List, strconv.FormatUint(of.Batch, 10)
	for i := range mostKeyColumns {
		values["key_"+strconv.Itoa(i+1)] = t.Key[min(i, len(t.Key)-1)]
	}
	rows, err := of.Conn.Query(sql.WithParameters(ctx, values), sql.Query(statement+"_of_"+kind))
	if err != nil {
		return nil, fmt.Errorf("read %s of batch %d: %w", t.Name, of.Batch, err)
	}
	return rows, nil
}

// bucketSum is a checksum over the rows of a bucket.
type bucketSum struct{ rows, checksum uint64 }

func (t *comparedTable) buckets(ctx context.Context, of Copy) (sums map[uint16]bucketSum, err error) {
	rows, err := t.read(ctx, of, "compared_sums", clickhouse.Parameters{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	sums = map[uint16]bucketSum{}
	for rows.Next() {
		var bucket uint16
		var sum bucketSum
		if err := rows.Scan(&bucket, &sum.rows, &sum.checksum); err != nil {
			return nil, err
		}
		sums[bucket] = sum
	}
	return sums, rows.Err()
}

// compare finds the rows that differ.
func (t *comparedTable) compare(ctx context.Context, here, there Copy) (TableDifference, error) {
	found := TableDifference{Table: t.Name, Key: t.Key, Columns: make([]string, len(t.Columns))}
	for i, column := range t.Columns {
		found.Columns[i], _, _ = strings.Cut(column, " ")
	}
	sums, others, err := both(ctx, here, there, t.buckets)
	if err != nil {
		return found, err
	}
	differing := bucketsThatDiffer(sums, others)
	shown, err := t.compareRows(ctx, here, there, differing, &found)
	if err != nil {
		return found, err
	}
	if found.Rows, err = t.texts(ctx, here, there, differing, shown); err != nil {
		return found, err
	}
	if len(found.Rows) == 0 {
		return found, t.errChanged()
	}
	return found, nil
}

func (t *comparedTable) errChanged() error {
	return fmt.Errorf("%s has changed while it was compared: compare again", t.Name)
}

// bucketsThatDiffer returns the buckets as ClickHouse takes a list.
func bucketsThatDiffer(here, there map[uint16]bucketSum) string {
	var list []string
	for bucket, sum := range here {
		if there[bucket] != sum {
			list = append(list, strconv.Itoa(int(bucket)))
		}
	}
	for bucket := range there {
		if _, known := here[bucket]; !known {
			list = append(list, strconv.Itoa(int(bucket)))
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}
