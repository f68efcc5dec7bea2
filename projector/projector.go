package projector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/internal/loop"
	"cuota/model"
	"cuota/projector/build"
	"cuota/projector/inspect"
	"cuota/projector/store"
	"cuota/projector/write"
	"cuota/sql"
)

// Config configures a Projector. The zero value of a field means its default.
type Config struct {
	// Quiet is how long no message may arrive before complete files are built into a batch,
	// so that files sent together enter the same batch. The default is 500 ms.
	Quiet time.Duration
	// Patience is how long a complete file waits at most, for Quiet and for files that are
	// still arriving. The default is 30 s.
	Patience time.Duration
	// Keep is how many published batches stay readable, 20 by default.
	Keep int
	// KeepDays is for how many days, up to that of the newest batch, the last batch of each
	// day in Santiago stays readable as well. The default is DefaultKeepDays. With 1, only the
	// newest Keep batches stay.
	KeepDays int
	// Freshness says by when the data of each dataset should be here, model.DefaultObjectives
	// by default.
	Freshness map[model.Dataset]model.Objective
	// Retry is the pause after a build that failed, 10 s by default.
	Retry time.Duration
	// Meter measures builds. By default nothing is measured.
	Meter build.Meter
	// Inspecting, if set, is called when an inspection of the tables begins. The function
	// that it returns is called when the findings are stored.
	Inspecting func() (stored func())
	// SweepEvery is the time between two sweeps, which drop what no kept batch needs. The
	// default is an hour. The first sweep comes after the start.
	SweepEvery time.Duration
	// FinerChunks makes the chunks of projections so many times smaller, so that a test has many of
	// them on a small market. The default is 1.
	FinerChunks uint32
	// Batches is where plans are written: an eventlog.Writer. The same topic must be among those that Consume
	// gets. Without it, the projector stores its plans itself, and no other copy may exist.
	Batches BatchLog
	// PlanFiles is how many files a plan has at most, so that a test needs few. The default is model.MaxPlanFiles.
	PlanFiles int
	// Copy is the name of this copy, if there are several: each has tables of its own, and all build the same
	// batches. Its form is that of store.CopyName.
	Copy string
	// Rules, if set, returns the sql.Rules of the programs that are in consumer groups, by the name of the group; ""
	// stands for rules that are not known. A copy asks it before it plans.
	Rules func(ctx context.Context, groups []string) (map[string][]string, error)
	// CopiesWait is how long after a copy has built a batch all copies begin to answer from it, so that others have
	// built it too. All copies must have the same. The default is DefaultCopiesWait. It means nothing without Copy.
	CopiesWait time.Duration
	// Now is the clock, time.Now by default. The clocks of copies must agree.
	Now func() time.Time
}

// DefaultKeepDays is the default of Config.KeepDays. docs/decisions/0046-known-at.md has what
// a kept batch costs.
const DefaultKeepDays = 35

