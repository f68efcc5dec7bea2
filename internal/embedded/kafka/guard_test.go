package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestGuardPassesWhatClientsSend(t *testing.T) {
	metadata := kmsg.NewPtrMetadataRequest()
	metadata.SetVersion(8)
	for name, req := range map[string]kmsg.Request{
		"metadata": metadata,
		"produce":  produceOf(batchOf(nil, "a", "", "c")),
		"compressed produce": produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.Attributes, b.Records = 4, zstdOf(t, b.Records)
		}, "a", "b")),
	} {
		sent := frameOf(req)
		got, err := pass(testGuard(), sent)
		if err != nil || !bytes.Equal(got, sent[4:]) {
			t.Errorf("%s: %v, %d bytes of %d", name, err, len(got), len(sent)-4)
		}
	}
}

func TestGuardRefusesFramesTheEngineCouldNotTake(t *testing.T) {
	raw := func(size uint32, key, version int16, body ...byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, size)
		b = binary.BigEndian.AppendUint16(b, uint16(key))
		b = binary.BigEndian.AppendUint16(b, uint16(version))
		b = binary.BigEndian.AppendUint32(b, 1)
		return append(b, body...)
	}
	whole := func(key, version int16, body ...byte) []byte {
		return raw(uint32(8+len(body)), key, version, body...)
	}
	flexible := kmsg.NewPtrMetadataRequest()
	flexible.SetVersion(9)
	transactional := produceOf(batchOf(nil, "a"))
	transactional.TransactionID = kmsg.StringPtr("t")
	noProtocol := kmsg.NewPtrJoinGroupRequest()
	noProtocol.Group, noProtocol.ProtocolType = "g", "consumer"
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name = "range"
	protocolTwice := *noProtocol
	protocolTwice.Protocols = []kmsg.JoinGroupRequestProtocol{protocol, protocol}
	create := kmsg.NewPtrCreateTopicsRequest()
	create.SetVersion(4)
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions = "../../etc", 1
	badName := *create
	badName.Topics = append(badName.Topics, topic)
	topic.Topic, topic.NumPartitions = "events", math.MaxInt32
	manyPartitions := *create
	manyPartitions.Topics = append(manyPartitions.Topics, topic)

	for name, sent := range map[string][]byte{
		"unknown key":             whole(9999, 0),
		"negative key":            whole(-1, 0),
		"key not served":          whole(int16(kmsg.DeleteRecords), 0),
		"version too high":        frameOf(flexible),
		"negative version":        whole(int16(kmsg.Metadata), -1),
		"smaller than its header": raw(4, int16(kmsg.Metadata), 0),
		"size of 4 GiB":           raw(math.MaxUint32, int16(kmsg.Produce), 7),
		"large for its key":       raw(1<<20, int16(kmsg.Metadata), 0),
		"client id past the end":  whole(int16(kmsg.Metadata), 0, 0x7f, 0xff),
		"array past the end":      whole(int16(kmsg.Metadata), 0, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff),
		"transaction":             frameOf(transactional),
		"no protocol":             frameOf(noProtocol),
		"protocol twice":          frameOf(&protocolTwice),
		"topic name":              frameOf(&badName),
		"partitions":              frameOf(&manyPartitions),
		"old message format":      frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) { b.Magic = 1 }, "a"))),
		"batch cut short":         frameOf(produceOf(batchOf(nil, "a")[:30])),
		"records declared": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.NumRecords, b.LastOffsetDelta = math.MaxInt32, math.MaxInt32-1
		}, "a"))),
		"no records": frameOf(produceOf(batchOf(nil))),
		"negative number of records": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.NumRecords, b.LastOffsetDelta = -5, -6
		}, "a"))),
		"more bytes than records": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.Records = append(b.Records, 0)
		}, "a"))),
		"key longer than record": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.Records = []byte{10, 0, 0, 0, 100, 1} // length 5, then a key of 50
		}, "a"))),
		"headers declared": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.Records = []byte{20, 0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f}
		}, "a"))),
		"unknown compression": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) { b.Attributes = 5 }, "a"))),
		"compressed noise":    frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) { b.Attributes = 4 }, "a"))),
		"decompression bomb": frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
			b.Attributes, b.Records = 4, zstdOf(t, make([]byte, 256<<20))
		}, "a"))),
	} {
		got, err := pass(testGuard(), sent)
		if refusal := (*frameError)(nil); !errors.As(err, &refusal) {
			t.Errorf("%s: got %d bytes and %v, want a refusal", name, len(got), err)
		}
	}
}

