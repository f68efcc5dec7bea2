package main

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

	"cuota/internal/embedded/clickhouse"
)

// directory is a data directory: everything that one machine keeps.
type directory struct {
	path string
	lock *os.File // held by the one process that runs the engines

	mu        sync.Mutex // guards announced and its file
	announced addresses  // what running.json says, where this process wrote it
}

func (d *directory) clickhouse() string { return filepath.Join(d.path, "clickhouse") }
func (d *directory) kafka() string      { return filepath.Join(d.path, "kafka") }
func (d *directory) archive() string    { return filepath.Join(d.path, "archive") }
func (d *directory) pepper() string     { return filepath.Join(d.accountFolder(), "pepper") }
func (d *directory) mail() string       { return filepath.Join(d.path, "mail") }
func (d *directory) market() string     { return filepath.Join(d.path, "demo.json") }
func (d *directory) running() string    { return filepath.Join(d.path, "running.json") }

// control is the folder of the socket over which other commands ask the process that
// holds the directory for a copy of the tables.
func (d *directory) control() string { return filepath.Join(d.path, "control") }

// restoring is a file that is there while the directory is being restored from a backup.
func (d *directory) restoring() string { return filepath.Join(d.path, "restoring.json") }

func (d *directory) accountFolder() string { return filepath.Join(d.path, "accounts") }

// accounts is the address of the account store.
func (d *directory) accounts() string {
	return "sqlite://" + filepath.ToSlash(filepath.Join(d.accountFolder(), "accounts.db"))
}

// addresses say where the process that holds a directory serves. They are kept
// in the directory, so that other commands find it.
type addresses struct {
	PID        int    `json:"pid"`
	HTTP       string `json:"http,omitempty"`
	ClickHouse string `json:"clickhouse,omitempty"`        // door over HTTP
	Native     string `json:"clickhouse_native,omitempty"` // door over native TCP
	Kafka      string `json:"kafka"`
	// Engine is the state of the ClickHouse process; null if CUOTA_CLICKHOUSE names a
	// server.
	Engine *clickhouse.State `json:"engine,omitempty"`
}

// errHeld says that another process runs the engines of the directory.
var errHeld = errors.New("another cuota process works on this data directory")

// makeDirectory opens a data directory, and makes it if it is missing. It is for
// commands that fill one.
func makeDirectory(path string) (*directory, error) {
	dir, err := directoryAt(path)
	if err != nil {
		return nil, err
	}
	if err := dir.checkRestored(); err != nil {
		return nil, err
	}
	for _, folder := range []string{dir.path, dir.accountFolder()} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return nil, fmt.Errorf("make the data directory: %w", err)
		}
	}
	return dir, nil
}

// openDirectory opens a data directory that exists. A path that holds none is
// most likely mistyped: there is nothing to tell of it, and nothing to leave there.
func openDirectory(path string) (*directory, error) {
	dir, err := directoryAt(path)
	if err != nil {
		return nil, err
	}
	if err := dir.checkRestored(); err != nil {
		return nil, err
	}
	// Whoever makes a data directory makes this folder in it.
	info, err := os.Stat(dir.accountFolder())
	switch {
	case err == nil && info.IsDir():
		return dir, nil
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("there is no data directory at %s: name another with --data, or make this one with cuota up --data %s", dir.path, dir.path)
	}
	return nil, fmt.Errorf("open the data directory: %w", err)
}

// checkRestored refuses a directory of which a part only was restored.
func (d *directory) checkRestored() error {
	_, err := os.Stat(d.restoring())
	switch {
	case err == nil:
		return fmt.Errorf("the data directory %s is being restored from a backup, or that was interrupted: run the same cuota restore again until it ends well, or delete the directory", d.path)
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil
	}
	return fmt.Errorf("open the data directory: %w", err)
}

func directoryAt(path string) (*directory, error) {
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
	return &directory{path: absolute}, nil
}

// checkOwner refuses a directory of another user: files that root makes in it could not be
// read by the service that owns it.
func checkOwner(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // there is none yet, or opening it tells why not
	}
	if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("the data directory %s belongs to the user with id %d: run the command as that user, as in sudo -u '#%d' cuota …", path, owner.Uid, owner.Uid)
	}
	return nil
}

// take locks the directory for this process, or fails with errHeld.
func (d *directory) take() error {
	lock, err := os.OpenFile(filepath.Join(d.path, "cuota.lock"), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return fmt.Errorf("open the lock of the data directory: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return errHeld
		}
		return fmt.Errorf("lock the data directory: %w", err)
	}
	d.lock = lock
	// What a process that was killed told of itself.
	if err := os.Remove(d.running()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("remove what another process told: %w", err), d.release())
	}
	return nil
}

// takeWhenFree is take for "cuota up": it waits for another command that works on the
// directory for a while, and tells so once. Beside another "cuota up" it fails with
// errHeld.
func (d *directory) takeWhenFree(ctx context.Context, tell func(holder string)) error {
	often := time.NewTicker(100 * time.Millisecond)
	defer often.Stop()
	for told := false; ; told = true {
		err := d.take()
		if !errors.Is(err, errHeld) {
			return err
		}
		holder := "another cuota command"
		if at, unknown := d.holder(); unknown == nil {
			if at.HTTP != "" { // it serves, and does not end by itself
				return fmt.Errorf("%w: process %d on %s", err, at.PID, d.path)
			}
			holder = fmt.Sprintf("another cuota command, process %d,", at.PID)
		}
		if !told {
			tell(holder)
		}
		select {
		case <-often.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: stopped waiting for it", err)
		}
	}
}

// release gives the directory up. The kernel does so too when the process dies.
func (d *directory) release() error {
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

// announce tells other commands where this process serves. The state of the engine
// stays as it was.
func (d *directory) announce(at addresses) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at.Engine = d.announced.Engine
	d.announced = at
	return d.writeRunning()
}

// engineChanged writes the state of the engine to running.json once the addresses are
// there.
func (d *directory) engineChanged(state clickhouse.State) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.announced.Engine = &state
	if d.announced.PID == 0 {
		return nil
	}
	return d.writeRunning()
}

// writeRunning replaces running.json. The caller holds mu.
func (d *directory) writeRunning() error {
	text, err := json.Marshal(d.announced)
	if err == nil {
		err = replaceFile(d.running(), text)
	}
	if err != nil {
		return fmt.Errorf("tell others where this process serves: %w", err)
	}
	return nil
}

// replaceFile writes a file whole or not at all, whenever the process or the
// machine ends: until the new text is on the disk, the old one is what it holds.
func replaceFile(path string, text []byte) error {
	next, err := os.OpenFile(path+".next", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	_, err = next.Write(text)
	if err = errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	if err := os.Rename(next.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// holder gives the addresses of the process that holds the directory.
func (d *directory) holder() (addresses, error) {
	var at addresses
	text, err := os.ReadFile(d.running())
	if err != nil {
		return at, fmt.Errorf("%w, and is starting or stopping; try again in a moment", errHeld)
	}
	if err := json.Unmarshal(text, &at); err != nil {
		return at, fmt.Errorf("read %s: %w", d.running(), err)
	}
	return at, nil
}
