package projector_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func TestIdsAreTheCRC32OfTheKeyWithItsCheckDigit(t *testing.T) {
	t.Parallel()
	m := publishedDemo(t)
	rows, err := m.Conn.Query(context.Background(), "SELECT kind, id, key, run, serie FROM registry")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	count := map[string]int{}
	for rows.Next() {
		var kind, key, serie string
		var id, run uint32
		if err := rows.Scan(&kind, &id, &key, &run, &serie); err != nil {
			t.Fatal(err)
		}
		want := ""
		switch {
		case kind == "fund":
			want = oracle.FundKey(int(run))
		case kind == "series":
			want = oracle.SeriesKey(int(run), serie)
		case run != 0:
			want = oracle.ManagerKey(int(run))
		default:
			want = "agf:" + serie
		}
		if key != want || id != oracle.ID(want) {
			t.Errorf("%s %d has key %q and id %d, want %q and %d", kind, run, key, id, want, oracle.ID(want))
		}
		count[kind]++
	}
	if count["series"] != 2842 || count["fund"] != 2284 || count["manager"] != 85 {
		t.Errorf("registered %v", count)
	}
}

func TestAKeyWhoseHashIsTakenGetsTheHashOfKeyAndNumber(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	ctx := context.Background()
	m := demotest.New(t)
	key := oracle.SeriesKey(9809, "B")
	taken := []uint32{oracle.ID(key), crc32.ChecksumIEEE([]byte(key + "#1"))}
	for i, id := range taken {
		statement := fmt.Sprintf(
			"INSERT INTO registry (kind, id, key, run, serie, batch) VALUES ('series', %d, 'series:1-9:TAKEN%d', 1, "+
				"'TAKEN%d', 1)", id, i, i)
		if err := m.Conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	var id uint32
	if err := m.Conn.QueryRow(ctx, "SELECT id FROM registry WHERE key = $1", key).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if want := crc32.ChecksumIEEE([]byte(key + "#2")); id != want {
		t.Errorf("id %d, want %d, the hash of %s#2", id, want, key)
	}

	// A later batch keeps the ids that were given out.
	m.Ingest(t, model.Cartola, historyOf(t)[1], demotest.Clock)
	m.Build(t)
	var ids uint64
	if err := m.Conn.QueryRow(ctx, "SELECT uniqExact(id) FROM registry WHERE key = $1", key).Scan(&ids); err != nil {
		t.Fatal(err)
	}
	if ids != 1 {
		t.Errorf("%s has %d ids", key, ids)
	}
}