func (c Config) withDefaults() Config {
	c.Quiet = cmp.Or(c.Quiet, 500*time.Millisecond)
	c.Patience = cmp.Or(c.Patience, 30*time.Second)
	c.Keep = cmp.Or(c.Keep, 20)
	c.KeepDays = cmp.Or(c.KeepDays, DefaultKeepDays)
	c.Retry = cmp.Or(c.Retry, 10*time.Second)
	c.Meter = cmp.Or(c.Meter, build.Meter(unmeasured{}))
	c.SweepEvery = cmp.Or(c.SweepEvery, time.Hour)
	c.PlanFiles = cmp.Or(c.PlanFiles, model.MaxPlanFiles)
	c.CopiesWait = cmp.Or(c.CopiesWait, DefaultCopiesWait)
	if c.Freshness == nil {
		c.Freshness = model.DefaultObjectives()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

type unmeasured struct{}

func (unmeasured) Built(string, float64)     {}
func (unmeasured) Projected(string, float64) {}

// Projector stores facts and publishes batches. Call New, Start and Stop in this order, and
// Consume in between with the messages of Kafka. Several may run on one database: all of
// them store facts, and the one that leads builds.
type Projector struct {
	config Config
	conn   driver.Conn
	log    zerolog.Logger
	now    func() time.Time

	consumer  *store.Consumer
	inspector *inspect.Inspector
	builder   *build.Builder // guarded by building
	building  sync.Mutex     // only one build at a time
	writes    hold           // everything that writes to the tables takes part
	arrived   chan struct{}  // holds a token if something was stored since the last look
	commands  chan struct{}  // holds a token if a command waits
	recorded  chan struct{}  // holds a token if something of the topic of batches was stored
	since     time.Time      // when a complete file began to wait for others; zero if none waits
	missing   time.Time      // when the next plan began to wait for files; zero if none waits
	mending   uint64         // the last plan that was made because of damage
	swept     bool           // a sweep has run since the start; only the loop uses it

	mu      sync.Mutex
	leads   bool
	abandon context.CancelFunc // ends the running step; nil if none runs

	trouble atomic.Pointer[error] // why the last step failed; nil if it succeeded
	refused atomic.Pointer[error] // why the last batch was refused; nil if it was published

	loop loop.Loop
}

// component is the beginning of the names of statements in ClickHouse's query log.
const component = "projector"

// New makes a Projector on a database whose tables package schema has made.
func New(config Config, conn driver.Conn, log zerolog.Logger) *Projector {
	config = config.withDefaults()
	conn = sql.Named(conn, component)
	p := &Projector{
		config:   config,
		consumer: store.New(conn, log, config.Now),
		writes:   newHold(),
		conn:     conn,
		log:      log,
		now:      config.Now,
		arrived:  make(chan struct{}, 1),
		commands: make(chan struct{}, 1),
		recorded: make(chan struct{}, 1),
	}
	p.inspector = inspect.New(inspect.Config{Settle: p.Settle, Inspecting: config.Inspecting, Now: config.Now}, conn,
		log)
	p.builder = build.New(build.Config{
		Keep: config.Keep, KeepDays: config.KeepDays, FinerChunks: config.FinerChunks, Meter: config.Meter,
		Copy: config.Copy, Agree: p.agree, Restarted: p.inspector.Restarted, Now: config.Now,
	}, conn, log)
	return p
}

// Lead makes this Projector the one that builds, or ends that. The consumer group decides
// by assigning the topic of manifests and commands. A Projector that no longer leads gives
// up the batch that it is building. A late call of Lead publishes nothing wrong: if two
// projectors build, the one that began last publishes, and the other fails with a
// build.SupersededError (docs/decisions/0038-several-projectors.md).
func (p *Projector) Lead(leads bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case leads && !p.leads:
		p.log.Info().Msg("this projector now builds the batches")
	case !leads && p.leads:
		p.log.Info().Msg("another projector now builds the batches")
	}
	p.leads = leads
	p.refused.Store(nil) // the one that leads says so
	if leads {
		p.noticeArrival()
	} else if p.abandon != nil {
		p.abandon()
	}
}

// Start begins to build batches in the background, while this Projector leads. The first
// batch has the files that an earlier run left complete and unpublished. It fails if ClickHouse
// can't be asked.
func (p *Projector) Start(ctx context.Context) error {
	if err := p.stateObjectives(ctx); err != nil {
		return fmt.Errorf("store by when data should be here: %w", err)
	}
	if err := p.beginProgress(ctx); err != nil {
		return err
	}
	p.noticeArrival()
	return p.loop.Start(p.run)
}

// stateObjectives stores the freshness objectives, so that everything that shows them reads
// the same.
func (p *Projector) stateObjectives(ctx context.Context) error {
	var rows [][]any
	for _, dataset := range model.Datasets {
		objective := p.config.Freshness[dataset]
		rows = append(rows, []any{string(dataset), objective.Period, objective.Days, p.now().UTC()})
	}
	return write.Rows(ctx, p.conn, sql.Insert("freshness_objective"), rows)
}

// Stop gives up the batch that is being built, of which nothing becomes visible. It returns
// when the loop has ended, and fails if ctx ends first.
func (p *Projector) Stop(ctx context.Context) error {
	if err := p.loop.Stop(ctx); err != nil {
		return fmt.Errorf("wait for the projector: %w", err)
	}
	return nil
}

// run waits until messages stop arriving, and builds a batch when a file has become
// complete or a command asks for one. Between builds it sweeps, so that dropping old data
// does not wait for the next published batch.
func (p *Projector) run(ctx context.Context) {
	watch := time.Tick(watchEvery)
	var look <-chan time.Time // fires when incomplete files may have become complete
	wait := leastLook
	waits := "" // why this copy builds no batch, as it was logged
	sweep := time.Tick(p.config.SweepEvery)
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch:
			// Another process of this copy may have stored a plan of another copy.
			if restarted, err := p.inspector.Restarted(ctx); err != nil || !restarted && p.config.Copy == "" {
				continue
			}
		case <-sweep:
			if err := p.lead(ctx, p.Sweep); err != nil && ctx.Err() == nil {
				p.log.Warn().Err(err).Msg(build.NotSwept)
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
		err := p.lead(ctx, p.step)
		p.noteTrouble(ctx, err)
		if err == nil {
			waits = ""
		}
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, errArriving):
			pause = p.config.Quiet
		case errors.Is(err, errIncomplete):
			look = time.After(wait)
			wait = min(2*wait, mostLook)
		case errors.As(err, new(build.SupersededError)):
			p.log.Warn().Err(err).Msg("another projector built a batch at the same time; trying again")
			pause = p.config.Retry + rand.N(p.config.Retry) // random, so that the two do not collide again
		case errors.Is(err, errOtherProgram), errors.Is(err, errPlanWaits), errors.Is(err, errApart),
			errors.Is(err, errYields), errors.Is(err, errUpgrade):
			if reason := err.Error(); reason != waits { // it is looked at every few seconds
				waits = reason
				p.log.Warn().Err(err).Msg("this copy builds no batch")
			}
			look = time.After(mostLook)
		case errors.Is(err, errFactsMissing):
			p.log.Error().Err(err).Msg("no batch can be built until the missing rows are restored")
		case build.Refused(err):
			p.log.Error().Err(err).Msg("the batch was refused; the next one is planned when files arrive or a command asks")
			if p.config.Copy != "" {
				p.noticeArrival() // this copy may plan a batch that mends it
			}
		default:
			p.log.Error().Err(err).Msg("could not build a batch; trying again")
			pause = p.config.Retry
		}
		if pause > 0 {
			if loop.Pause(ctx, pause) != nil {
				return
			}
			p.noticeArrival()
		}
	}
}

