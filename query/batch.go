package query

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"cuota/internal/health"
	"cuota/model"
	"cuota/sql"

	"github.com/rs/zerolog"
)

// batch is a published batch, with everything that replies say about it.
type batch struct {
	Number           uint64     `ch:"batch"`
	ID               string     `ch:"batch_id"`
	AsOf             *time.Time `ch:"as_of_date"` // nil while no date is complete
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
	Rules            string     `ch:"rules"`   // sha256 in hex over the statements that computed it; empty for batches older than this column

	// The windows and their target dates, which are the same for every series. They are
	// empty if the batch has no cutoff or was retired.
	Windows      []string    `ch:"windows"`
	TargetStarts []time.Time `ch:"target_starts"`
	TargetEnds   []time.Time `ch:"target_ends"`

	renamed  map[uint32]*names // by every id of each renamed series
	snapshot *snapshot         // only of the current batch, if it fits in memory
}

// names lists the names that a series has had, the newest first.
type names struct {
	SeriesID    uint32   `ch:"series_id"`
	LabelIDs    []uint32 `ch:"label_ids"` // id of each name
	Names       []string `ch:"names"`
	ValidFrom   []string `ch:"valid_from"`   // first day of each name, as text for a statement
	ValidUntil  []string `ch:"valid_until"`  // last day
	CutoffSerie string   `ch:"cutoff_serie"` // the name at the cutoff
}

// published reads the batch with the given id, or the newest one if id is empty. It returns
// nil if there is no such batch, and known if nothing has changed since known was read.
func (r reader) published(ctx context.Context, id string, known *batch) (*batch, error) {
	found, err := rows[batch](ctx, r, "published_batch", arg("batch_id", id))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	b := &found[0]
	if known != nil && known.ID == b.ID && known.Damaged == b.Damaged {
		return known, nil
	}
	renamed, err := rows[names](ctx, r, "labels", arg("batch", b.Number))
	if err != nil {
		return nil, err
	}
	b.renamed = map[uint32]*names{}
	for i := range renamed {
		for _, id := range renamed[i].LabelIDs {
			b.renamed[id] = &renamed[i]
		}
	}
	return b, nil
}

// follower holds the newest published batch and its snapshot. It replaces both at once, and
// only after the batch was read completely.
type follower struct {
	reader   reader
	load     func(context.Context, *batch) (*snapshot, error)
	interval time.Duration
	log      zerolog.Logger

	builds *builds
	beat   *health.Beat

	current  atomic.Pointer[batch]
	looked   atomic.Bool // at least one look has succeeded
	failing  atomic.Bool // the last look failed, so the current batch may be outdated
	unloaded atomic.Bool // reading the current batch's snapshot failed

	one     sync.Mutex // only one look at a time, so that a slow one can't bring back an older batch
	stop    context.CancelFunc
	stopped chan struct{}
}

// longestRound is how long one look for a newer batch may take. After that the loop counts
// as hanging. About twenty statements read a batch, and each ends after QueryTimeout.
const longestRound = 10 * time.Minute

func newFollower(r reader, load func(context.Context, *batch) (*snapshot, error), b *builds, interval time.Duration, log zerolog.Logger) *follower {
	return &follower{reader: r, load: load, builds: b, interval: interval, log: log, beat: health.NewBeat(longestRound, time.Since)}
}

// refresh looks once for a newer batch and for the state of the builds.
func (f *follower) refresh(ctx context.Context) error {
	err := f.look(ctx)
	if err == nil {
		f.builds.look(ctx)
	}
	return err
}

func (f *follower) look(ctx context.Context) error {
	f.one.Lock()
	defer f.one.Unlock()
	known := f.current.Load()
	newest, err := f.reader.published(ctx, "", known)
	if was := f.failing.Swap(err != nil); err != nil && !was {
		f.log.Warn().Err(err).Msg("can't look for a newer batch; answering from the one at hand")
	} else if err == nil && was {
		f.log.Info().Msg("looking for newer batches again")
	}
	if err != nil {
		return err
	}
	f.looked.Store(true)
	if newest == nil {
		return nil
	}
	if newest != known {
		f.followRules(newest)
	}
	if newest != known || f.unloaded.Load() {
		if newest.Damaged {
			f.log.Error().Uint64("batch", newest.Number).Msg("the published batch is damaged and is not answered from; run cuota verify to see what is missing")
		}
		found := *newest // a copy, because requests read the current one
		newest = &found
		newest.snapshot, err = f.load(ctx, newest)
		if was := f.unloaded.Swap(err != nil); err != nil && !was {
			// Requests are still answered from this batch, by ClickHouse, only more slowly.
			f.log.Warn().Err(err).Uint64("batch", newest.Number).Msg("can't read the published batch into memory; trying again")
		}
		f.current.Store(newest)
		if !newest.Damaged && (known == nil || newest.ID != known.ID || known.Damaged) {
			f.log.Info().Uint64("batch", newest.Number).Str("batch_id", newest.ID).Msg("answering from a new batch")
		}
	}
	return nil
}

