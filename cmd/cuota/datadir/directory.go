// Package datadir is a data directory, with which one machine needs no servers: its paths, its lock, the
// file running.json in which the process that holds the lock says where it serves, and the ports and the
// engines, ClickHouse and Kafka, that this process runs on it.
package datadir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go/sasl/plain"

	"cuota/internal/durable"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/internal/loop"
)

// Directory is a data directory: all the data of an installation on one machine.
type Directory struct {
	Path string
	lock *os.File // lock file, held by the process that runs the engines

	mu        sync.Mutex // guards announced and its file
	announced Addresses  // content of running.json, if this process wrote it
}

// ClickHouse is the folder of the tables.
func (d *Directory) ClickHouse() string { return filepath.Join(d.Path, "clickhouse") }

// Kafka is the folder of the log.
func (d *Directory) Kafka() string { return filepath.Join(d.Path, "kafka") }

// Archive is the folder of the published files.
func (d *Directory) Archive() string { return filepath.Join(d.Path, "archive") }

// Pepper is the path of the secret with which keys are hashed.
func (d *Directory) Pepper() string { return filepath.Join(d.AccountFolder(), "pepper") }

// Mail is the folder into which mails are written.
func (d *Directory) Mail() string { return filepath.Join(d.Path, "mail") }

// Bulk is the folder of the files of /api/bulk.
func (d *Directory) Bulk() string { return filepath.Join(d.Path, "bulk") }

// Log is the folder of the log of published batches.
func (d *Directory) Log() string { return filepath.Join(d.Path, "log") }

// Market is the path of the mark that the first market was ingested.
func (d *Directory) Market() string { return filepath.Join(d.Path, "demo.json") }

func (d *Directory) running() string { return filepath.Join(d.Path, "running.json") }

// FirstKey is the path of the key that the first start makes, if it is not printed on a terminal.
func (d *Directory) FirstKey() string { return filepath.Join(d.Path, "first-key") }

// Control is the directory of the socket over which other commands ask for a copy of the
// tables.
func (d *Directory) Control() string { return filepath.Join(d.Path, "control") }

// Restoring is the path of a file that exists while the directory is being restored from
// a backup.
func (d *Directory) Restoring() string { return filepath.Join(d.Path, "restoring.json") }

// AccountFolder is the folder of the account store and its pepper. Every data directory has it.
func (d *Directory) AccountFolder() string { return filepath.Join(d.Path, "accounts") }

// Accounts is the address of the account store.
func (d *Directory) Accounts() string {
	return "sqlite://" + filepath.ToSlash(filepath.Join(d.AccountFolder(), "accounts.db"))
}

// Addresses says where the process that holds a directory serves. They are written to
// running.json in the directory, so that other commands find that process.
type Addresses struct {
	PID        int    `json:"pid"`
	HTTP       string `json:"http,omitempty"`
	ClickHouse string `json:"clickhouse,omitempty"`        // HTTP address for people
	Native     string `json:"clickhouse_native,omitempty"` // native TCP address for people and commands
	// Key is the password with which commands read the tables at Native. People read only the
	// views that are for them.
	Key   string `json:"clickhouse_key,omitempty"`
	Kafka string `json:"kafka"`
	// KafkaKey is the password with which commands use Kafka.
	KafkaKey string `json:"kafka_key,omitempty"`
	// Engine is the state of the ClickHouse process; null if CUOTA_CLICKHOUSE names a
	// server.
	Engine *clickhouse.State `json:"engine,omitempty"`
}

// Brokers returns the log of the process that serves at the addresses.
func (a Addresses) Brokers() eventlog.Brokers {
	brokers := eventlog.At(a.Kafka)
	if a.KafkaKey != "" { // an earlier version has none
		brokers.SASL = plain.Mechanism{Username: kafka.ClientName, Password: a.KafkaKey}
	}
	return brokers
}

// ErrHeld says that another process runs the engines of the directory.
var ErrHeld = errors.New("another cuota process works on this data directory")

// Make opens a data directory and makes it if it is missing. It is for commands
// that write data.
func Make(path string) (*Directory, error) {
	dir, err := At(path)
	if err != nil {
		return nil, err
	}
	if err := dir.checkRestored(); err != nil {
		return nil, err
	}
	for _, folder := range []string{dir.Path, dir.AccountFolder()} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return nil, fmt.Errorf("create the data directory: %w", err)
		}
	}
	return dir, nil
}

// Open opens an existing data directory. If the path holds none, it fails and
// makes nothing, because the path is most likely mistyped.
func Open(path string) (*Directory, error) {
	dir, err := At(path)
	if err != nil {
		return nil, err
	}
	if err := dir.checkRestored(); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir.AccountFolder())
	switch {
	case err == nil && info.IsDir():
		return dir, nil
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("there is no data directory at %s: give another with --data, or create this one with "+
			"cuota up --data %s", dir.Path, dir.Path)
	}
	return nil, fmt.Errorf("open the data directory: %w", err)
}

// checkRestored fails if the directory was restored only in part.
func (d *Directory) checkRestored() error {
	_, err := os.Stat(d.Restoring())
	switch {
	case err == nil:
		return fmt.Errorf("the data directory %s is being restored from a backup, or its restore was interrupted: "+
			"run the same cuota restore again until it succeeds, or delete the directory", d.Path)
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil
	}
	return fmt.Errorf("open the data directory: %w", err)
}

