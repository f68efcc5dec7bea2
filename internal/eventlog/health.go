package eventlog

import (
	"fmt"
	"maps"
	"slices"

	"github.com/segmentio/kafka-go"
)

// Alive returns an error if the group's loop has ended, which happens only after Stop or by a
// fault.
func (g *Group) Alive() error { return g.loop.Alive() }

// Ready returns the reason why messages are not read or stored now: the member can't join the
// group, a partition can't be read, or the handler failed. Otherwise it returns nil.
func (g *Group) Ready() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.joined != nil {
		return g.joined
	}
	for tp, why := range g.troubles {
		return fmt.Errorf("%s/%d: %w", tp.topic, tp.partition, why)
	}
	return nil
}

// notInGroup notes why this member could not join.
func (g *Group) notInGroup(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.joined = fmt.Errorf("it can't join its consumer group: %w", why)
}

// inGroup notes that a generation began. It forgets the troubles of partitions that other
// members read from now on.
func (g *Group) inGroup(gen *kafka.Generation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.joined = nil
	maps.DeleteFunc(g.troubles, func(tp topicPartition, _ error) bool {
		return !slices.ContainsFunc(gen.Assignments[tp.topic], func(a kafka.PartitionAssignment) bool {
			return a.ID == tp.partition
		})
	})
}

// trouble notes the error that prevents a partition from being read and stored. nil means that
// there is none.
func (g *Group) trouble(tp topicPartition, why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if why == nil {
		delete(g.troubles, tp)
		return
	}
	g.troubles[tp] = why
}