// followRules chooses the SQL for what is computed at request time. It must have the rules
// of the batch: our own statements if this version of the program built the batch, else the
// views in the database, which the version that built it has made. So replies about one
// batch do not depend on which process gives them.
func (f *follower) followRules(newest *batch) {
	others := newest.Rules != sql.Rules()
	if was := f.reader.otherRules.Swap(others); others && !was {
		f.log.Warn().Uint64("batch", newest.Number).Msg("another version of cuota built the published batch: past dates are computed by the views of the database, which takes longer; run the same version everywhere")
	}
}

func (f *follower) start() {
	ctx, stop := context.WithCancel(context.Background())
	f.stop, f.stopped = stop, make(chan struct{})
	go func() {
		defer close(f.stopped)
		defer f.beat.End()
		often, seldom := time.NewTicker(f.interval), time.NewTicker(buildsEvery)
		defer often.Stop()
		defer seldom.Stop()
		for {
			f.beat.Round()
			select {
			case <-ctx.Done():
				return
			case <-often.C:
				_ = f.look(ctx) // logged by look
			case <-seldom.C:
				f.builds.look(ctx)
			}
		}
	}()
}

func (f *follower) end() {
	f.stop()
	<-f.stopped
}

// pin returns the batch that a request is answered from: the current one, or the one that
// the caller names. It fails with 410 if no kept batch has that name, because a caller who
// pages must not get rows of two batches without knowing it. It fails with 503 if there is
// no batch, if the batch is damaged, or if the operation needs a cutoff and the batch has
// none.
func (s *Server) pin(ctx context.Context, op *operation, id string) (*batch, error) {
	b := s.follower.current.Load()
	if op.reads == noBatch {
		return b, nil
	}
	if b == nil {
		return nil, &problem{status: http.StatusServiceUnavailable, code: "no_batch", retryAfter: retrySoon,
			detail: "No batch of data is published yet. Try again when data was loaded."}
	}
	if b.Damaged {
		return nil, damaged()
	}
	if id != "" && id != b.ID {
		var named *batch
		err := s.replies.capacity.do(ctx, func() (err error) {
			named, err = s.reader.published(ctx, id, b)
			return err
		})
		if err != nil {
			return nil, err
		}
		if !named.answers(op) || named.Damaged {
			return nil, batchGone(b)
		}
		return named, nil
	}
	if op.reads == completeBatch && b.AsOf == nil {
		return nil, &problem{status: http.StatusServiceUnavailable, code: "no_complete_cutoff", retryAfter: retrySoon,
			detail: "No date of the published batch is complete yet. Try again when more data was loaded."}
	}
	return b, nil
}

// damaged is the 503 for a batch of which rows are missing. The projector builds another
// batch, or waits for the files whose facts are missing.
func damaged() *problem {
	return &problem{status: http.StatusServiceUnavailable, code: "damaged_batch", retryAfter: retrySoon,
		detail: "Stored data was damaged and is being restored. Nothing is answered from it. Try again later."}
}

// answers tells whether a batch that a caller names can answer an operation. A batch that
// has a cutoff but no windows was retired: its rows are gone.
func (b *batch) answers(op *operation) bool {
	if b == nil || b.AsOf == nil {
		return b != nil && op.reads == anyBatch
	}
	return len(b.Windows) > 0
}

// batchGone is the 410 for a batch that is unknown or no longer kept. It names the batch to
// continue with.
func batchGone(current *batch) error {
	return &problem{status: http.StatusGone, code: "batch_gone", currentBatch: current.ID,
		detail: "There is no batch of this batch_id, or it is not kept any more. Begin again from the first page, without batch_id or with the current_batch_id of this reply."}
}

// batchFacts is the part of meta about the batch that every reply has (RULES 1).
type batchFacts struct {
	CalculatedAt     *time.Time  `json:"calculated_at"`
	CalculationDate  *model.Date `json:"calculation_date"`
	BatchID          string      `json:"batch_id"`
	InputFingerprint string      `json:"input_fingerprint"`
	LatestComplete   *model.Date `json:"latest_complete_date"`
	CutoffAgeDays    *int        `json:"cutoff_age_days"`   // from the latest complete date to today
	SnapshotLagDays  *int        `json:"snapshot_lag_days"` // from the cutoff to the latest complete date
	RefreshRequired  bool        `json:"refresh_required"`  // the cutoff is before the latest complete date
}

func (s *Server) facts(b *batch) batchFacts {
	calculated := b.CalculatedAt.UTC()
	facts := batchFacts{
		CalculatedAt:     &calculated,
		CalculationDate:  dateOf(&b.CalculationDate),
		BatchID:          b.ID,
		InputFingerprint: b.InputFingerprint,
		LatestComplete:   dateOf(b.LatestComplete),
	}
	if b.LatestComplete != nil {
		age := max(0, daysBetween(*b.LatestComplete, s.today().Time()))
		facts.CutoffAgeDays = &age
		if b.AsOf != nil {
			lag := max(0, daysBetween(*b.AsOf, *b.LatestComplete))
			facts.SnapshotLagDays = &lag
			facts.RefreshRequired = lag > 0
		}
	}
	return facts
}

func dateOf(t *time.Time) *model.Date {
	if t == nil {
		return nil
	}
	date := model.DateOf(*t)
	return &date
}

func daysBetween(from, to time.Time) int {
	return int(to.Sub(from).Round(24*time.Hour) / (24 * time.Hour))
}
