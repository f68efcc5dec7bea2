package build

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/internal/santiago"
	"cuota/model"
	"cuota/projector/write"
	"cuota/sql"
)

// Config configures a Builder. No field has a default.
type Config struct {
	// Keep is how many published batches stay readable.
	Keep int
	// KeepDays is for how many days, up to that of the newest batch, the last batch of each
	// day in Santiago stays readable as well.
	KeepDays int
	// FinerChunks makes the chunks of projections so many times smaller. The least is 1, and
	// mostFiner the most.
	FinerChunks uint32
	// Meter measures builds.
	Meter Meter
	// Copy is the name of this copy; empty if it is the only one. With a name, what a batch wrote is summed up for
	// Agree.
	Copy string
	// Agree announces that a batch is built and checked, and returns the moment as of which it is published, after a
	// given one. All copies have the same moment. It fails with a DiffersError if another copy built the batch
	// first, and built something else.
	Agree func(ctx context.Context, plan uint64, wrote []Sum, after time.Time) (time.Time, error)
	// Restarted reports whether rows may be missing that were there when the tables were last
	// inspected. A batch that was built meanwhile is not published.
	Restarted func(context.Context) (bool, error)
	// Now is the clock.
	Now func() time.Time
}

// Builder builds batches. Only one call of its methods may run at a time, except Unprojected, OpenPlan and Apart,
// which only read.
type Builder struct {
	config   Config
	conn     driver.Conn
	log      zerolog.Logger
	now      func() time.Time
	failures [][]any // rows of batch_failure that could not be stored yet
}

// New makes a Builder for the tables of a database.
func New(config Config, conn driver.Conn, log zerolog.Logger) *Builder {
	return &Builder{config: config, conn: conn, log: log, now: config.Now}
}

// maxAttempts limits the rounds of giving out ids. A round gives an id to every key, except
// those whose hash is already the id of another key. More than two rounds never occur in
// practice.
const maxAttempts = 16

// ViolationError says that a batch did not pass its checks. Building it again from the same
// facts does not help.
type ViolationError struct {
	Batch      uint64
	violations []string
}

// Error lists the violations.
func (e ViolationError) Error() string {
	return fmt.Sprintf("batch %d failed its checks and was not published: %s", e.Batch,
		strings.Join(e.violations, "; "))
}

// SupersededError says that a batch was not published, because meanwhile another projector
// began or published a newer one.
type SupersededError struct {
	batch, newest, published uint64
}

// Error names the batches of the other projector.
func (e SupersededError) Error() string {
	return fmt.Sprintf("batch %d was not published: another projector has begun batch %d, and batch %d is published",
		e.batch, e.newest, e.published)
}

// Publish computes the batch of a plan, checks it and publishes it. It returns the number of the
// batch. If it fails, nothing of the batch becomes visible. It builds only the days that new files
// contain. It builds all days if the plan says so, if mend is set because stored rows are damaged, or
// if the published batch was computed by other statements than those of this program. It fails with a
// ViolationError, a DiffersError, an ApartError or a SupersededError, or if a statement fails.
func (b *Builder) Publish(ctx context.Context, plan Plan, mend bool) (uint64, error) {
	// Before the attempt is noted: a build that kills ClickHouse each time shows why all the
	// while.
	if err := b.noteFailures(ctx); err != nil {
		b.log.Warn().Err(err).Msg("could not store why earlier batches failed; the next build tries again")
	}
	number, err := b.claim(ctx, plan.Number)
	if err != nil {
		return 0, err
	}
	if err := write.Rows(ctx, b.conn, sql.Insert("plan_attempt"), [][]any{{plan.Number, number}}); err != nil {
		return 0, fmt.Errorf("note that batch %d is begun for plan %d: %w", number, plan.Number, err)
	}
	begun := time.Now()
	err = b.buildBatch(ctx, number, plan, mend)
	b.config.Meter.Built(resultOf(err), time.Since(begun).Seconds())
	if err != nil {
		// The reason is stored even if ctx has ended.
		reason := err.Error()
		if ctx.Err() != nil {
			reason = "interrupted: the projector was stopped, or another projector took over"
		}
		b.failures = append(b.failures, []any{number, b.now().UTC(), reason, Refused(err)})
		return 0, errors.Join(err, b.noteFailures(context.WithoutCancel(ctx)))
	}
	return number, nil
}

