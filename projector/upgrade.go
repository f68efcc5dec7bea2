package projector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/projector/store"
	"cuota/sql"
)

// errUpgrade says that an upgrade of the copies has begun and not ended.
var errUpgrade = errors.New("copies run programs with different rules, so none plans a batch, and all answer from the " +
	"last one: run the same version in all copies")

// askRules bounds how long to ask for the rules of other copies.
const askRules = 3 * time.Second

// rulesAgree fails with errUpgrade if a batch that is planned now could not be built by every copy that runs. While
// copies are upgraded one after the other, all of them go on answering from the last batch. Rules by which there are
// plans, but not the last one, are those of a program that was left behind: it waits, and others do not wait for it.
func (p *Projector) rulesAgree(ctx context.Context, last store.LastPlan) error {
	if p.config.Copy == "" || p.config.Rules == nil {
		return nil
	}
	known, err := sql.Select[struct {
		Copies []string `ch:"copies"`
		Rules  []string `ch:"rules"`
	}](ctx, p.conn, "copies_and_rules", clickhouse.Parameters{"copy": p.config.Copy}, "query the other copies")
	if err != nil {
		return err
	}
	copies, past := known[0].Copies, known[0].Rules // the query returns one row
	if len(copies) == 0 {
		return nil
	}
	groups := make([]string, len(copies))
	for i, name := range copies {
		groups[i] = GroupOf(name)
	}
	current := last.Rules == sql.Rules()
	within, cancel := context.WithTimeout(ctx, askRules)
	defer cancel()
	running, err := p.config.Rules(within, groups)
	switch {
	case err == nil:
	case current && ctx.Err() == nil: // most likely nobody upgrades anything, and a broker is away
		p.log.Warn().Err(err).Msg("the rules of other copies are not known; planning as before")
		return nil
	default:
		return fmt.Errorf("ask which rules other copies have: %w", err)
	}
	var others []string
	for i, name := range copies {
		if slices.ContainsFunc(running[groups[i]], func(rules string) bool {
			leftBehind := current && slices.Contains(past, rules)
			return rules != sql.Rules() && !leftBehind
		}) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		return fmt.Errorf("%w; other rules than here are in copies %s", errUpgrade, strings.Join(others, ", "))
	}
	return nil
}
