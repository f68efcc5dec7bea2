package eventlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"
)

// Handler takes a batch of one partition's messages, in the order of their
// offsets, and returns nil when all of them are safely stored elsewhere: the
// offset is committed then. On an error the batch is delivered again after a
// pause, maybe to another member of the group and maybe cut differently. ctx
// ends when the partition is taken away or the group stops; a handler should
// then give up soon, because the group's next round waits for it. Calls for
// different partitions run at the same time, those for one never do.
//
// The messages and their bytes are the handler's to keep.
type Handler func(ctx context.Context, batch []kafka.Message) error

// GroupConfig is what a Group needs to know. Brokers, ID and Topics have no
// default.
type GroupConfig struct {
	Brokers Brokers
	ID      string // of the consumer group, whose members share the partitions
	Topics  []string

	// A batch is delivered when it has MaxBatch messages, 10,000 by default,
	// or when Linger, 50 ms by default, has passed since its first arrived.
	MaxBatch int
	Linger   time.Duration

	// StallAfter is how long a partition may deliver nothing while there is
	// something to deliver, 30 s by default. Then its connections are closed
	// and opened again, which is logged and counted.
	StallAfter time.Duration

	// SessionTimeout is how long a member that died keeps its partitions from
	// the others, 10 s by default; brokers refuse less than 6 s.
	SessionTimeout time.Duration

	// Assigned, if set, is told the partitions of each topic that this member reads in
	// each round of assignment, before it reads them. It is told that there are none once
	// the member could not join for SessionTimeout; before that, another may have them.
	Assigned func(partitions map[string][]int)

	// After a failed handler or connection the group pauses from RetryLeast,
	// 100 ms by default, doubling to RetryMost, 15 s by default.
	RetryLeast, RetryMost time.Duration
}

func (c GroupConfig) withDefaults() GroupConfig {
	if c.MaxBatch == 0 {
		c.MaxBatch = 10_000
	}
	if c.Linger == 0 {
		c.Linger = 50 * time.Millisecond
	}
	if c.StallAfter == 0 {
		c.StallAfter = 30 * time.Second
	}
	if c.SessionTimeout == 0 {
		c.SessionTimeout = 10 * time.Second
	}
	if c.RetryLeast == 0 {
		c.RetryLeast = 100 * time.Millisecond
	}
	if c.RetryMost == 0 {
		c.RetryMost = 15 * time.Second
	}
	return c
}

func (c GroupConfig) validate() error {
	var errs []error
	if len(c.Brokers.Addresses) == 0 || c.ID == "" || len(c.Topics) == 0 {
		errs = append(errs, errors.New("brokers, group id and topics must be set"))
	}
	if c.MaxBatch < 1 || c.Linger < 0 || c.StallAfter < 0 || c.SessionTimeout < 0 || c.RetryLeast < 0 || c.RetryMost < c.RetryLeast {
		errs = append(errs, errors.New("sizes and times must not be negative, nor RetryMost below RetryLeast"))
	}
	return errors.Join(errs...)
}

// Group is a member of a consumer group. Its life is New, Start, Stop.
//
// It works on kafka-go's generations rather than its group Reader, which after
// a rebalance can commit an old offset over another member's newer one. A
// generation's commit fails once the generation is over.
type Group struct {
	cfg     GroupConfig
	handler Handler
	log     zerolog.Logger

	cancel context.CancelFunc
	done   chan struct{}

	mu        sync.Mutex
	positions map[topicPartition]int64 // committed by this member, to notice a commit that goes back
	troubles  map[topicPartition]error // what keeps a partition from being read and stored
	joined    error                    // why this member is in no generation; nil while it is

	stats struct {
		messages, batches, generations, failures, stalls, gaps, rewinds atomic.Uint64
	}
}

type topicPartition struct {
	topic     string
	partition int
}

// NewGroup makes a Group and does nothing else.
func NewGroup(cfg GroupConfig, handler Handler, log zerolog.Logger) (*Group, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configure consumer group %q: %w", cfg.ID, err)
	}
	return &Group{
		cfg:       cfg,
		handler:   handler,
		log:       log.With().Str("component", "eventlog-group").Str("group", cfg.ID).Logger(),
		positions: make(map[topicPartition]int64),
		troubles:  make(map[topicPartition]error),
		done:      make(chan struct{}),
		joined:    errors.New("it has not joined its consumer group yet"),
	}, nil
}

// Start joins the group in the background and returns. From then on the group
// goes through rebalances, failing handlers and brokers that are away, until
// Stop; ctx ending doesn't stop it. The topics should exist: see EnsureTopics.
func (g *Group) Start(ctx context.Context) error {
	cg, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID:      g.cfg.ID,
		Brokers: g.cfg.Brokers.Addresses,
		Dialer: &kafka.Dialer{
			ClientID: clientID, Timeout: dialTimeout, DualStack: true, TLS: g.cfg.Brokers.TLS, SASLMechanism: g.cfg.Brokers.SASL,
		},
		Topics:      g.cfg.Topics,
		StartOffset: kafka.FirstOffset, // the last would lose what came before joining
		// A member learns of a rebalance from its heartbeat.
		HeartbeatInterval:      g.cfg.SessionTimeout / 10,
		SessionTimeout:         g.cfg.SessionTimeout,
		JoinGroupBackoff:       g.cfg.RetryLeast,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: 5 * time.Second,
		ErrorLogger:            kafka.LoggerFunc(func(format string, args ...any) { g.log.Debug().Msgf(format, args...) }),
	})
	if err != nil {
		return fmt.Errorf("start consumer group %s: %w", g.cfg.ID, err)
	}
	ctx, g.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(g.done)
		g.run(ctx, cg)
	}()
	return nil
}

