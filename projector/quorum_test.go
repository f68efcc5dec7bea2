package projector_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/model"
	"cuota/projector"
	"cuota/projector/schema"
)

// busyTable is a connection to the real engine on which the next inserts fail as if another
// insert were waiting for its quorum. A single server never does that.
type busyTable struct {
	driver.Conn
	refusals int
	code     int32
	begun    int
}

type busyBatch struct {
	driver.Batch
	table *busyTable
}

func (b *busyTable) PrepareBatch(ctx context.Context, query string,
	options ...driver.PrepareBatchOption) (driver.Batch, error) {
	batch, err := b.Conn.PrepareBatch(ctx, query, options...)
	b.begun++
	return &busyBatch{batch, b}, err
}

func (b *busyBatch) Send() error {
	if b.table.refusals > 0 {
		b.table.refusals--
		return errors.Join(&clickhouse.Exception{Code: b.table.code,
			Message: "Quorum for previous write has not been satisfied yet"}, b.Abort())
	}
	return b.Batch.Send()
}

func TestAnInsertWaitsForTheQuorumOfAnotherOne(t *testing.T) {
	options := clickhousetest.Database(t)
	if err := schema.Make(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const quotas, funds = `{"sha256":"%","line":1,"revision":1,"run":1,"serie":"A","date":"2020-01-01","quota":"1"}`,
		`{"sha256":"%","line":1,"revision":1,"run":1}`
	for topic, event := range map[string]string{model.Cartola.Topic(): quotas, model.Register.Topic(): funds} {
		table := &busyTable{Conn: conn, refusals: 3, code: 286}
		consumer := projector.New(projector.Config{}, table, zerolog.Nop())
		message := kafka.Message{Topic: topic, Value: []byte(strings.Replace(event, "%", strings.Repeat("a", 64), 1))}
		if err := consumer.Consume(t.Context(), []kafka.Message{message}); err != nil || table.begun != 4 {
			t.Errorf("%s: after %d inserts: %v", topic, table.begun, err)
		}
		table.refusals, table.begun, table.code = 1, 0, 60
		if err := consumer.Consume(t.Context(), []kafka.Message{message}); err == nil || table.begun != 1 {
			t.Errorf("%s: an insert into a table that is not there was tried %d times: %v", topic, table.begun, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		table.refusals, table.begun, table.code = 100, 0, 286
		if err := consumer.Consume(ended, []kafka.Message{message}); err == nil || table.begun > 1 {
			t.Errorf("%s: an insert that nobody waits for was tried %d times: %v", topic, table.begun, err)
		}
	}
	var stored uint64
	if err := conn.QueryRow(t.Context(),
		"SELECT (SELECT count() FROM fact_quota) + (SELECT count() FROM fact_fund)").Scan(&stored); err != nil ||
		stored != 2 {
		t.Errorf("%d rows are stored, want 2: %v", stored, err)
	}
}
