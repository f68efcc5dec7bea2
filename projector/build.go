package projector

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

	"cuota/internal/santiago"
	"cuota/model"
	"cuota/sql"
)

// maxAttempts limits the rounds of giving out ids. A round gives an id to every key, except
// those whose hash is already the id of another key. More than two rounds never occur in
// practice.
const maxAttempts = 16

// violationError says that a batch did not pass its checks. Building it again from the same
// facts does not help.
type violationError struct {
	batch      uint64
	violations []string
}

func (e violationError) Error() string {
	return fmt.Sprintf("batch %d failed its checks and was not published: %s", e.batch, strings.Join(e.violations, "; "))
}

// supersededError says that a batch was not published, because meanwhile another projector
// began or published a newer one.
type supersededError struct {
	batch, newest, published uint64
}

func (e supersededError) Error() string {
	return fmt.Sprintf("batch %d was not published: another projector has begun batch %d, and batch %d is published", e.batch, e.newest, e.published)
}

// Build computes a batch from the facts of all complete files, checks it and publishes it.
// It returns the number of the batch. If it fails, nothing of the batch becomes visible. It
// builds only the days that new files contain. It builds all days if rebuild is set, if
// stored rows are damaged, or if the published batch was computed by other statements than
// those of this program. It fails if facts of complete files are missing, if the checks
// find violations, or if another projector superseded the batch.
func (p *Projector) Build(ctx context.Context, rebuild bool) (uint64, error) {
	p.building.Lock()
	defer p.building.Unlock()
	started := p.now()
	// look may inspect the tables, and the inspection takes part in p.writes itself. So
	// Build must not hold p.writes here: both would wait for a Hold that waits for Build.
	if err := p.writes.wait(ctx); err != nil {
		return 0, fmt.Errorf("build a batch: %w", err)
	}
	damage, err := p.look(ctx)
	switch {
	case err != nil:
		return 0, err
	case damage.factsMissing():
		return 0, fmt.Errorf("%w: %s", errFactsMissing, damage)
	}
	done, err := p.writes.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("build a batch: %w", err)
	}
	defer done()

	// Before the attempt is noted: a build that kills ClickHouse each time shows why all the
	// while.
	if err := p.noteFailures(ctx); err != nil {
		p.log.Warn().Err(err).Msg("could not store why earlier batches failed; the next build tries again")
	}
	rebuild = rebuild || damage.anew
	number, err := p.claim(ctx)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	err = p.buildBatch(ctx, number, rebuild)
	p.config.Meter.Built(resultOf(err), time.Since(begun).Seconds())
	if err != nil {
		// The reason is stored even if ctx has ended.
		reason := err.Error()
		if ctx.Err() != nil {
			reason = "interrupted: the projector was stopped, or another projector took over"
		}
		p.failures = append(p.failures, []any{number, p.now().UTC(), reason, errors.As(err, new(violationError))})
		return 0, errors.Join(err, p.noteFailures(context.WithoutCancel(ctx)))
	}
	p.log.Info().Uint64("batch", number).Dur("took_ms", p.now().Sub(started)).Msg("batch published")
	if err := p.retire(ctx); err != nil {
		// The batch is published. The next sweep drops what was not dropped now.
		p.log.Warn().Err(err).Msg("could not retire old batches")
	}
	return number, nil
}

// noteFailures stores the reasons of failed builds. A reason that can't be stored, because the
// build has killed ClickHouse, is kept for the next call. The caller holds p.building.
func (p *Projector) noteFailures(ctx context.Context) error {
	if len(p.failures) == 0 {
		return nil
	}
	if err := p.insert(ctx, sql.Insert("batch_failure"), p.failures); err != nil {
		p.failures = p.failures[max(0, len(p.failures)-mostFailures):]
		return fmt.Errorf("store why the batch failed: %w", err)
	}
	p.failures = nil
	return nil
}

// mostFailures is how many reasons wait at most to be stored.
const mostFailures = 16

