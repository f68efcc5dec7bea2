package clickhouse

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// directory is the data directory, held by this process:
//
//	lock          flock of the process that runs the engine, with its pid
//	config.xml    the engine's server settings, written at each start
//	users.xml     its roles and grants, written at each start
//	data/         the engine's own
//	spool/        insert bodies being received; emptied at each start
//	backups/      where BACKUP … TO File may write
type directory struct {
	root, data, spool, config string
	lock                      *os.File
}

// openDirectory makes the directory ready and takes its lock. The engine has
// a lock of its own, but tells a loser nothing except on standard error, so
// this one is taken first and names its holder.
func openDirectory(config Config) (*directory, error) {
	root, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", config.Dir, err)
	}
	d := &directory{
		root:   root,
		data:   filepath.Join(root, "data"),
		spool:  filepath.Join(root, "spool"),
		config: filepath.Join(root, "config.xml"),
	}
	if err := os.MkdirAll(d.data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory %s: %w", root, err)
	}
	if d.lock, err = lockFile(filepath.Join(root, "lock"), root); err != nil {
		return nil, err
	}
	if err := d.prepare(config); err != nil {
		d.close()
		return nil, fmt.Errorf("data directory %s: %w", root, err)
	}
	return d, nil
}

func (d *directory) close() {
	_ = d.lock.Close() // closing releases the lock; nothing was written that could be lost
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
		n, _ := file.Read(pid) // an unreadable pid leaves the holder unnamed, which the message says
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

func (d *directory) prepare(config Config) error {
	// What a killed process was receiving was never acknowledged.
	if err := os.RemoveAll(d.spool); err != nil {
		return err
	}
	for _, dir := range []string{d.spool, filepath.Join(d.root, "backups"), filepath.Join(d.data, "metadata", "default")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// The engine's own `default` database falls back to the file system for
	// tables it doesn't know: SELECT * FROM `/etc/passwd` reads the file. One
	// that exists already takes its place, if <default_database> is empty.
	definition := filepath.Join(d.data, "metadata", "default.sql")
	if _, err := os.Stat(definition); errors.Is(err, os.ErrNotExist) {
		if err := writeFile(definition, []byte("ATTACH DATABASE default\nENGINE = Memory\n")); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	users := filepath.Join(d.root, "users.xml")
	if err := writeFile(users, engineUsers(config.Database)); err != nil {
		return err
	}
	return writeFile(d.config, engineSettings(users, filepath.Join(d.root, "backups"), config.MaxMemoryBytes))
}

// writeFile replaces path as a whole, so that a crash leaves the old or the
// new content.
func writeFile(path string, content []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// engineSettings are the server settings. They must come from a file that is
// named explicitly: otherwise the engine reads a config.xml of the working
// directory or the user's home, and it ignores most settings given as
// arguments.
func engineSettings(users, backups string, memory int64) []byte {
	return []byte(`<clickhouse>
  <users_config>` + xmlText(users) + `</users_config>
  <default_database></default_database>
  <database>default</database>
  <max_server_memory_usage>` + strconv.FormatInt(memory, 10) + `</max_server_memory_usage>
  <max_server_memory_usage_to_ram_ratio>1</max_server_memory_usage_to_ram_ratio>
  <mark_cache_size>` + strconv.FormatInt(memory/16, 10) + `</mark_cache_size>
  <index_mark_cache_size>` + strconv.FormatInt(memory/64, 10) + `</index_mark_cache_size>
  <primary_index_cache_size>` + strconv.FormatInt(memory/32, 10) + `</primary_index_cache_size>
  <backups><allowed_path>` + xmlText(backups) + `</allowed_path></backups>
</clickhouse>
`)
}

const (
	ownerRole  = "cuota_owner"
	peopleRole = "cuota_people"
)

// engineUsers are the grants. Every session of the library is the user
// default, so the two identities are two roles of it, and a session takes one
// with SET ROLE. Neither may use what reaches outside the engine: files, URLs,
// other servers, executables.
func engineUsers(database string) []byte {
	return []byte(`<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <roles>
    <` + ownerRole + `><grants>
      <query>GRANT SHOW, SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE DICTIONARY, CREATE FUNCTION, CREATE TEMPORARY TABLE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, CHECK, BACKUP, KILL QUERY, SYSTEM, dictGet ON *.*</query>
    </grants></` + ownerRole + `>
    <` + peopleRole + `><grants>
      <query>GRANT SHOW, SELECT, dictGet ON ` + database + `.*</query>
    </grants></` + peopleRole + `>
  </roles>
  <users>
    <default>
      <password></password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT ` + ownerRole + `, ` + peopleRole + `</query></grants>
    </default>
  </users>
</clickhouse>
`)
}

func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a bytes.Buffer takes every write
	return b.String()
}
