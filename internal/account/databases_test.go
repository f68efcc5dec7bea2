package account

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/internal/account/accounttest"

	"github.com/jackc/pgx/v5"
)

// testDatabase is an empty database of one kind.
type testDatabase struct {
	dsn     string
	raw     *sql.DB  // direct access to the database, without the store
	lockAll []string // statements with which one raw connection locks every table
	remove  func()   // makes the database unreachable for an open store

	// loseAnswer breaks the connection on which the database next reports that an UPDATE is
	// done. It is nil if there is no connection.
	loseAnswer func()
}

// eachDatabase runs a test on every supported kind of database.
func eachDatabase(t *testing.T, prove func(t *testing.T, db testDatabase)) {
	t.Run("sqlite", func(t *testing.T) { prove(t, newSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { prove(t, newPostgres(t)) })
}

func newSQLite(t *testing.T) testDatabase {
	db := accounttest.SQLite(t)
	u, err := url.Parse(db.DSN)
	check(t, err)
	return testDatabase{
		dsn:     db.DSN,
		raw:     db.Raw,
		lockAll: []string{"BEGIN EXCLUSIVE"},
		remove:  func() { check(t, os.Remove(u.Path)) },
	}
}

// newPostgres connects to its database through a proxy, so that a test can cut the store off.
func newPostgres(t *testing.T) testDatabase {
	db := accounttest.Postgres(t)
	config, err := pgx.ParseConfig(db.DSN)
	check(t, err)
	network, address := "tcp", net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	if strings.HasPrefix(config.Host, "/") {
		network, address = "unix", filepath.Join(config.Host, ".s.PGSQL."+strconv.Itoa(int(config.Port)))
	}
	proxy := newProxy(t, network, address)
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(config.User, config.Password),
		Host:     proxy.listener.Addr().String(),
		Path:     config.Database,
		RawQuery: "sslmode=disable",
	}
	return testDatabase{
		dsn:     u.String(),
		raw:     db.Raw,
		lockAll: []string{"BEGIN", "LOCK TABLE accounts, api_keys, daily_usage IN ACCESS EXCLUSIVE MODE"},
		remove:  proxy.cut,

		loseAnswer: func() { proxy.lose.Store(true) },
	}
}

// proxy forwards TCP connections until it is cut.
type proxy struct {
	listener net.Listener
	running  sync.WaitGroup
	lose     atomic.Bool // lose breaks the connection of the next response to an UPDATE
	mu       sync.Mutex
	isCut    bool
	open     []net.Conn
}

func newProxy(t *testing.T, network, address string) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	p := &proxy{listener: listener}
	p.running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial(network, address)
			if err != nil {
				_ = near.Close()
				continue
			}
			p.forward(near, far)
		}
	})
	t.Cleanup(func() { p.cut(); p.running.Wait() })
	return p
}

func (p *proxy) forward(near, far net.Conn) {
	p.mu.Lock()
	p.open = append(p.open, near, far)
	cut := p.isCut
	p.mu.Unlock()
	if cut {
		p.cut()
	}
	copyThenClose := func(to io.WriteCloser, from io.Reader) {
		_, _ = io.Copy(to, from)
		_ = to.Close()
	}
	p.running.Go(func() { copyThenClose(answers{near, p}, far) })
	p.running.Go(func() { copyThenClose(far, near) })
}

// answers forwards the responses to the store.
type answers struct {
	net.Conn
	proxy *proxy
}

func (a answers) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("UPDATE 1\x00")) && a.proxy.lose.CompareAndSwap(true, false) {
		return 0, errors.Join(io.ErrClosedPipe, a.Close())
	}
	return a.Conn.Write(b)
}

// cut closes every connection and refuses new ones.
func (p *proxy) cut() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = true
	for _, c := range p.open {
		_ = c.Close()
	}
}