// Tagged fields could occupy the decoder for minutes, so versions with them must not be
// decoded.
func TestGuardServesNoVersionWithTags(t *testing.T) {
	for key, highest := range accepted {
		req := kmsg.RequestForKey(key)
		for v := int16(0); v <= highest; v++ {
			if req.SetVersion(v); req.IsFlexible() {
				t.Errorf("%s version %d", kmsg.NameForKey(key), v)
			}
		}
	}
}

func TestGuardAnswersNegotiationWithoutReadingTheClientsTags(t *testing.T) {
	// ApiVersions version 4 with 2^32-1 tags in the header.
	sent := []byte{0, 0, 0, 15, 0, 18, 0, 4, 0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f}
	got, err := pass(testGuard(), sent)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, negotiation(9)) {
		t.Errorf("engine reads %x", got)
	}
}

func TestCreatedTopicsGetThePolicyWhateverTheClientAsks(t *testing.T) {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.SetVersion(4)
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions = "events", 3
	topic.Configs = []kmsg.CreateTopicsRequestTopicConfig{
		config("retention.ms", "1"), config("retention.bytes", "1"), config("segment.bytes", "99999999999"),
		config("cleanup.policy", "compact"), config("kfake.is_internal", "true"),
	}
	req.Topics = append(req.Topics, topic)
	got, err := pass(testGuard(), frameOf(req))
	if err != nil {
		t.Fatal(err)
	}
	made, err := decode(req.Key(), req.Version, got[headerBytes+2:])
	if err != nil {
		t.Fatal(err)
	}
	var configs []string
	for _, c := range made.(*kmsg.CreateTopicsRequest).Topics[0].Configs {
		configs = append(configs, c.Name+"="+*c.Value)
	}
	if s := strings.Join(configs,
		" "); s != "cleanup.policy=delete retention.ms=-1 retention.bytes=8388608 segment.bytes=4194304" {
		t.Error(s)
	}
}

func TestTopicsStayFew(t *testing.T) {
	var names topicNames
	for i := range maxTopics {
		if !names.add(string(rune('a'+i%26)) + strings.Repeat("x", i)) {
			t.Fatalf("refused topic %d", i)
		}
	}
	if names.add("one-more") {
		t.Error("one topic too many was accepted")
	}
	if !names.add("a") {
		t.Error("a known topic was refused")
	}
}

func TestASlowClientIsCutOffWithinAFrameAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		c := &guardedConn{Conn: server, guard: testGuard(), admitted: true}
		c.guard.idle.Add(1)
		go func() {
			time.Sleep(idleTimeout - time.Second) // the fake clock's time
			f := frameOf(kmsg.NewPtrListGroupsRequest())
			_, _ = client.Write(f)
			_, _ = client.Write(f[:5])
		}()
		began := time.Now()
		frame := make([]byte, 100)
		if _, err := c.Read(frame); err != nil {
			t.Errorf("after a pause: %v", err)
		}
		c.pending = nil
		if _, err := c.Read(frame); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("within a frame: %v, want a timeout", err)
		}
		if took := time.Since(began); took != idleTimeout-time.Second+frameTimeout {
			t.Errorf("took %s", took)
		}
		if err := errors.Join(c.Close(), client.Close()); err != nil {
			t.Error(err)
		}
	})
}
