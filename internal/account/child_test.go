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

type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func startChild(t *testing.T, role, dsn string, at time.Time, env ...string) *child {
	c := &child{t: t, cmd: exec.CommandContext(testContext(t), os.Args[0])}
	c.cmd.Env = append(append(os.Environ(), childEnv+"="+role, childDSN+"="+dsn,
		childAt+"="+at.Format(time.RFC3339Nano)), env...)
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
