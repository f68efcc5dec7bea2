// Package accounttest gives tests empty databases of each kind that the account
// store runs on. Only tests import it.
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

// postgresEnv names the DSN of a PostgreSQL server on which the tests may make
// and drop databases. Without it they run on SQLite alone.
const postgresEnv = "CUOTA_TEST_POSTGRES"

// Database is an empty database that goes when the test ends.
type Database struct {
	DSN string  // as account.Open takes it
	Raw *sql.DB // straight to the database, without the store's rules
}

// Each runs a proof on every kind of database there is.
func Each(t *testing.T, prove func(t *testing.T, db Database)) {
	t.Run("sqlite", func(t *testing.T) { prove(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { prove(t, Postgres(t)) })
}

// SQLite gives a database in a file accounts.db of a directory of its own.
func SQLite(t testing.TB) Database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "accounts.db")
	// What the store writes at the same time is waited for, as the store itself does.
	raw, err := sql.Open("sqlite", "file:"+path+"?_busy_timeout=60000")
	must(t, err)
	t.Cleanup(func() { must(t, raw.Close()) })
	return Database{SQLiteDSN(path), raw}
}

// SQLiteDSN names the database in a file, given by its absolute path.
func SQLiteDSN(path string) string {
	return (&url.URL{Scheme: "sqlite", Path: path}).String()
}

// Postgres makes a database on the server that CUOTA_TEST_POSTGRES names. Without
// one it skips the test, or fails it where CI=true says that there must be one.
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
