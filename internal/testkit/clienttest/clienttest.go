// Package clienttest installs the clients of the folder clients in a directory of a test, so that nothing is written
// beside their sources. Only tests import it.
package clienttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Copy copies the files of the folder clients that git knows or would take, and returns the path of the copy.
func Copy(t *testing.T) string {
	t.Helper()
	top, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(strings.TrimSpace(string(top)), "clients")
	out, err := exec.CommandContext(t.Context(), "git", "-C", from, "ls-files", "-z", "--cached", "--others",
		"--exclude-standard").Output()
	names := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	if err != nil || len(names) < 10 {
		t.Fatalf("git lists %d files (%v)", len(names), err)
	}
	to := t.TempDir()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) { // it was removed, and git does not know yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// Python makes an environment of Python with packages for pip, of which one may be a folder with its extras, and
// returns its interpreter. If that is not possible, the test is skipped, but fails in CI.
func Python(t *testing.T, packages ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "venv", "bin")
	install(t, "", "python3", "-m", "venv", filepath.Dir(bin))
	install(t, "", filepath.Join(bin, "pip"), append([]string{"install", "--quiet",
		"--disable-pip-version-check"}, packages...)...)
	return filepath.Join(bin, "python")
}

// TypeScript installs what the client in a copy needs and builds it with the types of the service at an address. If
// packages can't be installed, the test is skipped, but fails in CI. It returns the folder of the package. Programs in
// it import it by its name.
func TypeScript(t *testing.T, copied, address string) string {
	t.Helper()
	dir := filepath.Join(copied, "typescript")
	install(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	build := exec.CommandContext(t.Context(), "npm", "run", "build")
	build.Dir, build.Env = dir, append(os.Environ(), "CUOTA_URL="+address)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("npm run build: %v\n%s", err, out)
	}
	return dir
}

func install(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		if os.Getenv("CI") != "true" {
			t.Skipf("%s %s: %v: %.500s", name, strings.Join(args, " "), err, out)
		}
		t.Fatalf("%s %s: %v: %.500s", name, strings.Join(args, " "), err, out)
	}
}
