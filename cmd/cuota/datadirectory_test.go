package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestACommandThatReadsADataDirectoryNeverMakesOne(t *testing.T) {
	folder := t.TempDir() // it exists but is not a data directory
	missing := filepath.Join(folder, "mistyped")
	for _, command := range [][]string{
		{"status"}, {"status", "--json"}, {"project", "--now"}, {"rebuild"},
		{"key", "create", "--email", "someone@example.org"}, {"key", "list"}, {"key", "revoke", "abcd"},
		{"key", "replace-pepper", "--revoke-all"}, {"backup", filepath.Join(t.TempDir(), "backups")},
	} {
		for _, path := range []string{missing, folder} {
			r := cuota(t, append(command, "--data", path)...)
			if r.code != exitFailed || r.stdout != "" || !strings.Contains(r.stderr, "no data directory at "+path) || !strings.Contains(r.stderr, "--data") {
				t.Errorf("cuota %s on %s ended with %d:\n%s%s", strings.Join(command, " "), path, r.code, r.stdout, r.stderr)
			}
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("the commands left %v (%v)", left, err)
	}
	// The same holds if $CUOTA_DATA names the directory.
	if r := cuotaIn(t, []string{"CUOTA_DATA=" + missing}, "status"); r.code != exitFailed || !strings.Contains(r.stderr, missing) {
		t.Errorf("status with CUOTA_DATA ended with %d: %s", r.code, r.stderr)
	}
}

func TestUpWaitsForACommandOnTheDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	opened := func() *dataDirectory {
		dir, err := makeDirectory(path)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	command, waiting := opened(), opened()
	if err := command.take(); err != nil {
		t.Fatal(err)
	}
	if err := command.announce(addresses{PID: 7, Kafka: "127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	told, taken := make(chan string, 9), make(chan error)
	go func() { taken <- waiting.takeWhenFree(t.Context(), func(holder string) { told <- holder }) }()
	if holder := <-told; !strings.Contains(holder, "process 7") {
		t.Errorf("it waits for %s", holder)
	}
	if err := command.release(); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil || len(told) > 0 {
		t.Fatalf("taken with %v, told %d times more", err, len(told))
	}
	if err := waiting.announce(addresses{PID: 8, HTTP: "127.0.0.1:2"}); err != nil {
		t.Fatal(err)
	}
	if err := command.takeWhenFree(t.Context(), func(string) { t.Error("it waits for another up") }); !errors.Is(err, errHeld) || !strings.Contains(err.Error(), "process 8") {
		t.Errorf("beside another up: %v", err)
	}
	// A process that was killed leaves its running.json.
	if err := waiting.lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := command.take(); err != nil {
		t.Fatal(err)
	}
	if at, err := command.holder(); err == nil {
		t.Errorf("what a killed process told is still there: %+v", at)
	}
}

func TestUpGetsTheDirectoryBeforeCommandsThatComeAfterIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	opened := func() *dataDirectory {
		dir, err := makeDirectory(path)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first, up, next := opened(), opened(), opened()
	if err := first.take(); err != nil {
		t.Fatal(err)
	}
	told, taken := make(chan string, 1), make(chan error)
	go func() { taken <- up.takeWhenFree(t.Context(), func(holder string) { told <- holder }) }()
	<-told
	if err := first.release(); err != nil {
		t.Fatal(err)
	}
	// Commands that try without a pause would find the directory free, because up looks
	// again only after a while.
	for done := false; !done; {
		if err := next.take(); !errors.Is(err, errHeld) {
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
	if err := up.release(); err != nil {
		t.Fatal(err)
	}
	if err := next.take(); err != nil {
		t.Errorf("after up: %v", err)
	}
}
