package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
)

// ourEngine is the engine that this process has started last. Its work is this
// process's: the components do nothing without it.
var ourEngine atomic.Pointer[clickhouse.Server]

// startEngine starts an engine over a directory, with both doors on free ports.
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

// engineCPU is the processor time that our engine has used, 0 without one.
func engineCPU() time.Duration {
	engine := ourEngine.Load()
	if engine == nil {
		return 0
	}
	return cpuOf(engine.State().PID)
}

// cpuOf is the processor time that a process has used, 0 where the system doesn't
// tell.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// What follows the name in parentheses: the state, ten numbers, then ours.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticksPerSecond
}

// withChildren are a process and those that it has started.
func withChildren(pid int) []int {
	all := []int{pid}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return all
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}
