package figures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/load"
)

// Children are the parts of this program that run in a child process, by the one argument
// that starts them. Each reads its order from in and writes its outcome to out, as JSON.
var Children = map[string]func(in io.Reader, out io.Writer) error{
	load.ClientCommand: load.ServeAsClient,
	windowsCommand:     onStoppedMarket(askWindows),
	daysCommand:        onStoppedMarket(askDays),
	walkCommand:        onStoppedMarket(walkPast),
	backtestCommand:    onStoppedMarket(runBacktests),
}

// stoppedOrder is the order to a child that opens the engine of a stopped market.
type stoppedOrder struct {
	Dir   string // of the engine
	Times int    // how often to measure, or how many of something
}

// onStoppedMarket makes the child process that measures something on a stopped market. A
// process of its own opens the market's engine, because two processes cannot share an
// engine's directory.
func onStoppedMarket[T any](
	measure func(ctx context.Context, b *bench, o stoppedOrder) (T, error),
) func(io.Reader, io.Writer) error {
	return func(in io.Reader, out io.Writer) (err error) {
		var o stoppedOrder
		if err := json.NewDecoder(in).Decode(&o); err != nil {
			return fmt.Errorf("read what to ask: %w", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		b := &bench{log: zerolog.New(os.Stderr).Level(zerolog.WarnLevel)}
		defer func() { err = errors.Join(err, b.close()) }()
		if b.dir, err = os.MkdirTemp("", "cuota-bench-child-"); err != nil {
			return fmt.Errorf("make a temporary directory: %w", err)
		}
		b.onClose(func(context.Context) error { return os.RemoveAll(b.dir) })
		engine, err := startEngine(ctx, o.Dir, b.log)
		if err != nil {
			return err
		}
		b.onClose(engine.Stop)
		if b.conn, err = b.connect(engine.Options()); err != nil {
			return err
		}
		outcome, err := measure(ctx, b, o)
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(outcome)
	}
}
