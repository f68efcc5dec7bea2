package environment

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		"is not an address like": {"CUOTA_CLICKHOUSE": "postgres://user:" + url.QueryEscape(secret) +
			"@host:5432/cuota"},
		"like clickhouse://": {"CUOTA_CLICKHOUSE": "user:" + secret},
		"or https://": {"CUOTA_CLICKHOUSE": "http://user:" + url.QueryEscape(secret) +
			"@host:8123/cuota?secure=true"},
		"clickhouse://…?secure=true": {"CUOTA_CLICKHOUSE": "clickhouse://user:" + url.QueryEscape(secret) +
			"@host:9000/cuota", "CUOTA_CLICKHOUSE_CA": authority},
		"skip_verify": {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) +
			"@host/cuota?skip_verify=true", "CUOTA_CLICKHOUSE_CA": authority},
		"contains no certificate": {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) +
			"@host/cuota", "CUOTA_CLICKHOUSE_CA": authority},
		"is not a file": {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) +
			"@host/cuota", "CUOTA_CLICKHOUSE_CA": "/dev/zero"},
		"no such file": {"CUOTA_CLICKHOUSE": "https://user:" + url.QueryEscape(secret) +
			"@host/cuota", "CUOTA_CLICKHOUSE_CA": authority + "x"},
		"need CUOTA_CLICKHOUSE, which is not set": {"CUOTA_CLICKHOUSE": "", "CUOTA_CLICKHOUSE_CA": authority},
		"names several servers: name one": {"CUOTA_CLICKHOUSE": "clickhouse://user:" + url.QueryEscape(secret) +
			"@one:9000,two:9000/cuota"},
		"broker 2 is not host:port": {"CUOTA_KAFKA": "one:9092,user:" + secret + "@two:9092"},
		"CUOTA_KAFKA_TLS is not":    {"CUOTA_KAFKA_CA": authority},
		"\"gssapi\" is unknown": {"CUOTA_KAFKA_SASL": "gssapi", "CUOTA_KAFKA_USER": "user",
			"CUOTA_KAFKA_PASSWORD": secret},
		"needs CUOTA_KAFKA_USER": {"CUOTA_KAFKA_SASL": "plain", "CUOTA_KAFKA_PASSWORD": secret},
		"need CUOTA_KAFKA_SASL":  {"CUOTA_KAFKA_PASSWORD": secret},
		"SCRAM does not allow": {"CUOTA_KAFKA_SASL": "scram-sha-512", "CUOTA_KAFKA_USER": "user",
			"CUOTA_KAFKA_PASSWORD": secret + "\x01"},
		"need CUOTA_KAFKA, which is not set": {"CUOTA_KAFKA": "", "CUOTA_KAFKA_TLS": "true"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Setenv("CUOTA_CLICKHOUSE", "http://host:8123/cuota")
			t.Setenv("CUOTA_KAFKA", "host:9092")
			for name, value := range env {
				t.Setenv(name, value)
			}
			s, err := Load()
			if err == nil {
				_, clickhouseErr := s.ClickHouseServer()
				_, kafkaErr := s.KafkaServers()
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

func TestASettingInTheAddressGoesBeforeThatOfCuota(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"clickhouse://u:secret@a:9000/cuota":                       "0",
		"http://u:secret@a:8123/cuota":                             "0",
		"clickhouse://u:secret@a:9000/cuota?compile_expressions=1": "1",
	} {
		options, err := Settings{ClickHouse: address}.ClickHouseServer()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(options.Settings["compile_expressions"]); got != want {
			t.Errorf("%s sends compile_expressions = %s, want %s", address, got, want)
		}
	}
}

func TestAClusterIsRefusedAndSeveralCopiesAreNamed(t *testing.T) {
	for value, fails := range map[string]bool{"": false, "replicas": true} {
		t.Setenv("CUOTA_CLICKHOUSE", "http://host:8123/cuota")
		t.Setenv("CUOTA_CLICKHOUSE_CLUSTER", value)
		_, err := Load()
		if (err != nil) != fails {
			t.Fatalf("%q gives %v", value, err)
		}
		for _, told := range []string{"CUOTA_CLICKHOUSE_CLUSTER is no longer known: unset it", "CUOTA_COPY",
			"docs/servers.md"} {
			if fails && !strings.Contains(err.Error(), told) {
				t.Errorf("%q gives %v, which lacks %s", value, err, told)
			}
		}
	}
}

func TestTheHTTPInterfaceIsTheNamedOneOrTheUsualOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, http string
		known        bool
		refused      bool
	}{
		{server: "clickhouse://u:secret@a:9000/cuota", known: true},
		{server: "clickhouse://u:secret@a:9440/cuota?secure=true", known: true},
		{server: "clickhouse://u:secret@a:19000/cuota"},
		{server: "http://u:secret@a:18123/cuota", known: true},
		{server: "clickhouse://u:secret@a:19000/cuota", http: "http://a:18123", known: true},
		{server: "clickhouse://u:secret@a:9000/cuota", http: "https://a:8443/", known: true},
		{server: "clickhouse://u:secret@a:9440/cuota?secure=true", http: "http://a:8123", refused: true}, // in clear
		{server: "clickhouse://u:secret@a:9000/cuota", http: "a:8123", refused: true},
		{server: "clickhouse://u:secret@a:9000/cuota", http: "http://u:secret@a:8123", refused: true},
		{server: "clickhouse://u:secret@a:9000/cuota", http: "http://a:8123/?password=secret", refused: true},
		{server: "clickhouse://u:secret@a:9000/cuota", http: "http://a:8123/cuota", refused: true},
	} {
		s := Settings{ClickHouse: c.server, ClickHouseHTTP: c.http}
		options, err := s.ClickHouseServer()
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.HTTPInterface(options)
		if (err != nil) != c.refused || (got != nil) != c.known {
			t.Errorf("%s and %q: known: %t, error: %v", c.server, c.http, got != nil, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
	if err := (Settings{ClickHouseHTTP: "http://a:8123"}).checkServers(); err == nil {
		t.Error("an address of HTTP without a server is accepted")
	}
}
