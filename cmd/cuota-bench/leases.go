package main

import (
	"context"
	"crypto/rand"
	"fmt"
	insecure "math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"cuota/internal/account"
)

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

// leases measures how many requests one PostgreSQL counts for many query servers. A
// balancer sends all requests of a key either to one server or to any server. In the
// reference, every request is counted with its own statement.
func leases(ctx context.Context, b *bench) ([]line, error) {
	// Commits are written to the disk, as they must be where requests are sold.
	pool, err := b.startPostgres(ctx, "-N", fmt.Sprint(b.config.servers*connectionsOfServer+50), "-c", "shared_preload_libraries=pg_stat_statements")
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
	run := func(name string, server func(key int) int, servers []counter) side {
		return side{name, func(ctx context.Context) (reading, error) {
			before, err := f.asked(ctx)
			if err != nil {
				return reading{}, err
			}
			took := make([][]time.Duration, clientsOfFleet)
			r, err := b.time(0, func() error {
				limited, end := context.WithTimeout(ctx, b.config.seconds)
				defer end()
				return each(clientsOfFleet, func(client int) error {
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
				return reading{}, err
			}
			after, err := f.asked(ctx)
			all := slices.Sorted(slices.Values(slices.Concat(took...)))
			r.units, r.p50, r.p99 = len(all), quantile(all, 0.50), quantile(all, 0.99)
			asked[name] = append(asked[name], 1000*float64(after-before)/float64(len(all)))
			return r, err
		}}
	}
	byKey := func(key int) int { return key % len(f.stores) }
	anyServer := func(int) int { return insecure.IntN(len(f.stores)) }
	sides := []side{run("a key stays with a server", byKey, f.leases), run("any server", anyServer, f.leases), run("counted one by one", anyServer, f.stores)}
	found, err := b.interleave(ctx, sides...)
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf("%d servers, %d keys, %d clients, one PostgreSQL whose commits reach the disk", len(f.stores), len(f.keys), clientsOfFleet)
	var lines []line
	for i, s := range sides[:2] {
		lines = append(lines,
			compare("requests counted for many servers, "+s.name, found[i], found[2], reading.perSecond, "requests/s", "each counted by itself; "+about),
			compare("a request of these, p99", found[i], found[2], reading.p99Millis, "ms", "the same"),
			line{name: "its statements for 1,000 requests", value: quantity{newStat(asked[s.name][1:]), "statements"}, reference: quantity{newStat(asked[sides[2].name][1:]), "statements"}},
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
	for range b.config.servers {
		store, err := account.Open(ctx, pool.Config().ConnString(), pepper, account.WithConnections(connectionsOfServer))
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
		key, _, err := issuer.CreateKey(ctx, fmt.Sprintf("bench-%d@localhost.invalid", n), account.Institutional, account.OwnQuota(quotaOfTheBench))
		if err != nil {
			return nil, err
		}
		f.keys = append(f.keys, key)
	}
	return f, nil
}

// asked is how many statements the servers have sent so far.
func (f *fleet) asked(ctx context.Context) (n int64, err error) {
	err = f.statements.QueryRow(ctx, "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements WHERE query ~ 'api_keys|daily_usage'").Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("ask PostgreSQL how many statements it ran: %w", err)
	}
	return n, nil
}
