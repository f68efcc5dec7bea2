package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/notaries"
	"cuota/internal/testkit/waittest"
)

const otherYear = "../../demo/files/cartola/cartola_9809_9810_20210101_20211231.txt"

// logState returns what cuota status says of the log.
func logState(t *testing.T, dir string) (state notaries.State) {
	t.Helper()
	var status struct {
		Log notaries.State `json:"log"`
	}
	if err := json.Unmarshal([]byte(cuota(t, "status", "--data", dir, "--json").stdout), &status); err != nil {
		t.Fatal(err)
	}
	return status.Log
}

func TestABatchIsProvenAgainstAKeptCheckpoint(t *testing.T) {
	t.Parallel()
	dir, kept := directoryWithBatch(t), t.TempDir()
	at := func(name string) string { return filepath.Join(kept, name) }
	r := up(t, dir, "--no-demo")
	leaves := func(dir string, want int64) notaries.State {
		t.Helper()
		waittest.Until(t, "the batches are in the log", func() bool { return logState(t, dir).Leaves == want })
		return logState(t, dir)
	}
	first := leaves(dir, 1)
	for name, path := range map[string]string{"checkpoint": "/log/checkpoint", "key": "/log/key"} {
		status, body := ask(t, r.api+path, "")
		if status != http.StatusOK {
			t.Fatalf("%s gives %d: %s", path, status, body)
		}
		if err := os.WriteFile(at(name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key, err := os.ReadFile(at("key"))
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, "ingest", "cartola", wholeYear, "--data", dir, "--wait")
	second := leaves(dir, 2)
	if _, body := ask(t, r.api+"/log/tile/entries/000.p/2", ""); !strings.Contains(body, second.Batch) {
		t.Errorf("the entries are %q", body)
	}

	checked := []string{at("proof"), "--checkpoint", at("checkpoint"), "--key", strings.TrimSpace(string(key))}
	check := func() result { return cuota(t, append([]string{"check-proof"}, checked...)...) }
	content, err := os.ReadFile(wholeYear)
	if err != nil {
		t.Fatal(err)
	}
	file := succeed(t, "prove", "--data", dir, "--file", fmt.Sprintf("%x", sha256.Sum256(content)))
	if err := os.WriteFile(at("file"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if told := succeed(t, "check-proof", at("file")); !strings.Contains(told, "is one of its files") ||
		!strings.Contains(told, second.Batch) || !strings.Contains(told, "Only the proof itself") {
		t.Errorf("the proof of a file says %s", told)
	}
	for _, batch := range []string{first.Batch, second.Batch} {
		succeed(t, "prove", "--data", dir, "--batch", batch, "--since", at("checkpoint"), "--out", at("proof"))
		if told := check(); told.code != 0 || !strings.Contains(told.stdout, "batch "+batch+" is leaf") {
			t.Errorf("the proof of %s ends with %d: %s%s", batch, told.code, told.stdout, told.stderr)
		}
		python, err := exec.LookPath("python3")
		if err != nil {
			continue // internal/notary fails without it where it must be there
		}
		out, err := exec.CommandContext(t.Context(), python,
			append([]string{"-I", "../../verify/proof.py"}, checked...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "batch "+batch+" is leaf") {
			t.Errorf("python says of %s: %s (%v)", batch, out, err)
		}
	}
	text, err := os.ReadFile(at("proof"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("proof"), []byte(strings.Replace(string(text), "cartola_series", "cartola_other", 1)+" "),
		0o600); err != nil {
		t.Fatal(err)
	}
	if told := check(); told.code != exit.Failed || !strings.Contains(told.stderr, "the proof is wrong") {
		t.Errorf("a changed proof ends with %d: %s", told.code, told.stderr)
	}
	if told := cuota(t, "prove", "--data", dir, "--batch", "20200101-9-000000000000"); told.code != exit.Failed ||
		!strings.Contains(told.stderr, "no such batch") {
		t.Errorf("an unknown batch ends with %d: %s", told.code, told.stderr)
	}

	store := filepath.Join(t.TempDir(), "backups")
	succeed(t, "backup", store, "--data", dir)
	secret, err := os.ReadFile(filepath.Join(dir, "log", "key"))
	if err != nil || holds(t, store, secret) {
		t.Errorf("the backup holds the secret key (%v)", err)
	}
	r.interrupt(t)
	restored := filepath.Join(t.TempDir(), "restored")
	if told := succeed(t, "restore", store, "--data", restored, "--pepper",
		filepath.Join(dir, "accounts", "pepper")); !strings.Contains(told, "Put your copy of log/key") {
		t.Errorf("the restore says nothing of the secret key: %s", told)
	}
	if err := os.WriteFile(filepath.Join(restored, "log", "key"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	again := up(t, restored, "--no-demo")
	if state := leaves(restored, 2); state.Batch != second.Batch || state.Fault != "" {
		t.Errorf("the restored log is %+v", state)
	}
	succeed(t, "ingest", "cartola", otherYear, "--data", restored, "--wait")
	third := leaves(restored, 3)
	succeed(t, "prove", "--data", restored, "--batch", third.Batch, "--since", at("checkpoint"), "--out", at("proof"))
	if told := check(); told.code != 0 {
		t.Errorf("the proof of the restored log ends with %d: %s", told.code, told.stderr)
	}
	again.interrupt(t)

	if err := os.Remove(filepath.Join(restored, "log", "tile", "entries", "000")); err != nil {
		t.Fatal(err)
	}
	if told := cuota(t, "status", "--data", restored); told.code != exit.Failed ||
		!strings.Contains(told.stdout, "the log was cut") {
		t.Errorf("a log that was cut gives status %d: %s", told.code, told.stdout)
	}
	if told := cuota(t, "backup", store, "--data", restored); told.code != exit.Failed ||
		!strings.Contains(told.stdout, "the log was cut") {
		t.Errorf("a log that was cut is backed up with %d: %s", told.code, told.stdout)
	}
}
