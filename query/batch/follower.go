package batch

import (
	"context"
	"sync/atomic"
	"time"

	"cuota/internal/bounded"
	"cuota/internal/health"
	"cuota/internal/loop"
	"cuota/model"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// Config configures a Follower.
type Config struct {
	Interval     time.Duration     // how often to look for a newer batch
	QueryTimeout time.Duration     // limits one ClickHouse statement
	MaxBytes     int               // limits the size of all parts
	Today        func() model.Date // in Santiago
	Now          func() time.Time
	HTTP         *sql.HTTP // for statements that are streamed; nil: none can be
	Cache        *Cache    // in which parts and requests keep what they read for past dates
}

// Follower holds the newest published batch and its parts. Where there is one copy of the tables, it replaces both at
// once, and only after all parts were read. Where there are several, it reads a batch before the moment at which all
// servers begin to answer from it (copystate.go).
type Follower struct {
	config Config
	reader sql.Reader // for batches of our own rules, and for statements without views
	views  sql.Reader // for batches of other rules: calls the views in the database
	parts  []Loader
	log    zerolog.Logger
	builds *builds
	beat   *health.Beat
	past   bounded.Cache[string, *Batch] // batches that moments were about, by id

	current  atomic.Pointer[Batch]
	next     atomic.Pointer[Batch]     // becomes the current one at its moment; nil: none is known
	copies   atomic.Pointer[copyState] // nil before the first look
	looked   atomic.Bool               // at least one look has succeeded
	failing  atomic.Bool               // the last look failed, so the current batch may be outdated
	unloaded atomic.Bool               // reading the parts of the current batch failed
	gate     sql.Gate

	// Only one look at a time, so that a slow one can't bring back an older batch. Guards the following fields. It is
	// no mutex, because a look that waits for another one ends with its context.
	one        chan struct{}
	otherRules bool          // another version of the program built the current batch
	retryAt    time.Time     // when reading the parts of the current batch is tried again, if it failed
	pause      time.Duration // before that; 0 if it did not fail

	loop, copyLoop loop.Loop
}

// After reading the parts of a batch failed, it is tried again after a pause, which doubles
// each time. Reading takes many statements, and requests are answered by ClickHouse meanwhile.
const (
	firstPause   = 5 * time.Second
	longestPause = time.Minute
)

// longestRound is how long one look for a newer batch may take. After that the loop counts
// as hanging. About thirty statements read a batch, and each ends after QueryTimeout.
const longestRound = 10 * time.Minute

// mostPast is of how many batches before the current one a Follower remembers what replies say
// about them, and the names of renamed series. It remembers none of their rows.
const mostPast = 64

// NewFollower makes a Follower that reads through a connection and keeps these parts in
// memory. It reads nothing: Refresh and Start do.
func NewFollower(config Config, conn driver.Conn, parts []Loader, log zerolog.Logger) *Follower {
	f := &Follower{
		config: config, parts: parts, log: log, one: make(chan struct{}, 1),
		beat: health.NewBeat(longestRound, time.Since),
		past: bounded.OfEntries[string, *Batch](mostPast),
	}
	f.reader = sql.NewReader(conn, "query", config.QueryTimeout, false, &f.gate).Over(config.HTTP)
	f.views = sql.NewReader(conn, "query", config.QueryTimeout, true, &f.gate).Over(config.HTTP)
	f.builds = &builds{reader: f.reader, log: log}
	return f
}

// Cache returns where parts and requests keep what they read for past dates.
func (f *Follower) Cache() *Cache { return f.config.Cache }

// Reader runs the statements by which requests are answered from a batch. If this version of
// the program built the batch, they contain our own rules, else they call the views in the
// database, which the version that built it has made. So replies about one batch depend
// neither on which process gives them nor on which batch is the current one.
func (f *Follower) Reader(b *Batch) sql.Reader {
	if b.Rules != sql.Rules() {
		return f.views
	}
	return f.reader
}

// Gate stops all reads, as the comment of sql.Gate says.
func (f *Follower) Gate() *sql.Gate { return &f.gate }

// Current returns the newest batch whose moment has come, and nil if there is none.
func (f *Follower) Current() *Batch {
	if next := f.next.Load(); next != nil && !f.config.Now().Before(next.CalculatedAt) {
		return next
	}
	return f.current.Load()
}

// Pin returns the batch that a request is answered from: the current one, or the one that
// the caller names. It fails with *GoneError if no kept batch has that name, because a
// caller who pages must not get rows of two batches without knowing it. It fails with
// ErrNone, ErrDamaged, ErrNoCutoff or ErrBehind if the batch can't answer. wait runs the read that a
// named batch needs.
func (f *Follower) Pin(ctx context.Context, need Need, id string,
	wait func(context.Context, func() error) error) (*Batch, error) {
	b, err := f.Answering(ctx)
	switch {
	case err != nil:
		return nil, err
	case b.Damaged:
		return nil, ErrDamaged
	case id != "" && id != b.ID:
		var named *Batch
		err := wait(ctx, func() (err error) {
			named, err = published(ctx, f.reader, id, farFuture, b)
			return err
		})
		if err != nil {
			return nil, err
		}
		if !named.answers(need) || named.Damaged {
			return nil, &GoneError{b}
		}
		return named, nil
	case need == Complete && b.AsOf == nil:
		return nil, ErrNoCutoff
	}
	return b, nil
}

// Refresh looks once for a newer batch and for the state of the builds. If it fails, the
// current batch stays.
func (f *Follower) Refresh(ctx context.Context) error {
	err := f.look(ctx)
	if err == nil {
		f.builds.look(ctx)
	}
	return err
}

func (f *Follower) look(ctx context.Context) error {
	select {
	case f.one <- struct{}{}:
		defer func() { <-f.one }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f.makeCurrent()
	known := f.newest()
	state, newest, err := f.ask(ctx, known)
	if err != nil && ctx.Err() != nil { // the program ends: the look was broken off, and has not failed
		return err
	}
	if was := f.failing.Swap(err != nil); err != nil && !was {
		f.log.Warn().Err(err).Msg("can't check for a newer batch; serving the current one")
	} else if err == nil && was {
		f.log.Info().Msg("checking for newer batches again")
	}
	if err != nil {
		return err
	}
	f.copies.Store(state)
	defer f.looked.Store(true) // once the batch can be answered from
	if newest == nil {
		return nil
	}
	if newest != known {
		f.followRules(newest)
		f.pause = 0
	}
	switch changed := newest != known; {
	case !changed && !(f.unloaded.Load() && !f.config.Now().Before(f.retryAt)):
	case known != nil && newest != f.current.Load() && !state.onlyCopy():
		f.prepare(ctx, newest)
	default:
		f.replace(ctx, known, newest)
	}
	return ctx.Err()
}

// ask reads what the copy knows of the others, and then the batch of the next moment, or of now if none is to come.
func (f *Follower) ask(ctx context.Context, known *Batch) (*copyState, *Batch, error) {
	state, err := f.readCopyState(ctx)
	if err != nil {
		return nil, nil, err
	}
	until := farFuture
	switch now := f.config.Now(); {
	case state.onlyCopy():
	case known == nil:
		until = now // the next look finds the batch that comes after it
	default:
		until = state.next(now)
	}
	newest, err := published(ctx, f.reader, "", until, known)
	return state, newest, err
}

// newest returns the newest batch that is known, also if its moment has not come.
func (f *Follower) newest() *Batch {
	if next := f.next.Load(); next != nil {
		return next
	}
	return f.current.Load()
}

// makeCurrent makes the next batch the current one, if its moment has come.
func (f *Follower) makeCurrent() {
	if next := f.next.Load(); next != nil && f.Current() == next {
		f.current.Store(next) // first, so that a reader finds it in one of the two
		f.next.Store(nil)
		f.log.Info().Uint64("batch", next.Number).Str("batch_id", next.ID).Msg("serving a new batch")
	}
}

// prepare makes a batch the next one and reads its parts. If these are not read when its moment comes, ClickHouse
// answers until they are.
func (f *Follower) prepare(ctx context.Context, newest *Batch) {
	f.makeCurrent() // a batch whose moment has come meanwhile
	f.next.Store(newest)
	if found, read := f.readInto(ctx, nil, newest); read {
		f.next.Store(found)
		f.makeCurrent()
	}
}

// replace reads the parts of the newest batch and makes it the current one. If ctx ends meanwhile, the current
// batch stays.
func (f *Follower) replace(ctx context.Context, known, newest *Batch) {
	found, read := f.readInto(ctx, known, newest)
	if !read {
		return
	}
	f.current.Store(found)
	f.next.Store(nil)
	if !found.Damaged && (known == nil || found.ID != known.ID || known.Damaged) {
		f.log.Info().Uint64("batch", found.Number).Str("batch_id", found.ID).Msg("serving a new batch")
	}
}

// readInto returns a batch with its parts in memory, as far as they can be read, and false if ctx ends meanwhile.
func (f *Follower) readInto(ctx context.Context, known, newest *Batch) (*Batch, bool) {
	if newest.Damaged {
		f.log.Error().Uint64("batch",
			newest.Number).Msg("the published batch is damaged and is not served; run cuota verify to see what is " +
			"missing")
	}
	found := *newest // a copy, because requests read the current one
	var err error
	if found.parts, err = f.load(ctx, &found); err != nil && ctx.Err() != nil {
		return nil, false
	}
	if err != nil {
		if found.parts == nil && known != nil && known.ID == found.ID {
			found.parts = known.parts // of an earlier try, which lacked only optional parts
		}
		f.pause = min(max(2*f.pause, firstPause), longestPause)
		f.retryAt = f.config.Now().Add(f.pause)
	} else {
		f.pause = 0
	}
	if was := f.unloaded.Swap(err != nil); err != nil && !was {
		// Requests are still answered from this batch, by ClickHouse, only more slowly.
		f.log.Warn().Err(err).Uint64("batch",
			found.Number).Msg("can't read the published batch, or a part of it, into memory; trying again")
	}
	return &found, true
}

// followRules logs when batches of other rules begin.
func (f *Follower) followRules(newest *Batch) {
	was := f.otherRules
	if f.otherRules = newest.Rules != sql.Rules(); f.otherRules && !was {
		f.log.Warn().Uint64("batch",
			newest.Number).Msg("another version of cuota built the published batch: what is computed for a request, " +
			"as total returns, calls the views of the database, which takes longer; run the same version everywhere")
	}
}

// Start looks for newer batches until Stop. A follower that runs already goes on.
func (f *Follower) Start() {
	_ = f.loop.Start(f.follow)
	_ = f.copyLoop.Start(f.followCopyState)
}

// follow looks for newer batches until ctx ends.
func (f *Follower) follow(ctx context.Context) {
	defer f.beat.End()
	often, seldom := time.Tick(f.config.Interval), time.Tick(buildsEvery)
	for {
		f.beat.Round()
		select {
		case <-ctx.Done():
			return
		case <-often:
			_ = f.look(ctx) // logged by look
		case <-seldom:
			f.builds.look(ctx)
		}
	}
}

// Stop ends what Start began, and waits for it. It does nothing if the follower does not
// run.
func (f *Follower) Stop() {
	_ = f.loop.Stop(context.Background())
	_ = f.copyLoop.Stop(context.Background())
}

// State is what a follower knows about the batches.
type State struct {
	Looked    bool // at least one look has succeeded, and its batch was read
	Failing   bool // ClickHouse did not answer the last look
	Published bool // there is a batch
	Damaged   bool // rows of the current batch are missing
	Unread    bool // the current batch, or an optional part of it, can't be read into memory
	NotBuilt  bool // the last attempt to build a batch failed
	Behind    bool // another server may answer from a newer batch, so nothing is answered
}

// State returns the present state.
func (f *Follower) State() State {
	b := f.Current()
	return State{
		Looked: f.looked.Load(), Failing: f.failing.Load(), Published: b != nil, Damaged: b != nil && b.Damaged,
		Unread: f.unloaded.Load(), NotBuilt: f.builds.failing.Load(),
		Behind: f.MayAnswer() != nil,
	}
}

// Alive fails if the loop that looks for batches has not come round for longestRound, or has
// ended.
func (f *Follower) Alive() error { return f.beat.Alive() }
