package eventlog_test

import (
	"context"
	"slices"
	"testing"

	kafkago "github.com/segmentio/kafka-go"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"
)

func TestTheVersionsOfGroupsAreThoseOfTheirMembers(t *testing.T) {
	b := brokers(t)
	name, joined, other, never := topic(t, b, 1), unique("g"), unique("g"), unique("g")
	nothing := func(context.Context, []kafkago.Message) error { return nil }
	start := func(id, version string) *eventlog.Group {
		config := config(b, id, name)
		config.Version = version
		return startGroup(t, config, nothing)
	}
	await := func(what string, want ...string) {
		t.Helper()
		waittest.Until(t, what, func() bool {
			found, err := eventlog.Versions(timeout(t), b, []string{joined, other, never})
			if err != nil {
				t.Fatal(err)
			}
			got := found[joined]
			slices.Sort(got)
			return slices.Equal(got, want) && slices.Equal(found[other], []string{"3"}) && len(found[never]) == 0
		})
	}
	start(joined, "")
	start(other, "3")
	await("a member without a version", "")
	newer := start(joined, "2/b")
	await("two members", "", "2/b")
	stopGroup(t, newer)
	await("the member that stayed", "")
}
