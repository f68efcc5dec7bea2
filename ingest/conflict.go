package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"strings"

	"cuota/ingest/archive"
	"cuota/ingest/excerpt"
	"cuota/ingest/parse"
)

// Conflict is two rows of a file with the same key and other values. The later one counts.
type Conflict struct {
	Line, Later uint32
	Columns     []ConflictColumn // in which the rows differ
}

// ConflictColumn is a column in which the two rows of a conflict differ, with both values
// as they are written, shortened.
type ConflictColumn struct{ Name, Earlier, Later string }

// String names both lines and shows what differs.
func (c Conflict) String() string {
	return fmt.Sprintf("line %d has the key of line %d and other values, so that line %d does not count: %s", c.Later,
		c.Line, c.Line, c.differs())
}

func (c Conflict) differs() string {
	columns := make([]string, len(c.Columns))
	for i, column := range c.Columns {
		columns[i] = fmt.Sprintf("%s %s and then %s", column.Name, excerpt.Quoted(column.Earlier),
			excerpt.Quoted(column.Later))
	}
	return strings.Join(columns, ", ")
}

// firstConflicts bounds the conflicts that a report shows.
const firstConflicts = 5

// keys remembers the keys of a file's rows, and enough of each row to tell whether another
// one with its key states the same. Half of a sha256 distinguishes keys as safely as the
// keys themselves. A row takes 32 bytes, besides the map's own, and a file may hold millions of them.
type keys struct {
	seed maphash.Seed
	rows map[[16]byte]keyedRow
}

// keyedRow is the last row with a key.
type keyedRow struct {
	content uint64 // hash of what the row states
	line    uint32
}

func newKeys() *keys { return &keys{seed: maphash.MakeSeed(), rows: make(map[[16]byte]keyedRow)} }

func (k *keys) count() uint64 { return uint64(len(k.rows)) }

// add notes an event and counts it in the report if the file has its key already.
func (k *keys) add(message Message, line uint32, report *Report) {
	sum := sha256.Sum256(message.Key)
	key := [16]byte(sum[:16])
	row := keyedRow{content: maphash.Bytes(k.seed, content(message.Value)), line: line}
	earlier, repeated := k.rows[key]
	k.rows[key] = row
	switch {
	case !repeated:
	case earlier.content == row.content:
		report.Repeated++
	default:
		report.Conflicting++
		if len(report.FirstConflicts) < firstConflicts {
			report.FirstConflicts = append(report.FirstConflicts, Conflict{Line: earlier.line, Later: line})
		}
	}
}

// content returns the part of an event behind its file and line, with which every event
// begins.
func content(value []byte) []byte {
	_, after, _ := bytes.Cut(value, []byte(`,"revision":`))
	return after
}

// showConflicts reads the payload again to fill in how the rows of the conflicts differ.
// Few files have any, and keeping the text of every row would take too much memory.
func (i *Ingester) showConflicts(ctx context.Context, entry archive.Entry, conflicts []Conflict) error {
	if len(conflicts) == 0 {
		return nil
	}
	payload, err := i.archive.OpenAgain(ctx, entry.SHA256)
	if err != nil {
		return err
	}
	defer func() { _ = payload.Close() }() // only read from: no data can be lost
	parser, err := parse.New(entry.ToParse(), payload)
	if err != nil {
		return err
	}
	rows := map[uint32][]string{}
	for _, conflict := range conflicts {
		rows[conflict.Line], rows[conflict.Later] = nil, nil
	}
	if err := parser.Fields(rows); err != nil {
		return err
	}
	for n := range conflicts {
		c := &conflicts[n]
		earlier, later := rows[c.Line], rows[c.Later]
		for column, name := range parser.Columns() {
			if column < len(earlier) && column < len(later) && earlier[column] != later[column] {
				c.Columns = append(c.Columns, ConflictColumn{Name: name,
					Earlier: excerpt.Cut(earlier[column], parse.MaxWord),
					Later:   excerpt.Cut(later[column], parse.MaxWord)})
			}
		}
	}
	return nil
}
