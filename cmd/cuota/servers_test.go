package main

import (
	"context"
	"crypto/tls"
	"errors"
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
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/internal/testkit/tlstest"
)

// The password in the addresses below contains characters that an address must escape.
const secret = "p@ss/word?x=%"

func TestNoErrorAboutAServerTellsAPassword(t *testing.T) {
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for reason, env := range map[string]map[string]string{
		"CUOTA_CLICKHOUSE is not an address like": {"CUOTA_CLICKHOUSE": "http://user:%" + secret + "@host:8123/cuota"},
		"is not an address like":                  {"CUOTA_CLICKHOUSE": "postgres://user:" + url.QueryEscape(secret) + "@host:5432/cuota"},
		"like clickhouse://":                      {"CUOTA_CLICKHOUSE": "user:" + secret},
		"or https://":                             {"CUOTA_CLICKHOUSE": "http://user:" + url.QueryEscape(secret) + "@host:8123/cuota?secure=true"},
		"clickhouse://…?secure=true":              {"CUOTA_CLICKHOUSE": "clickhouse://user:" + url.QueryEscape(secret) + "@host:9000/cuota", "CUOTA_CLICKHOUSE_CA": authority},
		"skip_verify":                             {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) + "@host/cuota?skip_verify=true", "CUOTA_CLICKHOUSE_CA": authority},
		"contains no certificate":                 {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) + "@host/cuota", "CUOTA_CLICKHOUSE_CA": authority},
		"is not a file":                           {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) + "@host/cuota", "CUOTA_CLICKHOUSE_CA": "/dev/zero"},
		"no such file":                            {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) + "@host/cuota", "CUOTA_CLICKHOUSE_CA": authority + "x"},
		"CUOTA_CLICKHOUSE_CLUSTER: ":              {"CUOTA_CLICKHOUSE": "http://user:" + url.QueryEscape(secret) + "@host/cuota", "CUOTA_CLICKHOUSE_CLUSTER": "a'b"},
		"need CUOTA_CLICKHOUSE, which is not set": {"CUOTA_CLICKHOUSE": "", "CUOTA_CLICKHOUSE_CLUSTER": "replicas"},
		"broker 2 is not host:port":               {"CUOTA_KAFKA": "one:9092,user:" + secret + "@two:9092"},
		"CUOTA_KAFKA_TLS is not":                  {"CUOTA_KAFKA_CA": authority},
		"\"gssapi\" is unknown":                   {"CUOTA_KAFKA_SASL": "gssapi", "CUOTA_KAFKA_USER": "user", "CUOTA_KAFKA_PASSWORD": secret},
		"needs CUOTA_KAFKA_USER":                  {"CUOTA_KAFKA_SASL": "plain", "CUOTA_KAFKA_PASSWORD": secret},
		"need CUOTA_KAFKA_SASL":                   {"CUOTA_KAFKA_PASSWORD": secret},
		"SCRAM does not allow":                    {"CUOTA_KAFKA_SASL": "scram-sha-512", "CUOTA_KAFKA_USER": "user", "CUOTA_KAFKA_PASSWORD": secret + "\x01"},
		"need CUOTA_KAFKA, which is not set":      {"CUOTA_KAFKA": "", "CUOTA_KAFKA_TLS": "true"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Setenv("CUOTA_CLICKHOUSE", "http://host:8123/cuota")
			t.Setenv("CUOTA_KAFKA", "host:9092")
			for name, value := range env {
				t.Setenv(name, value)
			}
			s, err := loadSettings()
			if err == nil {
				_, clickhouseErr := s.clickhouseServer()
				_, kafkaErr := s.kafkaServers()
				err = errors.Join(clickhouseErr, kafkaErr)
			}
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Fatalf("got %v", err)
			}
			for _, told := range []string{secret, url.QueryEscape(secret), "p@ss", "word?x"} {
				if strings.Contains(err.Error(), told) {
					t.Errorf("the password is in %q", err)
				}
			}
		})
	}
}

func TestSettingsInTheAddressOverrideThoseOfTheCluster(t *testing.T) {
	for _, test := range []struct {
		address string
		cluster string
		want    clickhouse.Settings
	}{
		{"http://host:8123/cuota", "", clickhouse.Settings{}},
		{"http://host:8123/cuota", "replicas", clickhouse.Settings{
			"insert_quorum": "auto", "insert_quorum_parallel": 0, "select_sequential_consistency": 1, "max_insert_threads": 1, "async_insert": 0,
			"mutations_sync": 2, "lightweight_deletes_sync": 2, "ignore_on_cluster_for_replicated_udf_queries": 1,
		}},
		{"clickhouse://one:9000,two:9000/cuota?insert_quorum=3&lightweight_deletes_sync=3&max_threads=4", "replicas", clickhouse.Settings{
			"insert_quorum": 3, "insert_quorum_parallel": 0, "select_sequential_consistency": 1, "max_insert_threads": 1, "async_insert": 0,
			"mutations_sync": 2, "lightweight_deletes_sync": 3, "ignore_on_cluster_for_replicated_udf_queries": 1, "max_threads": 4,
		}},
	} {
		t.Setenv("CUOTA_CLICKHOUSE", test.address)
		t.Setenv("CUOTA_CLICKHOUSE_CLUSTER", test.cluster)
		s, err := loadSettings()
		if err != nil {
			t.Fatal(err)
		}
		options, err := s.clickhouseServer()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, options.Settings); diff != "" {
			t.Errorf("%s on cluster %q: %s", test.address, test.cluster, diff)
		}
	}
}

func TestClickHouseIsAskedOverTLSOfTheNamedAuthority(t *testing.T) {
	ctx := context.Background()
	running, err := startEnginesAlone(ctx, settings{}, &dataDirectory{path: t.TempDir()}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.stop(ctx) })
	engine := running.options()
	scheme := "clickhouse"
	if engine.Protocol == clickhouse.HTTP {
		scheme = "https"
	}
	certified, named := tlstest.For(t, ""), tlstest.For(t, "tables.example.org")
	address := func(of *tlstest.Certified, more string) string {
		return fmt.Sprintf("%s://%s:%s@%s/%s?secure=true%s", scheme, engine.Auth.Username, url.QueryEscape(engine.Auth.Password),
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
		"the right authority":          {address(certified, ""), file(certified), ""},
		"a server that is named":       {address(named, "&tls_server_name=tables.example.org"), file(named), ""},
		"another authority":            {address(certified, ""), file(named), "certificate signed by unknown authority"},
		"the authorities of the world": {address(certified, ""), "", "certificate signed by unknown authority"},
		"another server":               {address(named, ""), file(named), "certificate"},
		"a server of another name":     {address(named, "&tls_server_name=other.example.org"), file(named), "certificate is valid for tables.example.org, not other.example.org"},
	} {
		t.Run(what, func(t *testing.T) {
			options, err := settings{ClickHouse: test.address, ClickHouseCA: test.authority}.clickhouseServer()
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
