package metrics

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

const referencePath = "../../docs/metrics.md"

// reference returns docs/metrics.md, made from the definitions.
func reference() string {
	var out strings.Builder
	out.WriteString(`# Metrics

*Reference, for operators. Next: [Changelog](changelog.md). [All pages](README.md).*

These metrics are served under ` + "`/metrics`" + ` at the admin address (` + "`--admin`" + `, by default ` +
		"`127.0.0.1:9091`" + `),
together with the ` + "`go_`" + ` and ` + "`process_`" +
		` metrics of every Go program. This page is generated from the code:
` + "`go test ./internal/metrics -update`" + ` writes it. [operations.md](operations.md) says what to watch;
` + "`ops/alerts.yml`" + ` and ` + "`ops/grafana-dashboard.json`" + ` use these metrics.

| metric | kind | labels | given by | meaning |
|---|---|---|---|---|
`)
	for _, d := range definitions {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", d.name, d.kind, strings.Join(d.labels, ", "), d.from,
			d.help)
	}
	return out.String()
}

func TestTheReferenceHasEveryMetric(t *testing.T) {
	want := reference()
	if *update {
		if err := os.WriteFile(referencePath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/metrics.md is not what the code defines: run go test ./internal/metrics -update")
	}
}

func TestNamesSayTheUnitAndWhetherTheMetricOnlyRises(t *testing.T) {
	units := []string{"_seconds", "_bytes", "_days"}
	for _, d := range definitions {
		if counts := strings.HasSuffix(d.name, "_total"); counts != (d.kind == counter) {
			t.Errorf("%s is a %s", d.name, d.kind)
		}
		if d.kind == histogram && !strings.HasSuffix(d.name, "_seconds") {
			t.Errorf("%s does not say what it measures in", d.name)
		}
		for _, unit := range units {
			if strings.Contains(d.name, unit+"_") {
				t.Errorf("%s has its unit in the middle", d.name)
			}
		}
		if d.from == "" || !strings.HasSuffix(d.help, ".") {
			t.Errorf("%s lacks a role or a sentence", d.name)
		}
	}
}
