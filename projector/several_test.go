package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/projector"
)

// pausing is a connection of a process that is paused just before a statement.
type pausing struct {
	driver.Conn
	before  string        // beginning of the statement, after its comment
	reached chan struct{} // closed when the process is paused
	goOn    chan struct{} // closed to let the process continue

	once sync.Once
}

func pausedBefore(conn driver.Conn, statement string) *pausing {
	return &pausing{Conn: conn, before: statement, reached: make(chan struct{}), goOn: make(chan struct{})}
}

func (p *pausing) Exec(ctx context.Context, query string, args ...any) error {
	if strings.Contains("\n"+query, "\n"+p.before) {
		p.once.Do(func() {
			close(p.reached)
			select {
			case <-p.goOn:
			case <-ctx.Done():
			}
		})
	}
	return p.Conn.Exec(ctx, query, args...)
}

// another returns a second projector on the database of a market.
func another(t *testing.T, conn driver.Conn) *projector.Projector {
	t.Helper()
	p := projector.New(projector.Config{
		Keep: demotest.Keep, Quiet: time.Millisecond, Retry: time.Millisecond, Now: func() time.Time {
			return demotest.Clock
		},
	}, conn, zerolog.Nop())
	return p
}

// threeAndFour returns the checksums of the batches of the first three and of the first four
// files, if one projector builds them.
func threeAndFour(t *testing.T) (three, four map[string]string) {
	t.Helper()
	m := demotest.New(t)
	for _, path := range historyOf(t)[:3] {
		m.Ingest(t, model.Cartola, path, demotest.Clock)
	}
	three = demotest.Checksums(t, m.Conn, m.Build(t))
	m.Ingest(t, model.Cartola, historyOf(t)[3], demotest.Clock)
	return three, demotest.Checksums(t, m.Conn, m.Build(t))
}

func TestAPausedOrKilledProjectorCanNotPublish(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	three, four := threeAndFour(t)
	for _, c := range []struct {
		statement string
		killed    bool
	}{
		{"INSERT INTO series_day_version", false}, {"INSERT INTO registry", false}, {"INSERT INTO market_day", false},
		{"INSERT INTO batch\n", false},
		{"INSERT INTO series_day", true},
	} {
		t.Run(fmt.Sprintf("before %s, killed %t", strings.TrimSpace(c.statement), c.killed), func(t *testing.T) {
			t.Parallel()
			m := demotest.New(t)
			history := historyOf(t)
			m.Ingest(t, model.Cartola, history[0], demotest.Clock)
			m.Build(t)
			// The paused projector builds every day again, also days that no later batch
			// builds.
			m.Ingest(t, model.Cartola, history[1], demotest.Clock)
			m.Settle(t)
			conn := pausedBefore(m.Conn, c.statement)
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			ended := make(chan error, 1)
			go func() {
				_, err := another(t, conn).Build(ctx, true)
				ended <- err
			}()
			select {
			case <-conn.reached:
			case err := <-ended:
				t.Fatalf("the batch ended before its statement: %v", err)
			}
			if c.killed {
				kill()
				if err := <-ended; err == nil {
					t.Error("a killed batch was published")
				}
			}

			m.Ingest(t, model.Cartola, history[2], demotest.Clock)
			published := m.Build(t)
			if !c.killed {
				close(conn.goOn)
				if err := <-ended; err == nil ||
					!strings.Contains(err.Error(), fmt.Sprintf("another projector has begun batch %d", published)) {
					t.Errorf("the batch that was paused ended with %v", err)
				}
			}
			if current := count(t, m, "SELECT max(batch) FROM batch"); current != published {
				t.Errorf("batch %d is published, want %d", current, published)
			}
			if diff := cmp.Diff(three, demotest.Checksums(t, m.Conn, published)); diff != "" {
				t.Errorf("projections differ (-undisturbed +beside a paused projector):\n%s", diff)
			}
			m.Ingest(t, model.Cartola, history[3], demotest.Clock)
			if diff := cmp.Diff(four, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
				t.Errorf("projections of the next batch differ (-undisturbed +after a paused projector):\n%s", diff)
			}
		})
	}
}

