package figures

import (
	"context"
	"crypto/rand"
	"fmt"
	insecure "math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/reference"
	"cuota/cmd/cuota-bench/report"
	"cuota/internal/account"
)

// leases is how many requests one PostgreSQL counts for many query servers. A balancer
// sends all requests of a key either to one server or to any server. In the reference,
// every request is counted with its own statement.
var leases = Figure{
	"leases", "requests that one PostgreSQL counts for many query servers, against each counted by itself",
	measureLeases,
}

// The simulated service has many query servers: so many keys are in use at once, and
// each server keeps a few connections to the one PostgreSQL.
const (
	keysInUse           = 500
	connectionsOfServer = 4
	clientsOfFleet      = 64
)

// fleet is the account stores and leases of many query servers on one PostgreSQL. It has
// no other part of a query server, because only the load on PostgreSQL is measured.
type fleet struct {
	stores     []counter // each counts every request by itself
	leases     []counter // the same servers, as they count in blocks
	keys       []string
	statements *pgxpool.Pool
}

// counter counts a request against the quota of its key.
type counter interface {
	Authenticate(ctx context.Context, presented string) (account.Key, error)
	Spend(ctx context.Context, key account.Key, at time.Time) (account.Usage, error)
}

func count(ctx context.Context, server counter, presented string) error {
	key, err := server.Authenticate(ctx, presented)
	if err != nil {
		return err
	}
	_, err = server.Spend(ctx, key, time.Now())
	return err
}

func measureLeases(ctx context.Context, b *bench) ([]report.Line, error) {
	// Commits are written to the disk, as they must be where requests are sold.
	pool, err := reference.StartPostgres(ctx, b.onClose, "-N", fmt.Sprint(b.config.Servers*connectionsOfServer+50),
		"-c", "shared_preload_libraries=pg_stat_statements")
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, "CREATE EXTENSION pg_stat_statements"); err != nil {
		return nil, fmt.Errorf("have PostgreSQL count its statements: %w", err)
	}
	f, err := b.openFleet(ctx, pool)
	if err != nil {
		return nil, err
	}
	asked := map[string][]float64{} // statements for 1,000 requests
	run := func(name string, server func(key int) int, servers []counter) load.Side {
		return load.Side{Name: name, Once: func(ctx context.Context) (report.Reading, error) {
			before, err := f.asked(ctx)
			if err != nil {
				return report.Reading{}, err
			}
			took := make([][]time.Duration, clientsOfFleet)
			r, err := b.rounds.Time(0, func() error {
				limited, end := context.WithTimeout(ctx, b.config.Length)
				defer end()
				return load.Each(clientsOfFleet, func(client int) error {
					for limited.Err() == nil {
						key, began := insecure.IntN(len(f.keys)), time.Now()
						if err := count(ctx, servers[server(key)], f.keys[key]); err != nil {
							return err
						}
						took[client] = append(took[client], time.Since(began))
					}
					return nil
				})
			})
			if err != nil {
				return report.Reading{}, err
			}
			after, err := f.asked(ctx)
			all := slices.Sorted(slices.Values(slices.Concat(took...)))
			r.Units, r.P50, r.P99 = len(all), report.Quantile(all, 0.50), report.Quantile(all, 0.99)
			asked[name] = append(asked[name], 1000*float64(after-before)/float64(len(all)))
			return r, err
		}}
	}
	byKey := func(key int) int { return key % len(f.stores) }
	anyServer := func(int) int { return insecure.IntN(len(f.stores)) }
	sides := []load.Side{run("a key stays with a server", byKey, f.leases), run("any server", anyServer, f.leases),
		run("counted one by one", anyServer, f.stores)}
	found, err := b.rounds.Interleave(ctx, sides...)
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf("%d servers, %d keys, %d clients, one PostgreSQL whose commits reach the disk", len(f.stores),
		len(f.keys), clientsOfFleet)
	statements := func(rounds []float64) report.Quantity {
		return report.Quantity{Stat: report.NewStat(rounds[1:]), Unit: "statements"} // without the warm-up
	}
	var lines []report.Line
	for i, s := range sides[:2] {
		lines = append(lines,
			report.Compare("requests counted for many servers, "+s.Name, found[i], found[2], report.Reading.PerSecond,
				"requests/s", "each counted by itself; "+about),
			report.Compare("a request of these, p99", found[i], found[2], report.Reading.P99Millis, "ms", "the same"),
			report.Line{Name: "its statements for 1,000 requests", Value: statements(asked[s.Name]),
				Reference: statements(asked[sides[2].Name])},
		)
	}
	return lines, nil
}

// openFleet returns the servers, and keys that all of them know.
func (b *bench) openFleet(ctx context.Context, pool *pgxpool.Pool) (*fleet, error) {
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper) // never fails
	f := &fleet{statements: pool}
	var issuer *account.Store // any of them: all read the same keys
	for range b.config.Servers {
		store, err := account.Open(ctx, pool.Config().ConnString(), pepper,
			account.WithConnections(connectionsOfServer))
		if err != nil {
			return nil, err
		}
		b.onClose(func(context.Context) error { return store.Close() })
		leases := account.NewLeases(store)
		leases.Start()
		b.onClose(leases.Stop)
		f.stores, f.leases, issuer = append(f.stores, store), append(f.leases, leases), store
	}
	for n := range keysInUse {
		key, _, err := issuer.CreateKey(ctx, fmt.Sprintf("bench-%d@localhost.invalid", n), account.Institutional,
			account.OwnQuota(quotaOfTheBench))
		if err != nil {
			return nil, err
		}
		f.keys = append(f.keys, key)
	}
	return f, nil
}

// asked is how many statements the servers have sent so far.
func (f *fleet) asked(ctx context.Context) (n int64, err error) {
	err = f.statements.QueryRow(ctx,
		"SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements WHERE query ~ 'api_keys|daily_usage'").Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("ask PostgreSQL how many statements it ran: %w", err)
	}
	return n, nil
}
