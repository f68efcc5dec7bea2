package projector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/internal/statement"
	"cuota/sql"
)

// Config is what a Projector can be told. Zero values stand for the defaults.
type Config struct {
	// Quiet is how long nothing must arrive before a batch is built of what is
	// complete, so that files sent together enter one batch. 500 ms by default.
	Quiet time.Duration
	// Patience is the longest that a complete file waits for quiet and for files
	// that are still arriving, 30 s by default.
	Patience time.Duration
	// Keep is how many published batches stay readable, 20 by default.
	Keep int
	// Retry is the pause after a build that failed, 10 s by default.
	Retry time.Duration
	// Meter measures builds, by default not at all.
	Meter Meter
	// Watch is how often to look whether ClickHouse was started again or has set a part
	// aside, 5 s by default. The tables are inspected then.
	Watch time.Duration
	// Inspecting, when set, is called when an inspection of the tables begins, and what it
	// returns when the findings are stored.
	Inspecting func() (stored func())
	// SweepEvery is the pause between two sweeps of what no kept batch needs, an hour
	// by default. One comes at the start.
	SweepEvery time.Duration
	// Now is the clock, time.Now by default.
	Now func() time.Time
}

func (c Config) withDefaults() Config {
	if c.Quiet <= 0 {
		c.Quiet = 500 * time.Millisecond
	}
	if c.Patience <= 0 {
		c.Patience = 30 * time.Second
	}
	if c.Keep <= 0 {
		c.Keep = 20
	}
	if c.Retry <= 0 {
		c.Retry = 10 * time.Second
	}
	if c.Meter == nil {
		c.Meter = unmeasured{}
	}
	if c.Watch <= 0 {
		c.Watch = 5 * time.Second
	}
	if c.SweepEvery <= 0 {
		c.SweepEvery = time.Hour
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Projector stores facts and publishes batches. Its life is New, Start, Stop;
// Consume is called meanwhile by whoever reads Kafka. Several may run on one database:
// all of them store facts, and the one that Lead names builds.
type Projector struct {
	config   Config
	conn     driver.Conn
	log      zerolog.Logger
	now      func() time.Time
	santiago *time.Location

	building  sync.Mutex // one batch at a time
	writes    hold       // whoever writes to the tables takes part in it
	inspector inspector
	arrived   chan struct{} // holds a token when something was stored since the last look
	commands  chan struct{} // holds a token when a command waits
	since     time.Time     // when a complete file began to wait for others; zero while none does
	swept     bool          // since the start; the loop has it

	mu      sync.Mutex
	leads   bool
	abandon context.CancelFunc // ends the step under way; nil: there is none

	trouble atomic.Pointer[error] // why the last step failed; nil: it did not

	cancel context.CancelFunc
	done   chan struct{}
}

// component is what the names of statements in ClickHouse begin with.
const component = "projector"

// New makes a Projector on a database that Migrate has prepared.
func New(config Config, conn driver.Conn, log zerolog.Logger) (*Projector, error) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return nil, fmt.Errorf("load the time zone of Santiago: %w", err)
	}
	config = config.withDefaults()
	return &Projector{
		config:   config,
		writes:   newHold(),
		conn:     statement.Named(conn, component),
		log:      log,
		now:      config.Now,
		santiago: santiago,
		arrived:  make(chan struct{}, 1),
		commands: make(chan struct{}, 1),
		done:     make(chan struct{}),
	}, nil
}

// Lead makes this Projector the one that builds, or ends that. The consumer group decides
// it by whom it gives the topic of manifests and commands. A Projector that no longer leads
// gives up the batch under way. Nothing wrong is published if Lead is called late: of
// two that build, the one that began last publishes, and the other learns that it was
// superseded (docs/decisions/0038-several-projectors.md).
func (p *Projector) Lead(leads bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case leads && !p.leads:
		p.log.Info().Msg("this projector builds batches from now on")
	case !leads && p.leads:
		p.log.Info().Msg("another projector builds batches from now on")
	}
	p.leads = leads
	if leads {
		p.noticeArrival()
	} else if p.abandon != nil {
		p.abandon()
	}
}

