package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/site/docspages/reference"
	"cuota/internal/site/locale"
	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/clienttest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/sampletest"
	"cuota/internal/testkit/waittest"

	"github.com/chromedp/chromedp"
)

// Every client runs the cases that all share (clients/conformance), and then what is its own. They ask more often than
// one client may. So the server trusts the tests as a proxy, and they name other clients.
func TestEveryClientOfTheAPIGivesWhatItHas(t *testing.T) {
	longtest.InTurns(t)
	copied := clienttest.Copy(t)
	python := clienttest.Python(t, filepath.Join(copied, "python"))
	dir := filepath.Join(t.TempDir(), "data")
	r := upIn(t, []string{"CUOTA_TRUSTED_PROXIES=127.0.0.1/32"}, &transcript{}, dir)
	defer r.interrupt(t)
	key := keyOfFirstStart(t, dir)
	env := []string{"CUOTA_URL=" + r.api, "CUOTA_KEY=" + key}
	typescript := clienttest.TypeScript(t, copied, r.api)

	t.Run("cases", func(t *testing.T) { conformance(t, copied, python, r.api, key, publisher(t, dir)) })
	t.Run("the function of Google Sheets", func(t *testing.T) {
		if err := runIn(t, filepath.Join(copied, "sheets"), env, "sh", "-c", "node --test test/*.test.mjs"); err != nil {
			t.Error(err)
		}
	})
	t.Run("the client in TypeScript, in node", func(t *testing.T) {
		if err := runIn(t, typescript, env, "npm", "run", "check"); err != nil {
			t.Error(err)
		}
	})
	t.Run("as the guide shows it", func(t *testing.T) { codeOfTheGuide(t, typescript, r.api, key) })
	t.Run("and in a browser", func(t *testing.T) { inABrowser(t, filepath.Join(typescript, "dist"), r.api, key) })
}

// codeOfTheGuide runs the JavaScript of the guide of clients beside the built package.
func codeOfTheGuide(t *testing.T, typescript, api, key string) {
	guide, there := reference.FindGuide("clientes", locale.Spanish, api)
	blocks := slices.DeleteFunc(sampletest.Blocks(guide.Markdown), func(b sampletest.Block) bool {
		return b.Language != reference.JavaScript
	})
	if !there || len(blocks) != 1 {
		t.Fatalf("the guide has %d blocks of JavaScript", len(blocks))
	}
	if err := os.WriteFile(filepath.Join(typescript, "guide.mjs"), []byte(blocks[0].Text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "guide.mjs")
	node.Dir, node.Env = typescript, append(os.Environ(), "CUOTA_KEY="+key)
	printed, err := node.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	status, body := ask(t, api+"/api/returns?from=2024-01-02&to=2025-06-30&series=1161378270", key)
	var want struct {
		Data []struct {
			Attributes struct {
				FundName, Serie string
				Value           float64
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &want); err != nil || status != http.StatusOK || len(want.Data) != 1 {
		t.Fatalf("the API gives %d: %v: %.300s", status, err, body)
	}
	one := want.Data[0].Attributes
	if line := fmt.Sprintf("%s %s %v\n", one.FundName, one.Serie, one.Value); string(printed) != line {
		t.Errorf("the code printed %q, want %q", printed, line)
	}
}

// runIn runs a program in a folder, and tells in its error what the program printed.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// publisher returns a function that publishes a batch in which one quota of 2025-07-18 is higher by 1.5 than in the
// batch before.
func publisher(t *testing.T, data string) func() {
	t.Helper()
	text, err := os.ReadFile("../../demo/files/cartola/cartola_9809_9810_20250101_20250720.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	at := slices.IndexFunc(lines, func(line string) bool {
		fields := strings.Split(line, ";")
		return len(fields) > columnQuota && fields[columnRUN] == "9809" && fields[columnDay] == "20250718" &&
			fields[columnSeries] == "B"
	})
	if at < 0 {
		t.Fatal("the file has no such row")
	}
	file := filepath.Join(t.TempDir(), "corrected.txt")
	return func() {
		fields := strings.Split(lines[at], ";")
		quota, err := strconv.ParseFloat(fields[columnQuota], 64)
		if err != nil {
			t.Fatal(err)
		}
		fields[columnQuota] = strconv.FormatFloat(quota+1.5, 'f', 4, 64)
		lines[at] = strings.Join(fields, ";")
		if err := os.WriteFile(file, []byte(lines[0]+lines[at]), 0o600); err != nil {
			t.Fatal(err)
		}
		// It may be called while a request waits, where a test can't be ended.
		if out, err := program(t.Context(), nil, "ingest", "cartola", file, "--data", data, "--wait").
			CombinedOutput(); err != nil {
			t.Errorf("cuota ingest: %v\n%s", err, out)
		}
	}
}

// inABrowser reads all pages of a list on a page of another origin than the API's.
func inABrowser(t *testing.T, dist, api, key string) {
	const page = `<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module">
import { createClient } from "./index.js";
const [api, key] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const cuota = createClient({ baseUrl: api, apiKey: key });
const found = [];
for await (const { id } of cuota.series({ run: "9809", limit: 2 })) found.push(id);
const gone = await cuota.screener({ batch_id: "none" }).page().catch((error) => error);
document.title = JSON.stringify({ found, gone: gone.name, request: gone.requestId });
</script>`
	files := http.FileServer(http.Dir(dist))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		if asked.URL.Path == "/" {
			_, _ = w.Write([]byte(page)) // an error only means that the browser has gone
			return
		}
		files.ServeHTTP(w, asked)
	}))
	t.Cleanup(site.Close)
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, site.URL+"/") || strings.HasPrefix(address, api+"/") ||
			strings.HasPrefix(address, "data:")
	})
	given, err := json.Marshal([]string{api, key})
	if err != nil {
		t.Fatal(err)
	}
	visit := site.URL + "/#" + strings.ReplaceAll(string(given), `"`, "%22")
	if err := chromedp.Do(b.Ctx, chromedp.Navigate(visit)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Found         []string
		Gone, Request string
	}
	waittest.Until(t, "the page has read the series", func() bool {
		title, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("document.title"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.HasPrefix(title, "{") && json.Unmarshal([]byte(title), &got) == nil
	})
	status, body := ask(t, api+"/api/series?run=9809", key)
	var want struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(body), &want); err != nil || status != http.StatusOK || len(want.Data) < 5 {
		t.Fatalf("the API gives %d: %v: %.300s", status, err, body)
	}
	if len(got.Found) != len(want.Data) || got.Gone != "BatchGoneError" || got.Request == "" {
		t.Errorf("the browser read %+v, want %+v", got, want)
	}
	for i, series := range want.Data {
		if i < len(got.Found) && got.Found[i] != series.ID {
			t.Errorf("series %d is %s, want %s", i, got.Found[i], series.ID)
		}
	}
	for _, problem := range b.Problems() {
		if !strings.Contains(problem, "410") { // Chromium logs each reply with an error
			t.Error(problem)
		}
	}
}
