package clickhouse_test

import (
	"errors"
	"testing"
	"time"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

// ClickHouse accepts settings in a subquery without checking the constraints. Such settings
// change only how the subquery is computed; the limits are those of the whole statement.
func TestALimitCannotBeLiftedInASubqueryNorByAnotherProfile(t *testing.T) {
	const timeoutExceeded, memoryLimitExceeded, readOnly, constraint = 159, 241, 164, 452
	for _, c := range []struct {
		statement string
		code      int32
		timeout   time.Duration
	}{
		{"SELECT count() FROM (SELECT number FROM system.numbers SETTINGS max_execution_time = 0, readonly = 0)",
			timeoutExceeded, time.Second},
		{"SELECT length(groupArray(number)) FROM numbers(1000000000) SETTINGS profile = 'default'", constraint,
			time.Hour},
		{"SELECT 1 SETTINGS profile = 'opener'", readOnly, time.Hour},
		{"SELECT length(x) FROM (SELECT groupArray(number) AS x FROM numbers(1000000000) SETTINGS max_memory_usage = " +
			"0, max_memory_usage_for_user = 0)", memoryLimitExceeded, time.Hour},
	} {
		server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30,
			QueryTimeout: c.timeout})
		person := open(t, asPerson(server.Options()))
		var exception *clickhousego.Exception
		if err := person.Exec(t.Context(), c.statement); !errors.As(err, &exception) || exception.Code != c.code {
			t.Errorf("%s: %v, want code %d", c.statement, err, c.code)
		}
	}
}

// The product's views depend on this. People may send join_use_nulls, and readonly must not
// disable the settings of a view.
func TestTheSettingsOfAViewHoldForPeopleWhateverTheySend(t *testing.T) {
	owner, doors := peoplesEngine(t, "")
	const joined = "SELECT count(b.s) AS found FROM t AS a LEFT JOIN (SELECT * FROM t WHERE a < 3) AS b ON b.a = a.a"
	must(t, owner.Exec(t.Context(), "CREATE VIEW funds.open (found UInt64) SQL SECURITY DEFINER AS "+joined))
	must(t, owner.Exec(t.Context(), "CREATE VIEW funds.shut (found UInt64) SQL SECURITY DEFINER AS "+joined+
		" SETTINGS join_use_nulls = 0"))
	for _, c := range []struct {
		view  string
		nulls int
		want  uint64
	}{{"shut", 0, 10}, {"shut", 1, 10}, {"open", 1, 3}} { // of the last: the setting was sent and counts
		var found uint64
		ctx := clickhousego.Context(t.Context(),
			clickhousego.WithSettings(clickhousego.Settings{"join_use_nulls": c.nulls}))
		must(t, doors["native"].QueryRow(ctx, "SELECT found FROM "+c.view).Scan(&found))
		if found != c.want {
			t.Errorf("%s with join_use_nulls = %d gives %d, want %d", c.view, c.nulls, found, c.want)
		}
	}
}

// A view for people is read with the rights of the owner, and with the limits of people.
func TestTheLimitsOfPeopleHoldInsideTheirViews(t *testing.T) {
	const timeoutExceeded, memoryLimitExceeded = 159, 241
	for _, c := range []struct {
		view    string
		code    int32
		timeout time.Duration
	}{
		{"SELECT count() AS n FROM system.numbers", timeoutExceeded, time.Second},
		{"SELECT toUInt64(length(groupArray(number))) AS n FROM numbers(1000000000)", memoryLimitExceeded, time.Hour},
	} {
		server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30,
			QueryTimeout: c.timeout})
		must(t, open(t, server.Options()).Exec(t.Context(), "CREATE VIEW funds.v (n UInt64) SQL SECURITY DEFINER AS "+
			c.view))
		var exception *clickhousego.Exception
		if err := open(t, asPerson(server.Options())).Exec(t.Context(), "SELECT n FROM v"); !errors.As(err,
			&exception) || exception.Code != c.code {
			t.Errorf("%s: %v, want code %d", c.view, err, c.code)
		}
	}
}
