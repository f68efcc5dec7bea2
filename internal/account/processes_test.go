package account

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The test binary starts itself as other processes on the same database. Such a child gets its
// configuration in its environment and its key on standard input.
const (
	childEnv    = "CUOTA_ACCOUNT_TEST_CHILD" // its role; see runChild
	childDSN    = "CUOTA_ACCOUNT_TEST_DSN"
	childAt     = "CUOTA_ACCOUNT_TEST_AT"     // RFC 3339
	childLeases = "CUOTA_ACCOUNT_TEST_LEASES" // when set, it spends through leases, as servers do
	childSpends = 400                         // by each child of role "spend"
)

// runChild is the main function of a child. It opens the store, prints "open" and waits for the
// key. As "spend" it spends the key many times in parallel and prints how many requests were
// allowed. As "forever" it spends it one by one and prints each new count once it is
// acknowledged, until it is killed. As "midnight" it spends it one by one, alternately just
// before its instant and at it, and prints the day of each allowed request, until the quotas of
// both days are used up.
func runChild(role string) int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := func() error {
		s, err := Open(ctx, os.Getenv(childDSN), testPepper, WithTimeout(patience))
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		fmt.Println("open")
		presented, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil {
			return err
		}
		var server interface {
			Authenticate(ctx context.Context, presented string) (Key, error)
			Spend(ctx context.Context, k Key, at time.Time) (Usage, error)
		} = s
		if os.Getenv(childLeases) != "" {
			leases := NewLeases(s)
			defer func() { _ = leases.Stop(ctx) }()
			server = leases
		}
		k, err := server.Authenticate(ctx, strings.TrimSpace(presented))
		if err != nil {
			return err
		}
		at, err := time.Parse(time.RFC3339Nano, os.Getenv(childAt))
		if err != nil {
			return err
		}
		for role == "forever" {
			u, err := server.Spend(ctx, k, at)
			if err != nil {
				return err
			}
			fmt.Println(u.Used)
		}
		for refused := 0; role == "midnight" && refused < 2; {
			refused = 0
			for day, instant := range []time.Time{at.Add(-time.Nanosecond), at} {
				u, err := server.Spend(ctx, k, instant)
				if err != nil {
					return err
				}
				if !u.Allowed {
					refused++
					continue
				}
				fmt.Println(day)
			}
		}
		if role == "midnight" {
			return nil
		}
		var wg sync.WaitGroup
		var allowed, failed atomic.Int64
		for i := range childSpends {
			wg.Go(func() {
				u, err := server.Spend(ctx, k, at.Add(time.Duration(i%2)))
				switch {
				case err != nil:
					failed.Add(1)
				case u.Allowed:
					allowed.Add(1)
				}
			})
		}
		wg.Wait()
		if failed.Load() > 0 {
			return fmt.Errorf("%d requests failed", failed.Load())
		}
		fmt.Println(allowed.Load())
		return nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// The midnights in Santiago at which clocks change.
var (
	summerBegins = time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC) // 00:00 does not exist
	summerEnds   = time.Date(2026, 4, 5, 4, 0, 0, 0, time.UTC) // 23:00 came twice
)

type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func startChild(t *testing.T, role, dsn string, at time.Time, env ...string) *child {
	c := &child{t: t, cmd: exec.CommandContext(testContext(t), os.Args[0])}
	c.cmd.Env = append(append(os.Environ(), childEnv+"="+role, childDSN+"="+dsn, childAt+"="+at.Format(time.RFC3339Nano)), env...)
	c.cmd.Stderr = &c.stderr
	var err error
	c.in, err = c.cmd.StdinPipe()
	check(t, err)
	out, err := c.cmd.StdoutPipe()
	check(t, err)
	c.out = bufio.NewScanner(out)
	check(t, c.cmd.Start())
	return c
}

func (c *child) line() string {
	c.t.Helper()
	if !c.out.Scan() {
		_ = c.cmd.Wait()
		c.t.Fatalf("the other process ended: %s", c.stderr.String())
	}
	return c.out.Text()
}

func (c *child) number() int64 {
	c.t.Helper()
	n, err := strconv.ParseInt(c.line(), 10, 64)
	check(c.t, err)
	return n
}

func (c *child) give(plaintext string) {
	c.t.Helper()
	_, err := fmt.Fprintln(c.in, plaintext)
	check(c.t, err)
}

