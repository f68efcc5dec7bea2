package figures

import (
	"context"
	"fmt"
	"path/filepath"

	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/loop"
)

// idle is the memory of an idle program with the demo loaded. The goal is under 500 MB.
var idle = Figure{"idle", "memory of cuota up with the demo, left alone", measureIdle}

func measureIdle(ctx context.Context, b *bench) ([]stats.Line, error) {
	u, err := b.up(ctx, filepath.Join(b.dir, "idle"))
	if err != nil {
		return nil, err
	}
	if _, _, err := u.published(ctx, 0); err != nil {
		return nil, err
	}
	if _, err := u.ask(ctx, "/health", ""); err != nil {
		return nil, err
	}
	if loop.Pause(ctx, b.config.Idle) != nil {
		return nil, context.Cause(ctx)
	}
	m, err := u.memory()
	if err != nil {
		return nil, err
	}
	return []stats.Line{{
		Name: "memory of cuota up, demo loaded, idle", Value: stats.Number(m.now, "MB"),
		Against: fmt.Sprintf("resident %s after the first answer; %.0f MB of it are pages of files, most of the "+
			"engine's library", b.config.Idle, m.mapped),
	}}, u.stopSoon(ctx)
}