// noteFailures stores the reasons of failed builds. A reason that can't be stored, because the
// build has killed ClickHouse, is kept for the next call.
func (b *Builder) noteFailures(ctx context.Context) error {
	if len(b.failures) == 0 {
		return nil
	}
	if err := write.Rows(ctx, b.conn, sql.Insert("batch_failure"), b.failures); err != nil {
		b.failures = b.failures[max(0, len(b.failures)-mostFailures):]
		return fmt.Errorf("store why the batch failed: %w", err)
	}
	b.failures = nil
	return nil
}

// mostFailures is how many reasons wait at most to be stored.
const mostFailures = 16

// maxClaims limits how often claim tries another number because another projector took the
// same one.
const maxClaims = 16

// claim takes a batch number that is greater than all earlier ones and that no other
// projector has, for a plan that is still open. Each projector inserts its claim before it counts the claims of the
// number. If two take the same number, at least the later one therefore counts two claims,
// and takes another number.
func (b *Builder) claim(ctx context.Context, plan uint64) (number uint64, err error) {
	for range maxClaims {
		if err := b.conn.QueryRow(ctx, sql.Query("next_batch")).Scan(&number); err != nil {
			return 0, fmt.Errorf("choose the number of the batch: %w", err)
		}
		if err := write.Rows(ctx, b.conn, sql.Insert("batch_attempt"),
			[][]any{{number, b.now().UTC(), rand.Text()}}); err != nil {
			return 0, fmt.Errorf("start batch %d: %w", number, err)
		}
		found, err := b.attempts(ctx, number)
		if err != nil {
			return 0, err
		}
		if found.Plan >= plan { // another projector has built it since this one looked
			return 0, SupersededError{number, found.Newest, found.Published}
		}
		if found.Claims == 1 {
			return number, nil
		}
	}
	return 0, fmt.Errorf("other projectors chose the same batch number, %d times in a row", maxClaims)
}

// attempts compares a batch with all batches that were begun.
type attempts struct {
	Claims    uint64 `ch:"claims"`
	Newest    uint64 `ch:"newest"`
	Published uint64 `ch:"published"`
	Plan      uint64 `ch:"plan"`
}

func (b *Builder) attempts(ctx context.Context, number uint64) (attempts, error) {
	values := clickhouse.Parameters{"batch": strconv.FormatUint(number, 10)}
	found, err := sql.Select[attempts](ctx, b.conn, "attempts", values, "query other batches than "+values["batch"])
	if err != nil {
		return attempts{}, err
	}
	return found[0], nil // the query always returns one row
}

// Work is what a new batch would contain.
type Work struct {
	Published  uint64 // the last published batch; 0 if there is none
	Files      uint64 // complete files that the published batch does not include
	OtherRules bool   // the published batch was computed by other statements than those of this program
	// PublishedAt is the newest moment at which a batch was published; before 1971 if none is.
	PublishedAt time.Time
}

// Unprojected returns what a new batch would contain.
func (b *Builder) Unprojected(ctx context.Context) (Work, error) {
	var found Work
	var rules string
	if err := b.conn.QueryRow(ctx, sql.Query("unprojected_files")).Scan(&found.Published, &found.Files,
		&rules, &found.PublishedAt); err != nil {
		return Work{}, fmt.Errorf("query the files to project: %w", err)
	}
	found.OtherRules = found.Published != 0 && rules != sql.Rules()
	return found, nil
}

