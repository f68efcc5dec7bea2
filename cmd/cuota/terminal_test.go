package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"cuota/internal/testkit/longtest"
)

// ofTheEngine matches lines of the engine's own log.
var ofTheEngine = regexp.MustCompile(
	`<(Fatal|Critical|Error|Warning|Notice|Information|Debug|Trace)>|ThreadStatus|DB::|Code: \d+|\d{4}\.\d\d\.\d\d \d\d:`)

// ofTheLog matches lines of our own log as a terminal shows them.
var ofTheLog = regexp.MustCompile(`\d\d:\d\d:\d\d\S* \S*(DBG|INF|WRN|ERR)`)

func TestAFirstStartInATerminalPrintsNothingOfTheEngines(t *testing.T) {
	longtest.InTurns(t)
	market := filepath.Join(t.TempDir(), "market")
	succeed(t, "synth", "--series", "20", "--days", "40", "--out", market)
	command := program(t.Context(), nil, "up", "--no-demo", "--market", market, "--data",
		filepath.Join(t.TempDir(), "data"),
		"--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0", "--clickhouse-native-listen", "127.0.0.1:0",
		"--kafka-listen", "127.0.0.1:0")
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	shown := &transcript{}
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(shown, terminal) // it fails when the program has ended
		close(closed)
	}()
	// Somebody opens the page that shows how far the start is.
	awaitText(t, shown, " shows how far the start is")
	early := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(shown.String())
	for range 3 {
		response, err := http.Get(early)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	awaitText(t, shown, "FROM+screener")
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("the terminal stays open")
	}
	if line := ofTheEngine.FindString(shown.String()); line != "" || !strings.Contains(shown.String(), "cuota is up") {
		t.Errorf("the terminal shows %q:\n%s", line, shown)
	}
	// The terminal belongs to the steps until the greeting. Before them it may have warnings, as of a port in use.
	_, steps, _ := strings.Cut(shown.String(), "First start")
	steps, _, _ = strings.Cut(steps, "cuota is up")
	if line := ofTheLog.FindString(steps); line != "" {
		t.Errorf("the log writes %q between the steps:\n%s", line, steps)
	}
	for _, step := range []string{"tables made in", "ingested in", "rows stored in", "published in",
		"reading the batch into memory", "read into memory in"} {
		_, after, found := strings.Cut(steps, step)
		if !found {
			t.Errorf("%q does not come next in\n%s", step, shown)
		}
		steps = after
	}
	if !strings.Contains(shown.String(), "cuota has stopped") || strings.Contains(shown.String(), "context canceled") {
		t.Errorf("the end is no goodbye:\n%s", shown)
	}
	if engine := engineOf(command.Process.Pid); engine != 0 && syscall.Kill(engine, 0) == nil {
		t.Error("the engine outlives the program")
	}
}
