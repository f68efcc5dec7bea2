package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"cuota/cmd/cuota/exit"
)

// explained is a "cuota up" of which tests ask for receipts, with the quotas of firstYear.
type explained struct {
	*running
	key string
}

// explain runs the command with the key in a variable. Nothing that it writes may have the key.
func (e *explained) explain(t *testing.T, args ...string) result {
	t.Helper()
	r := cuotaIn(t, []string{"CUOTA_API_KEY=" + e.key}, append([]string{"explain", "--url", e.api}, args...)...)
	if strings.Contains(r.stdout+r.stderr, e.key) {
		t.Errorf("%v writes the key", args)
	}
	return r
}

// quotaLine returns the number of the line of firstYear about series B of fund 9809 on a day, and its quota.
func quotaLine(t *testing.T, day string) (line int, quota string) {
	t.Helper()
	text, err := os.ReadFile(firstYear)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range strings.Split(string(text), "\n") {
		fields := strings.Split(row, ";")
		if len(fields) > 12 && fields[2] == "9809" && fields[3] == day && fields[8] == "B" {
			return i + 1, fields[12]
		}
	}
	t.Fatalf("%s has no quota of %s", firstYear, day)
	return 0, ""
}

// commas puts commas between the thousands of a quota below a million.
func commas(quota string) string {
	whole, rest, _ := strings.Cut(quota, ".")
	return whole[:len(whole)-3] + "," + whole[len(whole)-3:] + "." + rest
}

