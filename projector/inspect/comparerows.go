package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// comparedRow is what is read of a row. Its text is empty unless it was asked for.
type comparedRow struct {
	key  string
	hash uint64
	text string
}

// order compares two rows as ClickHouse sorts them.
func (r comparedRow) order(other comparedRow) int {
	return cmp.Or(strings.Compare(r.key, other.key), cmp.Compare(r.hash, other.hash))
}

// rowReader reads rows in their order, one at a time.
type rowReader struct {
	rows driver.Rows
	at   comparedRow
	more bool // at is a row
}

func (r *rowReader) next() error {
	if r.more = r.rows.Next(); !r.more {
		return r.rows.Err()
	}
	return r.rows.Scan(&r.at.key, &r.at.hash, &r.at.text)
}

// rows reads the rows of buckets. If hashes are wanted, it reads these rows alone, with their texts.
func (t *comparedTable) rows(ctx context.Context, of Copy, buckets string, wanted []uint64) (*rowReader, error) {
	hashes := make([]string, len(wanted))
	for i, hash := range wanted {
		hashes[i] = strconv.FormatUint(hash, 10)
	}
	rows, err := t.read(ctx, of, "compared_rows",
		clickhouse.Parameters{"buckets": buckets, "wanted": "[" + strings.Join(hashes, ",") + "]"})
	if err != nil {
		return nil, err
	}
	reader := &rowReader{rows: rows}
	if err := reader.next(); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return reader, nil
}

// rowHashes has the hash of a row here and there; nil where the row is missing.
type rowHashes [2]*uint64

// compareRows counts the rows of buckets that differ, and returns the first ones of each kind, in the order of their
// keys.
func (t *comparedTable) compareRows(ctx context.Context, here, there Copy, buckets string,
	into *TableDifference) (shown []rowHashes, err error) {
	a, err := t.rows(ctx, here, buckets, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.rows.Close()) }()
	b, err := t.rows(ctx, there, buckets, nil)
	if err != nil {
		return nil, fmt.Errorf("in the other copy: %w", err)
	}
	defer func() { err = errors.Join(err, b.rows.Close()) }()
	var only rowsOfKey // of the key that is being read
	for a.more || b.more {
		order := 0
		switch {
		case !b.more:
			order = -1
		case !a.more:
			order = 1
		default:
			order = a.at.order(b.at)
		}
		first := a.at
		if order > 0 {
			first = b.at
		}
		if first.key != only.key {
			shown = append(shown, into.count(only)...)
			only = rowsOfKey{key: first.key}
		}
		if order < 0 {
			only.here.add(first.hash)
		}
		if order > 0 {
			only.there.add(first.hash)
		}
		if order <= 0 {
			err = a.next()
		}
		if order >= 0 {
			err = errors.Join(err, b.next())
		}
		if err != nil {
			return nil, fmt.Errorf("read the rows of %s: %w", t.Name, err)
		}
	}
	return append(shown, into.count(only)...), nil
}

// rowsOfKey are the rows of a key that only one copy has. Nearly always that is one row at most.
type rowsOfKey struct {
	key         string
	here, there someRows
}

// someRows counts rows, and has the hashes of the first ones.
type someRows struct {
	count  uint64
	hashes []uint64
}

func (r *someRows) add(hash uint64) {
	if r.count++; len(r.hashes) < MostShown {
		r.hashes = append(r.hashes, hash)
	}
}

// count counts the rows of a key: as many pairs as possible are rows with other values. It returns those that are
// shown.
func (d *TableDifference) count(of rowsOfKey) (shown []rowHashes) {
	here, there := of.here, of.there
	pairs := min(here.count, there.count)
	for i := range min(len(here.hashes), len(there.hashes)) {
		if d.Changed+uint64(i) < MostShown {
			shown = append(shown, rowHashes{&here.hashes[i], &there.hashes[i]})
		}
	}
	for i := int(pairs); i < len(here.hashes); i++ {
		if d.Here+uint64(i)-pairs < MostShown {
			shown = append(shown, rowHashes{&here.hashes[i], nil})
		}
	}
	for i := int(pairs); i < len(there.hashes); i++ {
		if d.There+uint64(i)-pairs < MostShown {
			shown = append(shown, rowHashes{nil, &there.hashes[i]})
		}
	}
	d.Changed, d.Here, d.There = d.Changed+pairs, d.Here+here.count-pairs, d.There+there.count-pairs
	return shown
}

// texts reads the texts of rows. It fails if one of them is gone.
func (t *comparedTable) texts(ctx context.Context, here, there Copy, buckets string,
	shown []rowHashes) ([]RowDifference, error) {
	found := make([]RowDifference, len(shown))
	for side, of := range []Copy{here, there} {
		var wanted []uint64
		for _, row := range shown {
			if row[side] != nil {
				wanted = append(wanted, *row[side])
			}
		}
		byHash, err := t.textsOf(ctx, of, buckets, wanted)
		if err != nil {
			return nil, err
		}
		for i, row := range shown {
			if row[side] == nil {
				continue
			}
			if found[i][side] = byHash[*row[side]]; found[i][side] == "" {
				return nil, t.errChanged()
			}
		}
	}
	return found, nil
}

func (t *comparedTable) textsOf(ctx context.Context, of Copy, buckets string,
	wanted []uint64) (byHash map[uint64]string, err error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	reader, err := t.rows(ctx, of, buckets, slices.Compact(slices.Sorted(slices.Values(wanted))))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.rows.Close()) }()
	byHash = map[uint64]string{}
	for reader.more {
		byHash[reader.at.hash] = reader.at.text
		if err := reader.next(); err != nil {
			return nil, err
		}
	}
	return byHash, nil
}
