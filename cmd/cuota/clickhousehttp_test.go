package main

import (
	"strings"
	"testing"
)

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
		s := settings{ClickHouse: c.server, ClickHouseHTTP: c.http}
		options, err := s.clickhouseServer()
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.clickhouseHTTP(options)
		if (err != nil) != c.refused || (got != nil) != c.known {
			t.Errorf("%s and %q: known: %t, error: %v", c.server, c.http, got != nil, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
	if err := (settings{ClickHouseHTTP: "http://a:8123"}).checkServers(); err == nil {
		t.Error("an address of HTTP without a server is accepted")
	}
}
