package kafka_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"cuota/internal/eventlog"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Frames of three kinds are sent to a server in its own process, which must survive them and
// still serve at the end: random bytes, requests with changed bytes, and well-formed requests
// without meaning. CUOTA_TEST_FRAMES sets how many, for longer runs by hand, and
// CUOTA_TEST_SEED the seed.
func TestNoFrameEndsTheServer(t *testing.T) {
	count, seed := uint64(3000), uint64(1)
	for name, into := range map[string]*uint64{"CUOTA_TEST_FRAMES": &count, "CUOTA_TEST_SEED": &seed} {
		if s := os.Getenv(name); s != "" {
			n, err := strconv.ParseUint(s, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			*into = n
		}
	}
	server := startChild(t, t.TempDir(), "127.0.0.1:0")
	createTopic(t, server.addr, eventlog.Topic{Name: "foo", Partitions: 2})
	if err := writer(t, server.addr).Write(timeout(t), "foo", messages(0, 100, 50)); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var recent [][]byte // frames that may have ended the server
	for range count {
		frame := randomFrame(r)
		if recent = append(recent, frame); len(recent) > 20 {
			recent = recent[1:]
		}
		conn, err := net.Dial("tcp", server.addr)
		if err == nil {
			_, _ = conn.Write(frame)
			// Most responses come at once. The test does not wait for those that are held back
			// (a fetch, a join).
			_ = conn.SetReadDeadline(time.Now().Add(3 * time.Millisecond))
			_, _ = conn.Read(make([]byte, 64))
			_ = conn.Close()
		}
		select {
		case <-server.ended:
			for _, f := range recent {
				t.Logf("key %d version %d: %x", int16(binary.BigEndian.Uint16(f[4:])),
					int16(binary.BigEndian.Uint16(f[6:])), f[:min(len(f), 300)])
			}
			t.Fatalf("the server ended:\n%s", server.stderr.String())
		default:
		}
	}
	meta, err := client(t, server.addr).Metadata(timeout(t), &kafkago.MetadataRequest{Topics: []string{"foo"}})
	if err != nil || meta.Topics[0].Error != nil {
		t.Fatalf("after %d frames: %v %+v", count, err, meta)
	}
	if got := readAll(t, server.addr, "foo"); len(got) == 0 {
		t.Error("the topic can't be read any more")
	}
}

func randomFrame(r *rand.Rand) []byte {
	served := []int16{0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 22, 23, 32, 42, 47}
	key := served[r.IntN(len(served))]
	switch r.IntN(20) {
	case 0:
		key = int16(r.Uint32())
	case 1, 2:
		key = int16(r.IntN(93)) // known to the engine, or close to a known key
	}
	version := int16(r.IntN(14))
	var body []byte
	if req := kmsg.RequestForKey(key); req != nil {
		version = int16(r.IntN(min(int(req.MaxVersion()), 7) + 1))
		req.SetVersion(version)
		fill(r, reflect.ValueOf(req).Elem(), 0)
		req.SetVersion(version)
		body = req.AppendTo(nil)
	}
	switch r.IntN(4) {
	case 0:
		for i := range body {
			if r.IntN(6) == 0 {
				body[i] = byte(r.Uint32())
			}
		}
	case 1:
		body = make([]byte, r.IntN(120))
		for i := range body {
			body[i] = byte(r.Uint32())
		}
	}
	frame := binary.BigEndian.AppendUint16(make([]byte, 4, 64+len(body)), uint16(key))
	frame = binary.BigEndian.AppendUint16(frame, uint16(version))
	frame = append(frame, 0, 0, 0, 1, 0xff, 0xff) // correlation id, no client id
	if req := kmsg.RequestForKey(key); req != nil {
		if req.SetVersion(version); req.IsFlexible() {
			frame = append(frame, 0)
		}
	}
	frame = append(frame, body...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// fill sets every field to a value that may confuse a handler.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	numbers := []int64{-1, 0, 1, 2, -2, 3, 100, 6000, 30000, math.MaxInt16, math.MaxInt32, math.MinInt32, math.MaxInt64,
		math.MinInt64}
	names := []string{"foo", "foo", "g", "g", "", "bar", "range", "consumer", "retention.ms", "-1", "\x00", "foo.bar",
		"foo_bar"}
	switch v.Kind() {
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Name != "UnknownTags" {
				fill(r, f, depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(randomBytes(r))
			return
		}
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.String:
		v.SetString(names[r.IntN(len(names))])
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(numbers[r.IntN(len(numbers))]) // truncated to the size of the field
	case reflect.Uint8:
		v.SetUint(uint64(r.Uint32() & 0xff))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	}
}

// randomBytes returns record batches and metadata of group members.
func randomBytes(r *rand.Rand) []byte {
	switch r.IntN(4) {
	case 0:
		return nil
	case 1:
		b := make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	rec := kmsg.Record{Key: []byte("k"), Value: make([]byte, r.IntN(50))}
	rec.Length = int32(len(rec.AppendTo(nil)) - 1)
	b := kmsg.RecordBatch{
		Magic: 2, NumRecords: 1, ProducerID: int64(r.IntN(4)) - 1, ProducerEpoch: int16(r.IntN(4)) - 1,
		FirstSequence: int32(r.IntN(4)) - 1,
		Attributes:    int16(r.IntN(64)), FirstTimestamp: int64(r.Uint64()), MaxTimestamp: int64(r.Uint64()),
		Records: rec.AppendTo(nil),
	}
	if r.IntN(3) > 0 {
		b.Attributes = 0
	}
	if r.IntN(3) == 0 {
		b.NumRecords = int32(r.Uint32())
		b.LastOffsetDelta = b.NumRecords - 1
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}
