package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// installation is an environment that names servers, in which the program's commands run
// as processes of their own.
type installation []string

// serve starts a command that runs until the test ends, and gives its log.
func (env installation) serve(t *testing.T, args ...string) *transcript {
	t.Helper()
	log := &transcript{}
	command := program(context.Background(), env, args...)
	command.Stderr = log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endGently(t, command, log) })
	return log
}

// finish runs a command to its end, which must be with status 0 or one of those given,
// and gives what it printed.
func (env installation) finish(t *testing.T, args []string, ends ...int) string {
	t.Helper()
	limited, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := program(limited, env, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil && !slices.Contains(ends, command.ProcessState.ExitCode()) {
		t.Fatalf("cuota %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// endGently interrupts a process and wants it to end cleanly.
func endGently(t *testing.T, command *exec.Cmd, log *transcript) {
	t.Helper()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Errorf("interrupt: %v", err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("%v ended with %v:\n%s", command.Args[1:], err, log)
	}
}

// killsVariable says how often a test kills something, instead of a few times.
const killsVariable = "CUOTA_TEST_KILLS"

// tortureVariable names profiles of the long tests, which are short without it.
const tortureVariable = "CUOTA_TEST_TORTURE"

// kills is how often a test kills something.
func kills(t *testing.T, few int) int {
	t.Helper()
	told := os.Getenv(killsVariable)
	if told == "" {
		return few
	}
	times, err := strconv.Atoi(told)
	if err != nil {
		t.Fatal(err)
	}
	return times
}
