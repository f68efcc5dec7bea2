package projector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/projector/store"
	"cuota/sql"
)

// errUpgrade says that an upgrade of the copies has begun and not ended.
var errUpgrade = errors.New("copies run programs with different rules, so this one plans no batch: run the same version in " +
	"all copies")

// askRules bounds how long to ask for the rules of other copies.
const askRules = 3 * time.Second

// rulesAgree fails with errUpgrade if a batch that is planned now could not be built by every copy that runs. So while
// copies are upgraded one after the other, all of them go on answering from the last batch. A copy that was left behind
// by an upgrade is not waited for.
func (p *Projector) rulesAgree(ctx context.Context, last store.LastPlan) error {
	if p.config.Copy == "" || p.config.Rules == nil {
		return nil
	}
	known, err := sql.Select[struct {
		Copies map[string]uint64 `ch:"copies"` // the last plan that each has built
		Rules  map[string]uint64 `ch:"rules"`  // the last plan by each
	}](ctx, p.conn, "copies_and_rules", clickhouse.Parameters{"copy": p.config.Copy}, "query the other copies")
	if err != nil {
		return err
	}
	built, planned := known[0].Copies, known[0].Rules // the query returns one row
	if len(built) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(built))
	groups := make([]string, len(names))
	for i, name := range names {
		groups[i] = GroupOf(name)
	}
	current := last.Rules == sql.Rules()
	within, cancel := context.WithTimeout(ctx, askRules)
	defer cancel()
	running, err := p.config.Rules(within, groups)
	switch {
	case err == nil:
	case current && ctx.Err() == nil: // most likely nobody upgrades anything, and a broker is away
		p.log.Warn().Err(err).Msg("the rules of other copies are not known; planning all the same")
		return nil
	default:
		return fmt.Errorf("ask which rules other copies have, which this copy must know before it plans by new rules: %w", err)
	}
	var others []string
	for i, name := range names {
		if slices.ContainsFunc(running[groups[i]], func(rules string) bool {
			// A copy that has built plans by later rules than it runs now is being put back.
			leftBehind := current && built[name] <= planned[rules]
			return rules != sql.Rules() && !leftBehind
		}) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("%w; these run other rules than this one: %s", errUpgrade, strings.Join(others, ", "))
	}
	return nil
}
