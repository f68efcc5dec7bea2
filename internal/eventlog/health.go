package eventlog

import (
	"errors"
	"fmt"
	"maps"

	"github.com/segmentio/kafka-go"
)

// Alive gives an error if the group's loop has ended by itself.
func (g *Group) Alive() error {
	select {
	case <-g.done: // never of a group that was not started
		return errors.New("its loop has ended")
	default:
		return nil
	}
}

// Ready gives why messages are not read or not stored right now: the group can't be
// joined, a partition can't be read, or the handler failed.
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

// inGroup notes that a generation began. Partitions that others read from now on are no
// trouble of this member's.
func (g *Group) inGroup(gen *kafka.Generation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.joined = nil
	maps.DeleteFunc(g.troubles, func(tp topicPartition, _ error) bool {
		for _, assigned := range gen.Assignments[tp.topic] {
			if assigned.ID == tp.partition {
				return false
			}
		}
		return true
	})
}

// trouble notes what keeps a partition from being read and stored; nil: nothing.
func (g *Group) trouble(tp topicPartition, why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if why == nil {
		delete(g.troubles, tp)
		return
	}
	g.troubles[tp] = why
}
