package main

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
)

func TestAPortInUseIsReportedWithItsFlagBeforeAnythingIsStarted(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	address := taken.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"--listen", "--clickhouse-listen", "--clickhouse-native-listen", "--kafka-listen"}
	for _, flag := range flags {
		dir := filepath.Join(t.TempDir(), "data")
		args := []string{"up", "--data", dir, "--admin", "127.0.0.1:0"}
		for _, other := range flags {
			at := "127.0.0.1:0"
			if other == flag {
				at = address
			}
			args = append(args, other, at)
		}
		r := cuota(t, args...)
		line := strings.TrimSuffix(r.stderr, "\n")
		if r.code != exit.Failed || r.stdout != "" || strings.Contains(line, "\n") ||
			!strings.Contains(line, "port "+port) ||
			!slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ';' }), flag) {
			t.Errorf("with the port of %s in use, up ended with %d and said:\n%s%s", flag, r.code, r.stdout, r.stderr)
		}
		for _, engine := range []string{"clickhouse", "kafka"} {
			if _, err := os.Stat(filepath.Join(dir, engine)); !os.IsNotExist(err) {
				t.Errorf("with the port of %s in use, up started %s before it said so (%v)", flag, engine, err)
			}
		}
	}
}
