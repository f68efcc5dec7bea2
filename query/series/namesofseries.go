package series

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"cuota/query/operation"
	"cuota/sql"
)

// namesOfSeries are the names of a series of a fund, renamed or not.
type namesOfSeries struct {
	series, run        uint32
	names, from, until []string // the newest first, with the days on which they were valid
}

// names returns the names of the series.
func (h *keptProfile) names(p operation.Pinned) *namesOfSeries {
	if renamed := p.Batch.Renamed(h.id); renamed != nil {
		return &namesOfSeries{h.id, h.run, renamed.Names, renamed.ValidFrom, renamed.ValidUntil}
	}
	return &namesOfSeries{h.id, h.run, []string{h.serie}, []string{operation.FirstDay.String()},
		[]string{operation.LastDayOfAll.String()}}
}

// args returns the names as arguments of series_sources.sql. Of nil, the statement looks them up.
func (l *namesOfSeries) args() ([]any, error) {
	if l == nil {
		return []any{sql.Arg("names", "read_names")}, nil
	}
	n := len(l.names)
	series, runs, positions := slices.Repeat([]uint32{l.series}, n), slices.Repeat([]uint32{l.run}, n), make([]uint8, n)
	from, until := make([]time.Time, n), make([]time.Time, n)
	for i := range l.names {
		var wrong [2]error
		positions[i] = uint8(i + 1)
		from[i], wrong[0] = time.Parse(time.DateOnly, l.from[i])
		until[i], wrong[1] = time.Parse(time.DateOnly, l.until[i])
		if err := errors.Join(wrong[:]...); err != nil {
			return nil, fmt.Errorf("days of the name %s: %w", l.names[i], err)
		}
	}
	table, err := sql.Table("given_names", sql.Column{Type: "series_id UInt32", Values: series},
		sql.Column{Type: "run UInt32", Values: runs},
		sql.Column{Type: "serie String", Values: l.names}, sql.Column{Type: "position UInt8", Values: positions},
		sql.Column{Type: "valid_from Date", Values: from}, sql.Column{Type: "valid_until Date", Values: until})
	if err != nil {
		return nil, err
	}
	return []any{sql.Arg("names", "given_names"), table}, nil
}
