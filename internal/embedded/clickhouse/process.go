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
	"golang.org/x/sys/unix"
)

// process is one life of the engine.
type process struct {
	command  *exec.Cmd
	lifeline *net.UnixConn // the engine ends when this is closed for writing
	output   *tail
	ended    chan struct{} // closed when it is gone
	err      error         // why, once ended is closed
}

// launch starts the engine over its configuration.
func launch(config Config, dir *directory) (*process, error) {
	if os.Getenv(configVariable) != "" {
		return nil, errors.New("this program was started as the engine, but does not call clickhouse.Host first in main")
	}
	program, err := thisProgram()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &process{command: exec.Command(program), output: &tail{}, ended: make(chan struct{})}
	// Nothing of this process's environment, which holds secrets.
	p.command.Env = []string{"TZ=UTC", "PATH=/usr/bin:/bin", "HOME=" + dir.root,
		configVariable + "=" + dir.config, libraryVariable + "=" + config.Library, binaryVariable + "=" + config.Binary}
	p.command.Dir = dir.root
	ownGroup(p.command)
	var theirs *os.File
	if p.lifeline, theirs, err = socketPair(); err != nil {
		return nil, fmt.Errorf("make a connection to the engine: %w", err)
	}
	p.command.Stdin, p.command.Stdout, p.command.Stderr = theirs, theirs, theirs
	err = p.command.Start()
	_ = theirs.Close()
	if err != nil {
		_ = p.lifeline.Close()
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	read := closing(func() { _, _ = io.Copy(p.output, p.lifeline) })
	go func() {
		err := p.command.Wait()
		_ = p.lifeline.SetReadDeadline(time.Now().Add(time.Second)) // a grandchild may hold the output open
		<-read
		_ = p.lifeline.Close()
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

// socketPair gives two connected sockets. The engine gets one as its standard input
// and output. With pipes in their place, people could let ClickHouse open them again by
// their names below /proc, and wait in a read that nothing ends.
func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // another child would inherit them
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(ends[1]), "engine")
	file := os.NewFile(uintptr(ends[0]), "engine")
	defer func() { _ = file.Close() }()
	conn, err := net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
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
		// One that hangs must not outlast the wait.
		limited, cancel := context.WithTimeout(ctx, pingPatience)
		err := conn.Ping(limited)
		cancel()
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

// pingPatience bounds one question whether the engine is there.
const pingPatience = time.Second

// stopPatience is how long the engine may take to end by itself. What it has
// acknowledged is on disk: to kill it loses nothing.
const stopPatience = 3 * time.Second

// stop ends the engine, whatever it is doing.
func (p *process) stop() {
	_ = p.lifeline.CloseWrite() // closed already where the engine ended first
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
