package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/internal/embedded/clickhouse"
)

// The test binary can also run as the program: with the first variable it runs main. The
// second variable is an RFC 3339 instant at which its clock stands still. The third
// names a file that says by how much its clock is wrong.
const (
	asProgram = "CUOTA_TEST_AS_PROGRAM"
	newsAt    = "CUOTA_TEST_NEWS_AT"
	clockIn   = "CUOTA_TEST_CLOCK"
)

func TestMain(m *testing.M) {
	clickhouse.Host()
	if dir := os.Getenv(asBroker); dir != "" {
		os.Exit(runBroker(dir))
	}
	if os.Getenv(asProgram) != "" {
		now := time.Now
		if told := os.Getenv(newsAt); told != "" {
			at, err := time.Parse(time.RFC3339, told)
			if err != nil {
				panic(err)
			}
			now = func() time.Time { return at }
		}
		if path := os.Getenv(clockIn); path != "" {
			now = func() time.Time { return time.Now().Add(readShift(path)) }
		}
		os.Exit(run(now))
	}
	if _, err := clickhouse.Locate(""); err != nil {
		if os.Getenv("CI") == "true" {
			panic(err)
		}
		println("skipped:", err.Error())
		os.Exit(0)
	}
	code := m.Run()
	if err := removePrepared(); err != nil {
		println(err.Error())
		code = max(code, 1)
	}
	os.Exit(code)
}

// patience bounds every wait for a process; a test that reaches it fails.
const patience = 5 * time.Minute

// program returns a command that runs the program in a separate process with a clean
// environment.
func program(ctx context.Context, env []string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	command := exec.CommandContext(ctx, self, args...)
	command.Env = append([]string{
		asProgram + "=1", "HOME=" + os.Getenv("HOME"), "XDG_CACHE_HOME=" + os.Getenv("XDG_CACHE_HOME"),
		"CHDB_LIB_PATH=" + os.Getenv("CHDB_LIB_PATH"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.Getenv("TMPDIR"),
	}, env...)
	return command
}

// result is the exit status and the output of a command.
type result struct {
	stdout, stderr string
	code           int
}

// cuota runs a command to its end.
func cuota(t *testing.T, args ...string) result {
	t.Helper()
	return cuotaIn(t, nil, args...)
}

// cuotaIn runs a command to its end with additional environment variables.
func cuotaIn(t *testing.T, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := program(ctx, env, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("cuota %s: %v", strings.Join(args, " "), err)
	}
	if ctx.Err() != nil {
		t.Fatalf("cuota %s took too long: %s%s", strings.Join(args, " "), stdout.String(), stderr.String())
	}
	return result{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// succeed runs a command that must end with status 0.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	r := cuota(t, args...)
	if r.code != 0 {
		t.Fatalf("cuota %s ended with %d:\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// running is a "cuota up" that serves.
type running struct {
	command                *exec.Cmd
	greeting               string
	api, clickhouse, kafka string
	stderr                 fmt.Stringer
	ended                  chan error
	startup                time.Duration
	greeted                chan string // receives the greeting; closed if the process ends without one
}

var (
	greetedAPI        = regexp.MustCompile(`API +(http://\S+)`)
	greetedClickHouse = regexp.MustCompile(`ClickHouse +(http://\S+)`)
	greetedKafka      = regexp.MustCompile(`Kafka +(\S+)`)
)

// up starts "cuota up" on free ports and returns when it has printed its greeting.
func up(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	return upIn(t, nil, &transcript{}, dir, args...)
}

// upIn starts "cuota up" with additional environment variables and writes its log into a
// transcript.
func upIn(t *testing.T, env []string, log *transcript, dir string, args ...string) *running {
	t.Helper()
	r := startUp(t, env, log, dir, args...)
	r.awaitGreeting(t)
	return r
}

// startUp starts "cuota up" as upIn does, and does not wait for its greeting.
func startUp(t *testing.T, env []string, log *transcript, dir string, args ...string) *running {
	t.Helper()
	r := &running{stderr: log, ended: make(chan error, 1), greeted: make(chan string, 1)}
	args = append([]string{"up", "--data", dir, "--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0",
		"--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"},
		args...)
	r.command = program(context.Background(), env, args...)
	r.command.Stderr = log
	stdout, err := r.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := r.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		var text strings.Builder
		scanner := bufio.NewScanner(stdout)
		for scanner.Scan() {
			text.WriteString(scanner.Text() + "\n")
			if strings.HasPrefix(scanner.Text(), "  data ") {
				r.startup = time.Since(begun)
			}
			// These are the last lines of the greeting on the first start and on later
			// ones.
			if strings.Contains(scanner.Text(), "FROM+screener") ||
				strings.Contains(scanner.Text(), "Create another API key") {
				r.greeted <- text.String()
			}
		}
		close(r.greeted)
		r.ended <- r.command.Wait()
	}()
	t.Cleanup(func() { r.kill() })
	return r
}

// awaitGreeting waits until the process has printed its greeting, and reads from it where it
// serves.
func (r *running) awaitGreeting(t *testing.T) {
	t.Helper()
	select {
	case text, ok := <-r.greeted:
		if !ok {
			t.Fatalf("cuota up ended early:\n%s", r.stderr)
		}
		r.greeting = text
	case <-time.After(patience):
		t.Fatalf("cuota up did not greet:\n%s", r.stderr)
	}
	r.api = greetedAPI.FindStringSubmatch(r.greeting)[1]
	r.clickhouse = greetedClickHouse.FindStringSubmatch(r.greeting)[1]
	r.kafka = greetedKafka.FindStringSubmatch(r.greeting)[1]
}

// interrupt stops the process as Ctrl-C does and expects it to end with status 0.
func (r *running) interrupt(t *testing.T) {
	t.Helper()
	if err := r.command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-r.ended:
		r.ended <- err
		if err != nil {
			t.Fatalf("cuota up ended with %v:\n%s", err, r.stderr)
		}
	case <-time.After(patience):
		t.Fatalf("cuota up did not end:\n%s", r.stderr)
	}
}

// kill ends the process at once, as kill -9 does.
func (r *running) kill() {
	_ = r.command.Process.Kill() // it may have ended already
	r.ended <- <-r.ended
}
