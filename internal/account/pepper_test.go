package account

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestThePepperIsMadeOnceForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pepper")
	made := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			var err error
			if made[i], err = LoadPepper(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, pepper := range made {
		if len(pepper) != 32 || !bytes.Equal(pepper, made[0]) {
			t.Fatal("not all got the same 32 bytes")
		}
	}
	if bytes.Equal(made[0], make([]byte, 32)) {
		t.Error("the pepper is not random")
	}
	info, err := os.Stat(path)
	check(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %04o, want 0600", info.Mode().Perm())
	}
	left, err := os.ReadDir(dir)
	check(t, err)
	if len(left) != 1 {
		t.Errorf("%d files are left, want the pepper alone", len(left))
	}
}

func TestAPepperOthersMayTouchIsRefused(t *testing.T) {
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666} {
		path := filepath.Join(t.TempDir(), "pepper")
		secret := bytes.Repeat([]byte("s"), 32)
		check(t, os.WriteFile(path, secret, 0o600))
		check(t, os.Chmod(path, mode))
		_, err := LoadPepper(path)
		if err == nil {
			t.Errorf("%04o: accepted", mode)
		} else if strings.Contains(err.Error(), "ssss") || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("%04o: error %v", mode, err)
		}
		check(t, os.Chmod(path, 0o400))
		if pepper, err := LoadPepper(path); err != nil || !bytes.Equal(pepper, secret) {
			t.Errorf("0400: %v", err)
		}
	}
}

func TestWhatIsNoPepperIsRefusedAndKept(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string][]byte{"empty": {}, "short": make([]byte, 31), "long": make([]byte, 33)} {
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, content, 0o600))
		if _, err := LoadPepper(path); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, content) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	pipe := filepath.Join(dir, "pipe")
	check(t, syscall.Mkfifo(pipe, 0o600))
	for name, path := range map[string]string{"a pipe": pipe, "a folder": dir,
		"a file in no folder": filepath.Join(dir, "absent", "pepper")} {
		if _, err := LoadPepper(path); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
