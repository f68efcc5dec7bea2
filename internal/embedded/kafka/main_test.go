package kafka_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/embedded/kafka"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

// Environment variables that make the test binary a server, for tests that kill a server or
// send it dangerous bytes.
const (
	childDir    = "CUOTA_TEST_CHILD_DIR"
	childListen = "CUOTA_TEST_CHILD_LISTEN"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := serve(dir, os.Getenv(childListen)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// serve prints its address and runs until its standard input ends.
func serve(dir, listen string) error {
	ctx := context.Background()
	s, err := kafka.New(kafka.Config{Dir: dir, Listen: listen}, zerolog.Nop())
	if err != nil {
		return err
	}
	if err := s.Start(ctx); err != nil {
		return err
	}
	fmt.Println(s.Addr())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return s.Stop(ctx)
}

// child is a server in its own process.
type child struct {
	addr   string
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr strings.Builder
	ended  chan struct{}
	once   sync.Once
}

func startChild(t *testing.T, dir, listen string) *child {
	t.Helper()
	c := &child{ended: make(chan struct{})}
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), childDir+"="+dir, childListen+"="+listen)
	c.cmd.Stderr = &c.stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = stdin
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	go func() {
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	t.Cleanup(c.kill)
	if err != nil {
		<-c.ended
		t.Fatalf("child server doesn't start: %v\n%s", err, c.stderr.String())
	}
	c.addr = strings.TrimSpace(line)
	return c
}

// kill ends the process with SIGKILL, so that it can't write anything more.
func (c *child) kill() {
	c.once.Do(func() { _ = c.cmd.Process.Kill() })
	<-c.ended
}

// timeout returns a context that limits a test. No test waits for time to pass.
func timeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, cfg kafka.Config) *kafka.Server {
	t.Helper()
	s, err := tryStart(t, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryStart(t *testing.T, cfg kafka.Config) (*kafka.Server, error) {
	t.Helper()
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	s, err := kafka.New(cfg, zerolog.New(zerolog.NewTestWriter(t)))
	if err != nil {
		return nil, err
	}
	if err := s.Start(timeout(t)); err != nil {
		return nil, err
	}
	t.Cleanup(func() { stop(t, s) })
	return s, nil
}

func stop(t *testing.T, s *kafka.Server) {
	t.Helper()
	if err := s.Stop(timeout(t)); err != nil {
		t.Error(err)
	}
}
