package clickhouse

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestNewRefusesWhatCannotWorkAndTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for name, config := range map[string]Config{
		"no directory":      {},
		"all interfaces":    {Dir: dir, Listen: ":8123"},
		"public address":    {Dir: dir, Listen: "0.0.0.0:8123"},
		"other host":        {Dir: dir, Listen: "example.com:8123"},
		"no port":           {Dir: dir, Listen: "127.0.0.1"},
		"engine's database": {Dir: dir, Database: "system"},
		"default database":  {Dir: dir, Database: "default"},
		"odd database":      {Dir: dir, Database: "a`b"},
		"little memory":     {Dir: dir, MaxMemoryBytes: 1},
		"negative memory":   {Dir: dir, MaxMemoryBytes: -1},
		"short timeout":     {Dir: dir, QueryTimeout: time.Millisecond},
	} {
		if _, err := New(config, zerolog.Nop()); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	server, err := New(Config{Dir: dir, Listen: "localhost:0"}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("New made the directory: %v", err)
	}
	if err := server.Stop(t.Context()); err != nil || server.Addr() != "" {
		t.Errorf("a server that was not started: %v, address %q", err, server.Addr())
	}
}

func TestPasswordsDifferFromServerToServer(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		server, err := New(Config{Dir: t.TempDir()}, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		password := server.Options().Auth.Password
		if len(password) != 64 || seen[password] {
			t.Errorf("password of %d characters, seen before: %v", len(password), seen[password])
		}
		seen[password] = true
	}
}

func TestMissingLibraryNamesTheRemedy(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "libchdb.so")
	t.Setenv("CHDB_LIB_PATH", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, explicit := range []string{missing, ""} {
		_, err := Locate(explicit)
		if !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "make engine") || !strings.Contains(err.Error(), "CHDB_LIB_PATH") {
			t.Errorf("%q: %v", explicit, err)
		}
	}
	t.Setenv("CHDB_LIB_PATH", missing)
	if _, err := Locate(""); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("CHDB_LIB_PATH to nothing: %v", err)
	}
	if _, err := Locate(t.TempDir()); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("a directory: %v", err)
	}
	if err := os.WriteFile(missing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if path, err := Locate(""); path != missing || err != nil {
		t.Errorf("CHDB_LIB_PATH: %q, %v", path, err)
	}
	server, err := New(Config{Dir: t.TempDir(), Library: filepath.Join(t.TempDir(), "none")}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); !errors.Is(err, ErrNoLibrary) {
		t.Errorf("Start: %v", err)
	}
}

func TestAFullLaneRefusesWhoWouldWaitTooLong(t *testing.T) {
	l := &lane{places: make(chan struct{}, 1), maxWaiting: 1, maxWait: time.Millisecond}
	leave, err := l.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var full *exception
	if _, err := l.enter(t.Context()); !errors.As(err, &full) || full.code != codeTooManyQueries {
		t.Errorf("after the longest wait: %v", err)
	}
	l.maxWait = 0
	ctx, cancel := context.WithCancel(t.Context())
	waiter := make(chan error, 1)
	go func() {
		_, err := l.enter(ctx)
		waiter <- err
	}()
	for l.waiting.Load() == 0 {
	}
	if _, err := l.enter(t.Context()); !errors.As(err, &full) || full.code != codeTooManyQueries {
		t.Errorf("behind a full queue: %v", err)
	}
	cancel()
	if err := <-waiter; !errors.Is(err, context.Canceled) {
		t.Errorf("who stops waiting: %v", err)
	}
	leave()
	if leave, err = l.enter(t.Context()); err != nil {
		t.Errorf("a free place: %v", err)
	}
	leave()
}

func TestSettingsAndGrantsQuoteWhatTheyAreGiven(t *testing.T) {
	text := string(engineSettings(`/a<b>&"c"/users.xml`, "/x", 1<<30))
	if strings.Contains(text, "<b>") || !strings.Contains(text, "/a&lt;b&gt;&amp;") {
		t.Error(text)
	}
}
