package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/clienttest"
	"cuota/internal/testkit/longtest"
)

// The tests of clients/python, which start "cuota up" themselves: with the demo, with a market of ten years, and
// with a demo that publishes a second batch. They take minutes, most of them for the first starts.
func TestThePythonClientReadsWhatTheServerHas(t *testing.T) {
	longtest.InTurns(t)
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sources := filepath.Join(clienttest.Copy(t), "python")
	python := clienttest.Python(t, sources+"[test,lint]")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	tests := exec.CommandContext(ctx, python, "-m", "pytest", "--durations=5")
	tests.Dir = sources
	tests.Env = append(program(ctx, nil).Env, "CUOTA_BINARY="+self, "CUOTA_REPOSITORY="+repository)
	// pytest stops its servers when it is interrupted.
	tests.Cancel = func() error { return tests.Process.Signal(os.Interrupt) }
	tests.WaitDelay = time.Minute
	out, err := tests.CombinedOutput()
	text := string(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, text[max(0, len(text)-20_000):])
	}
	if strings.Contains(text, "skipped") {
		t.Errorf("tests were skipped:\n%s", text)
	}
	t.Log(text)
}