func (b *Builder) buildBatch(ctx context.Context, number uint64, plan Plan, mend bool) error {
	today := model.DateOf(plan.PlannedAt.In(santiago.Zone))
	values := clickhouse.Parameters{
		"batch":   strconv.FormatUint(number, 10),
		"plan":    strconv.FormatUint(plan.Number, 10),
		"now":     b.now().UTC().Format(InstantLayout),
		"as_of":   today.String(), // until the cutoff is known, and if there is none
		"attempt": "0",
	}
	// This comes before the published batch is read. If another projector publishes a batch
	// after this point, then that batch is not noted as failed, or this batch is not
	// published.
	if err := b.conn.Exec(sql.WithParameters(ctx, values), sql.Query("note_interrupted")); err != nil {
		return fmt.Errorf("batch %d, record interrupted batches as failed: %w", number, err)
	}
	work, err := b.Unprojected(ctx)
	if err != nil {
		return err
	}
	if err := b.comparable(ctx, plan, work, mend); err != nil {
		return err
	}
	if _, err := b.mend(ctx, number); err != nil {
		return err
	}
	// Also here, so that builds which fail repeatedly do not leave rows.
	if err := b.dropAbandoned(ctx); err != nil {
		b.log.Warn().Err(err).Msg(NotSwept)
	}
	values["previous"] = strconv.FormatUint(work.Published, 10)
	values["rebuild"] = strconv.FormatBool(plan.Rebuild || mend || work.OtherRules)
	values["finer"] = strconv.FormatUint(uint64(min(max(1, b.config.FinerChunks), mostFiner)), 10)
	if err := b.projectAll(ctx, number, values); err != nil {
		return b.orSuperseded(ctx, number, work.Published, err)
	}
	begun := time.Now()
	if err := b.check(ctx, number, values); err != nil {
		return b.orSuperseded(ctx, number, work.Published, err)
	}
	b.tellTook(number, "checks", begun)
	if err := b.note(ctx, values); err != nil {
		return fmt.Errorf("batch %d: %w", number, err)
	}
	published, err := b.agree(ctx, number, plan, mend, work.PublishedAt)
	if err != nil {
		return fmt.Errorf("batch %d: %w", number, err)
	}
	values["calculation_date"] = today.String()
	values["rules"] = sql.Rules()
	values["calculated_at"] = published.UTC().Format(InstantLayout)
	if err := b.conn.Exec(sql.WithParameters(ctx, values), sql.Query("publish")); err != nil {
		return fmt.Errorf("publish batch %d: %w", number, err)
	}
	return b.confirm(ctx, number, work.Published)
}

// InstantLayout is the form in which a UTC instant is bound to a DateTime64(3).
const InstantLayout = "2006-01-02 15:04:05.000"

// mend deletes what two projectors leave when they build at the same time, and reports
// whether it found anything. It finds nothing if only one projector builds.
func (b *Builder) mend(ctx context.Context, number uint64) (bool, error) {
	var mendable uint64
	var failures, ids string
	if err := b.conn.QueryRow(ctx, sql.Query("mendable")).Scan(&mendable, &failures, &ids); err != nil {
		return false, fmt.Errorf("batch %d, query duplicates that two projectors left: %w", number, err)
	}
	if mendable == 0 {
		return false, nil
	}
	b.log.Warn().Uint64("rows", mendable).Str("ids", ids).Str("failures",
		failures).Msg("two projectors built batches at the same time; deleting duplicate ids, and failures recorded " +
		"for published batches")
	return true, b.deleteListed(ctx, sql.DoubledGarbage(), clickhouse.Parameters{"failures": failures, "ids": ids})
}

