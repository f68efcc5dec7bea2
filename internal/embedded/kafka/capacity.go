package kafka

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// minMaxBytes is the smallest allowed cap in bytes. It has room for a few partitions with the
// smallest retention.
const minMaxBytes = 32 << 20

// capacity keeps the size of the directory below its cap. It applies retention, because after a
// restart the engine does not do so until a topic is created. It measures the directory. While
// the log is full, it makes the engine answer every write with POLICY_VIOLATION. Producers do
// not retry this error, because only a larger cap or a smaller log helps.
type capacity struct {
	dir   string
	limit int64 // a sixteenth below the cap, so that a full log can still be started
	every time.Duration
	log   zerolog.Logger

	used    atomic.Int64
	full    atomic.Bool
	refresh chan chan struct{}
	quit    chan struct{}
	once    sync.Once
	done    sync.WaitGroup
}

func newCapacity(dir string, maxBytes int64, every time.Duration, log zerolog.Logger) *capacity {
	return &capacity{
		dir:     dir,
		limit:   maxBytes - maxBytes/16,
		every:   every,
		log:     log,
		refresh: make(chan chan struct{}),
		quit:    make(chan struct{}),
	}
}

func (c *capacity) start(cluster *kfake.Cluster) {
	c.done.Go(func() {
		tick := time.Tick(c.every)
		var (
			refusal  *kfake.FaultHandle
			answered chan struct{} // closed after the next measurement; nil if no writer waits for it
		)
		for {
			refusal = c.measure(cluster, refusal)
			if answered != nil {
				close(answered)
				answered = nil
			}
			select {
			case <-c.quit:
				return
			case <-tick:
			case answered = <-c.refresh:
			}
		}
	})
}

// stop ends the measurements. It must be called before the engine is closed, because a closed
// engine never answers.
func (c *capacity) stop() {
	c.once.Do(func() { close(c.quit) })
	c.done.Wait()
}

// admit counts a write of n bytes before the engine gets it. If the log may be full, it waits
// for a measurement, so that the engine refuses the write if it is full.
func (c *capacity) admit(n int) {
	if c.used.Add(int64(n)) <= c.limit || c.full.Load() {
		return
	}
	answered := make(chan struct{})
	select {
	case c.refresh <- answered:
	case <-c.quit:
		return
	}
	select {
	case <-answered:
	case <-c.quit:
	}
}

func (c *capacity) measure(cluster *kfake.Cluster, refusal *kfake.FaultHandle) *kfake.FaultHandle {
	cluster.ApplyRetention()
	size, err := dirSize(c.dir)
	if err != nil {
		c.log.Error().Err(err).Msg("embedded Kafka log can't measure its directory")
		return refusal
	}
	c.used.Store(size)
	switch over := size > c.limit; {
	case over && refusal == nil:
		refusal = cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.PolicyViolation, Count: -1})
		c.full.Store(true)
		c.log.Error().Int64("bytes", size).Int64("limit", c.limit).
			Msg("embedded Kafka log has reached its size limit and refuses writes until retention deletes old messages")
	case !over && refusal != nil:
		refusal.Remove()
		refusal = nil
		c.full.Store(false)
		c.log.Info().Int64("bytes", size).Msg("embedded Kafka log accepts writes again")
	}
	return refusal
}