// watchEvery is how often to check whether ClickHouse was restarted or has set a part aside. The
// tables are inspected then.
const watchEvery = 5 * time.Second

// Another Projector may store the missing rows of a file, and does not notify this one. So
// run looks again after leastLook, and each time waits twice as long, up to mostLook.
const (
	leastLook = 2 * time.Second
	mostLook  = 30 * time.Second
)

// lead runs work if this Projector leads. It returns nil if the Projector does not lead, or
// stops leading meanwhile.
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
		p.log.Info().Err(err).Msg("another projector took over; the work in progress was cancelled")
		return nil
	}
	return err
}

// errArriving says that complete files wait for files that are still arriving.
var errArriving = errors.New("files are still arriving")

// awaitQuiet returns when nothing has arrived for Quiet, or after Patience.
func (p *Projector) awaitQuiet(ctx context.Context) {
	for patience := time.After(p.config.Patience); ; {
		select {
		case <-p.arrived:
			continue
		case <-time.After(p.config.Quiet):
		case <-patience:
		case <-ctx.Done():
		}
		return
	}
}

// errIncomplete says that manifests have arrived, but not all of the rows that they count.
var errIncomplete = errors.New("files are not complete")

// step finds the files that have become complete. It builds a batch if there are any, if a
// command asks for it, if the published batch was computed by other statements, if stored rows
// are damaged, or if this copy differs from the others.
func (p *Projector) step(ctx context.Context) error {
	if !p.swept { // once after the start, while this projector leads
		if err := p.Sweep(ctx); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.log.Warn().Err(err).Msg(build.NotSwept)
		}
		p.swept = true
	}
	// before anything that takes part in writes, which waits while a backup is made
	damage, err := p.inspector.Look(ctx)
	if err != nil {
		return err
	}
	for {
		if err := p.Settle(ctx); err != nil {
			return err
		}
		// Before the rest, which may be out of date once there is another plan, and is looked at again then.
		last, err := p.consumer.LastPlan(ctx)
		if err != nil {
			return err
		}
		commands, err := p.openCommands(ctx)
		if err != nil {
			return err
		}
		next, err := p.builder.OpenPlan(ctx)
		if err == nil && next.Number == 0 {
			next, err = p.planned(ctx, last, commands, damage)
		}
		if err == nil {
			err = p.awaitFiles(next)
		}
		if err == nil {
			err = p.yield(ctx, next)
		}
		if errors.Is(err, errYields) && slices.ContainsFunc(commands, pendingCommand.rebuilds) {
			next, err = p.planned(ctx, last, commands, damage) // a person need not wait
		}
		if err != nil || next.Number == 0 {
			return err
		}
		if _, err := p.buildPlan(ctx, next); err != nil {
			return errors.Join(err, p.finishCommands(ctx))
		}
		damage = inspect.Damage{} // the batch that was just published has none
	}
}

// openCommands returns the commands to build that no plan has. It finishes those whose plan is done, and carries out
// those to inspect.
func (p *Projector) openCommands(ctx context.Context) ([]pendingCommand, error) {
	if err := p.finishCommands(ctx); err != nil {
		return nil, err
	}
	commands, err := p.pendingCommands(ctx)
	if err != nil {
		return nil, err
	}
	return p.inspectAsAsked(ctx, commands)
}

