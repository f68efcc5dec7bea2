package write

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/loop"
)

// quorumTaken is ClickHouse's error code for an insert into a replicated table while
// another insert waits for its quorum. It happens when two partitions of a topic, or two
// consumers, insert at the same time (docs/decisions/0029-replicated-cluster.md).
const quorumTaken = 286

// A refused insert is tried again after firstPause. Each pause is twice as long, up to
// longestPause. It fails after quorumTries, which takes about a minute.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
	quorumTries  = 65
)

// whenQuorumIsFree runs store, and retries it while another insert into the table waits for
// its quorum. A refused insert may have stored some rows, so this is only for tables in
// which a row stored twice counts once. Projections do not need it, because those that
// write to the same table never run at the same time. It fails with other errors of store
// at once, and if ctx ends first.
func whenQuorumIsFree(ctx context.Context, store func() error) error {
	pause := firstPause
	for tried := 1; ; tried++ {
		err := store()
		if exception := (*clickhouse.Exception)(nil); !errors.As(err, &exception) || exception.Code != quorumTaken {
			return err
		}
		if tried == quorumTries {
			return fmt.Errorf("failed after %d attempts: %w", tried, err)
		}
		if ended := loop.Pause(ctx, pause); ended != nil {
			return errors.Join(ended, err)
		}
		pause = min(2*pause, longestPause)
	}
}