// At returns the data directory at a path, which may be missing. It fails if another user owns it.
func At(path string) (*Directory, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", path, err)
	}
	if strings.ContainsAny(absolute, "?#%") {
		return nil, fmt.Errorf("data directory %s: choose a path without ?, # and %%", absolute)
	}
	if err := checkOwner(absolute); err != nil {
		return nil, err
	}
	return &Directory{Path: absolute}, nil
}

// checkOwner fails if the directory belongs to another user: the service that owns it
// could not read files that root makes in it.
func checkOwner(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // it is missing, or opening it will say what is wrong
	}
	if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("the data directory %s belongs to the user with id %d: run the command as that user, as in "+
			"sudo -u '#%d' cuota …", path, owner.Uid, owner.Uid)
	}
	return nil
}

// Take locks the directory for this process. It fails with ErrHeld if another process
// holds it, or if a "cuota up" waits for it: otherwise commands that follow each other
// closely could keep "cuota up" waiting for ever.
func (d *Directory) Take() error {
	if d.awaited() {
		return ErrHeld
	}
	return d.lockNow()
}

// queuePath is the file that a "cuota up" locks while it waits for the directory.
func (d *Directory) queuePath() string { return filepath.Join(d.Path, "queue.lock") }

// awaited reports whether a "cuota up" waits for the directory. It is false if that can't be
// told.
func (d *Directory) awaited() bool {
	queue, err := os.Open(d.queuePath())
	if err != nil {
		return false
	}
	defer func() { _ = queue.Close() }() // this also unlocks it
	return errors.Is(syscall.Flock(int(queue.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// queue makes commands wait until this process has the directory. leave ends that. On a
// full disk, where the file can't be made, commands do not wait.
func (d *Directory) queue() (leave func()) {
	queue, err := os.OpenFile(d.queuePath(), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return func() {}
	}
	_ = syscall.Flock(int(queue.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // another "cuota up" may wait too
	return func() { _ = queue.Close() }
}

// lockNow locks the directory, whoever waits for it.
func (d *Directory) lockNow() error {
	lock, err := os.OpenFile(filepath.Join(d.Path, "cuota.lock"), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return fmt.Errorf("open the lock of the data directory: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return ErrHeld
		}
		return fmt.Errorf("lock the data directory: %w", err)
	}
	d.lock = lock
	// The running.json of a process that was killed.
	if err := os.Remove(d.running()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("remove the running.json of an earlier process: %w", err), d.Release())
	}
	return nil
}

// TakeWhenFree is Take for "cuota up". If another command holds the directory, it waits
// for a while and reports that once. It gets the directory before commands that come later.
// If another "cuota up" holds it, it fails with ErrHeld.
func (d *Directory) TakeWhenFree(ctx context.Context, tell func(holder string)) error {
	defer d.queue()()
	var held error // the lock was held at the last look
	said := false
	err := loop.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		if held = d.lockNow(); !errors.Is(held, ErrHeld) {
			return true, held
		}
		holder := "another cuota command"
		if at, unknown := d.Holder(); unknown == nil {
			if at.HTTP != "" { // a "cuota up", which does not end by itself
				return true, fmt.Errorf("%w: process %d on %s", held, at.PID, d.Path)
			}
			holder = fmt.Sprintf("another cuota command, process %d,", at.PID)
		}
		if !said {
			tell(holder)
			said = true
		}
		return false, nil
	})
	if held != nil && err == ctx.Err() {
		return fmt.Errorf("%w: gave up waiting for it", held)
	}
	return err
}

// Release unlocks the directory. The kernel unlocks it too when the process dies.
func (d *Directory) Release() error {
	if d.lock == nil {
		return nil
	}
	removed := os.Remove(d.running())
	if errors.Is(removed, os.ErrNotExist) {
		removed = nil
	}
	lock := d.lock
	d.lock = nil
	return errors.Join(removed, lock.Close())
}

// Announce writes the addresses of this process to running.json, and keeps the state of
// the engine there.
func (d *Directory) Announce(at Addresses) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at.Engine = d.announced.Engine
	d.announced = at
	return d.writeRunning()
}

// engineChanged writes the state of the engine to running.json, once the addresses are
// in it.
func (d *Directory) engineChanged(state clickhouse.State) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.announced.Engine = &state
	if d.announced.PID == 0 {
		return nil
	}
	return d.writeRunning()
}

// writeRunning replaces running.json. The caller holds mu.
func (d *Directory) writeRunning() error {
	text, err := json.Marshal(d.announced)
	if err == nil {
		err = durable.Replace(d.running(), text, 0o600) // it has passwords
	}
	if err != nil {
		return fmt.Errorf("write the addresses of this process to running.json: %w", err)
	}
	return nil
}

// Holder returns the addresses of the process that holds the directory.
func (d *Directory) Holder() (Addresses, error) {
	var at Addresses
	text, err := os.ReadFile(d.running())
	if err != nil {
		return at, fmt.Errorf("%w, and is starting or stopping; try again in a moment", ErrHeld)
	}
	if err := json.Unmarshal(text, &at); err != nil {
		return at, fmt.Errorf("read %s: %w", d.running(), err)
	}
	return at, nil
}
