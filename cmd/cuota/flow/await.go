// Package flow is the way from a file to the published batch as subcommands use it. They publish no faster
// than the projector stores (backpressure.go), run the projector (projection.go), and wait for the batch
// that they need (await.go). It gets brokers and a connection, and does not know whether they are those of
// servers or of a data directory.
package flow

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/client"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/internal/eventlog"
	"cuota/internal/loop"
	"cuota/model"
	"cuota/sql"
)

const (
	// LookAgain is how often a waiting command checks whether the work is done.
	LookAgain = 200 * time.Millisecond
	// observeEvery is how often a waiting command asks what the projector is doing.
	observeEvery = time.Second
	// observePatience bounds how long it waits for the brokers' answer to that question.
	observePatience = 2 * time.Second
	// absence is how long there may be no consuming projector, or no answer, before a
	// waiting command gives up. A restart of the projector takes less.
	absence = time.Minute
)

// Ends are the two ends of the flow, the log and the tables, with the process that runs the
// projector between them.
type Ends struct {
	Brokers eventlog.Brokers
	Conn    driver.Conn
	// Copy is the name of the copy whose tables these are; "" where there is one copy.
	Copy string
	// API is the address of the API of a running "cuota up"; "" without one, and if the
	// tables are on a server.
	API string
	// Holder is the id of the process that runs the engines of the directory; 0 if it is
	// this process, and for servers.
	Holder int
}

// Waiter waits for batches, shows progress, and gives up when no batch can come. Make it
// before publishing the files that the batch must hold, because it remembers the newest
// build attempt at that time and looks only at later ones.
type Waiter struct {
	ends    Ends
	group   *eventlog.Group // never started; only used to ask for the lag
	before  uint64          // newest build attempt when the command began
	timeout time.Duration   // 0: no limit
	watch
	tell *output.Progress
}

// Await makes a waiter. A timeout of 0 means no limit.
func (e Ends) Await(ctx context.Context, timeout time.Duration, tell *output.Progress,
	log zerolog.Logger) (*Waiter, error) {
	brokers := e.Brokers
	brokers.Patience, brokers.Waiting = observePatience, nil // failures to answer are part of the progress shown
	w := &Waiter{ends: e, group: LagGroup(brokers, e.Copy, log), timeout: timeout, watch: watch{limit: absence},
		tell: tell}
	batch, err := w.batch(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("query the state of the batches: %w", err)
	}
	w.before = batch.Newest
	return w, nil
}

// Files waits until the published batch holds all the files, and returns the batch's id.
func (w *Waiter) Files(ctx context.Context, hashes []string) (batchID string, err error) {
	err = w.Until(ctx, "a published batch with the files", hashes, func(ctx context.Context) (held bool, err error) {
		batchID, held, err = w.HoldsFiles(ctx, "", hashes)
		return held, err
	})
	return batchID, err
}

// Answered waits until the batch from which the API of the target answers holds all the
// files, and returns that batch's id. The API loads a batch after it is published, so
// this takes longer than Files.
func (w *Waiter) Answered(ctx context.Context, hashes []string) (batchID string, err error) {
	// The server is on this machine, so no proxy is used. The caller asks again by itself, so the client does not.
	api, err := client.New("http://"+w.ends.API, client.WithAttempts(1, 0),
		client.WithHTTPClient(&http.Client{Timeout: exit.AnswerPatience, Transport: &http.Transport{}}))
	if err != nil {
		return "", err
	}
	defer api.CloseIdleConnections()
	err = w.Until(ctx, "the API to serve a batch with the files", nil,
		func(ctx context.Context) (held bool, err error) {
			id, err := api.ServedBatch(ctx)
			if err != nil || id == "" {
				return false, err
			}
			batchID, held, err = w.HoldsFiles(ctx, id, hashes)
			return held, err
		})
	return batchID, err
}

// HoldsFiles returns the id of a batch and whether the batch holds all the files. For
// the id "" it looks at the newest batch.
func (w *Waiter) HoldsFiles(ctx context.Context, batchID string, hashes []string) (id string, all bool, err error) {
	ctx = clickhouse.Context(ctx,
		clickhouse.WithParameters(clickhouse.Parameters{"files": listed(hashes), "batch_id": batchID}))
	var held uint64
	err = w.ends.Conn.QueryRow(ctx, sql.Query("files_held")).Scan(&held, &id)
	different := slices.Compact(slices.Sorted(slices.Values(hashes)))
	return id, err == nil && held == uint64(len(different)), err
}

