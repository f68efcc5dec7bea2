package datadir

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestUpWaitsForACommandOnTheDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	opened := func() *Directory {
		dir, err := Make(path)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	command, waiting := opened(), opened()
	if err := command.Take(); err != nil {
		t.Fatal(err)
	}
	if err := command.Announce(Addresses{PID: 7, Kafka: "127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	told, taken := make(chan string, 9), make(chan error)
	go func() { taken <- waiting.TakeWhenFree(t.Context(), func(holder string) { told <- holder }) }()
	if holder := <-told; !strings.Contains(holder, "process 7") {
		t.Errorf("it waits for %s", holder)
	}
	if err := command.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil || len(told) > 0 {
		t.Fatalf("taken with %v, told %d times more", err, len(told))
	}
	if err := waiting.Announce(Addresses{PID: 8, HTTP: "127.0.0.1:2"}); err != nil {
		t.Fatal(err)
	}
	if err := command.TakeWhenFree(t.Context(), func(string) {
		t.Error("it waits for another up")
	}); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), "process 8") {
		t.Errorf("beside another up: %v", err)
	}
	// A process that was killed leaves its running.json.
	if err := waiting.lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := command.Take(); err != nil {
		t.Fatal(err)
	}
	if at, err := command.Holder(); err == nil {
		t.Errorf("what a killed process told is still there: %+v", at)
	}
}

func TestUpGetsTheDirectoryBeforeCommandsThatComeAfterIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	opened := func() *Directory {
		dir, err := Make(path)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first, up, next := opened(), opened(), opened()
	if err := first.Take(); err != nil {
		t.Fatal(err)
	}
	told, taken := make(chan string, 1), make(chan error)
	go func() { taken <- up.TakeWhenFree(t.Context(), func(holder string) { told <- holder }) }()
	<-told
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	// Commands that try without a pause would find the directory free, because up looks
	// again only after a while.
	for done := false; !done; {
		if err := next.Take(); !errors.Is(err, ErrHeld) {
			t.Fatalf("a command takes the directory before up does: %v", err)
		}
		select {
		case err := <-taken:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
	}
	if err := up.Release(); err != nil {
		t.Fatal(err)
	}
	if err := next.Take(); err != nil {
		t.Errorf("after up: %v", err)
	}
}