// Stop leaves the group and returns when the last handler has returned, or with
// ctx's error. What was delivered and not committed is delivered again to
// whoever reads next.
func (g *Group) Stop(ctx context.Context) error {
	if g.cancel == nil {
		return nil
	}
	g.cancel()
	select {
	case <-g.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop consumer group %s: %w", g.cfg.ID, ctx.Err())
	}
}

// GroupStats is what a Group counts since it was made.
type GroupStats struct {
	Messages    uint64 // delivered and committed
	Batches     uint64 // delivered and committed
	Generations uint64 // rounds of assignment
	Failures    uint64 // of the handler, a commit or a connection
	Stalls      uint64 // partitions opened again by the watchdog
	Gaps        uint64 // offsets the log doesn't have any more, never delivered
	Rewinds     uint64 // times the log or the committed offset was found to have gone back
}

// Stats tells the counts.
func (g *Group) Stats() GroupStats {
	return GroupStats{
		Messages:    g.stats.messages.Load(),
		Batches:     g.stats.batches.Load(),
		Generations: g.stats.generations.Load(),
		Failures:    g.stats.failures.Load(),
		Stalls:      g.stats.stalls.Load(),
		Gaps:        g.stats.gaps.Load(),
		Rewinds:     g.stats.rewinds.Load(),
	}
}

// run takes part in one generation after another.
func (g *Group) run(ctx context.Context, cg *kafka.ConsumerGroup) {
	defer func() {
		if err := cg.Close(); err != nil {
			g.log.Error().Err(err).Msg("consumer group doesn't close")
		}
	}()
	wait := backoff{least: g.cfg.RetryLeast, most: g.cfg.RetryMost}
	var away time.Time // since when the member can't join
	for {
		gen, err := cg.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, kafka.RebalanceInProgress):
			continue // the broker paces this one
		case err != nil:
			g.stats.failures.Add(1)
			g.notInGroup(err)
			g.log.Warn().Err(err).Msg("can't join, trying again")
			if away == (time.Time{}) {
				away = time.Now()
			} else if g.cfg.Assigned != nil && time.Since(away) >= g.cfg.SessionTimeout {
				g.cfg.Assigned(nil) // by now others have the partitions
			}
		default:
			away = time.Time{}
			g.stats.generations.Add(1)
			g.inGroup(gen)
			delivered := g.stats.messages.Load()
			failed := g.takePart(ctx, gen)
			if g.stats.messages.Load() > delivered {
				wait.reset()
			}
			if !failed {
				continue
			}
		}
		if wait.pause(ctx) != nil {
			return
		}
	}
}

// takePart reads the assigned partitions until the generation ends and tells
// whether it ended by a failure of this member.
func (g *Group) takePart(ctx context.Context, gen *kafka.Generation) (failed bool) {
	conn := newConnection(g.cfg.Brokers)
	defer conn.close()
	round := &generation{group: g, gen: gen, conn: conn}
	if g.cfg.Assigned != nil {
		g.cfg.Assigned(partitionsOf(gen.Assignments))
	}
	var readers sync.WaitGroup
	var failure atomic.Bool
	launch := func(read func(context.Context) error) {
		readers.Add(1)
		// The function's end is the generation's end, for every partition.
		gen.Start(func(genCtx context.Context) {
			defer readers.Done()
			both, cancel := context.WithCancel(ctx)
			defer cancel()
			stop := context.AfterFunc(genCtx, cancel)
			defer stop()
			if err := read(both); err != nil && both.Err() == nil {
				failure.Store(true)
				g.stats.failures.Add(1)
				g.log.Error().Err(err).Msg("partition stops without a commit, will be read again")
			}
		})
	}
	// Without a partition the generation lasts until the next rebalance.
	launch(func(ctx context.Context) error { <-ctx.Done(); return nil })
	for topic, assigned := range gen.Assignments {
		for _, a := range assigned {
			tp := topicPartition{topic, a.ID}
			launch(func(ctx context.Context) error {
				if err := round.read(ctx, tp, a.Offset); err != nil {
					if ctx.Err() == nil {
						g.trouble(tp, err)
					}
					return fmt.Errorf("read %s/%d: %w", tp.topic, tp.partition, err)
				}
				return nil
			})
		}
	}
	readers.Wait()
	return failure.Load()
}

// partitionsOf gives the numbers of the assigned partitions.
func partitionsOf(assignments map[string][]kafka.PartitionAssignment) map[string][]int {
	partitions := make(map[string][]int, len(assignments))
	for topic, assigned := range assignments {
		for _, a := range assigned {
			partitions[topic] = append(partitions[topic], a.ID)
		}
	}
	return partitions
}

// generation is the part of a Group that lives as long as an assignment.
type generation struct {
	group *Group
	gen   *kafka.Generation
	conn  *connection

	committing sync.Mutex // the generation's connection is shared
}

// commit moves the group's offset of a partition to next.
func (r *generation) commit(tp topicPartition, next int64) error {
	r.committing.Lock()
	defer r.committing.Unlock()
	if err := r.gen.CommitOffsets(map[string]map[int]int64{tp.topic: {tp.partition: next}}); err != nil {
		return fmt.Errorf("commit offset %d: %w", next, err)
	}
	r.group.mu.Lock()
	defer r.group.mu.Unlock()
	r.group.positions[tp] = next
	return nil
}
