package eventlog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go"
)

// Members asks the brokers how many consumers of cuota are in the group. A dead member is counted until
// its session times out. Like Lag, it tries again for at most Brokers.Patience.
func (g *Group) Members(ctx context.Context) (int, error) {
	versions, err := Versions(ctx, g.cfg.Brokers, []string{g.cfg.ID})
	return len(versions[g.cfg.ID]), err
}

// Versions asks the brokers for the GroupConfig.Version of each member of some consumer groups, by the id of the group.
// It is "" for members that have none. A dead member is told until its session times out. Like Lag, it tries again for
// at most Brokers.Patience.
func Versions(ctx context.Context, brokers Brokers, groups []string) (map[string][]string, error) {
	conn := newConnection(brokers)
	defer conn.close()
	found := map[string][]string{}
	err := brokers.retry(ctx, func(ctx context.Context) error {
		clear(found)
		response, err := conn.client().DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: groups})
		if err != nil {
			return err
		}
		for _, group := range response.Groups {
			switch {
			// some brokers answer so for a group that was never joined
			case errors.Is(group.Error, kafka.GroupIdNotFound):
			case group.Error != nil:
				return group.Error
			}
			for _, member := range group.Members {
				if version, ours := versionOf(member.ClientID); ours {
					found[group.GroupID] = append(found[group.GroupID], version)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("members of consumer groups %s: %w", strings.Join(groups, ", "), err)
	}
	return found, nil
}

// clientOf is the client id of a member of a version. Brokers tell it to whoever asks for the members of a group.
func clientOf(version string) string {
	if version == "" {
		return clientID
	}
	return clientID + "/" + version
}

// versionOf is the version in a client id; "" if it has none. ours reports whether clientOf has made the id.
func versionOf(client string) (version string, ours bool) {
	name, version, _ := strings.Cut(client, "/")
	return version, name == clientID
}
