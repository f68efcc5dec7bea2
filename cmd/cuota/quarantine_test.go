package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

// marketFile writes a cartola of 60 funds on the days of a month. quota writes the quota of
// a fund.
func marketFile(t *testing.T, month string, days int, quota func(fund int) string) string {
	t.Helper()
	header, err := os.ReadFile(firstYear)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(header), "\n")
	var b strings.Builder
	b.WriteString(first + "\n")
	for fund := range 60 {
		for day := range days {
			fmt.Fprintf(&b, "91999000;ADMINISTRADORA "+
				"S.A.;%d;%s%02d;12749951000;$$;N;0;A;1.5;0;9003.4321;%s;12749951;12;0;N;103;0;5;0;0;0;;\n",
				8100+fund, month, day+1, quota(fund))
		}
	}
	path := filepath.Join(t.TempDir(), "ffmm_todos_"+month+".txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileInQuarantineWaitsForAPerson(t *testing.T) {
	longtest.Skip(t)
	dir := filepath.Join(t.TempDir(), "data")
	exact := func(fund int) string { return fmt.Sprintf("1%03d.%04d", fund, 1001+fund*10%8000+1) }
	rounded := func(fund int) string { return fmt.Sprintf("1%03d.%02d", fund, fund%90+10) }
	succeed(t, "ingest", "cartola", marketFile(t, "202401", 31, exact), "--data", dir, "--wait")
	february := marketFile(t, "202402", 24, rounded)
	r := cuota(t, "ingest", "cartola", february, "--data", dir)
	if r.code != exit.Rejected || !strings.Contains(r.stdout, "column VALOR_CUOTA: 2 decimals; 4 were usual") ||
		!strings.Contains(r.stdout, "is in quarantine") ||
		!strings.Contains(r.stdout, "says that it goes to 2024-02-29, and its last day is 2024-02-24") {
		t.Fatalf("ingest ended with %d: %s%s", r.code, r.stdout, r.stderr)
	}
	name := filepath.Base(february)
	if out := succeed(t, "rejected", "list", "--data", dir); !strings.Contains(out, name) ||
		!strings.Contains(out, "quarantined") {
		t.Errorf("the list says:\n%s", out)
	}
	if out := succeed(t, "status", "--data", dir); !strings.Contains(out, "late: 2024-02-05") ||
		strings.Contains(out, "2024-02-24") {
		t.Errorf("status says:\n%s", out)
	}
	if out := succeed(t, "repair", "--data", dir); !strings.Contains(out, "nothing is damaged") {
		t.Errorf("a repair published it:\n%s", out)
	}
	succeed(t, "rejected", "refuse", name, "--data", dir)
	if out := succeed(t, "rejected", "list", "--data", dir); !strings.Contains(out, "there are no open rejected rows") {
		t.Errorf("after it was refused the list says:\n%s", out)
	}
	if out := succeed(t, "rejected", "accept", name, "--data", dir); !strings.Contains(out,
		"accepted, in published batch 20240224-") {
		t.Errorf("accept said:\n%s", out)
	}
	if r := cuota(t, "rejected", "refuse", name, "--data", dir); r.code != exit.Failed ||
		!strings.Contains(r.stderr, "not in quarantine") {
		t.Errorf("refused after it was accepted: %d, %s", r.code, r.stderr)
	}
}
