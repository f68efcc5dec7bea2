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

// installation is an environment that names servers. Its methods run commands of the
// program as separate processes.
type installation []string

// serve starts a command that runs until the test ends, and returns its log.
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

// finish runs a command to its end and returns its output. The command must end with
// status 0 or one of the given ones.
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

// endGently interrupts a process and expects it to end with status 0.
func endGently(t *testing.T, command *exec.Cmd, log *transcript) {
	t.Helper()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Errorf("interrupt: %v", err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("%v ended with %v:\n%s", command.Args[1:], err, log)
	}
}

// killsVariable says how often a test kills something; without it a test kills only a
// few times.
const killsVariable = "CUOTA_TEST_KILLS"

// tortureVariable names the profiles that run in full length; without it they run in a
// short form.
const tortureVariable = "CUOTA_TEST_TORTURE"

// kills returns how often a test is to kill something.
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
