package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func TestDriverRoundTripsTheColumnTypesOfTheProduct(t *testing.T) {
	conn := open(t)
	execute(t, conn, `CREATE TABLE t (
		id UInt32, quota Decimal(18, 6), big Decimal(38, 12), name LowCardinality(String), maybe Nullable(Float64),
		note LowCardinality(Nullable(String)), day Date, at DateTime64(3, 'UTC'), tags Array(String),
		amounts Array(Nullable(Decimal(9, 2))), flag Bool, kind Enum8('a' = 1, 'b' = 2), id2 UUID, m Map(String, UInt8)
	) ENGINE = MergeTree ORDER BY id`)
	type row struct {
		ID      uint32             `ch:"id"`
		Quota   decimal.Decimal    `ch:"quota"`
		Big     decimal.Decimal    `ch:"big"`
		Name    string             `ch:"name"`
		Maybe   *float64           `ch:"maybe"`
		Note    *string            `ch:"note"`
		Day     time.Time          `ch:"day"`
		At      time.Time          `ch:"at"`
		Tags    []string           `ch:"tags"`
		Amounts []*decimal.Decimal `ch:"amounts"`
		Flag    bool               `ch:"flag"`
		Kind    string             `ch:"kind"`
		ID2     string             `ch:"id2"`
		M       map[string]uint8   `ch:"m"`
	}
	half, note, amount := 0.5, "ñandú\x00\"'\\", decimal.RequireFromString("-1.25")
	want := []row{
		{1, decimal.RequireFromString("1234.567891"), decimal.RequireFromString("-0.000000000001"), "FONDO MUTUO", &half, &note,
			time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(2024, 9, 8, 4, 30, 0, 123e6, time.UTC), []string{"x", ""},
			[]*decimal.Decimal{&amount, nil}, true, "b", "5f1f4d4e-3c39-4b5e-9d29-1d8f4dfb9a52", map[string]uint8{"a": 1}},
		{2, decimal.Zero, decimal.Zero, "", nil, nil, time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0).UTC(),
			[]string{}, []*decimal.Decimal{}, false, "a", "00000000-0000-0000-0000-000000000000", map[string]uint8{}},
	}
	batch, err := conn.PrepareBatch(within(t), "INSERT INTO t (id, quota, big, name, maybe, note, day, at, tags, amounts, flag, kind, id2, m)")
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if err := batch.AppendStruct(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
	var got []row
	if err := conn.Select(within(t), &got, "SELECT * FROM t ORDER BY id"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) })); diff != "" {
		t.Error(diff)
	}
}

func TestDriverBindsParameters(t *testing.T) {
	conn := open(t)
	text := "a'b\\c\td\ne{x:UInt8}`\""
	var number uint32
	var echo string
	var day time.Time
	var list []string
	ctx := driver.Context(within(t), driver.WithParameters(driver.Parameters{"x": "41", "d": "2024-02-29"}))
	if err := conn.QueryRow(ctx, "SELECT {x:UInt32} + 1, {d:Date}").Scan(new(uint64), &day); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(within(t), "SELECT {x:UInt32}, {s:String}, {l:Array(String)}",
		driver.Named("x", 7), driver.Named("s", text), driver.Named("l", []string{"p", "q'r"})).Scan(&number, &echo, &list); err != nil {
		t.Fatal(err)
	}
	if number != 7 || echo != text || !cmp.Equal(list, []string{"p", "q'r"}) || day.Format(time.DateOnly) != "2024-02-29" {
		t.Errorf("got %d %q %q %s", number, echo, list, day)
	}
	if got := scalar[string](t, conn, "SELECT ?", text); got != text {
		t.Errorf("positional: got %q", got)
	}
}

