package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/segmentio/kafka-go"

	"cuota/model"
	"cuota/sql"
)

// builtRow is what a copy said of a batch, and the place of the message in the topic.
type builtRow struct {
	Plan      uint64   `ch:"plan"`
	Place     uint64   `ch:"place"`
	Copy      string   `ch:"copy"`
	BuiltAt   int64    `ch:"built_at"`
	Tables    []string `ch:"tables"`
	Checksums []uint64 `ch:"checksums"`
}

// CopyName is the form of the name of a copy.
var CopyName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// LastPlan is the last plan that is known here.
type LastPlan struct {
	Number   uint64 `ch:"last"` // 0: there is none
	ID       string `ch:"id"`
	Rules    string `ch:"rules"`    // of the statements to compute it with
	Copy     string `ch:"copy"`     // that planned it
	Hopeless bool   `ch:"hopeless"` // since the published batch, one with every day built anew was refused here
	Next     uint64 `ch:"next"`     // the lowest number that the next plan may have
}

// LastPlan returns the last plan that is known here.
func (c *Consumer) LastPlan(ctx context.Context) (LastPlan, error) {
	found, err := sql.Select[LastPlan](ctx, c.conn, "last_plan", clickhouse.Parameters{"rules": sql.Rules()},
		"query the last plan")
	if err != nil {
		return LastPlan{}, err
	}
	return found[0], nil // the query always returns one row
}

// consumePlans stores which plans there are and what copies say of their batches. Of several plans that were made
// at the same time, the first one in the topic counts. The others are passed over, because their authors did not
// know it. Every copy decides this alike, since all of them read the messages in the same order.
func (c *Consumer) consumePlans(ctx context.Context, messages []kafka.Message) error {
	last, err := c.LastPlan(ctx)
	if err != nil {
		return err
	}
	var plans, built, refused []row
	for _, message := range messages {
		var record model.BatchRecord
		err := json.Unmarshal(message.Value, &record)
		switch plan := record.Plan; {
		case err != nil:
			refused = append(refused, refusedRow(message, fmt.Errorf("decode: %w", err), c.now()))
		case plan != nil && validPlan(plan, last.Number):
			if plan.Number <= last.Number || plan.Previous < last.Number {
				c.log.Debug().Uint64("plan", plan.Number).Str("copy",
					plan.Copy).Msg("passed over a plan that is known, or whose author did not know the last one")
				continue
			}
			if plan.Previous > last.Number {
				c.log.Error().Uint64("plan", plan.Number).Uint64("known", last.Number).Uint64("missing",
					plan.Previous).Msg("plans are missing between these two: the topic was cut, or this copy " +
					"was restored from an old backup")
			}
			plans = append(plans, planRows.row(*plan))
			last.Number = plan.Number
		case record.Built != nil && validBuilt(record.Built, last.Number):
			b := record.Built
			built = append(built, builtRows.row(builtRow{
				b.Plan, uint64(message.Offset), b.Copy, b.BuiltAt, b.Tables, b.Checksums,
			}))
		default:
			refused = append(refused, refusedRow(message, errors.New("neither a plan nor what a copy has built"),
				c.now()))
		}
	}
	if err := c.insert(ctx, planRows, plans); err != nil {
		return err
	}
	if err := c.insert(ctx, builtRows, built); err != nil {
		return err
	}
	return c.refuse(ctx, refused)
}

// Bounds of messages, so that none of them can stop what follows.
const (
	maxGap    = 1 << 20       // between the numbers of two plans
	maxSums   = 1000          // checksums of a message: one for each table that batches fill
	maxMoment = 4102444800000 // Unix ms: the year 2100. Every reader decides alike, whatever its clock says
)

func validPlan(plan *model.BatchPlan, last uint64) bool {
	for _, file := range plan.Files {
		if !isHash(file) {
			return false
		}
	}
	return plan.Number > plan.Previous && plan.Number-plan.Previous <= maxGap && plan.Previous <= last+maxGap &&
		validMoment(plan.PlannedAt) && len(plan.Files) <= model.MaxPlanFiles &&
		len(plan.Commands) <= model.MaxPlanCommands && isHash(plan.Rules) && len(plan.ID) <= maxID &&
		validCopy(plan.Copy)
}

// validBuilt refuses what is said of a plan that does not exist yet.
func validBuilt(built *model.BatchBuilt, last uint64) bool {
	return built.Plan > 0 && built.Plan <= last && validMoment(built.BuiltAt) &&
		len(built.Tables) == len(built.Checksums) && len(built.Tables) <= maxSums && validCopy(built.Copy)
}

func validMoment(moment int64) bool { return moment > 0 && moment < maxMoment }

func validCopy(name string) bool { return name == "" || CopyName.MatchString(name) }
