package admin

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/health"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func TestAProcessIsNotReadyBeforeAllItsPartsAreKnown(t *testing.T) {
	a, err := Open(t.Context(), "127.0.0.1:0", "", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	a.Start()
	defer func() {
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	ready := func() (int, health.Report) {
		reply, err := http.Get("http://" + a.Addr() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reply.Body.Close() }()
		var report health.Report
		if err := json.NewDecoder(reply.Body).Decode(&report); err != nil {
			t.Fatal(err)
		}
		return reply.StatusCode, report
	}
	a.Add(health.Part{Name: apiPart, Ready: func() error { return nil }}, true)
	if code, report := ready(); code != http.StatusServiceUnavailable ||
		report.Parts[len(report.Parts)-1].Part != startPart {
		t.Errorf("while it starts: %d %+v", code, report)
	}
	a.AllStarted()
	if code, report := ready(); code != http.StatusOK || len(report.Parts) != 1 {
		t.Errorf("after its start: %d %+v", code, report)
	}
}

// A page whose name leads to this machine must not read metrics through the browser of an operator.
func TestTheAdminAddressAnswersOnlyToItsOwnNames(t *testing.T) {
	a, err := Open(t.Context(), "127.0.0.1:0", "", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	a.Start()
	a.AllStarted()
	defer func() {
		if err := a.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost": http.StatusOK, "LOCALHOST:9091": http.StatusOK, "[::1]:9091": http.StatusOK,
		"evil.example.org": http.StatusForbidden, "localhost.example.org": http.StatusForbidden,
		"project": http.StatusForbidden, "192.0.2.1": http.StatusForbidden,
	} {
		for _, path := range []string{"/metrics", "/livez", "/readyz"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.Addr()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s as %q answers %d, want %d", path, host, answer.StatusCode, want)
			}
		}
	}
	for host, want := range map[string]bool{
		"localhost": true, "project": true, "192.0.2.1": true, "admin.example.org": true, "evil.example.org": false,
		"": false,
	} {
		if got := operatorsName(host, false, "admin.example.org"); got != want {
			t.Errorf("at an address of the network, %q is answered: %v", host, got)
		}
	}
}

func TestAnAddressThatIsTakenIsAnErrorOnlyIfItWasAskedFor(t *testing.T) {
	taken, err := net.Listen("tcp", defaultAdmin)
	if err != nil {
		t.Logf("another process has %s already", defaultAdmin)
	} else {
		defer func() { _ = taken.Close() }()
	}
	for address, wrong := range map[string]bool{"": false, noAdmin: false, "127.0.0.1:0": false, defaultAdmin: true,
		"nowhere": true} {
		a, err := Open(t.Context(), address, "", zerolog.Nop())
		if (err != nil) != wrong {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil {
			continue
		}
		if served := a.Addr() != ""; served != (address == "127.0.0.1:0") {
			t.Errorf("%q: served at %q", address, a.Addr())
		}
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