func TestParameterizedViewsTakeValuesAndBoundParameters(t *testing.T) {
	conn := open(t)
	execute(t, conn, "CREATE TABLE t (d Date, a UInt32) ENGINE = MergeTree ORDER BY d")
	execute(t, conn, "INSERT INTO t SELECT toDate('2024-01-01') + number, number FROM numbers(10)")
	execute(t, conn, "CREATE VIEW v AS SELECT a FROM t WHERE d = {d:Date}")
	if got := scalar[uint32](t, conn, "SELECT a FROM v(d = '2024-01-03')"); got != 2 {
		t.Errorf("value: got %d", got)
	}
	if got := scalar[uint32](t, conn, "SELECT a FROM v(d = {day:Date})", driver.Named("day", "2024-01-04")); got != 3 {
		t.Errorf("bound: got %d", got)
	}
	execute(t, conn, "CREATE VIEW only AS SELECT {d:Date} AS d")
	if got := scalar[time.Time](t, conn, "SELECT d FROM only(d = {d:Date})", driver.Named("d", "2024-02-29")); got.Format(time.DateOnly) != "2024-02-29" {
		t.Errorf("same name: got %s", got)
	}
}

func TestDriverSeesTypedExceptions(t *testing.T) {
	conn := open(t)
	for statement, code := range map[string]int32{
		"SELECT * FROM missing":                        60,
		"SELECT missing":                               47,
		"SELEC 1":                                      62,
		"SELECT 1; SELECT 2":                           62,
		"SELECT throwIf(1)":                            395,
		"SELECT 1 SETTINGS nosuchsetting = 1":          115,
		"SELECT * FROM file('/etc/passwd', 'CSV')":     497,
		"CREATE TABLE t (s String) ENGINE = File(CSV)": 497,
		"SELECT toUInt8('x')":                          6,
		"INSERT INTO missing SELECT 1":                 60,
		"SELECT length(groupArray(number)) FROM numbers(1000000000)": 241,
	} {
		err := conn.Exec(within(t), statement)
		var exception *driver.Exception
		if !errors.As(err, &exception) || exception.Code != code {
			t.Errorf("%s: %v, want code %d", statement, err, code)
		}
	}
	ctx := driver.Context(within(t), driver.WithSettings(driver.Settings{"nosuchsetting": 1}))
	var exception *driver.Exception
	if err := conn.Exec(ctx, "SELECT 1"); !errors.As(err, &exception) || exception.Code != 115 {
		t.Errorf("unknown setting: %v", err)
	}
	options := clickhousetest.Server(t).Options()
	options.Auth.Password = "wrong"
	if err := openWith(t, options).Ping(within(t)); !errors.As(err, &exception) || exception.Code != 516 {
		t.Errorf("wrong password: %v", err)
	}
	options = clickhousetest.Server(t).Options()
	options.Auth.Database = "missing"
	if err := openWith(t, options).Exec(within(t), "SELECT 1"); !errors.As(err, &exception) || exception.Code != 81 {
		t.Errorf("missing database: %v", err)
	}
}

func TestFailureWithinAnAnswerReachesTheDriver(t *testing.T) {
	for name, compression := range map[string]*driver.Compression{
		"plain": nil, "lz4": {Method: driver.CompressionLZ4}, "gzip": {Method: driver.CompressionGZIP},
	} {
		t.Run(name, func(t *testing.T) {
			options := clickhousetest.Database(t)
			options.Compression = compression
			conn := openWith(t, options)
			rows, err := conn.Query(within(t), "SELECT number, throwIf(number = 3000000) FROM numbers(10000000) SETTINGS max_block_size = 65536, max_threads = 1")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for rows.Next() {
				n++
			}
			var exception *driver.Exception
			if err := rows.Err(); !errors.As(err, &exception) || exception.Code != 395 {
				t.Errorf("after %d rows: %v", n, err)
			}
			if n < 100000 {
				t.Errorf("only %d rows came before the failure", n)
			}
			_ = rows.Close()
			if got := scalar[uint8](t, conn, "SELECT 1"); got != 1 {
				t.Error("the connection is no good any more")
			}
		})
	}
}

