package figures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program returns the path of cuota. The first call builds it from this source tree.
func (b *bench) program(ctx context.Context) (string, error) {
	path := filepath.Join(b.dir, "cuota")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if said, err := exec.CommandContext(ctx, "go", "build", "-o", path, "cuota/cmd/cuota").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cuota: %w: %s", err, said)
	}
	return path, nil
}

// cuota runs a command of the program to its end and returns its output. Exit status 2
// is accepted: it means rejected rows, and a synthetic market has some.
func (b *bench) cuota(ctx context.Context, args ...string) (string, error) {
	path, err := b.program(ctx)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, path, args...)
	said, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() != 2 {
		return "", fmt.Errorf("cuota %s: %w: %s", strings.Join(args, " "), err, failed.Stderr)
	}
	if err != nil && failed == nil {
		return "", fmt.Errorf("cuota %s: %w", strings.Join(args, " "), err)
	}
	return string(said), nil
}
