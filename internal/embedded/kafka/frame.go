package kafka

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The engine runs inside this process, in one goroutine, and trusts its clients. An unknown
// request key makes it panic. It allocates as much as a declared length says, and loops over a
// declared number of partitions. It uses the record count of a batch as its length in the log,
// which makes readers panic if it is wrong. So this package decodes each frame first, and
// refuses a frame unless all of it is valid.
const (
	sizeBytes   = 4
	headerBytes = 8 // request key, version, correlation id

	// Producers send up to a megabyte for each partition and request. All other requests are
	// small.
	maxProduceFrame = 4 << 20
	maxFrame        = 256 << 10
	keepBuffer      = 2 << 20

	// Decoded elements may be much larger than the bytes of a hostile frame. So large frames
	// are decoded one at a time.
	largeFrame = 64 << 10

	maxTopicsPerRequest     = 256
	maxPartitionsPerRequest = 1024
	maxProtocols            = 32
)

// accepted maps each request key that is served to the highest served version. The keys are
// those of producers, consumer groups and the tools that inspect them. Not served are requests
// that would change the topic policy (AlterConfigs), empty a partition (DeleteRecords,
// DeleteTopics) or break the order of a key (CreatePartitions), nor transactions, share groups,
// ACLs and quotas.
//
// The highest version is the last one without tagged fields. The decoder of tagged fields loops
// over a declared count of up to 2^32, however short the frame is. Clients negotiate the
// versions and treat the log like a Kafka 2.3 broker.
var accepted = acceptedVersions(
	kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata,
	kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.FindCoordinator,
	kmsg.JoinGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.SyncGroup,
	kmsg.DescribeGroups, kmsg.ListGroups, kmsg.DeleteGroups, kmsg.OffsetDelete,
	kmsg.ApiVersions, kmsg.SASLHandshake, kmsg.SASLAuthenticate, kmsg.CreateTopics, kmsg.DescribeConfigs,
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

// checkHeader reads the size of a frame and the beginning of its header. It returns the number
// of bytes after the size. It refuses keys, versions and sizes that are not served.
func checkHeader(head [sizeBytes + headerBytes]byte) (int, error) {
	size := binary.BigEndian.Uint32(head[:])
	key := int16(binary.BigEndian.Uint16(head[sizeBytes:]))
	version := int16(binary.BigEndian.Uint16(head[sizeBytes+2:]))
	highest, ok := accepted[key]
	if !ok {
		return 0, refuse("request key %d is not supported", key)
	}
	// A client sends ApiVersions in its own highest version. If that is not served, the
	// response makes it ask again in a lower one.
	if version < 0 || version > highest && key != kmsg.ApiVersions.Int16() {
		return 0, refuse("%s version %d is not supported, only versions 0 to %d", kmsg.NameForKey(key), version,
			highest)
	}
	limit := uint32(maxFrame)
	if key == kmsg.Produce.Int16() {
		limit = maxProduceFrame
	}
	if size < headerBytes || size > limit {
		return 0, refuse("%s of %d bytes, but only %d to %d bytes are allowed", kmsg.NameForKey(key), size, headerBytes,
			limit)
	}
	return int(size), nil
}

var decodingLarge sync.Mutex

// check checks a frame (without its size) whose header was accepted by checkHeader. It returns
// nil if the frame may pass unchanged, else the frame that replaces it. It fails with a
// *frameError.
//
// A client that is outside of this process and may not do what the frame asks gets an answer
// instead of the engine's; see denied.
func (c *guardedConn) check(frame []byte) (replacement []byte, answer kmsg.Response, err error) {
	g := c.guard
	if len(frame) > largeFrame {
		decodingLarge.Lock()
		defer decodingLarge.Unlock()
	}
	key := int16(binary.BigEndian.Uint16(frame))
	version := int16(binary.BigEndian.Uint16(frame[2:]))
	correlation := binary.BigEndian.Uint32(frame[4:])

	if key == kmsg.ApiVersions.Int16() && version > accepted[key] {
		return negotiation(correlation), nil, nil
	}
	r := kbin.Reader{Src: frame[headerBytes:]}
	client := r.NullableString()
	if !r.Ok() {
		return nil, nil, refuse("%s with an invalid client id", kmsg.NameForKey(key))
	}
	req, err := decode(key, version, r.Src)
	if err != nil {
		return nil, nil, err
	}
	switch req := req.(type) {
	case *kmsg.SASLHandshakeRequest:
		answer, err = c.handshake(req)
		return nil, answer, err
	case *kmsg.SASLAuthenticateRequest:
		answer, err = c.authenticate(req)
		return nil, answer, err
	}
	if !c.inside && g.access.keeps(req) {
		g.refusalsLogged.Warn().Stringer("client", c.RemoteAddr()).Str("request", kmsg.NameForKey(key)).
			Msg("embedded Kafka log denies a client to change a consumer group that only this process uses")
		return nil, denied(req), nil
	}
	switch req := req.(type) {
	case *kmsg.ProduceRequest:
		if err := checkProduce(req); err != nil {
			return nil, nil, err
		}
		g.admit(len(frame))
	case *kmsg.JoinGroupRequest:
		if err := checkJoin(req); err != nil {
			return nil, nil, err
		}
	case *kmsg.CreateTopicsRequest:
		if err := g.topics.apply(req); err != nil {
			return nil, nil, err
		}
		return encode(req, correlation, client), nil, nil
	}
	return nil, nil, nil
}

// decode parses the body of a request. If the decoder panics, decode returns a refusal.
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

// encode writes a request with a header of versions without tagged fields.
func encode(req kmsg.Request, correlation uint32, client *string) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(req.Key()))
	b = binary.BigEndian.AppendUint16(b, uint16(req.GetVersion()))
	b = binary.BigEndian.AppendUint32(b, correlation)
	b = kbin.AppendNullableString(b, client)
	return req.AppendTo(b)
}

// negotiation returns an ApiVersions request in a version that is not served, without the
// client's tagged fields. The engine answers that the version is unsupported, and lists those
// that are supported.
func negotiation(correlation uint32) []byte {
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(accepted[req.Key()] + 1)
	req.ClientSoftwareName, req.ClientSoftwareVersion = "client", "0"
	b := binary.BigEndian.AppendUint16(nil, uint16(req.Key()))
	b = binary.BigEndian.AppendUint16(b, uint16(req.GetVersion()))
	b = binary.BigEndian.AppendUint32(b, correlation)
	b = kbin.AppendNullableString(b, nil)
	b = append(b, 0) // no tagged fields in the header
	return req.AppendTo(b)
}

func checkProduce(req *kmsg.ProduceRequest) error {
	if req.TransactionID != nil {
		return refuse("transactions are not supported")
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

// checkJoin refuses members without an assignment protocol, and those that name one twice. The
// engine counts the members of a group that know each protocol, and panics if the count is
// wrong.
func checkJoin(req *kmsg.JoinGroupRequest) error {
	if n := len(req.Protocols); n < 1 || n > maxProtocols {
		return refuse("JoinGroup with %d protocols, but 1 to %d are allowed", n, maxProtocols)
	}
	for i, p := range req.Protocols {
		if slices.ContainsFunc(req.Protocols[:i], func(q kmsg.JoinGroupRequestProtocol) bool {
			return q.Name == p.Name
		}) {
			return refuse("JoinGroup with protocol %.80q twice", p.Name)
		}
	}
	return nil
}
