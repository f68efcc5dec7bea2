package projector_test

import (
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/statementtest"
	"cuota/model"
	"cuota/projector"
	"cuota/projector/schema"
	"cuota/sql"
)

func TestEveryStatementOfABatchTellsClickHouseItsName(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := schema.Make(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	recorder := &statementtest.Recorder{Conn: conn}
	p := projector.New(projector.Config{}, recorder, zerolog.Nop())
	sha := strings.Repeat("a", 64)
	for topic, event := range map[string]string{
		model.Cartola.Topic(): `{"sha256":"%","line":1,"revision":1,"run":8011,"serie":"A","date":"2024-01-02","currency":"$$","quota":"1000","equity":"1"}`,
		model.ControlTopic:    `{"manifest":{"dataset":"cartola","sha256":"%","revision":1,"file":"a.txt","first_date":"2024-01-02","last_date":"2024-01-02","rows":1,"keys":1}}`,
	} {
		message := kafka.Message{Topic: topic, Value: []byte(strings.ReplaceAll(event, "%", sha))}
		if err := p.Consume(t.Context(), []kafka.Message{message}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Build(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	heard, err := recorder.Heard()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, one := range heard {
		name, ours := strings.CutPrefix(one.Comment, "projector/")
		if !ours || name == "" || name == "unnamed" {
			t.Errorf("a statement is called %q: %.60s", one.Comment, one.Text)
		}
		named[name] = true
	}
	for _, want := range []string{"inserts/fact_quota", "inserts/manifest", "complete_manifests",
		"projections/series_day", "market_chunks", "checks/" + sql.Checks()[0].Name, "publish"} {
		if !named[want] {
			t.Errorf("no statement is called %s", want)
		}
	}
}
