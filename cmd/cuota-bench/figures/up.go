package figures

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
)

// up is "cuota up" in a separate process, as people run it: both engines, the projector
// and the API.
type up struct {
	dir     string
	command *exec.Cmd
	started time.Time
	ended   chan struct{} // closed when the process has ended

	mu      sync.Mutex
	batches map[uint64]*builtBatch // from the log
	newest  uint64                 // number of the newest published batch
	rows    uint64                 // rows of the first market, from the output
	loading time.Duration
	peak    memory // before the first statement of a batch
	last    string // last line of the log, for error messages
}

// up starts cuota on a data directory. It is stopped at the end of the run at the
// latest.
func (b *bench) up(ctx context.Context, dir string, args ...string) (*up, error) {
	path, err := b.program(ctx)
	if err != nil {
		return nil, err
	}
	args = append([]string{
		"up", "--data", dir, "--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0",
		"--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0",
	}, args...)
	u := &up{dir: dir, command: exec.Command(path, args...), ended: make(chan struct{}),
		batches: map[uint64]*builtBatch{}}
	u.command.Env = append(os.Environ(), "CUOTA_LOG=debug")
	out, err := u.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start cuota: %w", err)
	}
	log, err := u.command.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("start cuota: %w", err)
	}
	u.started = time.Now()
	if err := u.command.Start(); err != nil {
		return nil, fmt.Errorf("start cuota: %w", err)
	}
	var readers sync.WaitGroup
	readers.Go(func() { eachLine(out, u.readOutput) })
	readers.Go(func() { eachLine(log, u.readLog) })
	go func() {
		readers.Wait()
		_ = u.command.Wait() // the log says how it ended
		close(u.ended)
	}()
	b.onClose(u.stop)
	return u, nil
}

// maxLine bounds a line of the log, in bytes; some lines hold statements.
const maxLine = 1 << 20

func eachLine(from io.Reader, take func([]byte)) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		take(lines.Bytes())
	}
	_, _ = io.Copy(io.Discard, from) // an over-long line must not block the process
}

// stop interrupts the process and waits until it has ended.
func (u *up) stop(ctx context.Context) error {
	select {
	case <-u.ended:
		return nil
	default:
	}
	_ = u.command.Process.Signal(syscall.SIGTERM) // it may have ended already
	select {
	case <-u.ended:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for cuota to end: %w", ctx.Err()), u.command.Process.Kill())
	}
}

// stopSoon is stop with the limit closePatience.
func (u *up) stopSoon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	return u.stop(ctx)
}

var firstMarketLine = regexp.MustCompile(`^\d+ files, (\d+) rows in (\S+)$`)

func (u *up) readOutput(line []byte) {
	found := firstMarketLine.FindSubmatch(line)
	if found == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rows, _ = strconv.ParseUint(string(found[1]), 10, 64) // cannot fail: only digits match
	u.loading, _ = time.ParseDuration(string(found[2]))
}

func (u *up) readLog(line []byte) {
	var outcome struct {
		Message    string  `json:"message"`
		Batch      uint64  `json:"batch"`
		Projection string  `json:"projection"`
		Took       float64 `json:"took_ms"`
	}
	if json.Unmarshal(line, &outcome) != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = string(line)
	if outcome.Projection == "" && outcome.Message != "batch published" {
		return
	}
	built := u.batches[outcome.Batch]
	if built == nil {
		built = &builtBatch{took: map[string]float64{}, cpu: -u.cpuMillis()}
		u.batches[outcome.Batch] = built
		if len(u.batches) == 1 {
			u.peak, _ = u.memory() // 0 where the system does not state it
			u.forgetPeak()
		}
	}
	if outcome.Projection != "" {
		built.order = append(built.order, outcome.Projection)
		built.took[outcome.Projection] += outcome.Took
		return
	}
	built.whole, u.newest = outcome.Took, outcome.Batch
	built.cpu += u.cpuMillis()
}

