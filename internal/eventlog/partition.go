package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	fetchBytes = 4 << 20
	fetchWait  = 500 * time.Millisecond // how long a broker may wait for new messages before it answers a fetch

	listTimeout = 10 * time.Second
)

// partitionReader reads one partition for one generation.
type partitionReader struct {
	round *generation
	tp    topicPartition
	conn  *connection // the generation's connection; after a stall, a connection of its own

	next     int64     // offset to fetch next
	progress time.Time // time of the last delivery, or of the last check that found nothing to deliver
	batch    []kafka.Message
	since    time.Time // arrival time of the batch's first message
	gapAt    int64     // offset that one response lacked; if the next response lacks it too, the gap is real
}

// read delivers the partition's messages from the assigned offset until ctx ends; then it
// returns nil. It returns an error if only a new generation can repair a failure.
func (r *generation) read(ctx context.Context, tp topicPartition, assigned int64) error {
	p := &partitionReader{round: r, tp: tp, conn: r.conn, gapAt: -1}
	defer func() {
		if p.conn != r.conn {
			p.conn.close()
		}
	}()
	if err := p.begin(ctx, assigned); err != nil {
		return err
	}
	p.progress = time.Now()
	wait := backoff{least: r.group.cfg.RetryLeast, most: r.group.cfg.RetryMost}
	for ctx.Err() == nil {
		err := p.fetch(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, kafka.OffsetOutOfRange):
			if err := p.deliver(ctx); err != nil {
				return err
			}
			if err := p.relocate(ctx); err != nil {
				return err
			}
		case err != nil && !retryable(err):
			return errors.Join(p.deliver(ctx), err)
		}
		if len(p.batch) >= r.group.cfg.MaxBatch ||
			len(p.batch) > 0 && (err != nil || time.Since(p.since) >= r.group.cfg.Linger) {
			if err := p.deliver(ctx); err != nil {
				return err
			}
		}
		if err := p.watch(ctx); err != nil {
			return err
		}
		if err == nil {
			wait.reset()
			if len(p.batch) == 0 { // what came is stored as well
				r.group.trouble(tp, nil)
			}
			continue
		}
		r.group.stats.failures.Add(1)
		r.group.trouble(tp, err)
		r.group.log.Warn().Err(err).Str("topic", tp.topic).Int("partition",
			tp.partition).Msg("can't read a partition; trying again")
		if wait.pause(ctx) != nil {
			return nil
		}
	}
	return nil
}

// begin finds the offset to start at. This is the offset that the group has committed, or 0 if
// it never committed. If the log no longer has the messages at 0, that is a gap like any other.
//
// If this member has committed a newer offset than the group's, then a member that had lost the
// partition overwrote it. The messages between the two were handled, so reading starts at the
// newer offset, and the next commit corrects the group's offset. But if the log ends before the
// newer offset, it is a new log, and reading starts at the group's offset.
func (p *partitionReader) begin(ctx context.Context, assigned int64) error {
	_, end, err := p.bounds(ctx)
	if err != nil {
		return err
	}
	if assigned == kafka.FirstOffset {
		if assigned, err = p.committed(ctx); err != nil {
			return err
		}
	}
	g := p.round.group
	g.mu.Lock()
	mine, known := g.positions[p.tp]
	if known && mine > end {
		delete(g.positions, p.tp)
		known = false
	}
	g.mu.Unlock()
	p.next = assigned
	if known && mine > assigned {
		g.stats.rewinds.Add(1)
		g.log.Error().Str("topic", p.tp.topic).Int("partition", p.tp.partition).Int64("committed", mine).Int64("found",
			assigned).
			Msg("the committed offset of the group went back; reading continues at the newer offset, which this " +
				"process committed")
		p.next = mine
	}
	return nil
}

// committed asks for the offset that the group has committed, and returns 0 if there is none.
// If a coordinator can't answer yet, the library takes that as "never committed", and the
// partition would be read from its beginning. committed returns an error in that case.
func (p *partitionReader) committed(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	conn := newConnection(p.round.group.cfg.Brokers)
	defer conn.close()
	offsets, err := committedOffsets(ctx, conn.client(), p.round.group.cfg.ID,
		map[string][]int{p.tp.topic: {p.tp.partition}})
	if err != nil {
		return 0, err
	}
	return offsets[p.tp], nil
}

// bounds asks for the partition's first offset and for the offset after its last message. It
// uses a new connection, so that it works while a fetch hangs.
func (p *partitionReader) bounds(ctx context.Context) (first, end int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	conn := newConnection(p.round.group.cfg.Brokers)
	defer conn.close()
	b, err := listOffsets(ctx, conn.client(), map[string][]int{p.tp.topic: {p.tp.partition}})
	if err != nil {
		return 0, 0, err
	}
	return b[p.tp].first, b[p.tp].end, nil
}

// relocate sets the next offset if the log has no message there. If the offset is before the
// log's first message, retention removed messages before the group read them. They are counted
// and logged, and the new offset is committed, so that the lag does not stay for ever. If the
// offset is after the log's end, the log was created again. It is read from its beginning,
// because waiting would skip messages.
func (p *partitionReader) relocate(ctx context.Context) error {
	first, end, err := p.bounds(ctx)
	if err != nil {
		return err
	}
	g := p.round.group
	entry := g.log.Error().Str("topic", p.tp.topic).Int("partition", p.tp.partition).Int64("offset",
		p.next).Int64("first", first).Int64("end", end)
	switch {
	case p.next < first:
		g.stats.gaps.Add(uint64(first - p.next))
		entry.Msg("retention has removed messages before they were read; ingest their files again")
		p.next = first
		return p.round.commit(p.tp, first)
	case p.next > end:
		g.stats.rewinds.Add(1)
		g.mu.Lock()
		delete(g.positions, p.tp)
		g.mu.Unlock()
		entry.Msg("the log ends before the offset of the group, so it was replaced; reading it from the beginning")
		p.next = first
	}
	return nil
}

