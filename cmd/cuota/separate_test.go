package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/internal/mail/mailtest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"

	"github.com/rs/zerolog"
)

func TestTheRolesRunAsProcessesOfTheirOwnAgainstServers(t *testing.T) {
	longtest.Skip(t)
	ctx := context.Background()
	servers := &datadir.Directory{Path: t.TempDir()}
	running, err := datadir.StartEnginesAlone(ctx, environment.Settings{}, servers, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		over, cancel := context.WithCancel(ctx)
		cancel() // components that stopped before may have used up the whole time
		if err := running.Stop(over); err != nil {
			t.Errorf("the engines did not end cleanly: %v", err)
		}
	})
	options := running.Options()
	accounts := filepath.Join(t.TempDir(), "accounts.db")
	relay, sending := relayFor(t)
	env := append(installation(sending),
		"CUOTA_KAFKA="+openBroker(t),
		fmt.Sprintf("CUOTA_CLICKHOUSE=clickhouse://%s:%s@%s/%s", options.Auth.Username, options.Auth.Password,
			options.Addr[0], options.Auth.Database),
		"CUOTA_ACCOUNTS=sqlite://"+accounts,
		"CUOTA_PEPPER="+filepath.Join(t.TempDir(), "pepper"),
		"CUOTA_ARCHIVE="+filepath.Join(t.TempDir(), "archive"),
		"CUOTA_RETURNS=total",
		"CUOTA_NOTARY="+filepath.Join(t.TempDir(), "log"),
	)
	finish := func(args ...string) string {
		t.Helper()
		return env.finish(t, args)
	}

	projecting := env.serve(t, "project")
	awaitText(t, projecting, `"message":"projecting"`)
	out := finish("ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt", "--wait")
	if !strings.Contains(out, "in published batch 20191231-1-") {
		t.Errorf("ingest said:\n%s", out)
	}
	key := strings.TrimSpace(finish("key", "create", "--email", "someone@example.org"))
	then := append(slices.Clip(env), newsAt+"=2020-03-17T12:00:00-03:00")
	serving := then.serve(t, "query", "--listen", "127.0.0.1:0")
	address := regexp.MustCompile(`"address":"([^"]+)"[^\n]*"message":"serving the API"`)
	awaitText(t, serving, "serving the API")
	api := "http://" + address.FindStringSubmatch(serving.String())[1]
	if status, body := ask(t, api+"/api/screener?q=9809", key); status != http.StatusOK ||
		!strings.Contains(body, `"total":2`) {
		t.Errorf("the screener gives %d: %.300s", status, body)
	}
	for query, want := range map[string]int{"return_basis=total": http.StatusOK,
		"valuation=clp": http.StatusServiceUnavailable} {
		if status, body := ask(t, api+"/api/real_assets/1161378270/returns?"+query, key); status != want {
			t.Errorf("%s gives %d, want %d: %.300s", query, status, want, body)
		}
	}
	if out := finish("project", "--now"); !strings.Contains(out, "published batch 2") {
		t.Errorf("project --now said:\n%s", out)
	}
	waittest.Until(t, "both batches are in the log that the API serves", func() bool {
		status, body := ask(t, api+"/log/checkpoint", "")
		return status == http.StatusOK && strings.Contains(body, "\n2\n")
	})
	if out := finish("status"); !strings.Contains(out, "published batch 20191231-2-") ||
		!strings.Contains(out, "the log of published batches has 2, the last one 20191231-2-") {
		t.Errorf("status said:\n%s", out)
	}
	other := then.serve(t, "query", "--listen", "127.0.0.1:0")
	awaitText(t, other, "serving the API")
	apis := []string{api, "http://" + address.FindStringSubmatch(other.String())[1]}
	alertsGoOutOnce(t, relay, apis, accounts, finish)
	webhooksAreToldOnce(t, relay, apis, key, finish)
	files := httptest.NewServer(http.FileServer(http.Dir("../../demo/files/cartola")))
	defer files.Close()
	config := oneSource(t, files.URL+"/cartola_9809_9810_20200101_20201231.txt")
	if out := finish("scrape", "--config", config, "--once"); !strings.Contains(out,
		"published 1 (1516 rows, 0 rejected)") {
		t.Errorf("scrape said:\n%s", out)
	}
	logs := projecting.String() + serving.String() + other.String()
	for name, secret := range map[string]string{"ClickHouse": options.Auth.Password, "the relay": mailtest.Password} {
		if strings.Contains(logs, secret) {
			t.Errorf("the password of %s is in a log", name)
		}
	}
}

// transcript holds the output of a process, to be read while it runs.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// awaitText waits until a process has printed a text.
func awaitText(t *testing.T, written *transcript, text string) {
	t.Helper()
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(patience); !strings.Contains(written.String(), text); <-pause.C {
		if time.Now().After(deadline) {
			t.Fatalf("%q was never written:\n%s", text, written)
		}
	}
}
