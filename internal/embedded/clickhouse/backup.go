package clickhouse

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	native "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Table describes the contents of a table: the number of its rows and the sum of their hashes.
// Neither depends on the order of the rows or on how ClickHouse has merged them.
type Table struct {
	Name     string `json:"name" ch:"name"`
	Rows     uint64 `json:"rows"`
	Checksum uint64 `json:"checksum"`
}

// Backup is a copy of the product's database in ClickHouse's backup format.
type Backup struct {
	Dir    string // folder below the engine's directory; Remove deletes it
	Tables []Table
}

// Remove deletes the copy.
func (b *Backup) Remove() error { return os.RemoveAll(b.Dir) }

// backupPatience is the read timeout of a statement that copies the database. ClickHouse sends
// nothing before the statement ends.
const backupPatience = 24 * time.Hour

// Backup copies the product's database into a new folder below the engine's directory, which
// needs as much space as the tables. The engine copies one table after the other, so the caller
// must prevent writes meanwhile. The caller should Remove the copy; otherwise the next Start
// deletes it. Backup fails if the server is not started.
func (s *Server) Backup(ctx context.Context) (_ *Backup, err error) {
	conn, dir, err := s.openForBackup()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	made := &Backup{Dir: filepath.Join(dir, newBackupName())}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("back up the database %s: %w", s.config.Database, err), made.Remove())
		}
	}()
	id := "backup-" + filepath.Base(made.Dir)
	if err := conn.Exec(driver.Context(ctx, driver.WithQueryID(id)),
		"BACKUP DATABASE "+s.config.Database+" TO "+backupFile(made.Dir)); err != nil {
		return nil, errors.Join(err, awaitEnd(ctx, conn, id))
	}
	made.Tables, err = tables(ctx, conn, s.config.Database)
	return made, err
}

// awaitEnd kills a statement whose context has ended, and waits until it has ended. Until then
// the statement would go on writing files.
func awaitEnd(ctx context.Context, conn native.Conn, id string) error {
	if ctx.Err() == nil {
		return nil // it failed by itself
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killPatience)
	defer cancel()
	named := driver.Context(ctx, driver.WithParameters(driver.Parameters{"id": id}))
	if err := conn.Exec(named, "KILL QUERY WHERE query_id = {id:String} SYNC"); err != nil {
		return fmt.Errorf("stop the cancelled copy: %w", err)
	}
	return nil
}

// killPatience is how long to wait for a killed statement.
const killPatience = time.Minute

// Restore makes the tables from a backup and returns their contents. fill must write the
// backup's files into the empty folder dir. Restore fails if the product's database already has
// tables.
func (s *Server) Restore(ctx context.Context, fill func(dir string) error) (_ []Table, err error) {
	conn, dir, err := s.openForBackup()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	from := filepath.Join(dir, newBackupName())
	defer func() { err = errors.Join(err, os.RemoveAll(from)) }()
	if err := os.Mkdir(from, 0o700); err != nil {
		return nil, fmt.Errorf("restore the database %s: %w", s.config.Database, err)
	}
	if err := fill(from); err != nil {
		return nil, err
	}
	if err := conn.Exec(ctx, "RESTORE DATABASE "+s.config.Database+" FROM "+backupFile(from)); err != nil {
		return nil, fmt.Errorf("restore the database %s: %w", s.config.Database, err)
	}
	return tables(ctx, conn, s.config.Database)
}

// openForBackup returns an owner's connection without a short read timeout, and the folder of
// backups.
func (s *Server) openForBackup() (native.Conn, string, error) {
	s.mu.Lock()
	dir := s.dir
	s.mu.Unlock()
	if dir == nil {
		return nil, "", errors.New("engine: not started")
	}
	options := s.Options()
	options.ReadTimeout = backupPatience
	conn, err := driver.Open(options)
	if err != nil {
		return nil, "", fmt.Errorf("open ClickHouse: %w", err)
	}
	return conn, dir.backups, nil
}

// newBackupName returns a random name of letters and digits, which needs no quoting.
func newBackupName() string { return strings.ToLower(rand.Text()) }

// backupFile returns a backup folder in the form of a statement: its name, which ClickHouse
// resolves below the allowed path.
func backupFile(dir string) string { return "File('" + filepath.Base(dir) + "')" }

// tables reads every row of every table that has no TTL. It ignores rows that a newer version
// replaces, so the result does not depend on whether ClickHouse has merged them.
func tables(ctx context.Context, conn native.Conn, database string) ([]Table, error) {
	var list []struct {
		Name   string `ch:"name"`
		Engine string `ch:"engine"`
	}
	in := driver.Context(ctx, driver.WithParameters(driver.Parameters{"database": database}))
	if err := conn.Select(in, &list,
		"SELECT name, engine FROM system.tables WHERE database = {database:String} AND engine LIKE '%MergeTree' AND "+
			"create_table_query NOT LIKE '% TTL %' ORDER BY name"); err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	sums := make([]Table, len(list))
	for i, table := range list {
		sums[i].Name = table.Name
		final := ""
		if table.Engine != "MergeTree" {
			final = " FINAL"
		}
		named := driver.Context(ctx, driver.WithParameters(driver.Parameters{"table": table.Name}))
		// Hashing the columns themselves would give NULL if one of them is NULL.
		if err := conn.QueryRow(named, "SELECT count(), sum(cityHash64(toString(tuple(*)))) FROM {table:Identifier}"+
			final).Scan(&sums[i].Rows, &sums[i].Checksum); err != nil {
			return nil, fmt.Errorf("compute the checksum of table %s: %w", table.Name, err)
		}
	}
	return sums, nil
}
