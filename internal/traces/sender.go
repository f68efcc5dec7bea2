package traces

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"cuota/internal/loop"
)

// Times and limits of the sender.
const (
	maxWaiting  = 2048 // spans, besides those of the batch that is being sent
	maxBatch    = 512  // spans of a post
	sendEvery   = 5 * time.Second
	sendWithin  = 5 * time.Second // one post
	flushWithin = 5 * time.Second // all posts after Stop
)

// sender sends spans in batches. A span that ends never waits for it: if too many are waiting, the span is dropped. It
// implements sdktrace.SpanProcessor.
type sender struct {
	counters
	poster  *poster
	waiting chan sdktrace.ReadOnlySpan
	log     zerolog.Logger
	away    bool // the collector did not take the last batch; only run uses this and the next one
	failing bool // it did not take all spans of the last batch
	loop    loop.Loop
}

func newSender(config Config, log zerolog.Logger) *sender {
	return &sender{poster: newPoster(config), waiting: make(chan sdktrace.ReadOnlySpan, maxWaiting), log: log}
}

// OnStart implements sdktrace.SpanProcessor.
func (s *sender) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements sdktrace.SpanProcessor.
func (s *sender) OnEnd(span sdktrace.ReadOnlySpan) {
	select {
	case s.waiting <- span:
	default:
		s.dropped.Add(1)
	}
}

// ForceFlush implements sdktrace.SpanProcessor. Nothing calls it.
func (s *sender) ForceFlush(context.Context) error { return nil }

func (s *sender) start() error {
	if err := s.loop.Start(s.run); err != nil {
		return fmt.Errorf("sender of traces: %w", err)
	}
	return nil
}

// Shutdown implements sdktrace.SpanProcessor.
func (s *sender) Shutdown(ctx context.Context) error {
	if err := s.loop.Stop(ctx); err != nil {
		return fmt.Errorf("sender of traces: spans are still being sent: %w", err)
	}
	return nil
}

// run sends a batch at intervals, and as soon as it is full. While the collector does not answer, the batch is kept,
// and is tried again at the next interval.
func (s *sender) run(ctx context.Context) {
	defer s.poster.close()
	posting, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(flushWithin, cut) })()
	tick := time.Tick(sendEvery)
	var batch []sdktrace.ReadOnlySpan
	for ctx.Err() == nil {
		arriving := s.waiting
		if len(batch) == maxBatch {
			arriving = nil
		}
		select {
		case <-ctx.Done():
			continue
		case span := <-arriving:
			if batch = append(batch, span); len(batch) < maxBatch || s.away {
				continue
			}
		case <-tick:
		}
		batch = s.send(posting, batch)
	}
	for {
		if batch = s.fill(batch); len(batch) == 0 {
			return
		}
		if batch = s.send(posting, batch); len(batch) > 0 {
			s.dropped.Add(int64(len(batch) + len(s.waiting)))
			return
		}
	}
}

// fill adds spans that wait to a batch, until it is full or none waits.
func (s *sender) fill(batch []sdktrace.ReadOnlySpan) []sdktrace.ReadOnlySpan {
	for len(batch) < maxBatch {
		select {
		case span := <-s.waiting:
			batch = append(batch, span)
		default:
			return batch
		}
	}
	return batch
}

// send posts a batch. It returns the batch if it should be tried again, and else an empty one.
func (s *sender) send(ctx context.Context, batch []sdktrace.ReadOnlySpan) []sdktrace.ReadOnlySpan {
	if len(batch) == 0 {
		return batch
	}
	limited, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	rejected, err := s.poster.post(limited, batch)
	s.away = err != nil
	again := s.away && !errors.As(err, new(refusedError))
	switch {
	case again:
	case err != nil:
		s.refused.Add(int64(len(batch)))
	default:
		rejected = min(max(rejected, 0), int64(len(batch)))
		s.refused.Add(rejected)
		s.sent.Add(int64(len(batch)) - rejected)
		if rejected > 0 {
			err = errRejected
		}
	}
	switch failing := err != nil; {
	case failing && !s.failing:
		s.log.Warn().Err(err).Msg("the collector of traces does not take spans; they are dropped when too many wait, and " +
			"cuota_trace_spans_total counts them")
	case !failing && s.failing:
		s.log.Info().Int64("dropped", s.dropped.Load()).Int64("refused", s.refused.Load()).
			Msg("the collector of traces takes spans again")
	}
	s.failing = err != nil
	if again {
		return batch
	}
	clear(batch)
	return batch[:0]
}

// errRejected says that the collector took a batch, but not all of its spans.
var errRejected = errors.New("it rejected some spans of a batch")