// fetch requests more messages from the broker and appends them to the batch.
func (p *partitionReader) fetch(ctx context.Context) error {
	cfg := &p.round.group.cfg
	wait := fetchWait
	if len(p.batch) > 0 {
		wait = max(time.Millisecond, min(wait, cfg.Linger-time.Since(p.since)))
	}
	ctx, cancel := context.WithTimeout(ctx, max(cfg.StallAfter, 2*wait))
	defer cancel()
	resp, err := p.conn.client().Fetch(ctx, &kafka.FetchRequest{
		Topic:     p.tp.topic,
		Partition: p.tp.partition,
		Offset:    p.next,
		MinBytes:  1,
		MaxBytes:  fetchBytes,
		MaxWait:   wait,
	})
	if err != nil {
		return err
	}
	if resp.Error != nil {
		return resp.Error
	}
	return p.take(resp)
}

// take appends the messages of a response to the batch. It skips messages before the next
// offset, because a broker may send whole stored batches. It counts missing offsets as gaps.
func (p *partitionReader) take(resp *kafka.FetchResponse) error {
	var arena []byte
	for {
		rec, err := resp.Records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("decode messages at offset %d: %w", p.next, err)
		}
		if rec.Offset > p.next && p.gapAt != p.next {
			// A gap counts only if a second response shows it too.
			p.gapAt = p.next
			closeRecord(rec)
			return drain(resp.Records)
		}
		if rec.Offset < p.next {
			closeRecord(rec)
			continue
		}
		if missing := rec.Offset - p.next; missing > 0 {
			p.round.group.stats.gaps.Add(uint64(missing))
			p.round.group.log.Error().Str("topic", p.tp.topic).Int("partition", p.tp.partition).
				Int64("offset", p.next).Int64("found",
				rec.Offset).Msg("the log has no messages between two offsets; ingest their files again")
		}
		m := kafka.Message{
			Topic:         p.tp.topic,
			Partition:     p.tp.partition,
			Offset:        rec.Offset,
			HighWaterMark: resp.HighWatermark,
			Headers:       rec.Headers,
			Time:          rec.Time,
		}
		if m.Key, arena, err = copyBytes(arena, rec.Key); err == nil {
			m.Value, arena, err = copyBytes(arena, rec.Value)
		}
		closeRecord(rec)
		if err != nil {
			return fmt.Errorf("decode message %d: %w", rec.Offset, err)
		}
		if len(p.batch) == 0 {
			p.since = time.Now()
		}
		p.batch = append(p.batch, m)
		p.next = m.Offset + 1
		p.progress = time.Now()
	}
}

// deliver passes the batch to the handler in pieces of at most MaxBatch messages, and commits
// the offset of each piece. It fails if the handler or a commit fails.
func (p *partitionReader) deliver(ctx context.Context) error {
	g := p.round.group
	for len(p.batch) > 0 {
		n := min(len(p.batch), g.cfg.MaxBatch)
		piece := p.batch[:n:n]
		if err := g.handler(ctx, piece); err != nil {
			return fmt.Errorf("handle offsets %d to %d: %w", piece[0].Offset, piece[n-1].Offset, err)
		}
		if err := p.round.commit(p.tp, piece[n-1].Offset+1); err != nil {
			return err
		}
		g.stats.messages.Add(uint64(n))
		g.stats.batches.Add(1)
		p.batch = p.batch[n:]
		p.progress = time.Now()
	}
	p.batch = nil // the handler may have kept the slice
	return nil
}

// watch detects a stall. If nothing was delivered for StallAfter although the log has messages,
// the partition gets a new connection. watch asks for the log's end on another connection,
// because the stalled one may give an old end.
func (p *partitionReader) watch(ctx context.Context) error {
	g := p.round.group
	if time.Since(p.progress) < g.cfg.StallAfter {
		return nil
	}
	first, end, err := p.bounds(ctx)
	if err != nil {
		return err
	}
	p.progress = time.Now()
	if end <= max(p.next, first) {
		return nil
	}
	g.stats.stalls.Add(1)
	g.log.Error().Str("topic", p.tp.topic).Int("partition", p.tp.partition).Int64("offset", p.next).Int64("end", end).
		Dur("silent_ms", g.cfg.StallAfter).Msg("reading a partition stalls; reconnecting")
	if p.conn != p.round.conn {
		p.conn.close()
	}
	p.conn = newConnection(g.cfg.Brokers)
	return nil
}

// arenaBytes is the size of the blocks into which keys and values are copied, so that each
// message does not need two allocations.
const arenaBytes = 256 << 10

func copyBytes(arena []byte, b kafka.Bytes) (out, rest []byte, err error) {
	if b == nil {
		return nil, arena, nil
	}
	n := b.Len()
	if len(arena) < n {
		arena = make([]byte, max(n, arenaBytes))
	}
	out, rest = arena[:n:n], arena[n:]
	_, err = io.ReadFull(b, out)
	return out, rest, err
}

func closeRecord(rec *kafka.Record) {
	if rec.Key != nil {
		_ = rec.Key.Close()
	}
	if rec.Value != nil {
		_ = rec.Value.Close()
	}
}

func drain(records kafka.RecordReader) error {
	for {
		rec, err := records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		closeRecord(rec)
	}
}
