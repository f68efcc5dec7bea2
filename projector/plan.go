package projector

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/segmentio/kafka-go"

	"cuota/model"
	"cuota/projector/build"
	"cuota/sql"
)

// BatchLog writes messages to a topic, and returns when they are acknowledged.
type BatchLog interface {
	Write(ctx context.Context, topic string, messages []kafka.Message) error
}

// record makes a plan, or what this copy has built, known to every copy.
func (p *Projector) record(ctx context.Context, record model.BatchRecord) error {
	value, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode a message about a batch: %w", err)
	}
	message := kafka.Message{Topic: model.BatchesTopic, Value: value}
	if p.config.Batches == nil {
		return p.consumePlans(ctx, []kafka.Message{message})
	}
	return p.config.Batches.Write(ctx, model.BatchesTopic, []kafka.Message{{Value: value}})
}

// consumePlans stores messages of the topic of batches. It takes no part in p.writes, because a build waits for
// such messages, and a Hold waits for the build. A copy of the tables is consistent all the same: a plan without a
// batch is built later.
func (p *Projector) consumePlans(ctx context.Context, messages []kafka.Message) error {
	if _, err := p.consumer.Consume(ctx, messages); err != nil {
		return err
	}
	token(p.recorded)
	if p.config.Copy != "" { // else it is this projector that has written them
		p.noticeArrival()
	}
	return nil
}

// errUnread says that a message about a batch was written and did not come back.
var errUnread = errors.New("a message of the topic " + model.BatchesTopic + " was written and is not read: " +
	"does the projector read the topic?")

// readBack is how long a message that was written to the topic of batches may take until it is stored here.
const readBack = 30 * time.Second

// lookForRecords is how often to look for a message that another process of this copy may have stored.
const lookForRecords = 50 * time.Millisecond

// await waits until look finds what a message of the topic of batches says.
func (p *Projector) await(ctx context.Context, look func(context.Context) (bool, error)) error {
	within, cancel := context.WithTimeoutCause(ctx, readBack, errUnread)
	defer cancel()
	tick := time.Tick(lookForRecords)
	for {
		if found, err := look(within); found || err != nil {
			return err
		}
		select {
		case <-p.recorded:
		case <-tick:
		case <-within.Done():
			return context.Cause(within)
		}
	}
}

// errOtherProgram says that the last plan is for other statements than those of this program, and of another copy.
var errOtherProgram = errors.New("another copy plans batches by other rules, so its program is of another version: " +
	"run the same version here")

// errApart says that this copy waits for a person.
var errApart = errors.New("this copy differs from the others and builds no batch: find the rows with cuota copies diff, " +
	"mend what they come from, and run cuota rebuild")

// errYields says that this copy waits for the others.
var errYields = errors.New("this copy came to other rows than the others, so it builds no batch before them; if no other " +
	"copy runs any more, cuota rebuild lets it be first")

// yield fails if this copy must not build a plan before another one has announced it, so that it looks again later. If
// there are later plans, the build itself refuses the plan.
func (p *Projector) yield(ctx context.Context, plan build.Plan) error {
	if !plan.Rebuild || plan.Followed {
		return nil
	}
	apart, err := p.builder.Apart(ctx, plan.Number)
	if err == nil && plan.Waits(apart) {
		err = fmt.Errorf("%w: %s; it waits until another copy has built plan %d", errYields, apart, plan.Number)
	}
	return err
}

// unplanned returns the complete files that the next plan must have, in the order of publication.
func (p *Projector) unplanned(ctx context.Context) ([]string, error) {
	values := clickhouse.Parameters{"most": strconv.Itoa(p.config.PlanFiles)}
	files, err := sql.SelectValues[string](sql.WithParameters(ctx, values), p.conn, sql.Query("unplanned_files"))
	if err != nil {
		return nil, fmt.Errorf("query the files to plan: %w", err)
	}
	return files, nil
}

// ask is what a batch is planned for, beside new files.
type ask struct {
	rebuild  bool     // build every day anew
	commands []string // ids of the commands to carry out
	after    uint64   // the last plan that was known when this was decided
	anyway   bool     // plan a batch after whatever plan is the last one
}

// plan plans a batch of all complete files that must be planned, and returns the number of the plan. It writes the plan
// to the log and waits until it comes back. If another copy has planned something meanwhile, that comes first. Then it
// returns 0, so that the caller looks again what is left to do, or plans anew if it must plan anyway. Commands wait
// for the last of several plans.
func (p *Projector) plan(ctx context.Context, asked ask) (uint64, error) {
	if err := p.awaitMoment(ctx); err != nil {
		return 0, err
	}
	// No backup begins meanwhile: it could count the row of the plan without having copied it.
	done, err := p.writes.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("plan a batch: %w", err)
	}
	defer done()
	for {
		last, err := p.consumer.LastPlan(ctx)
		if err != nil {
			return 0, err
		}
		if last.Number != asked.after && !asked.anyway {
			return 0, nil
		}
		files, err := p.unplanned(ctx)
		if err != nil {
			return 0, err
		}
		plan := model.BatchPlan{
			Number: last.Next, ID: rand.Text(), Previous: last.Number, PlannedAt: p.now().UnixMilli(), Files: files,
			Rebuild: asked.rebuild, Rules: sql.Rules(), Commands: asked.commands, Copy: p.config.Copy,
		}
		if len(files) == p.config.PlanFiles { // there may be more
			plan.Commands = nil
		}
		if err := p.rulesAgree(ctx, last); err != nil { // an upgrade may have begun meanwhile
			return 0, err
		}
		if err := p.record(ctx, model.BatchRecord{Plan: &plan}); err != nil {
			return 0, fmt.Errorf("write plan %d: %w", plan.Number, err)
		}
		known := last
		err = p.await(ctx, func(ctx context.Context) (found bool, err error) {
			known, err = p.consumer.LastPlan(ctx)
			return known.Number > last.Number, err
		})
		switch {
		case err != nil:
			return 0, fmt.Errorf("wait for plan %d: %w", plan.Number, err)
		case known.ID == plan.ID:
			return plan.Number, nil
		case !asked.anyway:
			return 0, nil
		}
	}
}

