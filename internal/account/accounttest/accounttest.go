// Package accounttest gives tests empty databases of each kind that the account store supports.
// Only tests import it.
package accounttest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// postgresEnv names the variable with the DSN of a PostgreSQL server on which tests may create
// and drop databases. Without it, tests run on SQLite only.
const postgresEnv = "CUOTA_TEST_POSTGRES"

// Database is an empty database that is deleted when the test ends.
type Database struct {
	DSN string  // for account.Open
	Raw *sql.DB // direct access to the database, without the store
}

// Each runs a test on every supported kind of database.
func Each(t *testing.T, prove func(t *testing.T, db Database)) {
	t.Run("sqlite", func(t *testing.T) { prove(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { prove(t, Postgres(t)) })
}

// SQLite makes a database in a file accounts.db in a temporary directory.
func SQLite(t testing.TB) Database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "accounts.db")
	// Wait for locks of the store, as the store does.
	raw, err := sql.Open("sqlite", "file:"+path+"?_busy_timeout=60000")
	must(t, err)
	t.Cleanup(func() { must(t, raw.Close()) })
	return Database{SQLiteDSN(path), raw}
}

// SQLiteDSN returns the DSN of the database file at an absolute path.
func SQLiteDSN(path string) string {
	return (&url.URL{Scheme: "sqlite", Path: path}).String()
}

// Postgres makes a database on the server that CUOTA_TEST_POSTGRES names. If it names none,
// Postgres skips the test, or fails it if CI=true, because CI must have a server.
func Postgres(t testing.TB) Database {
	t.Helper()
	server := os.Getenv(postgresEnv)
	if server == "" && os.Getenv("CI") == "true" {
		t.Fatal(postgresEnv + " is not set")
	}
	if server == "" {
		t.Skip(postgresEnv + " is not set")
	}
	config, err := pgx.ParseConfig(server)
	must(t, err)
	u, err := url.Parse(server)
	must(t, err)
	admin := stdlib.OpenDB(*config)
	t.Cleanup(func() { must(t, admin.Close()) })

	name := "cuota_test_" + strings.ToLower(rand.Text())
	_, err = admin.ExecContext(t.Context(), "CREATE DATABASE "+name)
	must(t, err)
	t.Cleanup(func() {
		_, err := admin.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		must(t, err)
	})
	config.Database, u.Path = name, "/"+name
	raw := stdlib.OpenDB(*config)
	t.Cleanup(func() { must(t, raw.Close()) })
	return Database{u.String(), raw}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
