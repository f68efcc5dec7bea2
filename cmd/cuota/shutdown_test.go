package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestARoleThatIsAskedToEndWhileItStartsHasNotFailed(t *testing.T) {
	broken := errors.New("no space left on device")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	canceled := fmt.Errorf("inspect the tables: %w", ended.Err())
	for name, end := range map[string]struct {
		ctx  context.Context
		err  error
		want error
	}{
		"told to end while it inspects":           {ended, canceled, nil},
		"and everything that it stops ends too":   {ended, errors.Join(canceled, canceled), nil},
		"a failure is told even then":             {ended, errors.Join(canceled, broken), broken},
		"nobody told it to end":                   {t.Context(), canceled, canceled},
		"it failed":                               {t.Context(), broken, broken},
		"it ended after it had started, in order": {ended, nil, nil},
	} {
		if got := endOfRole(end.ctx, settings{}, end.err); !errors.Is(got, end.want) || (got == nil) != (end.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, end.want)
		}
	}
}

func TestAFailedRoleLeavesALogLineWhereLogsAreJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "no directory?")
	got := cuota(t, "up", "--data", dir, "--no-demo")
	if got.code != exitFailed {
		t.Fatalf("it ended with %d: %s", got.code, got.stderr)
	}
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	var last struct{ Level, Error string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Level != "fatal" || !strings.Contains(last.Error, "choose a path without") {
		t.Errorf("its last line is %s (%v)", lines[len(lines)-1], err)
	}
}