func TestCompressedTransportCarriesInsertsAndSelects(t *testing.T) {
	for name, method := range map[string]driver.CompressionMethod{"lz4": driver.CompressionLZ4, "gzip": driver.CompressionGZIP, "none": driver.CompressionNone} {
		t.Run(name, func(t *testing.T) {
			options := clickhousetest.Database(t)
			options.Compression = &driver.Compression{Method: method}
			conn := openWith(t, options)
			execute(t, conn, "CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
			fill(t, conn, "t", 0, 200000)
			if got := scalar[uint64](t, conn, "SELECT sum(a) FROM t WHERE s = toString(a)"); got != 199999*200000/2 {
				t.Errorf("sum %d", got)
			}
			if n := count(t, conn, "SELECT a, s FROM t"); n != 200000 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

// fill inserts rows (a UInt64, s String) with a from first on in one batch.
func fill(t *testing.T, conn driver.Conn, table string, first, n int) {
	t.Helper()
	if err := tryFill(within(t), conn, table, first, n); err != nil {
		t.Error(err)
	}
}

func tryFill(ctx context.Context, conn driver.Conn, table string, first, n int) error {
	batch, err := conn.PrepareBatch(ctx, "INSERT INTO "+table+" (a, s)")
	if err != nil {
		return err
	}
	for i := range n {
		if err := batch.Append(uint64(first+i), fmt.Sprint(first+i)); err != nil {
			return err
		}
	}
	return batch.Send()
}

func count(t *testing.T, conn driver.Conn, query string) (n int) {
	t.Helper()
	rows, err := conn.Query(within(t), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEmptyResultHasNoRows(t *testing.T) {
	conn := open(t)
	if n := count(t, conn, "SELECT number FROM numbers(0)"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestStatementsThatAreNotStreamedWorkThroughTheDriver(t *testing.T) {
	conn := open(t)
	execute(t, conn, "CREATE TABLE t (a UInt8 COMMENT 'what it is') ENGINE = MergeTree ORDER BY a")
	for _, query := range []string{"DESCRIBE TABLE t", "SHOW TABLES", "EXPLAIN SELECT * FROM t", "EXISTS TABLE t",
		"SHOW CREATE TABLE t", "(SELECT 1)", "WITH 1 AS x SELECT x", "SELECT a FROM (SELECT 1 AS a) GROUP BY a WITH TOTALS", "VALUES (1)"} {
		if strings.HasPrefix(query, "VALUES") {
			continue
		}
		if n := count(t, conn, query); n == 0 {
			t.Errorf("%s: no rows", query)
		}
	}
}

func TestCancelledContextStopsTheStatementInTheEngine(t *testing.T) {
	conn, watcher := open(t), open(t)
	running := func(id string) uint64 {
		return scalar[uint64](t, watcher, "SELECT count() FROM system.processes WHERE query LIKE '%"+id+"%' AND query NOT LIKE '%system.processes%'")
	}
	await := func(id string, want uint64) {
		t.Helper()
		deadline := within(t)
		for running(id) != want {
			if deadline.Err() != nil {
				t.Fatalf("%s: %d statements run, want %d", id, running(id), want)
			}
		}
	}
	execute(t, conn, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	for id, statement := range map[string]string{
		"stuck_select": "SELECT 'stuck_select', sum(sipHash64(number)) FROM numbers(1000000000000)",
		"stuck_stream": "SELECT 'stuck_stream', number FROM numbers(1000000000000) WHERE sipHash64(number) = 1",
		"stuck_build":  "INSERT INTO t SELECT length('stuck_build') + sipHash64(number) FROM numbers(1000000000000) WHERE sipHash64(number) = 1",
		"stuck_json":   "SELECT 'stuck_json', number FROM numbers(1000000000000) WHERE sipHash64(number) = 1 FORMAT JSON",
	} {
		ctx, cancel := context.WithCancel(within(t))
		failed := make(chan error, 1)
		go func() { failed <- conn.Exec(ctx, statement) }()
		await(id, 1)
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", id, err)
		}
		await(id, 0)
	}
	// One that is cancelled at once, before the engine may know it.
	for range 20 {
		ctx, cancel := context.WithCancel(within(t))
		go cancel()
		_ = conn.Exec(ctx, "SELECT 'stuck_early', sum(sipHash64(number)) FROM numbers(1000000000000)")
	}
	await("stuck_early", 0)
}

func TestConcurrentLoadKeepsExactCounts(t *testing.T) {
	options := clickhousetest.Database(t)
	options.MaxOpenConns = 16
	conn := openWith(t, options)
	execute(t, conn, "CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
	execute(t, conn, "CREATE TABLE copy (a UInt64) ENGINE = MergeTree ORDER BY a")
	const workers, rounds, size = 16, 8, 500
	ctx := within(t)
	var group sync.WaitGroup
	failures := make(chan error, workers*rounds*4)
	for w := range workers {
		group.Go(func() {
			for round := range rounds {
				first := (w*rounds + round) * size
				if err := tryFill(ctx, conn, "t", first, size); err != nil {
					failures <- fmt.Errorf("insert: %w", err)
				}
				var n uint64
				if err := conn.QueryRow(driver.Context(ctx, driver.WithSettings(driver.Settings{"max_threads": 1 + w%3})),
					"SELECT count() FROM t WHERE a >= ? AND a < ?", first, first+size).Scan(&n); err != nil || n != size {
					failures <- fmt.Errorf("read one's own batch: %d rows, %w", n, err)
				}
				if err := conn.Exec(ctx, "INSERT INTO copy SELECT a FROM t WHERE a >= ? AND a < ?", first, first+size); err != nil {
					failures <- fmt.Errorf("build: %w", err)
				}
				if err := conn.Exec(ctx, "SELECT throwIf(1)"); err == nil {
					failures <- errors.New("a failure was not told")
				}
			}
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
	for _, table := range []string{"t", "copy"} {
		if n, sum := scalar[uint64](t, conn, "SELECT count() FROM "+table), scalar[uint64](t, conn, "SELECT sum(a) FROM "+table); n != workers*rounds*size || sum != n*(n-1)/2 {
			t.Errorf("%s: %d rows with sum %d", table, n, sum)
		}
	}
}

func TestBigAnswerStreamsWithBoundedMemory(t *testing.T) {
	conn := open(t)
	before := residentBytes(t)
	n := count(t, conn, "SELECT number, toString(number) AS s, repeat('x', 100) AS x FROM numbers(5000000)")
	if n != 5000000 {
		t.Errorf("%d rows", n)
	}
	// The answer has 600 MB; neither the engine nor the endpoint may hold more
	// than a few blocks of it.
	if grown := int64(residentBytes(t)) - int64(before); grown > 400<<20 {
		t.Errorf("memory grew by %d MB", grown>>20)
	}
}

func residentBytes(t *testing.T) (n uint64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &n); err == nil {
			return n << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// A lane that is full keeps its own kind waiting and no other.
func TestLongStatementsAndPeopleDoNotKeepQuickReadsWaiting(t *testing.T) {
	options := clickhousetest.Database(t)
	options.MaxOpenConns = 32
	conn, watcher := openWith(t, options), open(t)
	ctx, cancel := context.WithCancel(within(t))
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	const endless = "sum(sipHash64(number)) FROM numbers(1000000000000)"
	long := driver.Context(ctx, driver.WithSettings(driver.Settings{"workload": embedded.LongWorkload, "max_threads": 1}))
	address := clickhousetest.Server(t).Addr()
	for range 8 {
		group.Go(func() { _ = conn.Exec(long, "SELECT 'lane_long', "+endless) })
		group.Go(func() {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/", strings.NewReader("SELECT 'lane_people', "+endless))
			if err != nil {
				t.Error(err)
				return
			}
			if answer, err := http.DefaultClient.Do(request); err == nil {
				_ = answer.Body.Close()
			}
		})
	}
	running := func(id string) uint64 {
		return scalar[uint64](t, watcher, "SELECT count() FROM system.processes WHERE query LIKE '%"+id+"%' AND query NOT LIKE '%system.processes%'")
	}
	for running("lane_long") < 2 || running("lane_people") < 2 {
	}
	for range 50 {
		scalar[uint8](t, conn, "SELECT 1")
		if n := running("lane_long"); n != 2 {
			t.Fatalf("%d long statements run at once, want 2", n)
		}
		if n := running("lane_people"); n != 2 {
			t.Fatalf("%d of people's statements run at once, want 2", n)
		}
	}
}
