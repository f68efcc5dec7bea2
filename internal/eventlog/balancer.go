package eventlog

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"github.com/segmentio/kafka-go"
)

// keeping distributes partitions so that a member keeps those that it reads, as far as each
// member gets its share. So a member that joins takes nothing from another one that has only its
// share, and a projector that builds a batch goes on building it. It implements
// kafka.GroupBalancer.
type keeping struct {
	mu   sync.Mutex
	held claim
}

// claim is what a member tells the others when it joins.
type claim struct {
	Generation int32            `json:"generation"` // in which it was given the partitions
	Partitions map[string][]int `json:"partitions"` // by topic
}

// maxClaim bounds the claim of another member, in bytes.
const maxClaim = 64 << 10

// hold notes what this member reads.
func (k *keeping) hold(generation int32, partitions map[string][]int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = claim{generation, partitions}
}

// ProtocolName implements kafka.GroupBalancer.
func (k *keeping) ProtocolName() string { return "cuota-keeping" }

// UserData implements kafka.GroupBalancer.
func (k *keeping) UserData() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return json.Marshal(k.held)
}

// AssignGroups implements kafka.GroupBalancer. It depends only on its arguments, not on their
// order.
func (k *keeping) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	claims := make(map[string]claim, len(members))
	for _, member := range members {
		var of claim
		if len(member.UserData) > maxClaim || json.Unmarshal(member.UserData, &of) != nil {
			of = claim{}
		}
		claims[member.ID] = of
	}
	given := kafka.GroupMemberAssignments{}
	byTopic := map[string][]int{}
	for _, partition := range partitions {
		byTopic[partition.Topic] = append(byTopic[partition.Topic], partition.ID)
	}
	for topic, ids := range byTopic {
		slices.Sort(ids)
		for member, assigned := range share(topic, ids, members, claims) {
			if given[member] == nil {
				given[member] = map[string][]int{}
			}
			given[member][topic] = assigned
		}
	}
	return given
}

// share distributes the partitions of a topic. Of two members that claim one, the claim of the
// newer generation counts: the other member was away meanwhile.
func share(topic string, ids []int, members []kafka.GroupMember, claims map[string]claim) map[string][]int {
	var readers []string
	for _, member := range members {
		if slices.Contains(member.Topics, topic) {
			readers = append(readers, member.ID)
		}
	}
	if len(readers) == 0 {
		return nil
	}
	slices.SortFunc(readers, func(a, b string) int {
		return cmp.Or(-cmp.Compare(claims[a].Generation, claims[b].Generation), cmp.Compare(a, b))
	})
	most := (len(ids) + len(readers) - 1) / len(readers)
	given := map[string][]int{}
	var left []int
	for _, id := range ids {
		holder := slices.IndexFunc(readers, func(member string) bool {
			return len(given[member]) < most && slices.Contains(claims[member].Partitions[topic], id)
		})
		if holder < 0 {
			left = append(left, id)
			continue
		}
		given[readers[holder]] = append(given[readers[holder]], id)
	}
	for _, id := range left {
		next := slices.MinFunc(readers, func(a, b string) int { return cmp.Compare(len(given[a]), len(given[b])) })
		given[next] = append(given[next], id)
	}
	return given
}
