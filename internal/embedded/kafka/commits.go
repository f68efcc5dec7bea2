package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrDamaged says that files of the log are missing or truncated. The log can start again with
// an empty directory; messages that no group had read are then lost.
var ErrDamaged = errors.New("the log is damaged")

// checkCommits fails if the log ends before an offset that a consumer group has committed. This
// happens if the machine lost power before the last writes were durable, or if files of a
// partition were deleted. New events would get offsets that the group has already read, and the
// group would skip them silently.
func checkCommits(ctx context.Context, g *guard, cluster *kfake.Cluster, dir string) (err error) {
	groups, topics, err := listAll(ctx, g)
	if err != nil {
		return fmt.Errorf("list consumer groups: %w", err)
	}
	if !g.topics.add(topics...) {
		return fmt.Errorf("the log has %d topics, but may have at most %d: delete the directory if the projector has "+
			"stored every event in it", len(topics), maxTopics)
	}
	var errs []error
	for _, group := range groups {
		info := cluster.GroupInfo(group)
		if info == nil {
			continue
		}
		for topic, commits := range info.Commits {
			ends := make(map[int32]int64)
			for _, p := range cluster.PartitionInfos(topic) {
				ends[p.Partition] = p.HighWatermark
			}
			for partition, commit := range commits {
				if end := ends[partition]; commit.Offset > end {
					errs = append(errs, fmt.Errorf("group %s has read %s/%d up to offset %d, but the log ends at %d",
						group, topic, partition, commit.Offset, end))
				}
			}
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w\nthe end of the log is lost: remove %s so that every group reads from the beginning "+
		"(events read twice do no harm), start again, and publish the latest files again",
		ErrDamaged, errors.Join(errs...), filepath.Join(dir, "groups.log"))
}

// listAll returns the names of all groups and topics. It sends requests to the engine, because
// the engine has no other way to list them.
func listAll(ctx context.Context, g *guard) (groups, topics []string, err error) {
	conn, err := g.dial()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	metadata := kmsg.NewPtrMetadataRequest()
	metadata.SetVersion(1)
	resp, err := ask(conn, metadata)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range resp.(*kmsg.MetadataResponse).Topics {
		if t.Topic != nil {
			topics = append(topics, *t.Topic)
		}
	}
	if resp, err = ask(conn, kmsg.NewPtrListGroupsRequest()); err != nil {
		return nil, nil, err
	}
	for _, gr := range resp.(*kmsg.ListGroupsResponse).Groups {
		groups = append(groups, gr.Group)
	}
	return groups, topics, nil
}

// ask sends one request and reads its response, in a protocol version without tagged fields.
func ask(conn net.Conn, req kmsg.Request) (kmsg.Response, error) {
	frame := encode(req, 0, nil)
	if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)); err != nil {
		return nil, err
	}
	var head [8]byte // size, correlation id
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[:])-4)
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil, err
	}
	resp := req.ResponseKind()
	return resp, resp.ReadFrom(body)
}
