package eventlog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
)

// likeEvents makes messages of about 300 bytes that resemble the events of a published file and
// compress like them.
func likeEvents(n int) []kafkago.Message {
	r := rand.New(rand.NewPCG(1, 2))
	ms := make([]kafkago.Message, n)
	for i := range ms {
		key := fmt.Sprintf("%d-%c", 8000+r.IntN(3000), 'A'+rune(r.IntN(8)))
		value := fmt.Sprintf(`{"fund":"%s","date":"2024-%02d-%02d","quota":"%d.%04d","equity":"%d","holders":%d,"source":{"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","line":%d},"revision":17095%08d`,
			key, 1+r.IntN(12), 1+r.IntN(28), 1000+r.IntN(9000), r.IntN(10000), r.Int64N(1e12), r.IntN(100000), i, i)
		for len(value) < 297 {
			value += `,"f` + strconv.Itoa(r.IntN(100)) + `":` + strconv.Itoa(r.IntN(1000))
		}
		ms[i] = kafkago.Message{Key: []byte(key), Value: []byte(value + "}")}
	}
	return ms
}

func BenchmarkWrite(b *testing.B) {
	brokers := brokers(b)
	name := topic(b, brokers, 4)
	w := newWriter(b, brokers)
	ms := likeEvents(50_000)
	b.ResetTimer()
	for written := 0; written < b.N; written += len(ms) {
		if err := w.Write(b.Context(), name, ms[:min(len(ms), b.N-written)]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
}

func BenchmarkWriteOne(b *testing.B) {
	brokers := brokers(b)
	name := topic(b, brokers, 4)
	w := newWriter(b, brokers)
	ms := likeEvents(1)
	b.ResetTimer()
	for range b.N {
		if err := w.Write(b.Context(), name, ms); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	brokers := brokers(b)
	name := topic(b, brokers, 4)
	w := newWriter(b, brokers)
	ms := likeEvents(50_000)
	for written := 0; written < b.N; written += len(ms) {
		if err := w.Write(b.Context(), name, ms[:min(len(ms), b.N-written)]); err != nil {
			b.Fatal(err)
		}
	}
	c := make(chan int, 1000)
	b.ResetTimer()
	startGroup(b, config(brokers, unique("g"), name), func(_ context.Context, batch []kafkago.Message) error {
		c <- len(batch)
		return nil
	})
	for got := 0; got < b.N; {
		got += <-c
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
}
