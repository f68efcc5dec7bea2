package query

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// buildsEvery is how often the server looks whether batches are built.
const buildsEvery = 5 * time.Second

// builds knows whether the last attempt to build a batch failed. It asks ClickHouse, so
// that it does not matter which process builds.
type builds struct {
	reader  reader
	log     zerolog.Logger
	failing atomic.Bool
}

// look asks once. Without an answer, what is known stays.
func (b *builds) look(ctx context.Context) {
	type found struct {
		Failing bool `ch:"failing"`
	}
	told, err := rows[found](ctx, b.reader, "build_failing")
	if err != nil || len(told) == 0 {
		return // the follower tells that ClickHouse does not answer
	}
	if failing := told[0].Failing; b.failing.Swap(failing) != failing {
		if failing {
			b.log.Warn().Msg("the last attempt to build a batch failed; answering from an earlier one")
		} else {
			b.log.Info().Msg("batches are built again")
		}
	}
}
