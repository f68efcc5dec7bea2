package projector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// quorumTaken is ClickHouse's code for an insert into a replicated table in which
// another insert waits for its quorum. Two partitions of a topic, or two processes that
// consume, meet in this way (docs/decisions/0029-replicated-cluster.md).
const quorumTaken = 286

// An insert is tried again after firstPause, which doubles to longestPause, and given
// up after quorumTries: about a minute.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
	quorumTries  = 65
)

// whenQuorumIsFree stores rows, and tries again as long as another insert keeps the
// table. A refused insert may have left rows behind: it is for tables in which a row that
// is stored twice counts once. Projections need it not: those that write one table run
// one after the other.
func whenQuorumIsFree(ctx context.Context, store func() error) error {
	pause := firstPause
	for tried := 1; ; tried++ {
		err := store()
		if exception := (*clickhouse.Exception)(nil); !errors.As(err, &exception) || exception.Code != quorumTaken {
			return err
		}
		if tried == quorumTries {
			return fmt.Errorf("tried %d times: %w", tried, err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(ctx.Err(), err)
		}
		pause = min(2*pause, longestPause)
	}
}