// Start begins to build batches in the background, whenever this Projector leads: first
// of what an earlier run left complete and unpublished.
func (p *Projector) Start(context.Context) error {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.noticeArrival()
	go func() {
		defer close(p.done)
		p.run(ctx)
	}()
	return nil
}

// Stop gives up a batch that is being built, of which nothing becomes visible,
// and returns when the work has ended.
func (p *Projector) Stop(ctx context.Context) error {
	if p.cancel == nil {
		return nil
	}
	p.cancel()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the projector: %w", ctx.Err())
	}
}

// run waits for arrivals, lets them settle, and builds when a file has become
// complete or a command asks for it. Between batches it drops what is not needed any
// more, so that this does not wait for a batch to be published.
func (p *Projector) run(ctx context.Context) {
	watch := time.NewTicker(p.config.Watch)
	defer watch.Stop()
	var look <-chan time.Time // fires when files that were not complete may be
	wait := leastLook
	sweep := time.NewTicker(p.config.SweepEvery)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.C:
			if restarted, err := p.restarted(ctx); err != nil || !restarted {
				continue
			}
		case <-sweep.C:
			if err := p.lead(ctx, p.Sweep); err != nil && ctx.Err() == nil {
				p.log.Warn().Err(err).Msg(notSwept)
			}
			continue
		case <-p.arrived:
			p.awaitQuiet(ctx)
			wait = leastLook
		case <-p.commands:
		case <-look:
		}
		look = nil
		pause := time.Duration(0)
		var violation violationError
		var superseded supersededError
		err := p.lead(ctx, p.step)
		p.noteTrouble(ctx, err)
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, errArriving):
			pause = p.config.Quiet
		case errors.Is(err, errIncomplete):
			look = time.After(wait)
			wait = min(2*wait, mostLook)
		case errors.As(err, &superseded):
			p.log.Warn().Err(err).Msg("another projector builds too; trying again")
			pause = p.config.Retry + rand.N(p.config.Retry) // so that the two do not meet again
		case errors.Is(err, errFactsMissing), errors.Is(err, errSchemaRows):
			p.log.Error().Err(err).Msg("no batch can be built")
		case errors.As(err, &violation):
			p.log.Error().Err(err).Msg("batch refused until something new arrives")
		default:
			p.log.Error().Err(err).Msg("could not build a batch; trying again")
			pause = p.config.Retry
		}
		if pause > 0 && !p.lookAgain(ctx, pause) {
			return
		}
	}
}

// Rows of a file that is not complete may be stored by another Projector, which does not
// tell this one. So it looks again after leastLook, which doubles to mostLook.
const (
	leastLook = 2 * time.Second
	mostLook  = 30 * time.Second
)

// lead does some work if this Projector leads. It is no error to lose the lead meanwhile.
func (p *Projector) lead(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.mu.Lock()
	leads := p.leads
	if leads {
		p.abandon = cancel
	}
	p.mu.Unlock()
	if !leads {
		return nil
	}
	err := work(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abandon = nil
	if err != nil && !p.leads {
		p.log.Info().Err(err).Msg("another projector leads; the work under way was given up")
		return nil
	}
	return err
}

// lookAgain makes run look again after a pause, or tells that it is to end.
func (p *Projector) lookAgain(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		p.noticeArrival()
		return true
	}
}

// errArriving says that complete files wait for others that are still arriving.
var errArriving = errors.New("files are still arriving")

// awaitQuiet returns when nothing has arrived for Quiet, or after Patience.
func (p *Projector) awaitQuiet(ctx context.Context) {
	patience := time.NewTimer(p.config.Patience)
	defer patience.Stop()
	for {
		quiet := time.NewTimer(p.config.Quiet)
		select {
		case <-p.arrived:
			quiet.Stop()
		case <-quiet.C:
			return
		case <-patience.C:
			quiet.Stop()
			return
		case <-ctx.Done():
			quiet.Stop()
			return
		}
	}
}

