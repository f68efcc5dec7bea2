package build

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/sql"
)

// Plan is what a batch consists of. Its files are in the table batch_plan.
type Plan struct {
	Number    uint64    `ch:"number"`
	PlannedAt time.Time `ch:"planned_at"` // the batch is computed as of this moment
	Rebuild   bool      `ch:"rebuild"`    // build every day anew
	Commanded bool      `ch:"commanded"`  // somebody asked for it
	Followed  bool      `ch:"followed"`   // there is a later plan
	Missing   uint64    `ch:"missing"`    // its files that have not arrived whole
}

// OpenPlan returns the plan to build next, for the statements of this program. Its number is 0 if there is none. Copies
// build one plan after the other, so that all have the same batches. The only copy builds the newest, which has the
// files of those before it.
func (b *Builder) OpenPlan(ctx context.Context) (Plan, error) {
	found, err := sql.Select[Plan](ctx, b.conn, "open_plan", clickhouse.Parameters{"rules": sql.Rules(),
		"newest": strconv.FormatBool(b.config.Copy == "")}, "query the plan to build")
	if err != nil || len(found) == 0 {
		return Plan{}, err
	}
	return found[0], nil
}

// Sum is a checksum over the rows that a batch wrote to a table.
type Sum struct {
	Table    string
	Checksum uint64
}

// DiffersError says that a batch was not published, because another copy announced other rows for the same plan
// before.
type DiffersError struct {
	Plan   uint64
	Copy   string   // that was first
	Tables []string // whose rows differ
}

// Error names the tables that differ.
func (e DiffersError) Error() string {
	return fmt.Sprintf("plan %d was not published: copy %s built other rows of %s; cuota copies shows all that differ, and "+
		"cuota copies diff the rows", e.Plan, e.Copy, strings.Join(e.Tables, ", "))
}

// ApartError says that a plan was not built, because this copy does not have the rows of the others: a plan before
// it was refused here, a larger group of copies contradicts the published one, or the published batch was computed by
// other rules. It would come to other rows again, and if it announced them first, the others would not publish theirs.
type ApartError struct {
	Plan  uint64
	Apart Apart // zero if the rules differ
}

// Error says what to do.
func (e ApartError) Error() string {
	why := "its published batch was computed by other rules"
	if e.Apart.Differs() {
		why = e.Apart.String()
	}
	return fmt.Sprintf("plan %d was not built, because this copy differs from the others: %s; find the rows with cuota "+
		"copies diff; cuota rebuild builds every day anew", e.Plan, why)
}

// Apart says whether this copy differs from the others. The zero value says that it does not.
type Apart struct {
	Since    uint64 `ch:"since"`    // the last plan that was refused here and that another copy has built; 0: none
	Outvoted uint64 `ch:"outvoted"` // the last published plan for which more copies announced other rows; 0: none
	Heard    bool   `ch:"heard"`    // another copy has announced its rows of the plan in question
	Mendable bool   `ch:"mendable"` // a batch with every day built anew may help
}

// Differs reports whether this copy differs from the others.
func (a Apart) Differs() bool { return a.Since > 0 || a.Outvoted > 0 }

// String says in which plan the copy differs.
func (a Apart) String() string {
	if a.Outvoted > 0 {
		return fmt.Sprintf("more copies announced other rows for plan %d, which is published here", a.Outvoted)
	}
	return fmt.Sprintf("it came to other rows in plan %d", a.Since)
}

// Apart asks whether this copy differs from the others, and whether another one has announced a plan. A database
// without a name of a copy does not differ.
func (b *Builder) Apart(ctx context.Context, plan uint64) (Apart, error) {
	if b.config.Copy == "" {
		return Apart{}, nil
	}
	found, err := sql.Select[Apart](ctx, b.conn, "apart", clickhouse.Parameters{"copy": b.config.Copy,
		"plan": strconv.FormatUint(plan, 10), "now": b.now().UTC().Format(InstantLayout)},
		"query whether this copy differs from the others")
	if err != nil {
		return Apart{}, err
	}
	return found[0], nil // the query always returns one row
}

// Waits reports whether a copy that was refused must not build a plan before another one has announced it. The first
// announcement counts, so wrong rows would stop the others. A person who asks for the plan decides that the rows of
// any copy are right.
func (p Plan) Waits(apart Apart) bool {
	return p.Rebuild && !p.Commanded && apart.Since > 0 && !apart.Heard
}

// Refused reports whether a batch must not be published. Building it again from the same facts does not help.
func Refused(err error) bool {
	return errors.As(err, new(ViolationError)) || errors.As(err, new(DiffersError)) || errors.As(err, new(ApartError))
}

// comparable fails with an ApartError if what this copy would write for a plan can't be that of the others. anew says
// that it builds every day anew because rows are damaged.
func (b *Builder) comparable(ctx context.Context, plan Plan, work Work, anew bool) error {
	if b.config.Copy == "" {
		return nil
	}
	if work.OtherRules && !plan.Rebuild && !anew {
		return ApartError{Plan: plan.Number}
	}
	apart, err := b.Apart(ctx, plan.Number)
	if err != nil {
		return err
	}
	if apart.Differs() && !plan.Rebuild || plan.Waits(apart) {
		return ApartError{Plan: plan.Number, Apart: apart}
	}
	return nil
}

// agree returns the moment as of which the batch is published. It is after that of the batch before.
func (b *Builder) agree(ctx context.Context, number uint64, plan Plan, mend bool, after time.Time) (time.Time, error) {
	var wrote []Sum
	// If only this copy builds every day anew, because its rows are damaged, it writes more than the others do.
	if b.config.Copy != "" && (!mend || plan.Rebuild) {
		var err error
		if wrote, err = b.wrote(ctx, number); err != nil {
			return time.Time{}, err
		}
	}
	return b.config.Agree(ctx, plan.Number, wrote, after)
}

// wrote sums up the rows that a batch wrote to each table. Lists of what a batch builds are left out, because they
// depend on what earlier batches of this copy had built.
func (b *Builder) wrote(ctx context.Context, number uint64) ([]Sum, error) {
	var sums []Sum
	for _, kind := range []struct{ tables, query string }{
		{sql.TablesOfBatches, "batch_sum"}, {sql.TablesOfDays, "build_sum"},
	} {
		tables, err := sql.BuiltTables(ctx, b.conn, kind.tables)
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			if strings.HasSuffix(table.Name, "_version") {
				continue
			}
			values := clickhouse.Parameters{"batch": strconv.FormatUint(number, 10), "table": table.Name}
			sum := Sum{Table: table.Name}
			var rows uint64
			if err := b.conn.QueryRow(sql.WithParameters(ctx, values), sql.Query(kind.query)).Scan(&rows,
				&sum.Checksum); err != nil {
				return nil, fmt.Errorf("sum up %s of batch %d: %w", table.Name, number, err)
			}
			sums = append(sums, sum)
		}
	}
	return sums, nil
}
