package receipt

import (
	"encoding/json"
	"time"

	"cuota/model"
)

// Touched is what follows from a line.
type Touched struct {
	Line    TouchedLine    `json:"line"`
	Columns []string       `json:"columns"` // of cartola_daily, which the correction changes
	Rows    int            `json:"rows"`    // of all tables
	Tables  []TouchedTable `json:"tables"`  // by name
}

// TouchedLine is the line itself, which states a day of a series.
type TouchedLine struct {
	Dataset   string     `json:"dataset"`
	File      string     `json:"file"`
	SHA256    string     `json:"sha256"`
	Line      uint32     `json:"line"`
	Published time.Time  `json:"published_at"` // UTC
	Series    uint32     `json:"series_id"`
	RUN       string     `json:"run"`
	Serie     string     `json:"serie"` // its name in the line
	Date      model.Date `json:"date"`
}

// TouchedTable is a table for people with its rows that are computed with the line.
type TouchedTable struct {
	Table   string       `json:"table"`
	Rows    int          `json:"rows"`    // also those that are not listed
	Columns []string     `json:"columns"` // of any of the rows, sorted
	Listed  []TouchedRow `json:"listed"`  // by key
}

// TouchedRow is a row of a table, by its key, and its columns that are computed with the line.
type TouchedRow struct {
	Key     json.RawMessage `json:"key"`
	Columns []string        `json:"columns"`
}
