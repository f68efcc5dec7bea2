package eventlog

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"
)

// member is a member that was given partitions of the topic "days" in a generation.
func member(t *testing.T, id string, generation int32, held ...int) kafka.GroupMember {
	t.Helper()
	data, err := json.Marshal(claim{generation, map[string][]int{"days": held}})
	if err != nil {
		t.Fatal(err)
	}
	return kafka.GroupMember{ID: id, Topics: []string{"days"}, UserData: data}
}

func TestAMemberKeepsThePartitionsThatItReads(t *testing.T) {
	newcomer := kafka.GroupMember{ID: "a", Topics: []string{"days"}}
	for name, c := range map[string]struct {
		partitions int
		members    []kafka.GroupMember
		want       map[string][]int
	}{
		"the only partition stays where it is": {1, []kafka.GroupMember{newcomer, member(t, "b", 3, 0)},
			map[string][]int{"b": {0}}},
		"a newcomer gets its share": {2, []kafka.GroupMember{newcomer, member(t, "b", 3, 0, 1)},
			map[string][]int{"b": {0}, "a": {1}}},
		"the newer of two claims counts": {1,
			[]kafka.GroupMember{member(t, "a", 2, 0), member(t, "b", 3, 0)}, map[string][]int{"b": {0}}},
		"what nobody reads is distributed": {3, []kafka.GroupMember{member(t, "a", 3, 2), newcomer2},
			map[string][]int{"a": {1, 2}, "z": {0}}},
		"a claim that can't be read is none": {1,
			[]kafka.GroupMember{{ID: "a", Topics: []string{"days"}, UserData: []byte("{")}},
			map[string][]int{"a": {0}}},
		"a partition that is gone is given to nobody": {1, []kafka.GroupMember{member(t, "a", 3, 0, 7)},
			map[string][]int{"a": {0}}},
	} {
		t.Run(name, func(t *testing.T) {
			var partitions []kafka.Partition
			for id := range c.partitions {
				partitions = append(partitions, kafka.Partition{Topic: "days", ID: id})
			}
			for range 5 {
				rand.Shuffle(len(c.members), func(i, j int) { c.members[i], c.members[j] = c.members[j], c.members[i] })
				got := map[string][]int{}
				for id, topics := range new(keeping).AssignGroups(c.members, partitions) {
					slices.Sort(topics["days"])
					got[id] = topics["days"]
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

var newcomer2 = kafka.GroupMember{ID: "z", Topics: []string{"days"}}
