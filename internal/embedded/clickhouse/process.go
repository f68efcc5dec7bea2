package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// process is one life of the engine.
type process struct {
	command *exec.Cmd
	pipe    io.Closer // the engine ends when this is closed
	output  *tail
	ended   chan struct{} // closed when it is gone
	err     error         // why, once ended is closed
}

// ports are those of 127.0.0.1 on which the engine listens.
type ports struct{ native, http int }

// freePorts finds two ports that nobody uses. Another program may take one before
// the engine does, which then doesn't start.
func freePorts(ctx context.Context) (at ports, err error) {
	for _, port := range []*int{&at.native, &at.http} {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return at, fmt.Errorf("look for a free port: %w", err)
		}
		defer func() { _ = listener.Close() }() // after both are known, so that they differ
		*port = listener.Addr().(*net.TCPAddr).Port
	}
	return at, nil
}

// launch starts the engine over its configuration.
func launch(config Config, dir *directory) (*process, error) {
	if os.Getenv(configVariable) != "" {
		return nil, errors.New("this program was started as the engine, but does not call clickhouse.Host first in main")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &process{command: exec.Command(program), output: &tail{}, ended: make(chan struct{})}
	// Nothing of this process's environment, which holds secrets.
	p.command.Env = []string{"TZ=UTC", "PATH=/usr/bin:/bin", "HOME=" + dir.root,
		configVariable + "=" + dir.config, libraryVariable + "=" + config.Library, binaryVariable + "=" + config.Binary}
	p.command.Dir = dir.root
	p.command.Stdout, p.command.Stderr = p.output, p.output
	p.command.WaitDelay = time.Second // a grandchild may hold the output open
	ownGroup(p.command)
	if p.pipe, err = p.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("make a pipe to the engine: %w", err)
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	go func() {
		err := p.command.Wait()
		if err == nil {
			err = errors.New("it ended by itself")
		}
		if said := p.output.String(); said != "" {
			err = fmt.Errorf("%w; its last output: %s", err, said)
		}
		p.err = err
		close(p.ended)
	}()
	return p, nil
}

// ownGroup gives a child a process group of its own, so that Ctrl-C in a terminal
// reaches this process alone, which stops the child in its turn.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// answers waits until the engine answers its owner.
func (p *process) answers(ctx context.Context, options *driver.Options) error {
	conn, err := driver.Open(options)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	often := time.NewTicker(20 * time.Millisecond)
	defer often.Stop()
	for {
		err := conn.Ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-often.C:
		case <-p.ended:
			return fmt.Errorf("the engine ended: %w", p.err)
		case <-ctx.Done():
			return fmt.Errorf("the engine does not answer: %w; %w", context.Cause(ctx), err)
		}
	}
}

// stopPatience is how long the engine may take to end by itself. What it has
// acknowledged is on disk: to kill it loses nothing.
const stopPatience = 3 * time.Second

// stop ends the engine, whatever it is doing.
func (p *process) stop() {
	_ = p.pipe.Close() // closed already where the engine ended first
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	select {
	case <-p.ended:
	case <-patience.C:
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// tail keeps the end of what the engine writes, for a report of why it ended.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is in bytes.
const maxTail = 2000

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
