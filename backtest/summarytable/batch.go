package summarytable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cuota/model"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Batch is the batch that summaries are read from.
type Batch struct {
	Number      uint64
	ID          string
	Cutoff      model.Date // latest complete day
	PublishedAt time.Time
	Fingerprint string // of the files that it was computed from, SHA-256 in hex
	Rules       string // of the statements that computed it, SHA-256 in hex
	Series      uint32 // number of those that are alive at the cutoff
}

// The errors of Choose.
var (
	ErrNoBatch = errors.New(
		"no batch is published yet: ingest files first, and wait with cuota status until a batch is published")
	ErrNoCutoff = errors.New("no date of the batch is complete yet: ingest the rest of its files")
	ErrDamaged  = errors.New("rows of the batch are missing: run cuota repair, which restores them")
	ErrRetired  = errors.New(
		"the batch was dropped while it was read, because newer ones were published: run the command again")
)

// Choose returns the published batch, or the one that was published at a moment, with the reader of
// its rows. Of the batches that are kept and not damaged, the newest that was published by the
// moment answers, as with known_at of the API.
func Choose(ctx context.Context, conn driver.Conn, knownAt *time.Time) (Batch, sql.Reader, error) {
	id := ""
	if knownAt != nil {
		r := sql.NewCommandReader(conn, "backtest", false)
		var err error
		if id, err = batchKnownAt(ctx, r, *knownAt); err != nil {
			return Batch{}, r, err
		}
	}
	return chooseBatch(ctx, conn, id)
}

// chooseBatch returns the batch with a public name, or the newest one if the name is empty.
func chooseBatch(ctx context.Context, conn driver.Conn, id string) (Batch, sql.Reader, error) {
	r := sql.NewCommandReader(conn, "backtest", false)
	type published struct {
		Number      uint64     `ch:"batch"`
		ID          string     `ch:"batch_id"`
		AsOf        *time.Time `ch:"as_of_date"`
		PublishedAt time.Time  `ch:"calculated_at"`
		Fingerprint string     `ch:"input_fingerprint"`
		Rules       string     `ch:"rules"`
		Damaged     bool       `ch:"damaged"`
		Series      uint32     `ch:"series_count"`

		// What the statement also returns, and nothing here needs.
		Plan      uint64      `ch:"plan"`
		Latest    *time.Time  `ch:"latest_complete_date"`
		Quota     *time.Time  `ch:"last_quota_date"`
		Computed  time.Time   `ch:"calculation_date"`
		Method    string      `ch:"method_version"`
		Tolerance uint8       `ch:"tolerance_days"`
		Records   uint64      `ch:"total_records"`
		Windows   []string    `ch:"windows"`
		Starts    []time.Time `ch:"target_starts"`
		Ends      []time.Time `ch:"target_ends"`
	}
	found, err := sql.Rows[published](ctx, r, "published_batch", sql.Arg("batch_id", id),
		sql.Arg("until", "2200-01-01 00:00:00.000"))
	switch {
	case err != nil:
		return Batch{}, r, err
	case len(found) == 0 && id != "":
		return Batch{}, r, ErrRetired
	case len(found) == 0:
		return Batch{}, r, ErrNoBatch
	case found[0].Damaged:
		return Batch{}, r, ErrDamaged
	case found[0].AsOf == nil:
		return Batch{}, r, ErrNoCutoff
	}
	b := found[0]
	// A batch that another version of the program built is read through the views of the
	// database, as the API does.
	r = sql.NewCommandReader(conn, "backtest", b.Rules != sql.Rules())
	return Batch{b.Number, b.ID, model.DateOf(*b.AsOf), b.PublishedAt.UTC(), b.Fingerprint, b.Rules, b.Series}, r, nil
}

func batchKnownAt(ctx context.Context, r sql.Reader, at time.Time) (id string, err error) {
	type known struct {
		BatchID    string     `ch:"batch_id"`
		Superseded *time.Time `ch:"superseded_at"`
		Since      *time.Time `ch:"since"`
	}
	found, err := sql.Rows[known](ctx, r, "known_at", sql.Arg("known_at", at.UTC().Format("2006-01-02 15:04:05.000")))
	switch {
	case err != nil:
		return "", err
	case len(found) == 0 || found[0].Since == nil:
		return "", ErrNoBatch
	case found[0].BatchID == "":
		return "", fmt.Errorf("no batch is kept that was published by %s: the first one that is kept was published "+
			"at %s", at.UTC().Format(time.RFC3339), found[0].Since.UTC().Format(time.RFC3339))
	}
	return found[0].BatchID, nil
}

// ownRules reports whether this version of the program built the batch.
func (b Batch) ownRules() bool { return b.Rules == sql.Rules() }

// Explain adds to an error of a read that another version of the program built the batch, if one
// did: its database may lack views that this version reads.
func (b Batch) Explain(err error) error {
	if b.ownRules() || !errors.As(err, new(*sql.ReadError)) {
		return err
	}
	return fmt.Errorf("%w: another version of cuota built batch %s; start this version of cuota up or cuota project, "+
		"and wait until it has published a batch", err, b.ID)
}

// CheckReadable is called after the last read. It fails if rows may have been missing from what
// was read.
func CheckReadable(ctx context.Context, r sql.Reader, b Batch) error {
	type found struct {
		Kept    uint64 `ch:"kept"`
		Damaged bool   `ch:"damaged"`
	}
	counted, err := sql.Rows[found](ctx, r, "batch_readable", sql.Arg("batch", b.Number))
	switch {
	case err != nil:
		return err
	case len(counted) == 0 || counted[0].Kept == 0:
		return ErrRetired
	case counted[0].Damaged:
		return ErrDamaged
	}
	return nil
}