// listed writes hashes as a ClickHouse array. They are hex digits, so they need no
// escaping.
func listed(hashes []string) string {
	if len(hashes) == 0 {
		return "[]"
	}
	return "['" + strings.Join(hashes, "','") + "']"
}

// Command sends a command through Kafka to the projector that is running. It waits for the
// outcome and returns the number of the batch. The error wraps exit.ErrRefused, with the reason,
// if the checks refused the batch.
func (w *Waiter) Command(ctx context.Context, command model.ProjectCommand,
	log zerolog.Logger) (batch uint64, err error) {
	command.ID = rand.Text()
	if err := sendCommand(ctx, w.ends.Brokers, command, log); err != nil {
		return 0, err
	}
	err = w.Until(ctx, "the requested batch", nil, func(ctx context.Context) (bool, error) {
		var done []struct {
			Batch   uint64 `ch:"batch"`
			Failure string `ch:"failure"`
		}
		ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"id": command.ID}))
		if err := w.ends.Conn.Select(ctx, &done, sql.Query("command_done")); err != nil || len(done) == 0 {
			return false, err
		}
		batch = done[0].Batch
		if done[0].Failure != "" {
			return false, &endedError{fmt.Errorf("%w: %s", exit.ErrRefused, done[0].Failure)}
		}
		return true, nil
	})
	return batch, err
}

// Build sends a build command through Kafka to the projector that is running, waits for the batch,
// and prints its number. rebuild says that every day is built again from the facts. A timeout of 0
// means no limit.
func (e Ends) Build(ctx context.Context, rebuild bool, timeout time.Duration, out io.Writer, log zerolog.Logger) error {
	awaiting, err := e.Await(ctx, timeout, output.NewProgress(), log)
	if err != nil {
		return err
	}
	batch, err := awaiting.Command(ctx, model.ProjectCommand{Rebuild: rebuild}, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "published batch %d\n", batch)
	return nil
}

func sendCommand(ctx context.Context, brokers eventlog.Brokers, command model.ProjectCommand,
	log zerolog.Logger) error {
	value, err := json.Marshal(model.Control{Project: &command})
	if err != nil {
		return fmt.Errorf("encode a command: %w", err)
	}
	writer := eventlog.NewWriter(brokers, log)
	defer writer.Close()
	return writer.Write(ctx, model.ControlTopic, []kafka.Message{{Key: []byte(command.ID), Value: value}})
}

// Stored waits until the projector has stored every message of the log.
func (w *Waiter) Stored(ctx context.Context) error {
	return w.Until(ctx, "the facts to be stored", nil, func(ctx context.Context) (bool, error) {
		left, err := behind(ctx, w.group)
		return err == nil && left == 0, err
	})
}

// endedError ends a wait because waiting longer would not help.
type endedError struct{ error }

func (e *endedError) Unwrap() error { return e.error }

// EndWait returns an error that ends a wait because waiting longer would not help.
func EndWait(err error) error { return &endedError{err} }

// Until calls done repeatedly until it returns true. Meanwhile it shows progress. It
// fails with the reason if nothing can come any more, and with exit.ErrTimedOut when the
// timeout is over.
func (w *Waiter) Until(ctx context.Context, what string, files []string,
	done func(context.Context) (bool, error)) error {
	if w.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, w.timeout, fmt.Errorf("%w after %s", exit.ErrTimedOut, w.timeout))
		defer cancel()
	}
	defer w.tell.End()
	observed := time.Now() // no progress is shown for what is done at once
	err := loop.Until(ctx, LookAgain, func() (bool, error) {
		ready, err := lookOnce(ctx, done)
		if err == nil && ready || errors.As(err, new(*endedError)) {
			return true, err
		}
		if ctx.Err() != nil || err == nil && time.Since(observed) < observeEvery {
			return false, nil
		}
		now := observation{err: err}
		if err == nil {
			now = w.observe(ctx, files)
		}
		if now.err != nil && w.ends.holderEnded() {
			return false, w.ends.errEnded()
		}
		observed = time.Now()
		if ctx.Err() != nil {
			return false, nil
		}
		line, err := w.judge(now, observed)
		if err == nil {
			w.tell.Show(line)
		}
		return false, err
	})
	if err == nil {
		return nil
	}
	if err == ctx.Err() {
		err = context.Cause(ctx)
		if w.tell.LastText() != "" {
			err = fmt.Errorf("%w (%s)", err, w.tell.LastText())
		}
	}
	return fmt.Errorf("wait for %s: %w", what, err)
}

// askFor is how long one look may take. The driver makes ClickHouse end a statement a
// few seconds after its deadline, and the limit for people is 30 s.
const askFor = 20 * time.Second

