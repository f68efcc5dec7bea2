package unfinished_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"cuota/internal/unfinished"
)

const prefix = ".half-"

// writerVariable makes the test binary a process that holds a file in the named directory until
// it is killed.
const writerVariable = "CUOTA_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		file, err := unfinished.Create(dir, prefix)
		if err != nil {
			panic(err)
		}
		fmt.Println(file.Name())
		_, _ = io.Copy(file, os.Stdin) // until the test ends it
		return
	}
	os.Exit(m.Run())
}

func TestTheFileOfAKilledProcessIsSweptAndThatOfALivingOneIsNot(t *testing.T) {
	dir := t.TempDir()
	var names []string
	var writers []*exec.Cmd
	for range 2 {
		writer := exec.CommandContext(t.Context(), os.Args[0])
		writer.Env = append(os.Environ(), writerVariable+"="+dir)
		hold, err := writer.StdinPipe()
		must(t, err)
		t.Cleanup(func() { _ = hold.Close() })
		out, err := writer.StdoutPipe()
		must(t, err)
		must(t, writer.Start())
		name, err := bufio.NewReader(out).ReadString('\n')
		must(t, err)
		names, writers = append(names, name[:len(name)-1]), append(writers, writer)
	}
	wantSwept(t, dir, 0)
	must(t, writers[0].Process.Kill())
	_ = writers[0].Wait() // it was killed
	wantSwept(t, dir, 1)
	if _, err := os.Stat(names[0]); !os.IsNotExist(err) {
		t.Errorf("the file of the killed process: %v", err)
	}
	if _, err := os.Stat(names[1]); err != nil {
		t.Errorf("the file of the living process: %v", err)
	}
	must(t, writers[1].Process.Kill())
	_ = writers[1].Wait()
	wantSwept(t, dir, 1)
}

func TestASweepLeavesOtherFilesAndFoldersAlone(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "note.json"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(dir, prefix+"folder"), 0o700))
	must(t, os.Symlink(filepath.Join(dir, "note.json"), filepath.Join(dir, prefix+"link")))
	must(t, os.WriteFile(filepath.Join(dir, prefix+"left"), nil, 0o600))
	wantSwept(t, dir, 1)
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 3 {
		t.Errorf("left are %v", entries)
	}
	wantSwept(t, filepath.Join(dir, "missing"), 0)
}

// However many sweeps run in between, a created file exists until it is closed.
func TestNoSweepTakesAFileFromItsWriter(t *testing.T) {
	dir := t.TempDir()
	over := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					if _, err := unfinished.Sweep(dir, prefix); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	const files = 300
	for i := range files {
		file, err := unfinished.Create(dir, prefix)
		must(t, err)
		must(t, os.Rename(file.Name(), filepath.Join(dir, fmt.Sprint(i))))
		must(t, file.Close())
	}
	close(over)
	sweeps.Wait()
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != files || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name()[0] == '.' }) {
		t.Errorf("%d files are left, want %d", len(entries), files)
	}
}

func wantSwept(t *testing.T, dir string, want int) {
	t.Helper()
	removed, err := unfinished.Sweep(dir, prefix)
	must(t, err)
	if removed != want {
		t.Fatalf("%d files are removed, want %d", removed, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