// published waits for a batch with a number higher than after.
func (u *up) published(ctx context.Context, after uint64) (built *builtBatch, number uint64, err error) {
	err = poll(ctx, "a batch to be published", 10*time.Millisecond, func() (bool, error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		built, number = u.batches[u.newest], u.newest
		return number > after, u.alive()
	})
	return built, number, err
}

// loaded returns the rows of the first market, how long loading them took, and the peak of
// memory before the first batch.
func (u *up) loaded() (rows uint64, took time.Duration, peak memory) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.rows, u.loading, u.peak
}

// know tells of a batch that an earlier process has published.
func (u *up) know(number uint64, built *builtBatch) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.batches[number], u.newest = built, number
}

// alive returns nil while the process runs. The caller holds mu.
func (u *up) alive() error {
	select {
	case <-u.ended:
		return fmt.Errorf("cuota has ended: %s", u.last)
	default:
		return nil
	}
}

// ask waits until the API answers a path with 200.
func (u *up) ask(ctx context.Context, path, key string) (api string, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	err = poll(ctx, "the API to answer", 2*time.Millisecond, func() (bool, error) {
		u.mu.Lock()
		err := u.alive()
		u.mu.Unlock()
		if err != nil {
			return false, err
		}
		text, err := os.ReadFile(filepath.Join(u.dir, "running.json"))
		var running struct {
			PID  int    `json:"pid"`
			HTTP string `json:"http"`
		}
		if err != nil || json.Unmarshal(text, &running) != nil || running.PID != u.command.Process.Pid {
			return false, nil // the API does not serve yet
		}
		api = running.HTTP
		status, err := load.Get(ctx, client, api, path, key)
		return status == http.StatusOK && err == nil, nil
	})
	return api, err
}

// builtBatch is what the log says about a batch.
type builtBatch struct {
	order []string
	took  map[string]float64 // time of each projection, ms
	whole float64            // time of the batch, ms; 0 until it is published
	cpu   float64            // CPU time of cuota and ClickHouse during the batch, ms
}

// shares returns a line for each projection, and for the checks, that took more than a
// fiftieth of a batch.
func (b *builtBatch) shares() []stats.Line {
	var lines []stats.Line
	for _, projection := range b.order {
		if took := b.took[projection]; took >= b.whole/50 {
			lines = append(lines, stats.CompareMedians("  "+projection, stats.Number(took, "ms"),
				stats.Number(b.whole, "ms"), wholeBatch))
		}
	}
	return lines
}

// memory is the resident memory of cuota and its engine, in megabytes.
type memory struct {
	now, peak float64 // all pages; peak adds the peaks of both, which may occur at different times
	mapped    float64 // of now: pages of mapped files, most of them of the engine's library
}

// memory reads /proc. It fails where there is none.
func (u *up) memory() (m memory, err error) {
	for _, pid := range stats.WithChildren(u.command.Process.Pid) {
		for field, to := range map[string]*float64{"VmRSS": &m.now, "VmHWM": &m.peak, "RssFile": &m.mapped} {
			megabytes, err := stats.StatusMB(pid, field)
			if err != nil {
				return memory{}, err
			}
			*to += megabytes
		}
	}
	return m, nil
}

// cpuMillis is the CPU time of cuota and its engine, in milliseconds; 0 where the system
// does not state it.
func (u *up) cpuMillis() float64 {
	var all time.Duration
	for _, pid := range stats.WithChildren(u.command.Process.Pid) {
		all += stats.CPUOf(pid)
	}
	return 1e3 * all.Seconds()
}

// forgetPeak resets the peaks of memory. Where the system cannot do that, the peaks
// remain those since the start, which are at least as high.
func (u *up) forgetPeak() {
	for _, pid := range stats.WithChildren(u.command.Process.Pid) {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	}
}

// program returns the path of cuota. The first call builds it from this source tree.
func (b *bench) program(ctx context.Context) (string, error) {
	path := filepath.Join(b.dir, "cuota")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if said, err := exec.CommandContext(ctx, "go", "build", "-o", path,
		"cuota/cmd/cuota").CombinedOutput(); err != nil {
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
