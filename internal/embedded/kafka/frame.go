package kafka

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The engine runs in the program's own process, has one goroutine for
// everything, and trusts its clients: an unknown request key panics it, a
// declared length is allocated, a partition count is looped over, a batch's
// record count is taken as its length in the log, from where it would panic the
// readers. So a frame is decoded here first and refused unless the whole of it
// makes sense.
const (
	sizeBytes   = 4
	headerBytes = 8 // key, version, correlation id

	// Producers send up to a megabyte per partition and request. Every other
	// request is small.
	maxProduceFrame = 4 << 20
	maxFrame        = 256 << 10
	keepBuffer      = 2 << 20

	// Decoding multiplies hostile bytes by the size of a decoded element, so
	// large frames are decoded one at a time.
	largeFrame = 64 << 10

	maxTopicsPerRequest     = 256
	maxPartitionsPerRequest = 1024
	maxProtocols            = 32
)

// accepted maps each request key that is served to its highest version served.
// The keys are those of producers, consumer groups and the tools that look at
// them. What would change the topic policy (AlterConfigs), empty a partition
// (DeleteRecords, DeleteTopics) or break the order of a key (CreatePartitions)
// is left out, as are transactions, share groups, ACLs and quotas.
//
// The highest version is the last without tagged fields: their decoder loops
// over a declared count of up to 2^32 whatever the length of the frame. Clients
// negotiate and speak to the log as to a Kafka 2.3 broker.
var accepted = acceptedVersions(
	kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata,
	kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.FindCoordinator,
	kmsg.JoinGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.SyncGroup,
	kmsg.DescribeGroups, kmsg.ListGroups, kmsg.DeleteGroups, kmsg.OffsetDelete,
	kmsg.ApiVersions, kmsg.CreateTopics, kmsg.DescribeConfigs,
	kmsg.InitProducerID, kmsg.OffsetForLeaderEpoch,
)

func acceptedVersions(keys ...kmsg.Key) map[int16]int16 {
	versions := make(map[int16]int16, len(keys))
	for _, key := range keys {
		req := kmsg.RequestForKey(key.Int16())
		for v := int16(0); v <= req.MaxVersion(); v++ {
			if req.SetVersion(v); req.IsFlexible() {
				break
			}
			versions[key.Int16()] = v
		}
	}
	return versions
}

// checkHeader reads a frame's size and the begin of its header, and returns the
// number of bytes after the size.
func checkHeader(head [sizeBytes + headerBytes]byte) (int, error) {
	size := binary.BigEndian.Uint32(head[:])
	key := int16(binary.BigEndian.Uint16(head[sizeBytes:]))
	version := int16(binary.BigEndian.Uint16(head[sizeBytes+2:]))
	highest, ok := accepted[key]
	if !ok {
		return 0, refuse("request key %d is not served", key)
	}
	// A client asks for the versions at the highest it knows, and is told to
	// ask again.
	if version < 0 || version > highest && key != kmsg.ApiVersions.Int16() {
		return 0, refuse("%s version %d is not served, only 0 to %d", kmsg.NameForKey(key), version, highest)
	}
	limit := uint32(maxFrame)
	if key == kmsg.Produce.Int16() {
		limit = maxProduceFrame
	}
	if size < headerBytes || size > limit {
		return 0, refuse("%s of %d bytes, only %d to %d are served", kmsg.NameForKey(key), size, headerBytes, limit)
	}
	return int(size), nil
}

var decodingLarge sync.Mutex

