package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// AskChild runs this program as a child process with one argument, the command. It writes
// the order to the child's standard input as JSON, and reads the outcome from its standard
// output. The child says on standard error why it fails.
func AskChild(ctx context.Context, command string, order, outcome any) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	input, err := json.Marshal(order)
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, program, command)
	child.Stdin, child.Stderr = bytes.NewReader(input), os.Stderr
	answer, err := child.Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, outcome)
}
