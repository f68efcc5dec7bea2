package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNoPostgres says that there is nothing to measure against.
var ErrNoPostgres = errors.New("this machine has no PostgreSQL in " + postgresBinaries +
	"; Debian's package is postgresql")

// postgresBinaries is where Debian installs PostgreSQL.
const postgresBinaries = "/usr/lib/postgresql/*/bin"

// StartPostgres runs a PostgreSQL over a temporary directory and returns once it answers.
// It has the default configuration except for a loopback port and the given options.
// onClose is given what stops it and removes the directory, to be called in reverse order.
// It fails with ErrNoPostgres if the machine has none.
func StartPostgres(ctx context.Context, onClose func(stop func(context.Context) error),
	options ...string) (*pgxpool.Pool, error) {
	found, err := filepath.Glob(filepath.Join(postgresBinaries, "postgres"))
	if err != nil || len(found) == 0 {
		return nil, ErrNoPostgres
	}
	slices.Sort(found)
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "cuota-bench-postgres-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for PostgreSQL: %w", err)
	}
	onClose(func(context.Context) error { return os.RemoveAll(dir) })
	as, err := postgresUser(dir)
	if err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	run := func(program string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		command := exec.Command(filepath.Join(bin, program), append([]string{"-D", dir}, args...)...)
		said := new(bytes.Buffer)
		command.Dir, command.SysProcAttr, command.Stdout, command.Stderr = dir, as, said, said
		return command, said
	}
	initdb, said := run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
	if err := initdb.Run(); err != nil {
		return nil, fmt.Errorf("make a PostgreSQL: %w: %s", err, said)
	}
	server, said := run("postgres", append([]string{"-h", "127.0.0.1", "-p", strconv.Itoa(port), "-k", ""},
		options...)...)
	if err := server.Start(); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait() // its log says how it ended
		close(ended)
	}()
	onClose(func(ctx context.Context) error {
		_ = server.Process.Signal(syscall.SIGINT) // ends open sessions at once
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("wait for PostgreSQL to end: %w", ctx.Err()), server.Process.Kill())
		}
	})
	config, err := pgxpool.ParseConfig(fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port))
	if err != nil {
		return nil, err
	}
	// As many as the ClickHouse driver holds; each connection keeps every statement
	// prepared.
	config.MaxConns = 16
	config.ConnConfig.StatementCacheCapacity = maxStatements
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	onClose(func(context.Context) error { pool.Close(); return nil })
	tick := time.Tick(20 * time.Millisecond)
	for pool.Ping(ctx) != nil {
		select {
		case <-tick:
		case <-ended:
			return nil, fmt.Errorf("PostgreSQL has ended: %s", said)
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for PostgreSQL to answer: %w", context.Cause(ctx))
		}
	}
	return pool, nil
}

// maxStatements is more than the combinations of filters in a run.
const maxStatements = 4096

// postgresUser returns the user that runs PostgreSQL, which refuses to run as root, and
// makes that user the owner of the directory.
func postgresUser(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(owner.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the user postgres: %w", err)
	}
	gid, err := strconv.ParseUint(owner.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the user postgres: %w", err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, fmt.Errorf("give PostgreSQL its directory: %w", err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// freePort finds a loopback port that is free now.
func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