// maxClaims limits how often claim tries another number because another projector took the
// same one.
const maxClaims = 16

// claim takes a batch number that is greater than all earlier ones and that no other
// projector has. Each projector inserts its claim before it counts the claims of the
// number. If two take the same number, at least the later one therefore counts two claims,
// and takes another number.
func (p *Projector) claim(ctx context.Context) (number uint64, err error) {
	for range maxClaims {
		if err := p.conn.QueryRow(ctx, sql.Query("next_batch")).Scan(&number); err != nil {
			return 0, fmt.Errorf("choose the number of the batch: %w", err)
		}
		if err := p.insert(ctx, sql.Insert("batch_attempt"), [][]any{{number, p.now().UTC(), rand.Text()}}); err != nil {
			return 0, fmt.Errorf("start batch %d: %w", number, err)
		}
		found, err := p.attempts(ctx, number)
		if err != nil {
			return 0, err
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
}

func (p *Projector) attempts(ctx context.Context, number uint64) (attempts, error) {
	values := clickhouse.Parameters{"batch": strconv.FormatUint(number, 10)}
	found, err := sql.Select[attempts](ctx, p.conn, "attempts", values, "query other batches than "+values["batch"])
	if err != nil {
		return attempts{}, err
	}
	return found[0], nil // the query always gives one row
}

// unprojected says what a new batch would contain.
type unprojected struct {
	published  uint64 // the last published batch; 0 if there is none
	files      uint64 // complete files that the published batch does not include
	otherRules bool   // the published batch was computed by other statements than those of this program
}

func (p *Projector) unprojected(ctx context.Context) (unprojected, error) {
	var found unprojected
	var rules string
	if err := p.conn.QueryRow(ctx, sql.Query("unprojected_files")).Scan(&found.published, &found.files, &rules); err != nil {
		return unprojected{}, fmt.Errorf("query the files to project: %w", err)
	}
	found.otherRules = found.published != 0 && rules != sql.Rules()
	return found, nil
}

func (p *Projector) buildBatch(ctx context.Context, number uint64, rebuild bool) error {
	today := model.DateOf(p.now().In(santiago.Zone))
	values := clickhouse.Parameters{
		"batch":   strconv.FormatUint(number, 10),
		"now":     p.now().UTC().Format(instantLayout),
		"as_of":   today.String(), // until the cutoff is known, and if there is none
		"attempt": "0",
	}
	// This comes before the published batch is read. If another projector publishes a batch
	// after this point, then that batch is not noted as failed, or this batch is not
	// published.
	if err := p.conn.Exec(bind(ctx, values), sql.Query("note_interrupted")); err != nil {
		return fmt.Errorf("batch %d, record interrupted batches as failed: %w", number, err)
	}
	work, err := p.unprojected(ctx)
	if err != nil {
		return err
	}
	if _, err := p.mend(ctx, number); err != nil {
		return err
	}
	// Also here, so that builds which fail repeatedly do not leave rows.
	if err := p.dropAbandoned(ctx); err != nil {
		p.log.Warn().Err(err).Msg(notSwept)
	}
	values["previous"] = strconv.FormatUint(work.published, 10)
	values["rebuild"] = strconv.FormatBool(rebuild || work.otherRules)
	values["finer"] = strconv.FormatUint(uint64(min(max(1, p.config.FinerChunks), mostFiner)), 10)
	if err := p.projectAll(ctx, number, values); err != nil {
		return p.orSuperseded(ctx, number, work.published, err)
	}
	begun := time.Now()
	if err := p.check(ctx, number, values); err != nil {
		return p.orSuperseded(ctx, number, work.published, err)
	}
	p.tellTook(number, "checks", begun)
	if err := p.note(ctx, values); err != nil {
		return fmt.Errorf("batch %d: %w", number, err)
	}
	values["calculation_date"] = today.String()
	values["rules"] = sql.Rules()
	values["calculated_at"] = p.now().UTC().Format(instantLayout)
	if err := p.conn.Exec(bind(ctx, values), sql.Query("publish")); err != nil {
		return fmt.Errorf("publish batch %d: %w", number, err)
	}
	return p.confirm(ctx, number, work.published)
}

// instantLayout is the form in which a UTC instant is bound to a DateTime64(3).
const instantLayout = "2006-01-02 15:04:05.000"

// mend deletes what two projectors leave when they build at the same time, and tells
// whether it found anything. It finds nothing if only one projector builds.
func (p *Projector) mend(ctx context.Context, number uint64) (bool, error) {
	var mendable uint64
	var failures, ids string
	if err := p.conn.QueryRow(ctx, sql.Query("mendable")).Scan(&mendable, &failures, &ids); err != nil {
		return false, fmt.Errorf("batch %d, query duplicates that two projectors left: %w", number, err)
	}
	if mendable == 0 {
		return false, nil
	}
	p.log.Warn().Uint64("rows", mendable).Str("ids", ids).Str("failures", failures).Msg("two projectors built batches at the same time; deleting duplicate ids, and failures recorded for published batches")
	return true, p.deleteListed(ctx, sql.DoubledGarbage(), clickhouse.Parameters{"failures": failures, "ids": ids})
}

// confirm fails if the batch that was just inserted is not published.
func (p *Projector) confirm(ctx context.Context, number, previous uint64) error {
	var kept uint64
	if err := p.conn.QueryRow(bind(ctx, clickhouse.Parameters{"batch": strconv.FormatUint(number, 10)}), sql.Query("batch_published")).Scan(&kept); err != nil {
		return fmt.Errorf("query whether batch %d is published: %w", number, err)
	}
	if kept == 1 {
		return nil
	}
	return p.orSuperseded(ctx, number, previous, fmt.Errorf("batch %d was inserted without an error, but is not published", number))
}

// orSuperseded returns a supersededError if another projector is the cause of a failure, else
// the failure. If two projectors gave out ids at the same time, the checks may find
// violations in correct facts. It then deletes those ids and gives another error, so that
// the batch is built again.
func (p *Projector) orSuperseded(ctx context.Context, number, previous uint64, failed error) error {
	if ctx.Err() != nil {
		return failed
	}
	found, err := p.attempts(ctx, number)
	if err != nil {
		return errors.Join(failed, err)
	}
	if found.Newest > number || found.Published != previous {
		return supersededError{number, found.Newest, found.Published}
	}
	if errors.As(failed, new(violationError)) {
		mended, err := p.mend(ctx, number)
		if err != nil || mended {
			return errors.Join(fmt.Errorf("another projector assigned ids at the same time: %s", failed), err)
		}
	}
	return failed
}

// note records how many rows each table has for the batch, and makes the second copy of the
// ids. It fails if ClickHouse was restarted or has set a part aside since the tables were
// inspected, because rows may have been missing while the batch was built.
func (p *Projector) note(ctx context.Context, values clickhouse.Parameters) error {
	if err := p.conn.Exec(ctx, sql.Query("copy_registry")); err != nil {
		return fmt.Errorf("copy the registry: %w", err)
	}
	var since uint64
	if err := p.conn.QueryRow(ctx, sql.Query("noted_since")).Scan(&since); err != nil {
		return fmt.Errorf("query which batch last recorded its row counts: %w", err)
	}
	values = maps.Clone(values)
	values["since"] = strconv.FormatUint(since, 10)
	if err := p.conn.Exec(bind(ctx, values), sql.Query("note_tables")); err != nil {
		return fmt.Errorf("record the row counts of the tables: %w", err)
	}
	switch changed, err := p.restarted(ctx); {
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
func (p *Projector) projectAll(ctx context.Context, number uint64, values clickhouse.Parameters) error {
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
		if err := p.project(ctx, s, own); err != nil {
			return fmt.Errorf("batch %d, projection %s: %w", number, s.Name, err)
		}
		p.tellTook(number, s.Name, begun)
		p.noteDone(ctx, &progress)
		if s.Counts != "" {
			var rows uint64
			if err := p.conn.QueryRow(bind(ctx, own), sql.Query(s.Counts)).Scan(&rows); err != nil {
				return fmt.Errorf("batch %d, query the number of rows to build: %w", number, err)
			}
			if rows >= manyRows {
				atOnce.Store(1)
			}
		}
		if s.Sets != "" {
			var day *time.Time
			if err := p.conn.QueryRow(bind(ctx, own), sql.Query(s.Sets)).Scan(&day); err != nil {
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
func (p *Projector) tellTook(number uint64, part string, begun time.Time) {
	took := time.Since(begun)
	p.config.Meter.Projected(part, took.Seconds())
	p.log.Debug().Uint64("batch", number).Str("projection", part).Dur("took_ms", took).Msg("projected")
}

// project runs one projection.
func (p *Projector) project(ctx context.Context, projection sql.Projection, values clickhouse.Parameters) error {
	ctx = spilling(ctx)
	if projection.When != "" {
		var wanted bool
		if err := p.conn.QueryRow(bind(ctx, values), sql.Query(projection.When)).Scan(&wanted); err != nil {
			return fmt.Errorf("query whether the projection has anything to do: %w", err)
		}
		if !wanted {
			return nil
		}
	}
	switch {
	case projection.Until != "":
		return p.projectRounds(ctx, projection, values)
	case projection.Chunks != "":
		return p.projectChunks(ctx, projection, values)
	}
	return p.conn.Exec(bind(ctx, values), projection.Text)
}

// projectChunks runs a projection once for each chunk of days, months or series.
func (p *Projector) projectChunks(ctx context.Context, projection sql.Projection, values clickhouse.Parameters) error {
	var chunks []struct {
		First string `ch:"first"`
		Last  string `ch:"last"`
	}
	if err := p.conn.Select(bind(ctx, values), &chunks, sql.Query(projection.Chunks)); err != nil {
		return fmt.Errorf("split the work into chunks: %w", err)
	}
	for _, chunk := range chunks {
		values["from"], values["to"] = chunk.First, chunk.Last
		if err := p.conn.Exec(bind(ctx, values), projection.Text); err != nil {
			return fmt.Errorf("chunk %s to %s: %w", chunk.First, chunk.Last, err)
		}
	}
	return nil
}

// projectRounds runs a projection in as many rounds as needed. Most days need none.
func (p *Projector) projectRounds(ctx context.Context, projection sql.Projection, values clickhouse.Parameters) error {
	if values["rebuild"] == "true" {
		values["previous"] = "0" // looks at the keys of all files, because the ids of older batches may be lost
	}
	for attempt := range maxAttempts {
		var left uint64
		if err := p.conn.QueryRow(bind(ctx, values), sql.Query(projection.Until)).Scan(&left); err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
		values["attempt"] = strconv.Itoa(attempt)
		if err := p.conn.Exec(bind(ctx, values), projection.Text); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is not 0 after %d attempts", projection.Until, maxAttempts)
}

func (p *Projector) check(ctx context.Context, number uint64, values clickhouse.Parameters) error {
	var violations []string
	for _, check := range sql.Checks() {
		found, err := oneColumn[string](bind(ctx, values), p.conn, check.Text)
		if err != nil {
			return fmt.Errorf("batch %d, check %s: %w", number, check.Name, err)
		}
		for _, violation := range found {
			violations = append(violations, check.Name+": "+violation)
		}
	}
	if len(violations) > 0 {
		return violationError{number, violations}
	}
	return nil
}

// bind attaches the parameters of a statement. Parameters that the statement does not name
// are ignored.
func bind(ctx context.Context, values clickhouse.Parameters) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithParameters(values))
}