// confirm fails if the batch that was just inserted is not published.
func (b *Builder) confirm(ctx context.Context, number, previous uint64) error {
	var kept uint64
	if err := b.conn.QueryRow(sql.WithParameters(ctx, clickhouse.Parameters{"batch": strconv.FormatUint(number, 10)}),
		sql.Query("batch_published")).Scan(&kept); err != nil {
		return fmt.Errorf("query whether batch %d is published: %w", number, err)
	}
	if kept == 1 {
		return nil
	}
	return b.orSuperseded(ctx, number, previous,
		fmt.Errorf("batch %d was inserted without an error, but is not published", number))
}

// orSuperseded returns a SupersededError if another projector is the cause of a failure, else
// the failure. If two projectors gave out ids at the same time, the checks may find
// violations in correct facts. It then deletes those ids and returns another error, so that
// the batch is built again.
func (b *Builder) orSuperseded(ctx context.Context, number, previous uint64, failed error) error {
	if ctx.Err() != nil {
		return failed
	}
	found, err := b.attempts(ctx, number)
	if err != nil {
		return errors.Join(failed, err)
	}
	if found.Newest > number || found.Published != previous {
		return SupersededError{number, found.Newest, found.Published}
	}
	if errors.As(failed, new(ViolationError)) {
		mended, err := b.mend(ctx, number)
		if err != nil || mended {
			return errors.Join(fmt.Errorf("another projector assigned ids at the same time: %s", failed), err)
		}
	}
	return failed
}

// note records how many rows each table has for the batch, and makes the second copy of the
// ids. It fails if ClickHouse was restarted or has set a part aside since the tables were
// inspected, because rows may have been missing while the batch was built.
func (b *Builder) note(ctx context.Context, values clickhouse.Parameters) error {
	if err := b.conn.Exec(ctx, sql.Query("copy_registry")); err != nil {
		return fmt.Errorf("copy the registry: %w", err)
	}
	var since uint64
	if err := b.conn.QueryRow(ctx, sql.Query("noted_since")).Scan(&since); err != nil {
		return fmt.Errorf("query which batch last recorded its row counts: %w", err)
	}
	values = maps.Clone(values)
	values["since"] = strconv.FormatUint(since, 10)
	if err := b.conn.Exec(sql.WithParameters(ctx, values), sql.Query("note_tables")); err != nil {
		return fmt.Errorf("record the row counts of the tables: %w", err)
	}
	switch changed, err := b.config.Restarted(ctx); {
	case err != nil:
		return err
	case changed:
		return errRestarted
	}
	return nil
}

// errRestarted says that a batch may have been built from tables that were not inspected.
var errRestarted = errors.New("ClickHouse was restarted, or detached a broken part, while the batch was built")

// manyRows is the number of stated rows from which a batch runs one statement at a time: about 40 days of
// 3,000 series. Each statement may then use all of the allowed memory.
const manyRows = 120_000

// mostFiner is how many times smaller chunks can be. The queries that list chunks divide the number of
// rows of a chunk by it, at least 200,000, and divide by the result.
const mostFiner = 20_000

// projectAll runs every projection. Later projections get the parameters that earlier ones
// set.
func (b *Builder) projectAll(ctx context.Context, number uint64, values clickhouse.Parameters) error {
	list, err := sql.Projections()
	if err != nil {
		return err
	}
	var mu sync.Mutex // guards values
	var atOnce atomic.Int64
	atOnce.Store(sideBySide)
	progress := progress{batch: number, of: len(list)}
	return inOrder(ctx, list, atOnce.Load, func(ctx context.Context, s sql.Projection) error {
		begun := time.Now()
		mu.Lock()
		own := maps.Clone(values)
		mu.Unlock()
		if err := b.project(ctx, s, own); err != nil {
			return fmt.Errorf("batch %d, projection %s: %w", number, s.Name, err)
		}
		b.tellTook(number, s.Name, begun)
		b.noteDone(ctx, &progress)
		if s.Counts != "" {
			var rows uint64
			if err := b.conn.QueryRow(sql.WithParameters(ctx, own), sql.Query(s.Counts)).Scan(&rows); err != nil {
				return fmt.Errorf("batch %d, query the number of rows to build: %w", number, err)
			}
			if rows >= manyRows {
				atOnce.Store(1)
			}
		}
		if s.Sets != "" {
			var day *time.Time
			if err := b.conn.QueryRow(sql.WithParameters(ctx, own), sql.Query(s.Sets)).Scan(&day); err != nil {
				return fmt.Errorf("batch %d, find %s: %w", number, s.Sets, err)
			}
			if day != nil {
				mu.Lock()
				values[s.Sets] = model.DateOf(*day).String()
				mu.Unlock()
			}
		}
		return nil
	})
}

