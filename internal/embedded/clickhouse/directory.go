package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"cuota/internal/durable"
	"cuota/internal/loop"
)

// directory is the data directory, which this process has locked:
//
//	lock          locked by the process that runs the engine; contains its pid
//	config.xml    the engine's server settings, written at each start of the engine
//	users.xml     its users, profiles and grants, written at each start of the engine
//	data/         the engine's own data
//	backups/      where BACKUP … TO File may write; emptied at each start
type directory struct {
	root, data, backups, config, users string
	lock                               *os.File
}

// openDirectory creates the directory, locks it and prepares it. The engine has its own lock
// too, but reports a conflict on standard error only. This lock is taken first, and its error
// names the process that holds it.
func openDirectory(path string) (*directory, error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", path, err)
	}
	d := &directory{
		root:    root,
		data:    filepath.Join(root, "data"),
		backups: filepath.Join(root, "backups"),
		config:  filepath.Join(root, "config.xml"),
		users:   filepath.Join(root, "users.xml"),
	}
	if err := os.MkdirAll(d.data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory %s: %w", root, err)
	}
	if d.lock, err = lockFile(filepath.Join(root, "lock"), root); err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		d.close()
		return nil, fmt.Errorf("data directory %s: %w", root, err)
	}
	return d, nil
}

func (d *directory) close() {
	_ = d.lock.Close() // closing the file releases the lock; nothing unwritten can be lost
}

func lockFile(path, root string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock of the data directory: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer func() { _ = file.Close() }()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock of the data directory %s: %w", root, err)
		}
		pid := make([]byte, 32)
		n, _ := file.Read(pid) // if the pid can't be read, the message says "another process"
		holder := strings.TrimSpace(string(pid[:n]))
		switch holder {
		case "":
			holder = "another process"
		case strconv.Itoa(os.Getpid()):
			holder = "this process itself"
		default:
			holder = "process " + holder
		}
		return nil, fmt.Errorf("data directory %s is in use by %s: stop it, or choose another directory", root, holder)
	}
	pid := []byte(strconv.Itoa(os.Getpid()) + "\n")
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt(pid, 0)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock of the data directory %s: %w", root, err)
	}
	return file, nil
}

// predecessorPatience is how long the engine of a killed process may take to end after that
// process.
const predecessorPatience = 10 * time.Second

// awaitPredecessor waits until no engine uses the data any more. An engine ends shortly after
// the process that started it. awaitPredecessor fails if the engine is still there after
// predecessorPatience.
func (d *directory) awaitPredecessor(ctx context.Context) error {
	// A running engine holds a lock on this file.
	status, err := os.OpenFile(filepath.Join(d.data, "status"), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check for another engine on the data: %w", err)
	}
	defer func() { _ = status.Close() }() // closing the file releases the lock
	limited, cancel := context.WithTimeout(ctx, predecessorPatience)
	defer cancel()
	_ = loop.Until(limited, 10*time.Millisecond, func() (bool, error) {
		err = syscall.Flock(int(status.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		return !errors.Is(err, syscall.EWOULDBLOCK), nil
	})
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return fmt.Errorf("another engine is still using %s: stop it, or choose another directory", d.data)
	case err != nil:
		return fmt.Errorf("check for another engine on the data: %w", err)
	}
	return nil
}

func (d *directory) prepare() error {
	// Earlier versions kept request bodies in the folder spool.
	if err := os.RemoveAll(filepath.Join(d.root, "spool")); err != nil {
		return err
	}
	// Delete what an interrupted backup left.
	if err := os.RemoveAll(d.backups); err != nil {
		return err
	}
	for _, dir := range []string{d.backups, filepath.Join(d.data, "metadata", "default")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// For tables that it does not know, the library's own database `default` reads the file
	// system: SELECT * FROM `/etc/passwd` reads the file. A database that already exists is
	// used instead, if <default_database> is empty.
	definition := filepath.Join(d.data, "metadata", "default.sql")
	_, err := os.Stat(definition)
	if errors.Is(err, os.ErrNotExist) {
		return durable.Replace(definition, []byte("ATTACH DATABASE default\nENGINE = Memory\n"), 0o600)
	}
	return err
}

// removeCut deletes definition files that a full disk has cut off, and returns their paths: those
// of the named views, and all of a database that holds only views. The engine must not be
// running.
func (d *directory) removeCut(views []string, database string) (removed []string, err error) {
	// Each database has its own folder for the definitions. A link names that of a database.
	patterns := []string{filepath.Join(d.data, "metadata", database, "*.sql")}
	for _, view := range views {
		patterns = append(patterns, filepath.Join(d.data, "store", "???", "*", view+".sql"))
	}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return removed, fmt.Errorf("list the definition files of views: %w", err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err == nil && isCut(text) {
				err = os.Remove(path)
				removed = append(removed, path)
			}
			if err != nil {
				return removed, fmt.Errorf("remove a definition that was cut off: %w", err)
			}
		}
	}
	return removed, nil
}

// blockBytes is the size of the blocks in which file systems store files. A file that a full
// disk has cut off ends at the end of a block.
const blockBytes = 4096

// isCut reports whether a definition is empty or may have been cut off. ClickHouse ends each
// with a line feed. A complete one whose size happens to be a multiple of a block counts as
// cut off too, which only means that its view is made again.
func isCut(definition []byte) bool {
	return len(definition)%blockBytes == 0 || definition[len(definition)-1] != '\n'
}

// configure writes the configuration files that the engine reads when it starts.
func (d *directory) configure(s settings) error {
	if err := d.hide(); err != nil { // of a process that was killed
		return err
	}
	for path, t := range map[string]*template.Template{d.config: configTemplate, d.users: usersTemplate} {
		text, err := s.render(t)
		if err != nil {
			return err
		}
		if err := durable.Replace(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// hide removes the configuration files, and the copies that the engine makes of them. The library's
// function file() needs no grant and reads all of the directory, and these files have the hashes of
// the passwords. The engine reads them only when it starts.
func (d *directory) hide() error {
	return errors.Join(os.RemoveAll(d.config), os.RemoveAll(d.users),
		os.RemoveAll(filepath.Join(d.data, "preprocessed_configs")))
}
