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

// process is one run of the engine, from a start to its end.
type process struct {
	command  *exec.Cmd
	lifeline *net.UnixConn // our end of the engine's standard input; the engine ends when it is closed for writing
	output   *tail
	ended    chan struct{} // closed when the engine has ended
	err      error         // why the engine ended; set before ended is closed
}

// launch starts the engine with the configuration of the directory. It does not wait until the
// engine answers.
func launch(config Config, dir *directory) (*process, error) {
	if os.Getenv(configVariable) != "" {
		return nil, errors.New("this program was started as the engine, but does not call clickhouse.Host first in main")
	}
	program, err := thisProgram()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &process{command: exec.Command(program), output: &tail{}, ended: make(chan struct{})}
	// The engine gets none of this process's environment, which contains secrets.
	p.command.Env = []string{"TZ=UTC", "PATH=/usr/bin:/bin", "HOME=" + dir.root,
		configVariable + "=" + dir.config, libraryVariable + "=" + config.Library, binaryVariable + "=" + config.Binary}
	p.command.Dir = dir.root
	ownGroup(p.command)
	var theirs *os.File
	if p.lifeline, theirs, err = socketPair(); err != nil {
		return nil, fmt.Errorf("create a socket pair to the engine: %w", err)
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
		_ = p.lifeline.SetReadDeadline(time.Now().Add(time.Second)) // a grandchild may keep the output open
		<-read
		_ = p.lifeline.Close()
		if err == nil {
			err = errors.New("it exited with status 0")
		}
		if said := p.output.String(); said != "" {
			err = fmt.Errorf("%w; its last output: %s", err, said)
		}
		p.err = err
		close(p.ended)
	}()
	return p, nil
}

// socketPair returns two connected sockets. The engine gets one as its standard input and output.
// With pipes, people could make ClickHouse open them again through /proc, and wait in a read
// that never ends.
func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // prevents that another child inherits them before CloseOnExec
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

// ownGroup puts a child into its own process group. Then Ctrl-C in a terminal signals only this
// process, which then stops the child.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// answers waits until the engine answers a ping of its owner. It fails if the engine or ctx
// ends first.
func (p *process) answers(ctx context.Context, options *driver.Options) error {
	conn, err := driver.Open(options)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	often := time.Tick(20 * time.Millisecond)
	for {
		// A ping that hangs must not last longer than the wait.
		limited, cancel := context.WithTimeout(ctx, pingPatience)
		err := conn.Ping(limited)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-often:
		case <-p.ended:
			return fmt.Errorf("the engine ended: %w", p.err)
		case <-ctx.Done():
			return fmt.Errorf("the engine does not answer: %w; %w", context.Cause(ctx), err)
		}
	}
}

// pingPatience is the timeout of one ping.
const pingPatience = time.Second

// stopPatience is how long the engine may take to end before it is killed. Everything that it
// has acknowledged is on disk, so killing it loses nothing.
const stopPatience = 3 * time.Second

// stop ends the engine and waits until it has ended.
func (p *process) stop() {
	_ = p.lifeline.CloseWrite() // an error means that the engine has already ended
	select {
	case <-p.ended:
	case <-time.After(stopPatience):
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// tail keeps the end of the engine's output, for the error that says why it ended.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is the size of a tail, in bytes.
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
