package projector

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/model"
	"cuota/projector/build"
	"cuota/projector/write"
	"cuota/sql"
)

// command stores a command to build or inspect, for the projector that leads. A command is
// carried out once, even if it is delivered again.
func (p *Projector) command(ctx context.Context, command model.ProjectCommand) error {
	if err := write.Rows(ctx, p.conn, sql.Insert("project_command"),
		[][]any{{command.ID, command.Rebuild, command.Inspect, p.now().UTC()}}); err != nil {
		return fmt.Errorf("store command %q: %w", command.ID, err)
	}
	token(p.commands)
	return nil
}

// pendingCommand is a command that was not carried out yet.
type pendingCommand struct {
	ID      string `ch:"id"`
	Rebuild bool   `ch:"rebuild"`
	Inspect bool   `ch:"inspect"`
}

func (c pendingCommand) rebuilds() bool { return c.Rebuild }

func (p *Projector) pendingCommands(ctx context.Context) ([]pendingCommand, error) {
	return sql.Select[pendingCommand](ctx, p.conn, "pending_commands", nil, "query the commands")
}

// finishCommands records the commands whose plan is published, or was refused by its checks.
func (p *Projector) finishCommands(ctx context.Context) error {
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("record the completed commands: %w", err)
	}
	defer done()
	values := clickhouse.Parameters{"now": p.now().UTC().Format(build.InstantLayout)}
	if err := p.conn.Exec(sql.WithParameters(ctx, values), sql.Query("finish_commands")); err != nil {
		return fmt.Errorf("record the completed commands: %w", err)
	}
	return nil
}

// inspected records that commands to inspect were carried out.
func (p *Projector) inspected(ctx context.Context, commands []pendingCommand, batch uint64) error {
	rows := make([][]any, len(commands))
	for i, command := range commands {
		rows[i] = []any{command.ID, batch, p.now().UTC(), ""}
	}
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("record the completed commands: %w", err)
	}
	defer done()
	return write.Rows(ctx, p.conn, sql.Insert("command_done"), rows)
}

// inspectAsAsked carries out the commands to inspect the tables, and returns the other
// commands. The findings are in batch_damage before the commands are done.
func (p *Projector) inspectAsAsked(ctx context.Context, commands []pendingCommand) ([]pendingCommand, error) {
	var builds, inspections []pendingCommand
	for _, command := range commands {
		if command.Inspect {
			inspections = append(inspections, command)
		} else {
			builds = append(builds, command)
		}
	}
	if len(inspections) == 0 {
		return builds, nil
	}
	found, err := p.inspector.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	p.noticeArrival() // so that damaged days are built again
	return builds, p.inspected(ctx, inspections, found.Batch)
}
