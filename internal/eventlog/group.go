package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/internal/loop"
)

// Handler takes a batch of messages of one partition, in the order of their offsets. It returns
// nil when all of them are stored safely elsewhere; then their offset is committed. After an
// error the messages are delivered again after a pause, maybe in other batches or to another
// member of the group. ctx ends when the partition is taken away or the group stops. A handler
// should then return soon, because the next generation of the group waits for it. Calls for
// different partitions run concurrently; calls for one partition never do.
//
// The handler may keep the messages and their bytes.
type Handler func(ctx context.Context, batch []kafka.Message) error

// GroupConfig configures a Group. Brokers, ID and Topics are required.
type GroupConfig struct {
	Brokers Brokers
	ID      string // id of the consumer group, whose members share the partitions
	Topics  []string

	// Version is what Versions tells others of this member. It needs none.
	Version string

	// A batch is delivered when it has MaxBatch messages (default 10,000), or when Linger
	// (default 50 ms) has passed since its first message arrived.
	MaxBatch int
	Linger   time.Duration

	// StallAfter is how long a partition may deliver nothing while it has messages to deliver
	// (default 30 s). After that its connections are closed and opened again, which is logged
	// and counted.
	StallAfter time.Duration

	// SessionTimeout is how long a dead member keeps its partitions (default 10 s). Brokers
	// refuse less than 6 s.
	SessionTimeout time.Duration

	// Assigned, if set, gets the partitions of each topic that this member reads in a
	// generation, before it reads them. It gets nil once the member could not join for
	// SessionTimeout, because from then on other members may have the partitions.
	Assigned func(partitions map[string][]int)

	// After a failed handler or connection the group pauses: first for RetryLeast (default 100
	// ms), then doubling up to RetryMost (default 15 s).
	RetryLeast, RetryMost time.Duration
}

func (c GroupConfig) withDefaults() GroupConfig {
	c.MaxBatch = cmp.Or(c.MaxBatch, 10_000)
	c.Linger = cmp.Or(c.Linger, 50*time.Millisecond)
	c.StallAfter = cmp.Or(c.StallAfter, 30*time.Second)
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	c.RetryLeast = cmp.Or(c.RetryLeast, 100*time.Millisecond)
	c.RetryMost = cmp.Or(c.RetryMost, 15*time.Second)
	return c
}

func (c GroupConfig) validate() error {
	var errs []error
	if len(c.Brokers.Addresses) == 0 || c.ID == "" || len(c.Topics) == 0 {
		errs = append(errs, errors.New("brokers, group id and topics must be set"))
	}
	if c.MaxBatch < 1 || c.Linger < 0 || c.StallAfter < 0 || c.SessionTimeout < 0 || c.RetryLeast < 0 ||
		c.RetryMost < c.RetryLeast {
		errs = append(errs, errors.New(
			"sizes and times must not be negative, and RetryMost must not be below RetryLeast"))
	}
	return errors.Join(errs...)
}

// Group is a member of a consumer group. Use it as New, Start, Stop.
//
// It uses kafka-go's generations instead of the library's group Reader. After a rebalance, that
// Reader can overwrite another member's newer offset with an older one. A generation's commit
// fails once the generation has ended.
type Group struct {
	cfg     GroupConfig
	handler Handler
	log     zerolog.Logger

	loop    loop.Loop
	keeping keeping

	mu        sync.Mutex
	positions map[topicPartition]int64 // offsets committed by this member, to detect a commit that went back
	troubles  map[topicPartition]error // the error that prevents a partition from being read and stored
	joined    error                    // why this member is in no generation; nil while it is in one

	stats struct {
		messages, batches, generations, failures, stalls, gaps, rewinds atomic.Uint64
	}
}

type topicPartition struct {
	topic     string
	partition int
}

// NewGroup makes a Group without connecting. It fails if the configuration is not valid.
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
		joined:    errors.New("it has not joined its Kafka consumer group yet"),
	}, nil
}

