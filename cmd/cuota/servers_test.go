package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/internal/testkit/tlstest"
)

func TestClickHouseIsAskedOverTLSOfTheNamedAuthority(t *testing.T) {
	ctx := context.Background()
	running, err := datadir.StartEnginesAlone(ctx, environment.Settings{}, &datadir.Directory{Path: t.TempDir()},
		zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Stop(ctx) })
	engine := running.Options()
	scheme := "clickhouse"
	if engine.Protocol == clickhouse.HTTP {
		scheme = "https"
	}
	certified, named := tlstest.For(t, ""), tlstest.For(t, "tables.example.org")
	address := func(of *tlstest.Certified, more string) string {
		return fmt.Sprintf("%s://%s:%s@%s/%s?secure=true%s", scheme, engine.Auth.Username,
			url.QueryEscape(engine.Auth.Password),
			encrypted(t, of.Server, engine.Addr[0]), engine.Auth.Database, more)
	}
	file := func(of *tlstest.Certified) string {
		path := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(path, of.PEM, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for what, test := range map[string]struct{ address, authority, refused string }{
		"the right authority":    {address(certified, ""), file(certified), ""},
		"a server that is named": {address(named, "&tls_server_name=tables.example.org"), file(named), ""},
		"another authority": {address(certified, ""), file(named),
			"certificate signed by unknown authority"},
		"the authorities of the world": {address(certified, ""), "", "certificate signed by unknown authority"},
		"another server":               {address(named, ""), file(named), "certificate"},
		"a server of another name": {address(named, "&tls_server_name=other.example.org"), file(named),
			"certificate is valid for tables.example.org, not other.example.org"},
	} {
		t.Run(what, func(t *testing.T) {
			options, err := environment.Settings{ClickHouse: test.address,
				ClickHouseCA: test.authority}.ClickHouseServer()
			if err != nil {
				t.Fatal(err)
			}
			conn, err := clickhouse.Open(options)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			var sum uint64
			err = conn.QueryRow(ctx, "SELECT sum(number) FROM numbers(1000)").Scan(&sum)
			switch {
			case test.refused == "" && (err != nil || sum != 499_500):
				t.Errorf("got %d and %v", sum, err)
			case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("got %v, want an error with %q", err, test.refused)
			case err != nil && engine.Auth.Password != "" && strings.Contains(err.Error(), engine.Auth.Password):
				t.Errorf("the password is in %q", err)
			}
		})
	}
}

// encrypted accepts TLS connections and passes their data on to an address.
func encrypted(t *testing.T, config *tls.Config, to string) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { passOn(from, to) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		open.Wait()
	})
	return listener.Addr().String()
}

// passOn connects a connection with an address until either side closes.
func passOn(from net.Conn, to string) {
	defer func() { _ = from.Close() }()
	next, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = next.Close() }()
	ended := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{from, next}, {next, from}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}