// errIncomplete says that manifests have arrived, and some rows that they count have not.
var errIncomplete = errors.New("files are not complete")

// step moves files that became complete, and builds a batch if there are any, if a
// command asks, or if the published batch was computed by other statements.
func (p *Projector) step(ctx context.Context) error {
	if !p.swept { // since the start, by the one that leads
		if err := p.Sweep(ctx); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.log.Warn().Err(err).Msg(notSwept)
		}
		p.swept = true
	}
	damage, err := p.look(ctx) // before anything that waits while a backup is made
	if err != nil {
		return err
	}
	if err := p.Settle(ctx); err != nil {
		return err
	}
	commands, err := p.pendingCommands(ctx)
	if err == nil {
		commands, err = p.inspectAsAsked(ctx, commands)
	}
	if err != nil {
		return err
	}
	work, err := p.unprojected(ctx)
	if err != nil {
		return err
	}
	if work.files == 0 && !work.otherRules && !damage.anew && len(commands) == 0 {
		arriving, err := p.arriving(ctx)
		if err == nil && arriving > 0 {
			err = errIncomplete
		}
		return err
	}
	if damage.anew {
		p.log.Warn().Uint64("batch", damage.Batch).Str("damage", damage.String()).Msg("building every day anew")
	}
	if work.otherRules {
		p.log.Info().Uint64("batch", work.published).Msg("the published batch was computed by another version of the rules; building every day anew")
	}
	if len(commands) == 0 && !damage.anew {
		if err := p.awaitOthers(ctx); err != nil {
			return err
		}
	}
	p.since = time.Time{}
	rebuild := false
	for _, command := range commands {
		rebuild = rebuild || command.Rebuild
	}
	batch, err := p.Build(ctx, rebuild)
	var violation violationError
	switch {
	case errors.As(err, &violation):
		// The same facts would be refused again: the command is answered.
		return errors.Join(err, p.commandsDone(ctx, commands, violation.batch, violation.Error()))
	case err != nil:
		return err
	}
	return p.commandsDone(ctx, commands, batch, "")
}

// arriving counts the files whose manifests are here and some of whose rows are not.
func (p *Projector) arriving(ctx context.Context) (files uint64, err error) {
	if err := p.conn.QueryRow(ctx, sql.Query("waiting_manifests")).Scan(&files); err != nil {
		return 0, fmt.Errorf("look for files that are arriving: %w", err)
	}
	return files, nil
}

// awaitOthers gives errArriving while files are on their way that may as well
// enter the same batch, for Patience at the longest.
func (p *Projector) awaitOthers(ctx context.Context) error {
	arriving, err := p.arriving(ctx)
	if err != nil || arriving == 0 {
		return err
	}
	if p.since.IsZero() {
		p.since = time.Now()
	}
	if time.Since(p.since) < p.config.Patience {
		return errArriving
	}
	p.log.Warn().Uint64("files", arriving).Msg("files have not arrived whole; building without them")
	return nil
}

// Settle notes which files have become complete: all rows that their manifests
// count are stored. The next batch holds them.
func (p *Projector) Settle(ctx context.Context) error {
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("look for complete files: %w", err)
	}
	defer done()
	var waiting uint64
	if err := p.conn.QueryRow(ctx, sql.Query("waiting_manifests")).Scan(&waiting); err != nil {
		return fmt.Errorf("look for files to complete: %w", err)
	}
	if waiting == 0 {
		return nil
	}
	if err := p.conn.Exec(ctx, sql.Query("complete_manifests")); err != nil {
		return fmt.Errorf("look for complete files: %w", err)
	}
	return nil
}

// LookAgain has a started Projector look soon whether anything is to be inspected or
// built.
func (p *Projector) LookAgain() { p.noticeArrival() }

func (p *Projector) noticeArrival() { token(p.arrived) }

// token leaves a token in a channel that holds at most one.
func token(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}