// Start joins the group in the background and returns. The group then continues through
// rebalances, failing handlers and unreachable brokers until Stop. The end of ctx does not stop
// it. The topics should exist: see EnsureTopics.
func (g *Group) Start(ctx context.Context) error {
	cg, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID:      g.cfg.ID,
		Brokers: g.cfg.Brokers.Addresses,
		Dialer: &kafka.Dialer{
			ClientID: clientOf(g.cfg.Version), Timeout: dialTimeout, DualStack: true, TLS: g.cfg.Brokers.TLS,
			SASLMechanism: g.cfg.Brokers.SASL,
			DialFunc:      g.cfg.Brokers.Dial,
		},
		Topics: g.cfg.Topics,
		// Range is for the time in which members of an earlier version are in the group.
		GroupBalancers: []kafka.GroupBalancer{&g.keeping, kafka.RangeGroupBalancer{}},
		StartOffset:    kafka.FirstOffset, // LastOffset would lose the messages from before the group joined
		// A member learns of a rebalance from its heartbeat, so heartbeats are frequent.
		HeartbeatInterval:      g.cfg.SessionTimeout / 10,
		SessionTimeout:         g.cfg.SessionTimeout,
		JoinGroupBackoff:       g.cfg.RetryLeast,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: 5 * time.Second,
		ErrorLogger: kafka.LoggerFunc(func(format string, args ...any) {
			g.log.Debug().Msgf(format, args...)
		}),
	})
	if err != nil {
		return fmt.Errorf("start consumer group %s: %w", g.cfg.ID, err)
	}
	return g.loop.Start(func(ctx context.Context) { g.run(ctx, cg) })
}

// Stop leaves the group and waits until the last handler has returned, or returns ctx's error.
// Messages that were delivered but not committed are delivered again to the next reader.
func (g *Group) Stop(ctx context.Context) error {
	if err := g.loop.Stop(ctx); err != nil {
		return fmt.Errorf("stop consumer group %s: %w", g.cfg.ID, err)
	}
	return nil
}

// GroupStats counts the work of a Group since NewGroup.
type GroupStats struct {
	Messages    uint64 // delivered and committed
	Batches     uint64 // delivered and committed
	Generations uint64 // generations that this member has joined
	Failures    uint64 // failures of the handler, of a commit or of a connection
	Stalls      uint64 // partitions that were opened again after StallAfter
	Gaps        uint64 // offsets that were never delivered because the log no longer has them
	Rewinds     uint64 // times that the log or the committed offset had gone back
}

// Stats returns the current counts.
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

// run joins one generation after another until ctx ends.
func (g *Group) run(ctx context.Context, cg *kafka.ConsumerGroup) {
	defer func() {
		if err := cg.Close(); err != nil {
			g.log.Error().Err(err).Msg("could not close the consumer group")
		}
	}()
	wait := backoff{least: g.cfg.RetryLeast, most: g.cfg.RetryMost}
	var away time.Time // since when the member has not been able to join
	for {
		gen, err := cg.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, kafka.RebalanceInProgress):
			continue // the broker sets the pace of rebalances
		case err != nil:
			g.stats.failures.Add(1)
			g.notInGroup(err)
			g.log.Warn().Err(err).Msg("can't join the consumer group; trying again")
			if away == (time.Time{}) {
				away = time.Now()
			} else if g.cfg.Assigned != nil && time.Since(away) >= g.cfg.SessionTimeout {
				g.keeping.hold(0, nil)
				g.cfg.Assigned(nil) // other members have the partitions now
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

// takePart reads the assigned partitions until the generation ends. failed reports whether it
// ended because of a failure of this member.
func (g *Group) takePart(ctx context.Context, gen *kafka.Generation) (failed bool) {
	conn := newConnection(g.cfg.Brokers)
	defer conn.close()
	round := &generation{group: g, gen: gen, conn: conn}
	partitions := partitionsOf(gen.Assignments)
	g.keeping.hold(gen.ID, partitions)
	if g.cfg.Assigned != nil {
		g.cfg.Assigned(partitions)
	}
	var readers sync.WaitGroup
	var failure atomic.Bool
	launch := func(read func(context.Context) error) {
		readers.Add(1)
		// When this function returns, kafka-go ends the generation for all partitions.
		gen.Start(func(genCtx context.Context) {
			defer readers.Done()
			both, cancel := context.WithCancel(ctx)
			defer cancel()
			stop := context.AfterFunc(genCtx, cancel)
			defer stop()
			if err := read(both); err != nil && both.Err() == nil {
				failure.Store(true)
				g.stats.failures.Add(1)
				g.log.Error().Err(err).Msg("reading a partition stopped without a commit; its messages are read again")
			}
		})
	}
	// This function does nothing, so that without partitions the generation lasts until the
	// next rebalance.
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

// partitionsOf returns the numbers of the assigned partitions by topic.
func partitionsOf(assignments map[string][]kafka.PartitionAssignment) map[string][]int {
	partitions := make(map[string][]int, len(assignments))
	for topic, assigned := range assignments {
		for _, a := range assigned {
			partitions[topic] = append(partitions[topic], a.ID)
		}
	}
	return partitions
}

// generation is the state of a Group during one generation.
type generation struct {
	group *Group
	gen   *kafka.Generation
	conn  *connection

	committing sync.Mutex // the partitions share the generation's connection
}

// commit sets the group's offset of a partition to next. It fails if the generation has ended.
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