func TestProcessesTogetherNeverPassTheQuota(t *testing.T) {
	for name, env := range map[string][]string{"counting each": nil, "leasing": {childLeases + "=1"}} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db testDatabase) {
				// Both start on an empty database, because opening concurrently is part of the
				// test.
				before := summerBegins.Add(-time.Nanosecond)
				children := []*child{
					startChild(t, "spend", db.dsn, before, env...),
					startChild(t, "spend", db.dsn, before, env...),
				}
				s := openStore(t, db.dsn)
				plaintext, k := issue(t, s, "ana@example.cl", Free, OwnQuota(150))
				for _, c := range children {
					if got := c.line(); got != "open" {
						t.Fatalf("the other process said %q", got)
					}
				}
				for _, c := range children {
					c.give(plaintext)
				}
				mine := spendAll(t, []*Store{s}, k, 100, before, summerBegins)
				allowed := mine[0] + mine[1]
				for _, c := range children {
					allowed += c.number()
					check(t, c.cmd.Wait())
				}
				// Requests may have been refused while the rest of the quota was leased by
				// another process. By now it was given back.
				rest := spendAll(t, []*Store{s}, k, 300, before, summerBegins)
				if rest[0]+rest[1] > 0 && env == nil {
					t.Errorf("%d requests were refused that the quota had room for", rest[0]+rest[1])
				}
				if allowed += rest[0] + rest[1]; allowed != 300 { // two days of 150, each requested far more often
					t.Errorf("%d requests were allowed over two days, want 300", allowed)
				}
			})
		})
	}
}

func TestWhatWasAcknowledgedSurvivesAKill(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		plaintext, k := issue(t, s, "ana@example.cl", Internal)
		check(t, s.Close()) // so that only the child has the database open

		c := startChild(t, "forever", db.dsn, noon)
		c.line()
		c.give(plaintext)
		var acknowledged int64
		for range 200 {
			acknowledged = c.number()
		}
		check(t, c.cmd.Process.Kill())
		for c.out.Scan() { // output from before it died
			if n, err := strconv.ParseInt(c.out.Text(), 10, 64); err == nil {
				acknowledged = max(acknowledged, n)
			}
		}
		if err := c.cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}

		s = openStore(t, db.dsn)
		u, err := s.Usage(testContext(t), k, noon)
		check(t, err)
		if u.Used < acknowledged || u.Used > acknowledged+1 { // one request may be counted but not yet printed
			t.Errorf("%d requests are stored, %d were acknowledged", u.Used, acknowledged)
		}
		if _, err := s.Authenticate(testContext(t), plaintext); err != nil {
			t.Error(err)
		}
	})
}

// Two server processes spend a key around midnight. One is killed and another one replaces it.
// Each local date gets at most its quota, and no less, except for what the killed process had
// leased.
func TestAKillBetweenServersAtMidnightNeverPassesTheQuota(t *testing.T) {
	const quota = 400
	for _, way := range []struct {
		name     string
		midnight time.Time
		env      []string
		lost     int64 // requests that one kill may lose in both days together
	}{
		{"summer time begins", summerBegins, nil, 1}, // one may be allowed but not yet printed
		{"summer time ends", summerEnds, nil, 1},
		{"summer time begins, leased", summerBegins, []string{childLeases + "=1"}, quota/shareOfTheRest + 1},
		{"summer time ends, leased", summerEnds, []string{childLeases + "=1"}, quota/shareOfTheRest + 1},
	} {
		t.Run(way.name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db testDatabase) {
				s := openStore(t, db.dsn)
				plaintext, k := issue(t, s, "ana@example.cl", Free, OwnQuota(quota))
				var said [2]int64 // printed by the processes, for each day
				begin := func() *child {
					c := startChild(t, "midnight", db.dsn, way.midnight, way.env...)
					c.line()
					c.give(plaintext)
					return c
				}
				hear := func(c *child) {
					for c.out.Scan() {
						day, err := strconv.Atoi(c.out.Text())
						check(t, err)
						said[day]++
					}
				}
				doomed, steady := begin(), begin()
				for range 20 { // fewer if the other has used up everything first
					if !doomed.out.Scan() {
						break
					}
					day, err := strconv.Atoi(doomed.out.Text())
					check(t, err)
					said[day]++
				}
				check(t, doomed.cmd.Process.Kill())
				hear(doomed) // output from before it died
				if err := doomed.cmd.Wait(); err == nil {
					t.Log("the process had ended before it was killed")
				}
				next := begin()
				hear(steady)
				hear(next)
				check(t, steady.cmd.Wait())
				check(t, next.cmd.Wait())

				var lost int64
				for day, at := range []time.Time{way.midnight.Add(-time.Nanosecond), way.midnight} {
					allowed := said[day]
					for range quota { // requests that were given back last can be spent
						u, err := s.Spend(testContext(t), k, at)
						check(t, err)
						if !u.Allowed {
							break
						}
						allowed++
					}
					u, err := s.Usage(testContext(t), k, at)
					check(t, err)
					if u.Used != quota || allowed > quota {
						t.Errorf("day %d: %d requests are stored and %d were allowed, want %d", day, u.Used, allowed, quota)
					}
					lost += quota - allowed
				}
				if lost > way.lost {
					t.Errorf("%d requests were counted and never allowed, want at most %d", lost, way.lost)
				}
			})
		})
	}
}
