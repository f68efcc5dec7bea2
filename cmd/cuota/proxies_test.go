package main

import (
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

func TestAnHTTPSAddressIsServedOnlyOnceItIsKnownHowClientsCome(t *testing.T) {
	free := []string{"--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0", "--clickhouse-native-listen",
		"127.0.0.1:0", "--kafka-listen", "127.0.0.1:0"}
	dir := filepath.Join(t.TempDir(), "data")
	const base = "CUOTA_BASE_URL=https://funds.example.org"
	servers := []string{"CUOTA_CLICKHOUSE=http://127.0.0.1:1/cuota",
		"CUOTA_ACCOUNTS=sqlite://" + filepath.Join(t.TempDir(), "a.db"),
		"CUOTA_PEPPER=" + filepath.Join(t.TempDir(), "pepper")}
	for _, refused := range []struct{ env, args []string }{
		{[]string{base}, append([]string{"up", "--no-demo", "--data", dir}, free...)},
		{[]string{base, "CUOTA_TRUSTED_PROXIES="}, append([]string{"up", "--no-demo", "--data", dir}, free...)},
		{[]string{"CUOTA_BASE_URL=HTTPS://funds.example.org"},
			append([]string{"up", "--no-demo", "--data", dir}, free...)},
		{append([]string{base}, servers...), []string{"query", "--listen", "127.0.0.1:0"}},
		{append([]string{base}, servers...), []string{"query", "--listen", "0.0.0.0:0"}},
	} {
		r := cuotaIn(t, refused.env, refused.args...)
		if r.code != exit.Failed || !strings.Contains(r.stderr, "CUOTA_TRUSTED_PROXIES") ||
			!strings.Contains(r.stderr, "CUOTA_BASE_URL") {
			t.Errorf("%v %v ended with %d: %s", refused.env, refused.args, r.code, r.stderr)
		}
	}
}

func TestAServiceBehindAStatedProxyStarts(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithTables(t)
	for stated, shared := range map[string]bool{"127.0.0.1": false, "none": true} {
		log := &transcript{}
		r := upIn(t, []string{"CUOTA_BASE_URL=https://funds.example.org", "CUOTA_TRUSTED_PROXIES=" + stated}, log, dir,
			"--no-demo")
		r.interrupt(t)
		if warned := strings.Contains(log.String(), "all clients share its address"); warned != shared {
			t.Errorf("with proxies %s it warns: %v\n%s", stated, warned, log)
		}
	}
}
