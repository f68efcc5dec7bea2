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

// The test binary starts itself as other processes on the same database. What
// such a child needs comes by its environment, its key by standard input.
const (
	childEnv    = "CUOTA_ACCOUNT_TEST_CHILD" // its role; see runChild
	childDSN    = "CUOTA_ACCOUNT_TEST_DSN"
	childAt     = "CUOTA_ACCOUNT_TEST_AT" // RFC 3339
	childSpends = 400                     // by each child of role "spend"
)

// runChild is a child's main. It opens the store, says "open", waits for the
// key, and then, as "spend", spends it many times in parallel and says how
// many requests were allowed; as "forever", spends it one by one and says each
// new count once it is acknowledged, until it is killed; as "midnight", spends
// it one by one, by turns just before its instant and at it, and says the day
// of each request that was allowed, until both days are spent.
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
		k, err := s.Authenticate(ctx, strings.TrimSpace(presented))
		if err != nil {
			return err
		}
		at, err := time.Parse(time.RFC3339Nano, os.Getenv(childAt))
		if err != nil {
			return err
		}
		for role == "forever" {
			u, err := s.Spend(ctx, k, at)
			if err != nil {
				return err
			}
			fmt.Println(u.Used)
		}
		for refused := 0; role == "midnight" && refused < 2; {
			refused = 0
			for day, instant := range []time.Time{at.Add(-time.Nanosecond), at} {
				u, err := s.Spend(ctx, k, instant)
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
				u, err := s.Spend(ctx, k, at.Add(time.Duration(i%2)))
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

type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func startChild(t *testing.T, role, dsn string, at time.Time) *child {
	c := &child{t: t, cmd: exec.CommandContext(testContext(t), os.Args[0])}
	c.cmd.Env = append(os.Environ(), childEnv+"="+role, childDSN+"="+dsn, childAt+"="+at.Format(time.RFC3339Nano))
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
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		// Both start on an empty database: opening at once is part of the proof.
		midnight := time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC)
		children := []*child{
			startChild(t, "spend", db.dsn, midnight.Add(-time.Nanosecond)),
			startChild(t, "spend", db.dsn, midnight.Add(-time.Nanosecond)),
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
		mine := spendAll(t, []*Store{s}, k, 100, midnight.Add(-time.Nanosecond), midnight)
		allowed := mine[0] + mine[1]
		for _, c := range children {
			allowed += c.number()
			check(t, c.cmd.Wait())
		}
		if allowed != 300 { // two days of 150, each asked 500 times
			t.Errorf("%d requests were allowed over two days, want 300", allowed)
		}
	})
}

func TestWhatWasAcknowledgedSurvivesAKill(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		plaintext, k := issue(t, s, "ana@example.cl", Internal)
		check(t, s.Close()) // so that the child alone holds the database

		c := startChild(t, "forever", db.dsn, noon)
		c.line()
		c.give(plaintext)
		var acknowledged int64
		for range 200 {
			acknowledged = c.number()
		}
		check(t, c.cmd.Process.Kill())
		for c.out.Scan() { // what it still said before it died
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
		if u.Used < acknowledged || u.Used > acknowledged+1 { // one may have been counted and not yet said
			t.Errorf("%d requests are stored, %d were acknowledged", u.Used, acknowledged)
		}
		if _, err := s.Authenticate(testContext(t), plaintext); err != nil {
			t.Error(err)
		}
	})
}

// Two server processes spend a key around midnight; one is killed and another
// takes its place. Each local date gets its quota, no more and no less.
func TestAKillBetweenServersAtMidnightNeverPassesTheQuota(t *testing.T) {
	const quota = 400
	for name, midnight := range map[string]time.Time{
		"summer time begins": time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC), // there is no 00:00
		"summer time ends":   time.Date(2026, 4, 5, 4, 0, 0, 0, time.UTC), // 23:00 came twice
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db testDatabase) {
				s := openStore(t, db.dsn)
				plaintext, k := issue(t, s, "ana@example.cl", Free, OwnQuota(quota))
				var said [2]int64 // by the processes, of each day
				begin := func() *child {
					c := startChild(t, "midnight", db.dsn, midnight)
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
				for range 20 {
					said[doomed.number()]++
				}
				check(t, doomed.cmd.Process.Kill())
				hear(doomed) // what it still said before it died
				if err := doomed.cmd.Wait(); err == nil {
					t.Log("the process had ended before it was killed")
				}
				next := begin()
				hear(steady)
				hear(next)
				check(t, steady.cmd.Wait())
				check(t, next.cmd.Wait())

				var unsaid int64
				for day, at := range []time.Time{midnight.Add(-time.Nanosecond), midnight} {
					u, err := s.Usage(testContext(t), k, at)
					check(t, err)
					if u.Used != quota || said[day] > quota {
						t.Errorf("day %d: %d requests are stored and %d were allowed, want %d", day, u.Used, said[day], quota)
					}
					unsaid += quota - said[day]
				}
				if unsaid > 1 { // the killed process may have had one allowed and not yet said
					t.Errorf("%d allowed requests were never said", unsaid)
				}
			})
		})
	}
}