// lookOnce calls look once with the deadline askFor, however long the command waits
// altogether.
func lookOnce(ctx context.Context, look func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	return look(ctx)
}

// observation is the state of the projector and the tables while a command waits.
type observation struct {
	err     error // the brokers or ClickHouse could not be asked
	members int   // consumers of the projector's group
	lag     int64 // messages that are not yet stored
	batch   awaitedBatch
}

// awaitedBatch is a row of the table batch_awaited.
type awaitedBatch struct {
	Newest      uint64 `ch:"newest"`
	Building    bool   `ch:"building"`
	Done        uint16 `ch:"done"`
	Projections uint16 `ch:"projections"`
	Failed      uint64 `ch:"failed"`
	Reason      string `ch:"reason"`
	Refused     bool   `ch:"refused"`
}

func (w *Waiter) observe(ctx context.Context, files []string) (o observation) {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	if o.batch, o.err = w.batch(ctx, files); o.err != nil {
		return o
	}
	if o.members, o.err = w.group.Members(ctx); o.err != nil {
		return o
	}
	lags, err := w.group.Lag(ctx)
	if err != nil {
		o.err = err
	} else if err := lost(lags); err != nil {
		o.err = &endedError{err}
	}
	o.lag = total(lags)
	return o
}

func (w *Waiter) batch(ctx context.Context, files []string) (batch awaitedBatch, err error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{
		"since": strconv.FormatUint(w.before, 10), "files": listed(files),
	}))
	err = w.ends.Conn.QueryRow(ctx, sql.Query("batch_awaited")).ScanStruct(&batch)
	return batch, err
}

// watch measures for how long nobody has worked for a waiting command.
type watch struct {
	limit time.Duration
	since time.Time // since when nobody works; zero while somebody does
}

// judge returns the progress line for an observation, or the reason to give up.
func (w *watch) judge(o observation, now time.Time) (output.Line, error) {
	switch {
	case o.err != nil:
		if errors.As(o.err, new(*endedError)) {
			return output.Line{}, o.err
		}
		if w.out(now) {
			return output.Line{}, fmt.Errorf("ClickHouse or Kafka has not answered for %s: %w", w.limit, o.err)
		}
		return output.Line{Stage: "unasked", Text: "no answer, trying again: " + output.Bounded(o.err.Error())}, nil
	case o.batch.Refused:
		return output.Line{}, fmt.Errorf("%w: %s", exit.ErrRefused, o.batch.Reason)
	case o.members == 0:
		if w.out(now) {
			return output.Line{}, fmt.Errorf(
				"no projector has consumed messages for %s: start cuota project, or cuota up on the data directory; "+
					"the published messages are kept in Kafka, and the projector reads them when it starts", w.limit)
		}
		return output.Line{Stage: "alone", Text: "waiting for a projector; none is running"}, nil
	}
	w.since = time.Time{}
	switch {
	case o.lag > 0:
		return output.Line{Stage: "lag", Text: fmt.Sprintf("%d messages are not stored yet", o.lag), Value: o.lag}, nil
	case o.batch.Building:
		percent := 0
		if o.batch.Projections > 0 {
			percent = 100 * int(o.batch.Done) / int(o.batch.Projections)
		}
		return output.Line{Stage: fmt.Sprint(output.BuildingStage, o.batch.Newest),
			Text: fmt.Sprintf("building batch %d: %d %%", o.batch.Newest, percent), Value: int64(percent)}, nil
	case o.batch.Failed > 0 && !o.batch.Refused:
		return output.Line{Stage: fmt.Sprintf("failed %d", o.batch.Failed),
			Text: fmt.Sprintf("batch %d failed, the projector builds another one: %s", o.batch.Failed,
				output.Bounded(o.batch.Reason))}, nil
	}
	return output.Line{Stage: "stored", Text: "all messages are stored; waiting for the batch to start"}, nil
}

// out reports whether nobody has worked for at least the limit.
func (w *watch) out(now time.Time) bool {
	if w.since.IsZero() {
		w.since = now
	}
	return now.Sub(w.since) >= w.limit
}

// holderEnded reports whether the process that ran the engines of the target has ended.
func (e Ends) holderEnded() bool {
	return e.Holder > 0 && errors.Is(syscall.Kill(e.Holder, 0), syscall.ESRCH)
}

func (e Ends) errEnded() error {
	return fmt.Errorf("process %d, which used the data directory, has ended: start cuota up on it again; "+
		"the published messages are kept in Kafka, and the projector reads them when it starts", e.Holder)
}