func TestExplainShowsTheLinesOfANumberAndItsReceipt(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no python3")
	}
	dir := directoryWithBatch(t)
	e := &explained{running: up(t, dir, "--no-demo")}
	e.key = strings.TrimSpace(succeed(t, "key", "create", "--data", dir, "--email", "a@example.org"))
	files := filepath.Dir(firstYear)

	t.Run("a return", func(t *testing.T) {
		atEnd, end := quotaLine(t, "20191220")
		atStart, start := quotaLine(t, "20191120")
		change := decimal.RequireFromString(end).Div(decimal.RequireFromString(start)).Sub(decimal.NewFromInt(1))
		r := e.explain(t, "--series", "1161378270", "--window", "1m", "--date", "2019-12-20", "--check", files)
		for _, part := range []string{
			"Fund 9809-4, series B\n", "batch 20191231-1-",
			fmt.Sprintf("\n  %s / %s - 1 = %s %%\n", commas(end), commas(start), change.Shift(2).StringFixed(4)),
			fmt.Sprintf("\n    line %d of %s\n", atEnd, filepath.Base(firstYear)),
			fmt.Sprintf("\n    line %d of %s\n", atStart, filepath.Base(firstYear)),
			"docs/rules.md#windows-and-the-quotes-that-stand-for-their-dates\n", "\n1 receipts, 0 of them wrong\n",
		} {
			if !strings.Contains(r.stdout, part) {
				t.Errorf("%q is missing in:\n%s", part, r.stdout)
			}
		}
		if r.code != 0 || r.stderr != "" {
			t.Errorf("it ended with %d: %s", r.code, r.stderr)
		}
	})
	t.Run("a computed cost rate", func(t *testing.T) {
		r := e.explain(t, "--series", "1161378270", "--field", "tac", "--check", files)
		for _, part := range []string{"Annual cost rate (TAC) computed from daily costs at ", " + … + ", " * 365 = ",
			"Fees and expenses of the day: 5 of ", "Equity that bore the costs: ", "Equity of the day before: ", "\n1 receipts, 0 of them wrong\n"} {
			if !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), strings.TrimSpace(part)) {
				t.Errorf("%q is missing in:\n%s", part, r.stdout)
			}
		}
		if r.code != 0 {
			t.Errorf("it ended with %d: %s", r.code, r.stderr)
		}
	})
	t.Run("a rank", func(t *testing.T) {
		args := []string{"--series", "1161378270", "--field", "rank", "--window", "1m"}
		r := e.explain(t, append(args, "--check", files, "--with-peers")...)
		for _, part := range []string{"Place by price return over the window 1m at 2019-12-31\n", "place(", "Series that are compared: ",
			"\n  /api/explain/peers?batch_id=20191231-1-", "and 0 of their values, follow from other receipts\n", " receipts, 0 of them wrong\n"} {
			if !strings.Contains(r.stdout, part) {
				t.Errorf("%q is missing in:\n%s", part, r.stdout)
			}
		}
		if r.code != 0 || r.stderr != "" {
			t.Errorf("it ended with %d: %s", r.code, r.stderr)
		}
		r = e.explain(t, append(args, "--json", "--with-peers")...)
		if lines := strings.Split(strings.TrimSpace(r.stdout), "\n"); len(lines) < 3 || !strings.Contains(lines[1], `"type":"receipt_peers"`) {
			t.Errorf("it prints %s", r.stdout)
		}
		if r = e.explain(t, append(args, "--with-peers")...); r.code != exit.Incomplete {
			t.Errorf("without --json and --check it ended with %d", r.code)
		}
	})
	t.Run("the answer of the API as it is", func(t *testing.T) {
		_, body := ask(t, e.api+"/api/explain?"+url.Values{"series": {"1161378270"},
			"date": {"2019-11-04"}}.Encode(), e.key)
		r := e.explain(t, "--series", "1161378270", "--date", "2019-11-04", "--json", "--check", files)
		if r.code != 0 || r.stdout != strings.TrimSpace(body)+"\n" || strings.Count(r.stdout, "\n") != 1 {
			t.Errorf("it ended with %d, %s%s, and the API answers %s", r.code, r.stdout, r.stderr, body)
		}
		checker := exec.CommandContext(t.Context(), python, "../../verify/receipt.py", "-", files)
		checker.Stdin = strings.NewReader(r.stdout)
		if out, err := checker.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "1 receipts, 0 ") {
			t.Errorf("the checker ends with %v: %s", err, out)
		}
	})
	t.Run("no number", func(t *testing.T) {
		for why, args := range map[string][]string{
			"no value: missing_start_quote\n  There is no quota for the start of the window.": {"--window", "1y"},
			"no value: missing_end_uf\n  There is no UF for the end of the window.":           {"--window", "1m", "--valuation", "real_uf"},
			"no value: missing_quote\n  No file states a quota of the series on that day.":    {"--date", "2019-01-01"},
			"no value: no_cost_rate\n  No cost rate of the series is in force at that date.":  {"--field", "tac", "--date", "2019-01-01"},
		} {
			r := e.explain(t, append([]string{"--series", "1161378270"}, args...)...)
			if r.code != 0 || !strings.Contains(r.stdout, why) || strings.Contains(r.stdout, "Formula") {
				t.Errorf("%v ended with %d, without %q: %s%s", args, r.code, why, r.stdout, r.stderr)
			}
		}
	})
	t.Run("what is wrong", func(t *testing.T) {
		for _, wrong := range []struct {
			args []string
			code int
			want string
		}{
			{[]string{"--window", "2y"}, exit.Failed, "422: window: Must be one of: 1m, 3m"},
			{[]string{"--field", "return"}, exit.Failed, "422: window: Required with field=return"},
			{[]string{"--known-at", "2000-01-01"}, exit.Failed, "410 known_at_gone: "},
			{[]string{"--batch-id", "20000101-1-000000000000"}, exit.Failed, "410 batch_gone: "},
			{[]string{"--series", "12"}, exit.Failed, "404 not_found: There is no series of this id"},
			{[]string{"--series", ""}, exit.Incomplete, "with --series"},
			{[]string{"--check", t.TempDir()}, exit.Failed, "do not confirm the receipt"},
			{[]string{"--check", filepath.Join(t.TempDir(), "none")}, exit.Failed, "no such file or directory"},
			{[]string{"--url", "http://127.0.0.1:1"}, exit.Failed, "check that cuota runs there"},
		} {
			r := e.explain(t, append([]string{"--series", "1161378270"}, wrong.args...)...)
			if r.code != wrong.code || !strings.Contains(r.stderr, wrong.want) {
				t.Errorf("%v ended with %d: %s", wrong.args, r.code, r.stderr)
			}
		}
		r := cuota(t, "explain", "--url", e.api, "--series", "1161378270")
		if r.code != exit.Failed || !strings.Contains(r.stderr, strconv.Itoa(http.StatusUnauthorized)) ||
			!strings.Contains(r.stderr, "--key-file") || r.stdout != "" {
			t.Errorf("without a key it ended with %d: %s%s", r.code, r.stdout, r.stderr)
		}
	})
	e.interrupt(t)
}
