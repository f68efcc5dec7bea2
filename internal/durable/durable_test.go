package durable_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"cuota/internal/durable"
)

// A reader opens the old file before it is replaced. If the file were written in place,
// the reader would see it change, as after an interrupted write.
func TestAFileThatIsReplacedIsNeverSeenInPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	for _, text := range []string{`{"batch":"1"}`, `{}`} {
		before, _ := os.ReadFile(path) // missing the first time
		held, heldErr := os.Open(path)
		if err := durable.Replace(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the file holds %q (%v), want %q", got, err, text)
		}
		if heldErr == nil {
			got, err := io.ReadAll(held)
			if err = errors.Join(err, held.Close()); err != nil || string(got) != string(before) {
				t.Errorf("the old file holds %q (%v), want %q", got, err, before)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v: %v", left, err)
	}
	// If the new text cannot be written, the old text stays.
	if err := os.MkdirAll(filepath.Join(path+".next", "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := durable.Replace(path, []byte("more"), 0o600)
	if got, _ := os.ReadFile(path); err == nil || string(got) != `{}` {
		t.Errorf("a write that fails gives %v and leaves %q", err, got)
	}
}

func TestAFileThatCannotBeReplacedStaysAsItWas(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken") // a folder, which no file can replace
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if durable.Replace(path, []byte("text"), 0o600) == nil {
		t.Error("a folder was replaced by a file")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || !left[0].IsDir() {
		t.Errorf("the folder has %v: %v", left, err)
	}
}

func TestWhatACrashLeftGivesTheFileNeitherItsModeNorItsPlace(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "key"), filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("of someone else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func() error{
		"a file that everyone may read": func() error {
			return errors.Join(os.WriteFile(path+".next", []byte("half"), 0o600), os.Chmod(path+".next", 0o644))
		},
		"a link": func() error { return os.Symlink(other, path+".next") },
	} {
		if err := errors.Join(leave(), durable.Replace(path, []byte("secret"), 0o600)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "secret" {
			t.Errorf("%s: the file holds %q: %v", name, text, err)
		}
		if about, err := os.Lstat(path); err != nil || about.Mode() != 0o600 {
			t.Errorf("%s: the file is %v: %v", name, about.Mode(), err)
		}
		if text, err := os.ReadFile(other); err != nil || string(text) != "of someone else" {
			t.Errorf("%s: another file holds %q: %v", name, text, err)
		}
	}
}
