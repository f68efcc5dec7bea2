package demotest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/segmentio/kafka-go"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"
	"cuota/projector"
)

// RunProgram adds a program with other rules to the consumer group of a copy, as one that is being upgraded has it,
// until end is called. The program stores nothing, so the group reads again what it gets.
func (m *Market) RunProgram(t testing.TB, copy, rules string) (end func()) {
	t.Helper()
	config := eventlog.GroupConfig{Brokers: m.brokers, ID: projector.GroupOf(copy), Topics: projector.Topics(),
		Version: rules}
	store := func(context.Context, []kafka.Message) error { return errors.New("this program stores nothing") }
	group, err := eventlog.NewGroup(config, store, m.log)
	must(t, err)
	must(t, group.Start(context.Background()))
	t.Cleanup(func() { _ = group.Stop(context.Background()) })
	waittest.Until(t, "the program is in the group of copy "+copy, func() bool {
		found, err := eventlog.Versions(t.Context(), m.brokers, []string{config.ID})
		must(t, err)
		return slices.Contains(found[config.ID], rules)
	})
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		must(t, group.Stop(ctx))
	}
}
