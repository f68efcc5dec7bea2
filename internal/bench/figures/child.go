package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"cuota/internal/bench/load"
)

// Children are the parts of this program that run in a child process, by the one argument
// that starts them. Each reads its order from in and writes its outcome to out, as JSON.
var Children = map[string]func(in io.Reader, out io.Writer) error{
	load.ClientCommand: load.ServeAsClient,
	windowsCommand:     askWindows,
	daysCommand:        askDays,
}

// askChild runs this program as a child process: it writes the order to its standard
// input and reads the outcome from its standard output.
func askChild(ctx context.Context, command string, order, outcome any) error {
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