// tellTook measures and logs how long a part of a batch took. Other parts may have run at
// the same time.
func (b *Builder) tellTook(number uint64, part string, begun time.Time) {
	took := time.Since(begun)
	b.config.Meter.Projected(part, took.Seconds())
	b.log.Debug().Uint64("batch", number).Str("projection", part).Dur("took_ms", took).Msg("projected")
}

// project runs one projection.
func (b *Builder) project(ctx context.Context, projection sql.Projection, values clickhouse.Parameters) error {
	ctx = write.Spilling(ctx)
	if projection.When != "" {
		var wanted bool
		if err := b.conn.QueryRow(sql.WithParameters(ctx, values),
			sql.Query(projection.When)).Scan(&wanted); err != nil {
			return fmt.Errorf("query whether the projection has anything to do: %w", err)
		}
		if !wanted {
			return nil
		}
	}
	switch {
	case projection.Until != "":
		return b.projectRounds(ctx, projection, values)
	case projection.Chunks != "":
		return b.projectChunks(ctx, projection, values)
	}
	return b.conn.Exec(sql.WithParameters(ctx, values), projection.Text)
}

// projectChunks runs a projection once for each chunk of days, months or series.
func (b *Builder) projectChunks(ctx context.Context, projection sql.Projection, values clickhouse.Parameters) error {
	var chunks []struct {
		First string `ch:"first"`
		Last  string `ch:"last"`
	}
	if err := b.conn.Select(sql.WithParameters(ctx, values), &chunks, sql.Query(projection.Chunks)); err != nil {
		return fmt.Errorf("split the work into chunks: %w", err)
	}
	for _, chunk := range chunks {
		values["from"], values["to"] = chunk.First, chunk.Last
		if err := b.conn.Exec(sql.WithParameters(ctx, values), projection.Text); err != nil {
			return fmt.Errorf("chunk %s to %s: %w", chunk.First, chunk.Last, err)
		}
	}
	return nil
}

// projectRounds runs a projection in as many rounds as needed. Most days need none.
func (b *Builder) projectRounds(ctx context.Context, projection sql.Projection, values clickhouse.Parameters) error {
	if values["rebuild"] == "true" {
		values["previous"] = "0" // looks at the keys of all files, because the ids of older batches may be lost
	}
	for attempt := range maxAttempts {
		var left uint64
		if err := b.conn.QueryRow(sql.WithParameters(ctx, values),
			sql.Query(projection.Until)).Scan(&left); err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
		values["attempt"] = strconv.Itoa(attempt)
		if err := b.conn.Exec(sql.WithParameters(ctx, values), projection.Text); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is not 0 after %d attempts", projection.Until, maxAttempts)
}

func (b *Builder) check(ctx context.Context, number uint64, values clickhouse.Parameters) error {
	var violations []string
	for _, check := range sql.Checks() {
		found, err := sql.SelectValues[string](sql.WithParameters(ctx, values), b.conn, check.Text)
		if err != nil {
			return fmt.Errorf("batch %d, check %s: %w", number, check.Name, err)
		}
		for _, violation := range found {
			violations = append(violations, check.Name+": "+violation)
		}
	}
	if len(violations) > 0 {
		return ViolationError{number, violations}
	}
	return nil
}