func TestNoNumberOfABatchIsSharedByTwoProjectors(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	_, want := threeAndFour(t)
	var publishedOnes sync.Map
	for i, path := range historyOf(t)[:4] {
		m.Ingest(t, model.Cartola, path, demotest.Clock)
		m.Settle(t)
		if i == 2 {
			continue // the fourth batch includes two files
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				number, err := another(t, m.Conn).Build(t.Context(), false)
				if err != nil {
					if !strings.Contains(err.Error(), "another projector") {
						t.Errorf("one of three that build at once failed: %v", err)
					}
					return
				}
				if _, twice := publishedOnes.LoadOrStore(number, true); twice {
					t.Errorf("two projectors published batch %d", number)
				}
			})
		}
		all.Wait()
	}
	number := m.Build(t)
	if shared := count(t, m, `
		SELECT count() FROM batch INNER JOIN (SELECT batch, uniqExact(claim) AS claims FROM batch_attempt GROUP BY batch) AS taken USING (batch)
		WHERE claims != 1`); shared != 0 {
		t.Errorf("%d published batches have a number that two took", shared)
	}
	if doubled := count(t, m, "SELECT count() FROM doubled_id"); doubled != 0 {
		t.Errorf("%d ids are doubled", doubled)
	}
	if attempts, batches := count(t, m, "SELECT count() FROM batch_attempt"),
		count(t, m, "SELECT count() FROM batch"); attempts < 7 || attempts <= batches {
		t.Errorf("%d batches were begun and %d are published: this proves nothing", attempts, batches)
	}
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, number)); diff != "" {
		t.Errorf("projections differ (-one projector +three):\n%s", diff)
	}
}

func TestOfDoubledIDsThePublishedOneStays(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	ids := func(m *demotest.Market) string {
		return strings.Join(column(t, m,
			"SELECT concat(kind, ' ', toString(id), ' ', key, ' ', toString(batch)) FROM registry ORDER BY kind, id, key"), "\n")
	}
	key, taken := oracle.SeriesKey(9809, "B"), oracle.ID(oracle.SeriesKey(9810, "B"))
	for _, row := range []string{
		fmt.Sprintf("('series', 7, '%s', 9809, 'B', 0)", key),                                 // a second id for a key
		fmt.Sprintf("('series', %d, '%s', 9810, 'B', 9)", taken, oracle.SeriesKey(9810, "B")), // the same id once more
		fmt.Sprintf("('fi_series', %d, 'fi:1-9:X', 1, 'X', 0)", oracle.ID(key)),               // a second key for an id
		// a second key for the id of a fund
		fmt.Sprintf("('fund', %d, 'fund:2-7', 2, '', 0)", oracle.ID(oracle.FundKey(9810))),
		// a second id for a manager
		fmt.Sprintf("('manager', 8, '%s', 96667040, '', 0)", managerKeyOf(t, m)),
	} {
		if err := m.Conn.Exec(t.Context(), "INSERT INTO registry (kind, id, key, run, serie, batch) VALUES "+
			row); err != nil {
			t.Fatal(err)
		}
	}
	m.Ingest(t, model.Cartola, historyOf(t)[1], demotest.Clock)
	number := m.Build(t)
	calm := demotest.New(t)
	for _, path := range historyOf(t)[:2] {
		calm.Ingest(t, model.Cartola, path, demotest.Clock)
		calm.Build(t)
	}
	if diff := cmp.Diff(ids(calm), ids(m)); diff != "" {
		t.Errorf("ids differ (-undisturbed +doubled and mended):\n%s", diff)
	}
	if diff := cmp.Diff(demotest.Checksums(t, calm.Conn, 2), demotest.Checksums(t, m.Conn, number)); diff != "" {
		t.Errorf("projections differ (-undisturbed +doubled ids):\n%s", diff)
	}
}

// managerKeyOf returns the key of the only manager.
func managerKeyOf(t *testing.T, m *demotest.Market) string {
	t.Helper()
	keys := column(t, m, "SELECT key FROM registry WHERE kind = 'manager'")
	if len(keys) != 1 {
		t.Fatalf("managers %v", keys)
	}
	return keys[0]
}

func TestOnlyTheProjectorThatLeadsBuilds(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Settle(t)
	conn := pausedBefore(m.Conn, "INSERT INTO series_day")
	first, second := another(t, conn), another(t, m.Conn)
	for _, p := range []*projector.Projector{first, second} {
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Stop(context.Background()) })
	}
	command, err := json.Marshal(model.Control{Project: &model.ProjectCommand{ID: "one"}})
	if err != nil {
		t.Fatal(err)
	}
	m.Send(t, model.ControlTopic, kafka.Message{Value: command})
	m.Settle(t)
	first.Lead(true)
	<-conn.reached
	// The projector stops leading while it builds the batch that it was commanded to build.
	second.Lead(true)
	first.Lead(false)
	done := func() uint64 {
		return count(t, m, "SELECT count() FROM command_done WHERE id = 'one' AND failure = '' AND batch = (SELECT "+
			"max(batch) FROM batch)")
	}
	waittest.Until(t, "the command is carried out by the next one", func() bool { return done() == 1 })
	if attempts, batches := count(t, m, "SELECT count() FROM batch_attempt"),
		count(t, m, "SELECT count() FROM batch"); attempts != 2 || batches != 1 {
		t.Errorf("%d batches were begun and %d published, want 2 and 1", attempts, batches)
	}
}