// awaitFiles fails with errIncomplete while files of a plan have not arrived whole here, and names the plan after
// Patience. The only copy builds what it has: it has planned only files that it had, and those that have lost facts
// since then enter a later batch.
func (p *Projector) awaitFiles(plan build.Plan) error {
	if plan.Missing == 0 || p.config.Copy == "" {
		p.missing = time.Time{}
		return nil
	}
	if p.missing.IsZero() {
		p.missing = time.Now()
	}
	if time.Since(p.missing) < p.config.Patience {
		return errIncomplete
	}
	return fmt.Errorf("%w: plan %d has %d files that have not arrived whole here", errPlanWaits, plan.Number,
		plan.Missing)
}

// errPlanWaits says that this copy can't build the next plan.
var errPlanWaits = errors.New("this copy waits for files of a plan: if the log has lost their events, cuota repair or " +
	"cuota ingest publishes them again")

// planned plans a batch if files have become complete, if a command asks for it, if the published batch was
// computed by other statements, if stored rows are damaged, or if this copy differs from the others, and returns what
// to build then. Otherwise the number of the plan is 0. last is the last plan that was known before the commands were
// read.
func (p *Projector) planned(ctx context.Context, last store.LastPlan, commands []pendingCommand,
	damage inspect.Damage) (build.Plan, error) {
	work, err := p.builder.Unprojected(ctx)
	if err != nil {
		return build.Plan{}, err
	}
	files, err := p.unplanned(ctx)
	if err != nil {
		return build.Plan{}, err
	}
	foreign := last.Number > 0 && last.Rules != sql.Rules()
	// A plan of this copy for other statements will not be built any more: the program was replaced meanwhile.
	otherRules := work.OtherRules || foreign && last.Copy == p.config.Copy
	if foreign && !otherRules {
		return build.Plan{}, fmt.Errorf("%w: copy %s planned batch %d", errOtherProgram, last.Copy, last.Number)
	}
	// If a batch with every day built anew was refused, another one would be too. The one that mends damage is tried
	// once all the same.
	// A refused copy can't publish it, and would plan one after the other.
	apart, err := p.builder.Apart(ctx, 0)
	if err != nil {
		return build.Plan{}, err
	}
	damaged := damage.Anew() && apart.Since == 0
	mends := damaged && (!last.Hopeless || last.Number != p.mending)
	rebuild := mends || otherRules && !last.Hopeless || apart.Mendable
	if len(files) == 0 && !rebuild && len(commands) == 0 {
		if apart.Differs() {
			return build.Plan{}, fmt.Errorf("%w: %s", errApart, apart)
		}
		arriving, err := p.consumer.Arriving(ctx)
		if err == nil && arriving > 0 {
			err = errIncomplete
		}
		return build.Plan{}, err
	}
	if err := p.rulesAgree(ctx, last); err != nil { // before what follows is told
		return build.Plan{}, err
	}
	if damaged {
		p.log.Warn().Uint64("batch", damage.Batch).Str("damage",
			damage.String()).Msg("stored rows are damaged; rebuilding every day")
	}
	if otherRules {
		p.log.Info().Uint64("batch",
			work.Published).Msg("the published batch was computed by another version of the rules; rebuilding every day")
	}
	if len(commands) == 0 && !damaged {
		if err := p.awaitOthers(ctx); err != nil {
			return build.Plan{}, err
		}
	}
	p.since = time.Time{}
	if apart.Mendable {
		p.log.Error().Stringer("why", apart).Msg("this copy differs from the others; planning a batch with every day built " +
			"anew")
	}
	rebuild = rebuild || damaged
	if rebuild && p.config.Copy != "" && !slices.ContainsFunc(commands, pendingCommand.rebuilds) {
		commands = nil // the next plan has them, because nobody has asked for every day
	}
	ids := make([]string, len(commands))
	for i, command := range commands {
		rebuild = rebuild || command.Rebuild
		ids[i] = command.ID
	}
	planned, err := p.plan(ctx, ask{rebuild: rebuild, commands: ids, after: last.Number})
	if err != nil {
		return build.Plan{}, err
	}
	if damaged {
		p.mending = planned
	}
	return p.builder.OpenPlan(ctx)
}

// awaitOthers fails with errArriving while other files are arriving that could enter the
// same batch, for at most Patience.
func (p *Projector) awaitOthers(ctx context.Context) error {
	arriving, err := p.consumer.Arriving(ctx)
	if err != nil || arriving == 0 {
		return err
	}
	if p.since.IsZero() {
		p.since = time.Now()
	}
	if time.Since(p.since) < p.config.Patience {
		return errArriving
	}
	p.log.Warn().Uint64("files", arriving).Msg("some files have not arrived completely; building without them")
	return nil
}