// batchOf returns the number of the batch that a plan led to.
func (p *Projector) batchOf(ctx context.Context, plan uint64) (batch uint64, err error) {
	values := clickhouse.Parameters{"plan": strconv.FormatUint(plan, 10)}
	if err := p.conn.QueryRow(sql.WithParameters(ctx, values), sql.Query("batch_of_plan")).Scan(&batch); err != nil {
		return 0, fmt.Errorf("query the batch of plan %d: %w", plan, err)
	}
	if batch == 0 {
		return 0, fmt.Errorf("plan %d led to no batch", plan)
	}
	return batch, nil
}

// agree announces that this copy has built a plan, and returns the moment at which servers begin to answer from the
// batch: the one that the first copy announced, in all copies. It fails with a build.DiffersError if the first copy
// that summed up its rows wrote other ones.
func (p *Projector) agree(ctx context.Context, plan uint64, wrote []build.Sum, after time.Time) (time.Time, error) {
	built := model.BatchBuilt{Plan: plan, Copy: p.config.Copy}
	for _, sum := range wrote {
		built.Tables = append(built.Tables, sum.Table)
		built.Checksums = append(built.Checksums, sum.Checksum)
	}
	if err := p.announce(ctx, &built, after); err != nil {
		return time.Time{}, fmt.Errorf("announce that plan %d is built: %w", plan, err)
	}
	if p.config.Copy == "" { // nobody else can be first
		return time.UnixMilli(built.BuiltAt), nil
	}
	var said []builtBy
	err := p.await(ctx, func(ctx context.Context) (found bool, err error) {
		said, err = sql.Select[builtBy](ctx, p.conn, "plan_built",
			clickhouse.Parameters{"plan": strconv.FormatUint(plan, 10)}, "query who has built a plan")
		return slices.ContainsFunc(said, func(by builtBy) bool { return len(wrote) == 0 || len(by.Tables) > 0 }), err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("wait until plan %d is known to be built: %w", plan, err)
	}
	for _, other := range said {
		if len(other.Tables) == 0 { // it summed nothing up
			continue
		}
		if tables := differing(other, built); len(tables) > 0 {
			return time.Time{}, build.DiffersError{Plan: plan, Copy: other.Copy, Tables: tables}
		}
		break
	}
	if ahead := said[0].BuiltAt.Sub(p.now()); ahead > 2*p.config.CopiesWait {
		p.log.Error().Str("copy", said[0].Copy).Uint64("plan", plan).Dur("ahead_ms", ahead).Msg("the clock of the first " +
			"copy that built this batch is ahead: servers begin to answer from the batch only after ahead_ms; set the " +
			"clocks of all machines")
	}
	return said[0].BuiltAt, nil
}

// announce writes what this copy has built to the log, with a moment after the given one. If there are other copies,
// the moment is CopiesWait from now, and a message that is not acknowledged soon is followed by one with a later
// moment.
func (p *Projector) announce(ctx context.Context, built *model.BatchBuilt, after time.Time) error {
	for {
		at, limit := p.now(), ctx
		var cancel context.CancelFunc = func() {}
		if p.config.Copy != "" {
			at = at.Add(p.config.CopiesWait)
			limit, cancel = context.WithTimeout(ctx, p.announceWithin())
		}
		if !at.After(after) {
			at = after.Add(time.Millisecond)
		}
		built.BuiltAt = at.UnixMilli()
		err := p.record(limit, model.BatchRecord{Built: built})
		cancel()
		if err == nil || limit.Err() == nil || ctx.Err() != nil {
			return err
		}
		p.log.Warn().Err(err).Uint64("plan", built.Plan).Msg("Kafka has not acknowledged that a batch is built; " +
			"announcing it again")
	}
}

// builtBy is what a copy that has built a plan says of it.
type builtBy struct {
	Copy      string    `ch:"copy"`
	BuiltAt   time.Time `ch:"built_at"`
	Tables    []string  `ch:"tables"`
	Checksums []uint64  `ch:"checksums"`
}

// differing returns the tables of which two copies announced different checksums. A copy that announced none can't
// be compared.
func differing(first builtBy, built model.BatchBuilt) (tables []string) {
	if len(first.Tables) == 0 || len(built.Tables) == 0 {
		return nil
	}
	sums := make(map[string]uint64, len(first.Tables))
	for i, table := range first.Tables {
		sums[table] = first.Checksums[i]
	}
	for i, table := range built.Tables {
		if sum, known := sums[table]; !known || sum != built.Checksums[i] {
			tables = append(tables, table)
		}
		delete(sums, table)
	}
	for table := range sums {
		tables = append(tables, table)
	}
	slices.Sort(tables)
	return tables
}
