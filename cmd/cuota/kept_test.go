package main

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cuota/internal/testkit/waittest"
)

// kept is a command that is restarted whenever it ends, as a service manager does.
type kept struct {
	name  string
	env   []string
	args  []string
	ready *regexp.Regexp // matches what it prints once it serves; the first group is its address

	over  chan struct{} // closed when it must not be restarted any more
	ended chan struct{} // closed when the last process has ended

	mu      sync.Mutex
	command *exec.Cmd // nil while no process runs
	log     *transcript
	asked   bool // the test ends the current process
	starts  int
	unasked []string // ends of the log of processes that ended without being asked to
	logs    []*transcript
	last    error // how the last process ended
}

// againAfter is the pause before a restart.
const againAfter = 100 * time.Millisecond

// keep starts a command and restarts it until finish.
func keep(t *testing.T, k *kept) *kept {
	t.Helper()
	k.over, k.ended = make(chan struct{}), make(chan struct{})
	go k.run()
	t.Cleanup(func() {
		k.end()
		k.signal(syscall.SIGCONT)
		k.signal(syscall.SIGKILL)
		<-k.ended
	})
	return k
}

func (k *kept) run() {
	defer close(k.ended)
	pause := time.NewTicker(againAfter)
	defer pause.Stop()
	for {
		k.once()
		select {
		case <-k.over:
			return
		case <-pause.C:
		}
		select {
		case <-k.over: // select chooses at random when both are ready
			return
		default:
		}
	}
}

// once runs the command to its end.
func (k *kept) once() {
	command := program(context.Background(), k.env, k.args...)
	log := &transcript{}
	command.Stdout, command.Stderr = log, log
	k.mu.Lock()
	err := command.Start()
	if err == nil {
		k.command, k.log, k.asked = command, log, false
		k.logs = append(k.logs, log)
		k.starts++
	}
	k.mu.Unlock()
	if err != nil {
		return // the next attempt may succeed
	}
	err = command.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.command, k.last = nil, err
	if !k.asked {
		k.unasked = append(k.unasked, lastLine(log.String()))
	}
}

// lastLine is the last line of a log, which gives the reason for the end if there is
// one.
func lastLine(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return lines[len(lines)-1]
}

// signal sends a signal to the running process. It is false if none runs.
func (k *kept) signal(signal syscall.Signal) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.command == nil || k.command.Process.Signal(signal) != nil {
		return false
	}
	if signal == syscall.SIGKILL || signal == syscall.SIGTERM {
		k.asked = true
	}
	return true
}

func (k *kept) pid() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.command == nil {
		return 0
	}
	return k.command.Process.Pid
}

// at is the address of the running process; "" while it does not serve.
func (k *kept) at() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.command == nil {
		return ""
	}
	found := k.ready.FindStringSubmatch(k.log.String())
	if found == nil {
		return ""
	}
	return found[1]
}

func (k *kept) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.log == nil {
		return ""
	}
	return k.log.String()
}

// unaskedEnds returns the last lines of the processes that ended by themselves.
func (k *kept) unaskedEnds() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.unasked)
}

func counted(list []string) map[string]int {
	counts := map[string]int{}
	for _, one := range list {
		counts[one]++
	}
	return counts
}

// await waits until the process serves.
func (k *kept) await(t *testing.T) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("%s wrote last:\n%s\nends that nobody asked for: %v", k.name, k.text(), counted(k.unaskedEnds()))
		}
	}()
	waittest.Until(t, k.name+" serves", func() bool { return k.at() != "" })
}

// end stops restarting the command.
func (k *kept) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.over:
	default:
		close(k.over)
	}
}

// finish stops the command as a service manager does, and expects it to end with status
// 0.
func (k *kept) finish(t *testing.T) {
	t.Helper()
	k.end()
	k.signal(syscall.SIGTERM)
	select {
	case <-k.ended:
	case <-time.After(patience):
		t.Fatalf("%s does not end:\n%s", k.name, k.text())
	}
	if k.last != nil {
		t.Errorf("%s ended with %v:\n%s", k.name, k.last, k.text())
	}
}

// panics returns the panics in the logs of all processes of the command.
func (k *kept) panics() (found []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, log := range k.logs {
		if _, after, panicked := strings.Cut(log.String(), "panic: "); panicked {
			found = append(found, k.name+": panic: "+after[:min(len(after), 2000)])
		}
	}
	return found
}
