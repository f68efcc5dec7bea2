package projector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/model"
	"cuota/sql"
)

// maxAttempts bounds the rounds of giving out ids: each resolves all but the
// keys whose hash is taken, so that three are never seen.
const maxAttempts = 16

// registryScript is the projection that runs until nothing waits for an id.
const registryScript = "registry"

// chunkedScripts are the projections that run once for each chunk of days or
// months, so that their memory does not grow with history and nothing is done where
// there is none, each with the query that cuts the chunks.
var chunkedScripts = map[string]string{
	"market_day":       "market_chunks",
	"family_day":       "market_chunks",
	"family_long_step": "market_chunks",
	"manager_day":      "market_chunks",
	"series_month":     "month_chunks",
	"risk_month":       "risk_months",
}

// optionalScripts are the projections that have nothing to do in most batches,
// each with the query that tells whether it has.
var optionalScripts = map[string]string{
	"series_rename":     "renames_stated",
	"series_label":      "renames_stated",
	"day_build_renamed": "renames_stated",
}

// cutoffScript is the projection after which the cutoff is known.
const cutoffScript = "day"

// daysScript is the projection after which it is known which days are built.
const daysScript = "day_build_renamed"

// violationError says that a built batch did not pass its checks. Building it
// again from the same facts would not help.
type violationError struct {
	batch      uint64
	violations []string
}

func (e violationError) Error() string {
	return fmt.Sprintf("batch %d did not pass its checks and was not published: %s", e.batch, strings.Join(e.violations, "; "))
}

// Build computes a batch from the facts of all complete files, checks it and
// publishes it. It returns the number of the batch. Nothing of a batch that fails
// is ever visible. Only the days that new files speak of are built, unless rebuild
// is set or the published batch was computed by other statements than ours.
func (p *Projector) Build(ctx context.Context, rebuild bool) (uint64, error) {
	p.building.Lock()
	defer p.building.Unlock()

	started := p.now()
	work, err := p.unprojected(ctx)
	if err != nil {
		return 0, err
	}
	var number uint64
	if err := p.conn.QueryRow(ctx, sql.Query("next_batch")).Scan(&number); err != nil {
		return 0, fmt.Errorf("number the batch: %w", err)
	}
	if err := p.insert(ctx, sql.Insert("batch_attempt"), [][]any{{number, started.UTC()}}); err != nil {
		return 0, fmt.Errorf("begin batch %d: %w", number, err)
	}
	if err := p.buildBatch(ctx, number, work.published, rebuild || work.otherRules); err != nil {
		// The reason is worth keeping even when the caller has given up.
		noted := p.insert(context.WithoutCancel(ctx), sql.Insert("batch_failure"), [][]any{{number, p.now().UTC(), err.Error()}})
		return 0, errors.Join(err, noted)
	}
	p.log.Info().Uint64("batch", number).Dur("took_ms", p.now().Sub(started)).Msg("batch published")
	if err := p.retire(ctx); err != nil {
		// The batch stands; what is left over is retired with the next one.
		p.log.Warn().Err(err).Msg("could not retire old batches")
	}
	return number, nil
}

// unprojected is what waits to be projected.
type unprojected struct {
	published  uint64 // the last published batch, 0 before the first
	files      uint64 // complete files that it does not hold
	otherRules bool   // it was computed by other statements than those of this program
}

func (p *Projector) unprojected(ctx context.Context) (unprojected, error) {
	var found unprojected
	var rules string
	if err := p.conn.QueryRow(ctx, sql.Query("unprojected_sources")).Scan(&found.published, &found.files, &rules); err != nil {
		return unprojected{}, fmt.Errorf("look for files to project: %w", err)
	}
	found.otherRules = found.published != 0 && rules != sql.Rules()
	return found, nil
}

func (p *Projector) buildBatch(ctx context.Context, number, previous uint64, rebuild bool) error {
	today := model.DateOf(p.now().In(p.santiago))
	values := clickhouse.Parameters{
		"batch":    strconv.FormatUint(number, 10),
		"previous": strconv.FormatUint(previous, 10),
		"rebuild":  strconv.FormatBool(rebuild),
		"as_of":    today.String(), // until the cutoff is known; stays where there is none
		"attempt":  "0",
	}
	if err := p.projectAll(ctx, number, values); err != nil {
		return err
	}
	begun := time.Now()
	if err := p.check(ctx, number, values); err != nil {
		return err
	}
	p.tellTook(number, "checks", begun)
	values["calculation_date"] = today.String()
	values["rules"] = sql.Rules()
	values["calculated_at"] = p.now().UTC().Format("2006-01-02 15:04:05.000")
	if err := p.conn.Exec(bind(ctx, values), sql.Query("publish")); err != nil {
		return fmt.Errorf("publish batch %d: %w", number, err)
	}
	return nil
}

// manyDays is from how many built days on a batch runs one statement at a time:
// each may then take as much memory as there is for all.
const manyDays = 40