// Settle records which files have become complete, which means that all rows counted by
// their manifest are stored. The next batch includes them.
func (p *Projector) Settle(ctx context.Context) error {
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("query the complete files: %w", err)
	}
	defer done()
	return p.consumer.Settle(ctx)
}

// errFactsMissing says that no batch can be built because facts of complete files are
// missing. Publishing the files again restores them.
var errFactsMissing = errors.New(
	"facts of complete files are missing; cuota repair restores them from the archive of raw files")

// Build plans a batch of all complete files, builds it after the plans before it, checks it and publishes it.
// It returns the number of the batch. If it fails, nothing of the batch becomes visible. It builds only the days
// that new files contain. It builds all days if rebuild is set, if stored rows are damaged, or if the published
// batch was computed by other statements than those of this program. It fails if facts of complete files are
// missing, if the checks find violations, or if another projector superseded the batch.
func (p *Projector) Build(ctx context.Context, rebuild bool) (uint64, error) {
	number, err := p.plan(ctx, ask{rebuild: rebuild, anyway: true})
	if err != nil {
		return 0, err
	}
	for {
		next, err := p.builder.OpenPlan(ctx)
		switch {
		case err != nil:
			return 0, err
		case next.Number == 0: // another projector has built it
			return p.batchOf(ctx, number)
		}
		batch, err := p.buildPlan(ctx, next)
		if next.Number >= number || err != nil && !build.Refused(err) {
			return batch, err
		}
	}
}

// buildPlan computes the batch of a plan, checks it and publishes it.
func (p *Projector) buildPlan(ctx context.Context, plan build.Plan) (uint64, error) {
	p.building.Lock()
	defer p.building.Unlock()
	started := p.now()
	// Look may inspect the tables, and the inspection takes part in p.writes itself. So
	// this must not hold p.writes here: both would wait for a Hold that waits for the build.
	if err := p.writes.wait(ctx); err != nil {
		return 0, fmt.Errorf("build a batch: %w", err)
	}
	damage, err := p.inspector.Look(ctx)
	switch {
	case err != nil:
		return 0, err
	case damage.FactsMissing():
		return 0, fmt.Errorf("%w: %s", errFactsMissing, damage)
	}
	done, err := p.writes.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("build a batch: %w", err)
	}
	defer done()
	batch, err := p.builder.Publish(ctx, plan, damage.Anew())
	if err != nil {
		return 0, err
	}
	p.refused.Store(nil)
	p.log.Info().Uint64("batch", batch).Uint64("plan", plan.Number).Dur("took_ms",
		p.now().Sub(started)).Msg("batch published")
	if err := p.builder.Sweep(ctx); err != nil && ctx.Err() == nil {
		// The batch is published. The next sweep drops what was not dropped now. It does so too if this one was broken
		// off because the program ends, which is no failure.
		p.log.Warn().Err(err).Msg("could not retire old batches")
	}
	return batch, nil
}

// Sweep drops what no kept batch needs: batches that are not kept, rows of batches that were
// never published, superseded days, and rejected rows beyond those that are kept. It waits
// while a batch is being built. Only the projector that leads may call it.
func (p *Projector) Sweep(ctx context.Context) error {
	p.building.Lock()
	defer p.building.Unlock()
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("drop rows that are no longer needed: %w", err)
	}
	defer done()
	return p.builder.Sweep(ctx)
}

// Inspect reads every part of every table, and compares the number of rows with the notes of the
// published batches. When it returns, its findings are in batch_damage, so that damaged batches
// are not answered from.
func (p *Projector) Inspect(ctx context.Context) (inspect.Damage, error) {
	return p.inspector.Inspect(ctx)
}

// Inspected reports whether the tables were inspected since ClickHouse started or set a part aside. Otherwise rows may
// be missing. It does not wait for an inspection.
func (p *Projector) Inspected(ctx context.Context) (bool, error) {
	return p.inspector.Inspected(ctx)
}

// Suspect makes the Projector inspect the tables before it builds. It is called when ClickHouse has
// ended.
func (p *Projector) Suspect() { p.inspector.Suspect() }

// LookAgain makes a started Projector check soon whether it must inspect or build anything.
func (p *Projector) LookAgain() { p.noticeArrival() }

func (p *Projector) noticeArrival() { token(p.arrived) }

// token puts a token into a channel that holds at most one.
func token(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}
