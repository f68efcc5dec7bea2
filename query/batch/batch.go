package batch

import (
	"context"
	"errors"
	"time"

	"cuota/sql"
)

// Batch is a published batch, with everything that replies say about it. It never changes.
type Batch struct {
	Number           uint64     `ch:"batch"`
	ID               string     `ch:"batch_id"`
	Plan             uint64     `ch:"plan"`       // the number in ID
	AsOf             *time.Time `ch:"as_of_date"` // the cutoff; nil while no date is complete
	LatestComplete   *time.Time `ch:"latest_complete_date"`
	LastQuota        *time.Time `ch:"last_quota_date"`
	CalculationDate  time.Time  `ch:"calculation_date"`
	CalculatedAt     time.Time  `ch:"calculated_at"`
	InputFingerprint string     `ch:"input_fingerprint"`
	MethodVersion    string     `ch:"method_version"`
	ToleranceDays    uint8      `ch:"tolerance_days"`
	SeriesCount      uint32     `ch:"series_count"`
	TotalRecords     uint64     `ch:"total_records"`
	Damaged          bool       `ch:"damaged"` // rows are missing, so nothing is answered from it
	// sha256 in hex over the statements that computed it; empty for batches older than this column
	Rules string `ch:"rules"`

	// The windows and their target dates, which are the same for every series. They are
	// empty if the batch has no cutoff or was retired.
	Windows      []string    `ch:"windows"`
	TargetStarts []time.Time `ch:"target_starts"`
	TargetEnds   []time.Time `ch:"target_ends"`

	renamed map[uint32]*Names // by every id of each renamed series
	parts   map[Loader]any    // what is kept in memory; nil unless the batch is current and fits
}

// Names lists the names that a series has had, the newest first.
type Names struct {
	SeriesID    uint32   `ch:"series_id"`
	LabelIDs    []uint32 `ch:"label_ids"` // id of each name
	Names       []string `ch:"names"`
	ValidFrom   []string `ch:"valid_from"`   // first day of each name, YYYY-MM-DD
	ValidUntil  []string `ch:"valid_until"`  // last day
	CutoffSerie string   `ch:"cutoff_serie"` // the name at the cutoff
}

// Renamed returns the names of the series that has, or had, this id, and nil if the series was
// never renamed.
func (b *Batch) Renamed(id uint32) *Names { return b.renamed[id] }

// InMemory reports whether the parts of the batch are kept in memory.
func (b *Batch) InMemory() bool { return b.parts != nil }

// answers reports whether a batch that a caller names has what a request needs. A batch that
// has a cutoff but no windows was retired: its rows are gone.
func (b *Batch) answers(need Need) bool {
	if b == nil || b.AsOf == nil {
		return b != nil && need == Any
	}
	return len(b.Windows) > 0
}

// Need says what a request needs from the batch.
type Need int

const (
	Any      Need = iota // any published batch
	Complete             // a published batch that has a cutoff
)

// The errors of Pin and CheckReadable, and of MayAnswer. CheckReadable returns ErrRetired inside a
// *sql.ReadError, because a newer batch may be read now.
var (
	ErrNone     = errors.New("no batch is published")
	ErrNoCutoff = errors.New("no date of the published batch is complete")
	ErrDamaged  = errors.New("rows of the batch are missing")
	ErrBehind   = errors.New("other copies may answer from a newer batch")
	ErrRetired  = errors.New("the batch was retired while it was read")
)

// GoneError says that a batch which a caller names is unknown or no longer kept.
type GoneError struct{ Current *Batch }

func (*GoneError) Error() string { return "the batch is unknown or no longer kept" }

// instant is the form in which a UTC instant is bound to a DateTime64(3).
const instant = "2006-01-02 15:04:05.000"

// farFuture is later than the moment of every batch.
var farFuture = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// published reads the batch with the given id, or the newest one whose moment has come at a given time if id is empty.
// It returns nil if there is no such batch, and known if nothing has changed since known was read.
func published(ctx context.Context, r sql.Reader, id string, until time.Time, known *Batch) (*Batch, error) {
	found, err := sql.Rows[Batch](ctx, r, "published_batch", sql.Arg("batch_id", id),
		sql.Arg("until", until.UTC().Format(instant)))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	b := &found[0]
	if known != nil && known.ID == b.ID && known.Damaged == b.Damaged {
		return known, nil
	}
	renamed, err := sql.Rows[Names](ctx, r, "series_names", sql.Arg("batch", b.Number))
	if err != nil {
		return nil, err
	}
	b.renamed = map[uint32]*Names{}
	for i := range renamed {
		for _, id := range renamed[i].LabelIDs {
			b.renamed[id] = &renamed[i]
		}
	}
	return b, nil
}
