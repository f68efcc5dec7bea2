package environment

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
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
		"CUOTA_CLICKHOUSE_CLUSTER: ": {"CUOTA_CLICKHOUSE": "http://user:" + url.QueryEscape(secret) +
			"@host/cuota", "CUOTA_CLICKHOUSE_CLUSTER": "a'b"},
		"need CUOTA_CLICKHOUSE, which is not set": {"CUOTA_CLICKHOUSE": "", "CUOTA_CLICKHOUSE_CLUSTER": "replicas"},
		"broker 2 is not host:port":               {"CUOTA_KAFKA": "one:9092,user:" + secret + "@two:9092"},
		"CUOTA_KAFKA_TLS is not":                  {"CUOTA_KAFKA_CA": authority},
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

func TestSettingsInTheAddressOverrideThoseOfTheCluster(t *testing.T) {
	for _, test := range []struct {
		address string
		cluster string
		want    clickhouse.Settings
	}{
		{"http://host:8123/cuota", "", clickhouse.Settings{}},
		{"http://host:8123/cuota", "replicas", clickhouse.Settings{
			"insert_quorum": "auto", "insert_quorum_parallel": 0, "select_sequential_consistency": 1,
			"max_insert_threads": 1, "async_insert": 0,
			"mutations_sync": 2, "lightweight_deletes_sync": 2, "ignore_on_cluster_for_replicated_udf_queries": 1,
		}},
		{"clickhouse://one:9000,two:9000/cuota?insert_quorum=3&lightweight_deletes_sync=3&max_threads=4", "replicas",
			clickhouse.Settings{
				"insert_quorum": 3, "insert_quorum_parallel": 0, "select_sequential_consistency": 1,
				"max_insert_threads": 1, "async_insert": 0,
				"mutations_sync": 2, "lightweight_deletes_sync": 3, "ignore_on_cluster_for_replicated_udf_queries": 1,
				"max_threads": 4,
			}},
	} {
		t.Setenv("CUOTA_CLICKHOUSE", test.address)
		t.Setenv("CUOTA_CLICKHOUSE_CLUSTER", test.cluster)
		s, err := Load()
		if err != nil {
			t.Fatal(err)
		}
		options, err := s.ClickHouseServer()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, options.Settings); diff != "" {
			t.Errorf("%s on cluster %q: %s", test.address, test.cluster, diff)
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
