package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestMakePassesSettingsOnToCopies(t *testing.T) {
	command := exec.CommandContext(t.Context(), "make", "-n", "copies", "DATA=/some/where", "COPIES=3", "PORT=9080",
		"MARKET=/a/market", "RESTART=60")
	command.Dir = "../.."
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("make -n copies: %v\n%s", err, out)
	}
	want := "DATA=/some/where COPIES=3 PORT=9080 MARKET=/a/market RESTART=60 exec scripts/copies\n"
	if !strings.Contains(string(out), want) {
		t.Errorf("make copies would run:\n%s", out)
	}
}

func TestMakePassesArgumentsOnToUp(t *testing.T) {
	for _, target := range []string{"run", "demo-market"} {
		command := exec.CommandContext(t.Context(), "make", "-n", target, "DATA=/some/where",
			"ARGS=--listen 127.0.0.1:9999")
		command.Dir = "../.."
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("make -n %s: %v\n%s", target, err, out)
		}
		if !strings.Contains(string(out), "cuota up --data /some/where ") ||
			!strings.Contains(string(out), " --listen 127.0.0.1:9999\n") {
			t.Errorf("make %s would run:\n%s", target, out)
		}
	}
}
