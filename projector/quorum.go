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

// whenQuorumIsFree runs store, and retries it while another insert into the table waits
// for its quorum. A refused insert may have stored some rows, so use it only for tables
// in which a row stored twice counts once. Projections do not need it: those that write
// one table run one after the other.
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
