package batch

import (
	"context"
	"sync/atomic"
	"time"

	"cuota/sql"

	"github.com/rs/zerolog"
)

// buildsEvery is how often the follower asks whether the last build failed.
const buildsEvery = 5 * time.Second

// builds knows whether the last attempt to build a batch failed. It asks ClickHouse,
// because any process may be the one that builds.
type builds struct {
	reader  sql.Reader
	log     zerolog.Logger
	failing atomic.Bool
}

// look asks once. If ClickHouse does not answer, the last known state stays.
func (b *builds) look(ctx context.Context) {
	type found struct {
		Failing bool `ch:"failing"`
	}
	latest, err := sql.Rows[found](ctx, b.reader, "build_failing")
	if err != nil || len(latest) == 0 {
		return // the follower logs that ClickHouse does not answer
	}
	if failing := latest[0].Failing; b.failing.Swap(failing) != failing {
		if failing {
			b.log.Warn().Msg("the last attempt to build a batch failed; serving an earlier batch")
		} else {
			b.log.Info().Msg("building batches succeeds again")
		}
	}
}
