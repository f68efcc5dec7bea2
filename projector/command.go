package projector

import (
	"context"
	"fmt"

	"cuota/model"
	"cuota/sql"
)

// maxCommands bounds the commands that wait for a batch; the next batch carries
// out all of them, so that more would add nothing.
const maxCommands = 1000

// command takes note of a command to build, unless it was carried out already.
// The offset of a command is committed before its batch is published: one that
// dies with the process must be given again, as its sender sees by the missing
// command_done row.
func (p *Projector) command(ctx context.Context, command model.ProjectCommand) error {
	done, err := p.Done(ctx, command.ID)
	if err != nil || done != 0 {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) < maxCommands {
		p.waiting = append(p.waiting, command)
	}
	token(p.commands)
	return nil
}

// Done gives the batch that a command to build led to, 0 while there is none.
func (p *Projector) Done(ctx context.Context, id string) (batch uint64, err error) {
	rows, err := p.conn.Query(bind(ctx, map[string]string{"id": id}), sql.Query("command_done"))
	if err != nil {
		return 0, fmt.Errorf("look for command %q: %w", id, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := rows.Scan(&batch); err != nil {
			return 0, fmt.Errorf("look for command %q: %w", id, err)
		}
	}
	return batch, rows.Err()
}

func (p *Projector) takeCommands() []model.ProjectCommand {
	p.mu.Lock()
	defer p.mu.Unlock()
	commands := p.waiting
	p.waiting = nil
	return commands
}

func (p *Projector) putCommands(commands []model.ProjectCommand) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(commands, p.waiting...)
}
