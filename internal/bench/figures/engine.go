package figures

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/bench/report"
	"cuota/internal/embedded/clickhouse"
)

// ourEngine is the engine that this process started last. Its CPU time counts as that of
// this process.
var ourEngine atomic.Pointer[clickhouse.Server]

// startEngine starts an engine over a directory, with HTTP and native TCP on free ports.
func startEngine(ctx context.Context, dir string, log zerolog.Logger) (*clickhouse.Server, error) {
	config := clickhouse.Config{Dir: dir}
	for _, door := range []*net.Listener{&config.HTTP, &config.Native} {
		var err error
		if *door, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("listen for people: %w", err)
		}
	}
	engine, err := clickhouse.New(config, log)
	if err != nil {
		return nil, err
	}
	if err := engine.Start(ctx); err != nil {
		return nil, err
	}
	ourEngine.Store(engine)
	return engine, nil
}

// ownCPU is the CPU time of this process and its engine.
func ownCPU() time.Duration {
	engine := ourEngine.Load()
	if engine == nil {
		return report.OwnCPU()
	}
	return report.OwnCPU() + report.CPUOf(engine.State().PID)
}
