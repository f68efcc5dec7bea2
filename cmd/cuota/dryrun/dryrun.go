// Package dryrun says what a file would change if it were ingested, and changes nothing. The file goes
// through ingest as any other, over an archive that is thrown away, and what ingest would publish is compared
// with the facts that count in the published batch. The facts are made by package projector/store, and which
// one counts is decided in SQL.
package dryrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/model"
	"cuota/sql"
)

// State says what ingest would make of a file.
type State string

const (
	Unpublished State = "not_published" // ingest would publish its rows
	Waiting     State = "waiting"       // it was ingested, and the published batch does not have it yet
	Published   State = "published"     // the published batch has it
	Refused     State = "refused"       // ingest would publish nothing of it
	Quarantined State = "quarantined"   // ingest would publish nothing until a person accepts it
)

// Report says what a file would change. Programs read its JSON, so the names must stay.
type Report struct {
	Dataset   model.Dataset `json:"dataset"`
	File      string        `json:"file"`
	SHA256    string        `json:"sha256"`
	Published time.Time     `json:"published_at"` // as stated, else when it was first seen
	State     State         `json:"state"`
	Batch     string        `json:"batch"`           // with which it was compared; empty: none is published yet
	Cutoff    model.Date    `json:"cutoff,omitzero"` // of that batch
	// Compared says that all rows were compared with what counts. A table that is not compared has rules of its own.
	Compared    bool          `json:"compared"`
	Rows        Rows          `json:"rows"`
	Series      int           `json:"series"` // in rows that are new, corrected or voided
	Days        int           `json:"days"`   // in these rows
	FirstDay    model.Date    `json:"first_day,omitzero"`
	LastDay     model.Date    `json:"last_day,omitzero"`
	Rejected    []Rejection   `json:"rejected"`    // by reason, the most frequent first
	Findings    []string      `json:"findings"`    // in what it differs from the files before it
	Corrections []Correction  `json:"corrections"` // the largest, at most 1000
	Voids       []Correction  `json:"voids"`       // days that lose their value, at most 1000
	Returns     ReturnChanges `json:"returns"`
	NotComputed []string      `json:"not_computed"`

	allCorrections, allVoids uint64 // how many there are of the two lists
}

// Rows counts rows. New, Equal, Corrected, Older, Voided and OtherName count keys, each of them once.
type Rows struct {
	Read        uint64 `json:"read"`
	Rejected    uint64 `json:"rejected"`
	Repeated    uint64 `json:"repeated"`    // that state the same as an earlier row of the file
	Conflicting uint64 `json:"conflicting"` // that have the key of an earlier row of the file and other values
	New         uint64 `json:"new"`         // no value counts for the key
	Equal       uint64 `json:"equal"`       // to what counts
	Corrected   uint64 `json:"corrected"`   // another value counts
	Older       uint64 `json:"older"`       // another row counts, and would still count
	Voided      uint64 `json:"voided"`      // a rejected row would count, so that the day has no value
	// OtherName counts rows whose series has another name on their day. They would be new, corrected or voided, but
	// are not among those, because they count only if no row under the other name does.
	OtherName   uint64 `json:"under_another_name"`
	NotCompared uint64 `json:"not_compared"`
}

// Rejection is a reason for which rows are rejected.
type Rejection struct {
	Reason string        `json:"reason"`
	Rows   uint64        `json:"rows"`
	First  []RejectedRow `json:"first"` // at most three
}

// RejectedRow is a row that is rejected, with its text.
type RejectedRow struct {
	Line uint32 `json:"line"`
	Raw  string `json:"raw"`
}

// DryRun compares files with an installation.
type DryRun struct {
	reader  sql.Reader
	conn    driver.Conn
	archive *archive.Archive
	log     zerolog.Logger
}

// New returns a DryRun of the installation with these tables and this archive. It only reads them.
func New(conn driver.Conn, of *archive.Archive, log zerolog.Logger) *DryRun {
	return &DryRun{reader: sql.NewCommandReader(conn, "dry-run", false), conn: sql.Named(conn, "dry-run"),
		archive: of, log: log}
}

// batch is the batch with which a file is compared.
type batch struct {
	Number uint64     `ch:"batch"`
	ID     string     `ch:"batch_id"`
	Cutoff *time.Time `ch:"as_of_date"`
}

// File reports what a file would change.
func (d *DryRun) File(ctx context.Context, request ingest.Request) (_ Report, err error) {
	dir, err := os.MkdirTemp("", "cuota-dry-run-")
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	found, err := sql.Rows[batch](ctx, d.reader, "stated_batch")
	if err != nil {
		return Report{}, err
	}
	var with batch
	if len(found) > 0 {
		with = found[0]
	}
	into := newComparison(d, with, request.Dataset)
	read, err := ingest.New(d.archive.Over(dir), into, d.log).File(ctx, request)
	if err != nil {
		return Report{}, err
	}
	if err := into.flush(ctx); err != nil {
		return Report{}, err
	}
	report := Report{Dataset: read.Dataset, File: read.File, SHA256: read.SHA256, Batch: with.ID,
		Published: time.UnixMilli(read.Revision).UTC(), Findings: []string{}}
	if with.Cutoff != nil {
		report.Cutoff = model.DateOf(*with.Cutoff)
	}
	for _, of := range read.Findings {
		report.Findings = append(report.Findings, of.String())
	}
	switch note, err := d.archive.Note(read.SHA256); {
	case read.Quarantined:
		report.State = Quarantined
	case read.Refused:
		report.State = Refused
	case into.held:
		report.State = Published
	case err == nil && note.Refused == "":
		report.State = Waiting
	default:
		report.State = Unpublished
	}
	if err := into.finish(ctx, &report); err != nil {
		return Report{}, err
	}
	report.Rows.Read, report.Rows.Rejected = read.Read, read.Rejected
	report.Rows.Repeated, report.Rows.Conflicting = read.Repeated, read.Conflicting
	return report, nil
}

// holds reports whether a batch has the file with this hash.
func (d *DryRun) holds(ctx context.Context, with batch, sha string) (bool, error) {
	if with.ID == "" {
		return false, nil
	}
	var held uint64
	var id string
	if err := d.conn.QueryRow(sql.WithParameters(ctx, clickhouse.Parameters{
		"files": "['" + sha + "']", "batch_id": with.ID,
	}), sql.Query("files_held")).Scan(&held, &id); err != nil {
		return false, fmt.Errorf("query whether the batch has the file: %w", err)
	}
	return held > 0, nil
}
