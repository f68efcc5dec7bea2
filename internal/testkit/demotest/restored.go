package demotest

import (
	"context"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector"
	"cuota/projector/schema"
)

// Restored starts a pipeline with the name of another copy, over a database into which a backup of this one's was
// restored. It reads the same log from the beginning, and its projector leads. Nothing may write to the database of
// this one meanwhile.
func (m *Market) Restored(t testing.TB, wait time.Duration, name string) *Market {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	options := clickhousetest.Database(t)
	at := "File('" + options.Auth.Database + "')"
	must(t, m.Conn.Exec(ctx, "BACKUP DATABASE "+m.Options.Auth.Database+" TO "+at))
	owner, err := clickhouse.Open(options)
	must(t, err)
	must(t, owner.Exec(ctx, "RESTORE DATABASE "+m.Options.Auth.Database+" AS "+options.Auth.Database+" FROM "+at))
	must(t, owner.Close())
	must(t, schema.Make(ctx, options)) // as at each start of a projector
	restored := reading(t, options, m.brokers, projector.Config{Copy: name, CopiesWait: wait})
	restored.projector.Lead(true)
	return restored
}
