package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// startOfYears measures the time from the start of the program on the big market to the
// first answer of the screener.
func startOfYears(ctx context.Context, b *bench) ([]line, error) {
	m, err := b.bigMarket(ctx, b.config.years)
	if err != nil {
		return nil, err
	}
	var took []float64
	for range b.config.rounds {
		stopping, cancel := context.WithTimeout(ctx, closePatience)
		err := m.up.stop(stopping)
		cancel()
		if err != nil {
			return nil, err
		}
		if err := b.resume(ctx, m); err != nil {
			return nil, err
		}
		took = append(took, time.Since(m.up.started).Seconds())
	}
	m.up.mu.Lock()
	defer m.up.mu.Unlock()
	return []line{{
		name:  fmt.Sprintf("start to first answer, %s quotas on disk", thousands(float64(m.quotas))),
		value: quantity{newStat(took), "s"}, against: "from exec of cuota up to the first 200 of the screener",
	}}, nil
}

// idleDemo measures the memory of an idle program with the demo loaded.
func idleDemo(ctx context.Context, b *bench) ([]line, error) {
	u, err := b.up(ctx, filepath.Join(b.dir, "idle"))
	if err != nil {
		return nil, err
	}
	if _, _, err := u.published(ctx, b, 0); err != nil {
		return nil, err
	}
	if _, err := u.ask(ctx, b, "/health", ""); err != nil {
		return nil, err
	}
	select {
	case <-time.After(b.config.idle):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	m, err := u.memory()
	if err != nil {
		return nil, err
	}
	stopping, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	return []line{{
		name: "memory of cuota up, demo loaded, idle", value: quantity{stat{median: m.now}, "MB"},
		against: fmt.Sprintf("resident %s after the first answer; %.0f MB of it are pages of files, most of the engine's library", b.config.idle, m.mapped),
	}}, u.stop(stopping)
}