// projectAll runs every projection, and puts the cutoff among the values as soon
// as it is known.
func (p *Projector) projectAll(ctx context.Context, number uint64, values clickhouse.Parameters) error {
	var mu sync.Mutex // guards values
	var atOnce atomic.Int64
	atOnce.Store(sideBySide)
	return inOrder(ctx, steps(), atOnce.Load, func(ctx context.Context, s step) error {
		begun := time.Now()
		mu.Lock()
		own := maps.Clone(values)
		mu.Unlock()
		if err := p.project(ctx, s.Script, own); err != nil {
			return fmt.Errorf("batch %d, projection %s: %w", number, s.Name, err)
		}
		p.tellTook(number, s.Name, begun)
		switch s.Name {
		case daysScript:
			var days uint64
			if err := p.conn.QueryRow(bind(ctx, own), sql.Query("days_building")).Scan(&days); err != nil {
				return fmt.Errorf("batch %d, count the days to build: %w", number, err)
			}
			if days >= manyDays {
				atOnce.Store(1)
			}
		case cutoffScript:
			var cutoff *time.Time
			if err := p.conn.QueryRow(bind(ctx, own), sql.Query("cutoff")).Scan(&cutoff); err != nil {
				return fmt.Errorf("batch %d, cutoff: %w", number, err)
			}
			if cutoff != nil {
				mu.Lock()
				values["as_of"] = model.DateOf(*cutoff).String()
				mu.Unlock()
			}
		}
		return nil
	})
}

// tellTook notes how long a part of a batch took, beside others.
func (p *Projector) tellTook(number uint64, part string, begun time.Time) {
	p.log.Debug().Uint64("batch", number).Str("projection", part).Dur("took_ms", time.Since(begun)).Msg("projected")
}

// project runs one projection.
func (p *Projector) project(ctx context.Context, projection sql.Script, values clickhouse.Parameters) error {
	if projection.Name == registryScript {
		return p.register(ctx, projection, values)
	}
	if query, optional := optionalScripts[projection.Name]; optional {
		var wanted bool
		if err := p.conn.QueryRow(bind(ctx, values), sql.Query(query)).Scan(&wanted); err != nil {
			return fmt.Errorf("ask whether there is anything to do: %w", err)
		}
		if !wanted {
			return nil
		}
	}
	if query, chunked := chunkedScripts[projection.Name]; chunked {
		return p.projectChunks(ctx, projection, query, values)
	}
	return p.conn.Exec(bind(ctx, values), projection.Text)
}

// projectChunks runs a projection chunk by chunk, as the query cuts them.
func (p *Projector) projectChunks(ctx context.Context, projection sql.Script, query string, values clickhouse.Parameters) error {
	var chunks []struct {
		First time.Time `ch:"first_day"`
		Last  time.Time `ch:"last_day"`
	}
	if err := p.conn.Select(bind(ctx, values), &chunks, sql.Query(query)); err != nil {
		return fmt.Errorf("cut the days into chunks: %w", err)
	}
	for _, chunk := range chunks {
		values["from"], values["to"] = model.DateOf(chunk.First).String(), model.DateOf(chunk.Last).String()
		if err := p.conn.Exec(bind(ctx, values), projection.Text); err != nil {
			return fmt.Errorf("days %s to %s: %w", values["from"], values["to"], err)
		}
	}
	return nil
}

// register gives out ids, in as many rounds as it takes: none on most days.
func (p *Projector) register(ctx context.Context, projection sql.Script, values clickhouse.Parameters) error {
	for attempt := range maxAttempts {
		var waiting uint64
		if err := p.conn.QueryRow(bind(ctx, values), sql.Query("unregistered")).Scan(&waiting); err != nil {
			return err
		}
		if waiting == 0 {
			return nil
		}
		values["attempt"] = strconv.Itoa(attempt)
		if err := p.conn.Exec(bind(ctx, values), projection.Text); err != nil {
			return err
		}
	}
	return fmt.Errorf("keys still wait for an id after %d attempts", maxAttempts)
}

func (p *Projector) check(ctx context.Context, number uint64, values clickhouse.Parameters) error {
	var violations []string
	for _, check := range sql.Checks() {
		rows, err := p.conn.Query(bind(ctx, values), check.Text)
		if err != nil {
			return fmt.Errorf("batch %d, check %s: %w", number, check.Name, err)
		}
		for rows.Next() {
			var violation string
			if err := rows.Scan(&violation); err != nil {
				return errors.Join(fmt.Errorf("batch %d, check %s: %w", number, check.Name, err), rows.Close())
			}
			violations = append(violations, check.Name+": "+violation)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return fmt.Errorf("batch %d, check %s: %w", number, check.Name, err)
		}
	}
	if len(violations) > 0 {
		return violationError{number, violations}
	}
	return nil
}

// bind attaches the parameters that a statement may name.
func bind(ctx context.Context, values clickhouse.Parameters) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithParameters(values))
}
