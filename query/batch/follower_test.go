package batch

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// silent is a ClickHouse that answers no statement.
type silent struct{ driver.Conn }

func (silent) Select(ctx context.Context, _ any, _ string, _ ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.New("connection refused")
}

func TestALookThatTheEndOfTheProgramBreaksOffIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	follower := NewFollower(Config{Now: time.Now}, silent{}, nil, zerolog.New(&log))
	ended, end := context.WithCancel(t.Context())
	end()
	if err := follower.Refresh(ended); !errors.Is(err, context.Canceled) || log.Len() > 0 {
		t.Errorf("%v, and the log has %s", err, log.String())
	}
	if err := follower.Refresh(t.Context()); err == nil || log.Len() == 0 {
		t.Errorf("%v: a look that fails is not logged", err)
	}
}

func TestALookThatWaitsForAnotherEndsWithItsContext(t *testing.T) {
	follower := NewFollower(Config{Now: time.Now}, silent{}, nil, zerolog.Nop())
	follower.one <- struct{}{} // another look runs
	ended, end := context.WithCancel(t.Context())
	end()
	if err := follower.Refresh(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
