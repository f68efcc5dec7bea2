package kafka

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func frameOf(req kmsg.Request) []byte {
	f := encode(req, 7, nil)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(f))), f...)
}

// pass sends bytes through the guard as a connection does, and returns what the engine reads of
// the first frame.
func pass(g *guard, sent []byte) ([]byte, error) {
	c := &guardedConn{Conn: &bytesConn{r: bytes.NewReader(sent)}, guard: g, admitted: true}
	var size [4]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(c, frame)
	return frame, err
}

func testGuard() *guard { return newGuard(nil, 1, access{}, func(int) {}, zerolog.Nop()) }

// bytesConn is a connection from which all bytes have already arrived.
type bytesConn struct {
	net.Conn
	r *bytes.Reader
}

func (c *bytesConn) Read(p []byte) (int, error)       { return c.r.Read(p) }
func (c *bytesConn) Write(p []byte) (int, error)      { return len(p), nil }
func (c *bytesConn) SetReadDeadline(time.Time) error  { return nil }
func (c *bytesConn) SetWriteDeadline(time.Time) error { return nil }
func (c *bytesConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }

// batchOf encodes a valid batch of records with the given values. change may then make it
// invalid.
func batchOf(change func(*kmsg.RecordBatch), values ...string) []byte {
	var records []byte
	for i, v := range values {
		r := kmsg.Record{OffsetDelta: int32(i), Key: []byte("k"), Value: []byte(v),
			Headers: []kmsg.Header{{Key: "h", Value: []byte("1")}}}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		records = r.AppendTo(records)
	}
	b := kmsg.RecordBatch{
		Magic: 2, LastOffsetDelta: int32(len(values)) - 1, NumRecords: int32(len(values)),
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, Records: records,
	}
	if change != nil {
		change(&b)
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

func produceOf(batch []byte) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.SetVersion(7)
	req.Acks = -1
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic = "events"
	partition := kmsg.NewProduceRequestTopicPartition()
	partition.Records = batch
	topic.Partitions = append(topic.Partitions, partition)
	req.Topics = append(req.Topics, topic)
	return req
}

func zstdOf(t testing.TB, b []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = enc.Close() }()
	return enc.EncodeAll(b, nil)
}

// FuzzFrameGuard checks that the guard never panics, and that whatever it accepts is one
// complete frame that decodes.
func FuzzFrameGuard(f *testing.F) {
	for key := range accepted {
		req := kmsg.RequestForKey(key)
		f.Add(frameOf(req))
		req.SetVersion(accepted[key])
		f.Add(frameOf(req))
	}
	f.Add(frameOf(produceOf(batchOf(nil, "a", "b"))))
	f.Add(frameOf(produceOf(batchOf(func(b *kmsg.RecordBatch) {
		b.Attributes, b.Records = 4, zstdOf(f, b.Records)
	}, "a"))))
	f.Fuzz(func(t *testing.T, sent []byte) {
		got, err := pass(testGuard(), sent)
		if err != nil {
			return
		}
		if len(got) < headerBytes || len(got) > maxProduceFrame {
			t.Fatalf("passed %d bytes", len(got))
		}
		key := int16(binary.BigEndian.Uint16(got))
		version := int16(binary.BigEndian.Uint16(got[2:]))
		if key == kmsg.ApiVersions.Int16() && version > accepted[key] {
			if !bytes.Equal(got, negotiation(binary.BigEndian.Uint32(got[4:]))) {
				t.Fatalf("passed a negotiation of the client's own: %x", got)
			}
			return
		}
		if highest, ok := accepted[key]; !ok || version < 0 || version > highest {
			t.Fatalf("passed key %d version %d", key, version)
		}
		if len(got) < headerBytes+2 {
			t.Fatal("passed a frame without a client id")
		}
		if n := int16(binary.BigEndian.Uint16(got[headerBytes:])); n > 0 {
			got = got[n:]
		}
		req, err := decode(key, version, got[headerBytes+2:])
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := req.(*kmsg.ProduceRequest); ok {
			if err := checkProduce(p); err != nil {
				t.Fatal(err)
			}
		}
	})
}