// check examines a frame (without its size) whose header checkHeader accepted.
// It returns nil if the frame may pass as it is, or what to pass in its place.
func (g *guard) check(frame []byte) (replacement []byte, err error) {
	if len(frame) > largeFrame {
		decodingLarge.Lock()
		defer decodingLarge.Unlock()
	}
	key := int16(binary.BigEndian.Uint16(frame))
	version := int16(binary.BigEndian.Uint16(frame[2:]))
	correlation := binary.BigEndian.Uint32(frame[4:])

	if key == kmsg.ApiVersions.Int16() && version > accepted[key] {
		return negotiation(correlation), nil
	}
	r := kbin.Reader{Src: frame[headerBytes:]}
	client := r.NullableString()
	if !r.Ok() {
		return nil, refuse("%s with a broken client id", kmsg.NameForKey(key))
	}
	req, err := decode(key, version, r.Src)
	if err != nil {
		return nil, err
	}
	switch req := req.(type) {
	case *kmsg.ProduceRequest:
		if err := checkProduce(req); err != nil {
			return nil, err
		}
		g.admit(len(frame))
	case *kmsg.JoinGroupRequest:
		if err := checkJoin(req); err != nil {
			return nil, err
		}
	case *kmsg.CreateTopicsRequest:
		if err := g.topics.apply(req); err != nil {
			return nil, err
		}
		return encode(req, correlation, client), nil
	}
	return nil, nil
}

// decode parses a body. A decoder that panics is a refusal like any other.
func decode(key, version int16, body []byte) (req kmsg.Request, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse("%s version %d can't be decoded: %v", kmsg.NameForKey(key), version, p)
		}
	}()
	req = kmsg.RequestForKey(key)
	req.SetVersion(version)
	if err := req.ReadFrom(body); err != nil {
		return nil, refuse("%s version %d can't be decoded: %v", kmsg.NameForKey(key), version, err)
	}
	return req, nil
}

// encode writes a request with the header of versions that have no tags.
func encode(req kmsg.Request, correlation uint32, client *string) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(req.Key()))
	b = binary.BigEndian.AppendUint16(b, uint16(req.GetVersion()))
	b = binary.BigEndian.AppendUint32(b, correlation)
	b = kbin.AppendNullableString(b, client)
	return req.AppendTo(b)
}

// negotiation is an ApiVersions request of a version not served, without the
// tagged fields a client may have put in: the engine answers that the version
// is unsupported and which are.
func negotiation(correlation uint32) []byte {
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(accepted[req.Key()] + 1)
	req.ClientSoftwareName, req.ClientSoftwareVersion = "client", "0"
	b := binary.BigEndian.AppendUint16(nil, uint16(req.Key()))
	b = binary.BigEndian.AppendUint16(b, uint16(req.GetVersion()))
	b = binary.BigEndian.AppendUint32(b, correlation)
	b = kbin.AppendNullableString(b, nil)
	b = append(b, 0) // no tags in the header
	return req.AppendTo(b)
}

func checkProduce(req *kmsg.ProduceRequest) error {
	if req.TransactionID != nil {
		return refuse("transactions are not served")
	}
	if len(req.Topics) > maxTopicsPerRequest {
		return refuse("Produce to %d topics at once", len(req.Topics))
	}
	partitions := 0
	for i := range req.Topics {
		t := &req.Topics[i]
		if partitions += len(t.Partitions); partitions > maxPartitionsPerRequest {
			return refuse("Produce to more than %d partitions at once", maxPartitionsPerRequest)
		}
		for j := range t.Partitions {
			if err := checkBatch(t.Partitions[j].Records); err != nil {
				return fmt.Errorf("produce to %s/%d: %w", t.Topic, t.Partitions[j].Partition, err)
			}
		}
	}
	return nil
}

// checkJoin refuses members without an assignment protocol and those that name
// one twice. The engine counts the members of a group that know a protocol, and
// panics when the count comes out wrong.
func checkJoin(req *kmsg.JoinGroupRequest) error {
	if n := len(req.Protocols); n < 1 || n > maxProtocols {
		return refuse("JoinGroup with %d protocols, 1 to %d are possible", n, maxProtocols)
	}
	for i, p := range req.Protocols {
		if slices.ContainsFunc(req.Protocols[:i], func(q kmsg.JoinGroupRequestProtocol) bool { return q.Name == p.Name }) {
			return refuse("JoinGroup with protocol %.80q twice", p.Name)
		}
	}
	return nil
}
