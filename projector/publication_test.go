package projector_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

func count(t *testing.T, m *demotest.Market, query string, args ...any) uint64 {
	t.Helper()
	var n uint64
	if err := m.Conn.QueryRow(context.Background(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestABatchThatFailsItsChecksIsNeverVisible(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	published := m.Build(t)
	// A series that the published batch has and the facts do not have.
	if err := m.Conn.Exec(context.Background(),
		"INSERT INTO series (batch, series_id, first_date) VALUES ($1, 1, '2019-10-14')", published); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.Cartola, historyOf(t)[1], demotest.Clock)
	err := m.TryBuild(t)
	if err == nil || !strings.Contains(err.Error(), "series 1 was in batch 1 and is missing") {
		t.Fatalf("the batch ended with %v", err)
	}
	if current := count(t, m, "SELECT max(batch) FROM batch"); current != published {
		t.Errorf("batch %d is published", current)
	}
	if kept := count(t, m, "SELECT count() FROM batch_failure WHERE refused AND reason LIKE '%series 1 was in batch 1%'"); kept != 1 {
		t.Errorf("the reason is kept %d times", kept)
	}
	// Only what arrives is a reason to try again, and only once.
	files := func() []string {
		t.Helper()
		waiting, err := sql.SelectValues[string](sql.WithParameters(t.Context(), clickhouse.Parameters{"most": "10"}), m.Conn,
			sql.Query("unplanned_files"))
		if err != nil {
			t.Fatal(err)
		}
		return waiting
	}
	if waiting := files(); len(waiting) > 0 {
		t.Errorf("%d files are to be planned after their batch was refused", len(waiting))
	}
	m.Ingest(t, model.Cartola, historyOf(t)[1], demotest.Clock)
	m.Settle(t)
	if waiting := files(); len(waiting) != 1 {
		t.Errorf("%d files are to be planned after one came again, want 1", len(waiting))
	}
	m.Ingest(t, model.FIValues, fixtures+"fi_values.csv", demotest.Clock)
	if err := m.TryBuild(t); err == nil {
		t.Fatal("the batch after it was published as well")
	}
	if waiting := files(); len(waiting) > 0 {
		t.Errorf("%d files are to be planned after the second refusal", len(waiting))
	}
	t.Run("and the next one gives ids to what its files were the first to speak of", func(t *testing.T) {
		// The state after the program has ended before ids were given out.
		for _, statement := range []string{
			"ALTER TABLE registry DELETE WHERE batch > $1 SETTINGS mutations_sync = 2",
			"ALTER TABLE series DELETE WHERE series_id = 1 AND batch = $1 SETTINGS mutations_sync = 2",
		} {
			m.Change(t, statement, published)
		}
		next := m.Build(t)
		got := demotest.Checksums(t, m.Conn, next)
		untroubled := demotest.New(t)
		for _, path := range historyOf(t)[:2] {
			untroubled.Ingest(t, model.Cartola, path, demotest.Clock)
		}
		untroubled.Ingest(t, model.FIValues, fixtures+"fi_values.csv", demotest.Clock)
		if diff := cmp.Diff(demotest.Checksums(t, untroubled.Conn, untroubled.Build(t)), got); diff != "" {
			t.Errorf("projections differ (-untroubled; +after two batches that failed):\n%s", diff)
		}
		if n := count(t, m, "SELECT count() FROM registry WHERE kind = 'fi_series'"); n == 0 {
			t.Error("no series of an investment fund: this proves nothing")
		}
	})
}

func TestOldBatchesAreRetiredAndTheKeptOnesStillAnswer(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.FIValues, fixtures+"fi_values.csv", published)
	var first, last uint64
	for i, path := range historyOf(t)[:2] {
		m.Ingest(t, model.Cartola, path, demotest.Clock)
		last = m.Build(t)
		if i == 0 {
			first = last
		}
	}
	want := demotest.Checksums(t, m.Conn, last)
	for range demotest.Keep {
		last = m.Rebuild(t)
	}
	if n := count(t, m, "SELECT count() FROM batch"); n != demotest.Keep {
		t.Errorf("%d batches are kept, want %d", n, demotest.Keep)
	}
	oldest := count(t, m, "SELECT min(batch) FROM batch")
	for table, column := range tablesOfBatches(t, m) {
		// Every day was built again by the oldest kept batch.
		if n := count(t, m, "SELECT count() FROM "+table+" WHERE "+column+" < $1", oldest); n != 0 {
			t.Errorf("%d rows of %s are left that no kept batch sees", n, table)
		}
	}
	if oldest <= first {
		t.Errorf("the oldest batch is %d", oldest)
	}
	for batch := oldest; batch <= last; batch++ {
		if got := demotest.Checksums(t, m.Conn, batch); got["series_day"] != want["series_day"] ||
			got["fi_day"] != want["fi_day"] || got["series_return"] != want["series_return"] {
			t.Errorf("batch %d answers differently: %v, want %v", batch, got, want)
		}
	}
}

func TestAMessageThatIsNoEventIsKeptAndStopsNothing(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	topic := model.Cartola.Topic()
	m.Send(t, topic, kafka.Message{Value: []byte("not json")},
		kafka.Message{Value: []byte(`{"sha256":"` + strings.Repeat("a", 64) +
			`","line":1,"revision":1,"run":1,"serie":"A","date":"2020-01-01","quota":"1234567890123456789"}`)},
		kafka.Message{Value: nil}, kafka.Message{Value: []byte(`{"run":-1}`)},
		kafka.Message{Value: []byte(strings.Repeat("x", 100_000))})
	m.Send(t, model.ControlTopic, kafka.Message{Value: []byte(`{"manifest":{}}`)}, kafka.Message{Value: []byte(`[]`)})
	m.Send(t, model.Cartola.RejectTopic(), kafka.Message{Value: []byte(`{}`)})
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	if n := count(t, m, "SELECT count() FROM rejected_row FINAL WHERE dataset = 'kafka'"); n != 8 {
		t.Errorf("%d messages are kept, want 8", n)
	}
	if n := count(t, m, "SELECT count() FROM fact_quota FINAL"); n != 299 {
		t.Errorf("%d facts, want the 299 of the file", n)
	}
}

func TestRejectedRowsAreKeptUpToANumberAndTheirCountsForGood(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	// Files of an earlier day with rejected rows: complete files, a file whose rows are
	// still arriving, and an old file that never became complete.
	for _, statement := range []string{
		`INSERT INTO rejected_row (dataset, source_sha256, source_line, revision, arrived_at)
		 SELECT 'uf', lower(hex(SHA256('file' || toString(intDiv(number, 10000))))), number % 10000, toDateTime64('2026-08-01 00:00:00', 3), toDateTime('2026-08-10 00:00:00') + intDiv(number, 10000)
		 FROM numbers(130000)`,
		`INSERT INTO rejected_row (dataset, source_sha256, source_line, revision, arrived_at)
		 SELECT 'uf', 'arriving', number, toDateTime64('2026-08-01 00:00:00', 3), toDateTime('2026-08-09 00:00:00') FROM numbers(50)`,
		`INSERT INTO rejected_row (dataset, source_sha256, source_line, revision, arrived_at)
		 SELECT 'uf', 'it\'s \\ broke off', number, toDateTime64('2026-08-01 00:00:00', 3), toDateTime('2026-07-09 00:00:00') FROM numbers(70)`,
		`INSERT INTO manifest (dataset, sha256, revision, rows, keys, rejected)
		 SELECT 'uf', lower(hex(SHA256('file' || toString(number)))), toDateTime64('2026-08-01 00:00:00', 3), 10000, 0, 10000 FROM numbers(13)`,
		"INSERT INTO complete_file (dataset, sha256, revision, rows, keys, rejected) SELECT dataset, sha256, " +
			"revision, rows, keys, rejected FROM manifest WHERE dataset = 'uf'",
	} {
		if err := m.Conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	rejected := func() uint64 {
		return count(t, m, "SELECT toUInt64(rejected) FROM ("+
			strings.ReplaceAll(sql.Query("status_datasets"), "{today:Date}", "today()")+") WHERE dataset = 'uf'")
	}
	if told := rejected(); told != 130_120 {
		t.Fatalf("status tells of %d rejected rows before any is dropped", told)
	}
	m.Build(t)
	for file, want := range map[string]uint64{"file0": 0, "file2": 0, "file3": 10_000, "file12": 10_000, "arriving": 50,
		`it's \ broke off`: 0} {
		if kept := count(t, m, "SELECT count() FROM rejected_row FINAL WHERE source_sha256 IN ($1, lower(hex(SHA256($1))))", file); kept != want {
			t.Errorf("%d rejected rows of %s are kept, want %d", kept, file, want)
		}
	}
	if told := rejected(); told != 130_050 {
		t.Errorf("status tells of %d rejected rows once the oldest are dropped", told)
	}
}

func TestMoreSupersededDaysThanOneDeleteTakesAreAllDropped(t *testing.T) {
	longtest.InTurns(t)
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	// Every day from 1990 to 2005 was built twice before the oldest kept batch.
	for _, statement := range []string{
		"INSERT INTO market_day_version (date, build) SELECT toDate('1990-01-01') + number % 5844, intDiv(number, " +
			"5844) FROM numbers(2 * 5844)",
		"INSERT INTO manager_day (date, manager_rut, build) SELECT date, 1, build FROM market_day_version WHERE date " +
			"< '2006-01-01'",
	} {
		if err := m.Conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	m.Build(t)
	for _, table := range []string{"manager_day", "market_day_version"} {
		if left := count(t, m, "SELECT count() FROM "+table+" WHERE build = 0"); left != 0 {
			t.Errorf("%d superseded rows of %s are left", left, table)
		}
		if kept := count(t, m, "SELECT count() FROM "+table+" WHERE build = 1 AND date < '2006-01-01'"); kept != 5844 {
			t.Errorf("%d rows of %s are kept that a batch sees, want 5844", kept, table)
		}
	}
}

// A quota that nobody can have had gives a return of -100 %, which no series can have. One
// of the two things that the check says of it, value and reason, is always null.
func TestABatchWithAnImpossibleReturnIsRefused(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	var rows []cartolaDay
	for n := range 60 {
		quota, equity := 999_999_999_999.0, 1e6
		if n >= 45 {
			quota, equity = 0.000001, 1e3 // with the same equity it would be a change of unit
		}
		rows = append(rows, cartolaDay{run: 60099, serie: "A", day: date(t, "2025-05-01").AddDate(0, 0, n),
			quota: quota, equity: equity})
	}
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	err := m.TryBuild(t)
	if err == nil || !strings.Contains(err.Error(), "window 1m: value -1 and reason null") {
		t.Fatalf("the batch ended with %v", err)
	}
	if refused := count(t, m, "SELECT count() FROM batch_failure WHERE refused"); refused != 1 {
		t.Errorf("%d batches are noted as refused, want 1", refused)
	}
}

// A null is no text: reading it would fail, and the batch would be built again and again.
func TestWhatACheckFindsIsAlwaysText(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	ctx := clickhouse.Context(t.Context(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": "1", "previous": "0", "as_of": "2025-07-20"}))
	for _, check := range sql.Checks() {
		rows, err := m.Conn.Query(ctx, check.Text)
		if err != nil {
			t.Fatalf("%s: %v", check.Name, err)
		}
		for _, column := range rows.ColumnTypes() {
			if column.DatabaseTypeName() != "String" {
				t.Errorf("check %s gives %s", check.Name, column.DatabaseTypeName())
			}
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}
