package clickhouse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

// Two engines hold half of the rows each, and one of them answers for both. An installation
// that outgrows one machine can split ClickHouse tables over several machines in this way.
func TestTwoEnginesAnswerAsTwoShardsOfOneTable(t *testing.T) {
	const byManager = "SELECT manager, count() AS series, sum(equity) AS equity FROM %s GROUP BY manager ORDER BY " +
		"equity DESC"
	type line struct {
		Manager string `ch:"manager"`
		Series  uint64 `ch:"series"`
		Equity  uint64 `ch:"equity"`
	}
	ask := func(server *embedded.Server, table string) (answer []line) {
		t.Helper()
		must(t, open(t, server.Options()).Select(t.Context(), &answer, fmt.Sprintf(byManager, table)))
		return answer
	}
	addresses := ""
	var shards []*embedded.Server
	for n := range 2 {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, "users.d"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "users.d", "shard.xml"), []byte(`<clickhouse><users><shard>
			<no_password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
			<grants><query>GRANT SELECT ON funds.*</query></grants>
		</shard></users></clickhouse>`), 0o600))
		shard := clickhousetest.Start(t, embedded.Config{Dir: dir})
		conn := open(t, shard.Options())
		const rows = "AS SELECT number AS series_id, concat('AGF ', toString(cityHash64(number) % 9)) AS manager, " +
			"number * number % 1000003 AS equity FROM numbers(3000)"
		must(t, conn.Exec(t.Context(), "CREATE TABLE whole ENGINE = MergeTree ORDER BY series_id "+rows))
		must(t, conn.Exec(t.Context(), "CREATE DATABASE IF NOT EXISTS funds ENGINE = Atomic"))
		must(t, conn.Exec(t.Context(),
			fmt.Sprintf("CREATE TABLE funds.part ENGINE = MergeTree ORDER BY series_id AS SELECT * FROM whole WHERE "+
				"series_id %% 2 = %d", n)))
		shards = append(shards, shard)
		if n > 0 {
			addresses += ","
		}
		addresses += shard.Options().Addr[0]
	}
	want := ask(shards[0], "whole")
	if len(want) != 9 {
		t.Fatalf("%d managers, want 9", len(want))
	}
	for _, shard := range shards {
		got := ask(shard, fmt.Sprintf("remote('%s', funds.part, 'shard')", addresses))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the shards (+) do not give what one table does (-):\n%s", diff)
		}
		if half := ask(shard, "funds.part"); cmp.Equal(half, want) {
			t.Error("one shard holds everything")
		}
	}
}
