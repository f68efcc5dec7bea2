package projector_test

import (
	"testing"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector"
)

func TestTheViewsOfFormerNamesAreDroppedAndThoseOfOthersKept(t *testing.T) {
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn := openConn(t, options)
	for _, view := range []string{"quota_of", "price_return_at", "quote_pick_at", "mine", "mine_of"} {
		if err := conn.Exec(t.Context(), "CREATE VIEW "+view+" AS SELECT batch FROM batch"); err != nil {
			t.Fatal(err)
		}
	}
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	var left []string
	const query = `SELECT arraySort(groupArray(name)) FROM system.tables
		WHERE database = currentDatabase() AND name IN ('quota_of', 'price_return_at', 'quote_pick_at', 'mine', 'mine_of')`
	if err := conn.QueryRow(t.Context(), query).Scan(&left); err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 || left[0] != "mine" || left[1] != "mine_of" {
		t.Errorf("%v are left, want mine and mine_of", left)
	}
}
